#include <sinter/runtime/tuned/tuned_entry.hpp>

#include <fmt/format.h>

namespace sinter::inline v0::runtime {

std::string name_of(const graph_hash& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

graph_hash tuning_hash_of(const graph& content, const graph_hash& content_hash) {
  if (content.derived_limits.empty())
    return content_hash;  // of nearly all: only those that have some are copied
  graph without = content;
  without.derived_limits.clear();
  return hash_of(without);
}

}  // namespace sinter::inline v0::runtime
