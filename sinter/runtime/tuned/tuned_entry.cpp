#include <sinter/runtime/tuned/tuned_entry.hpp>

#include <fmt/format.h>

namespace sinter::inline v0::runtime {

std::string name_of(const graph_hash& hash) { return fmt::format("{:016x}{:016x}", hash.high, hash.low); }

}  // namespace sinter::inline v0::runtime
