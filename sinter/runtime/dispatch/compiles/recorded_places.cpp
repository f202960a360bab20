#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include <sinter/runtime/dispatch/compiles/recorded_places.hpp>

namespace sinter::inline v0::runtime {
namespace {
constexpr std::size_t max_places = 4096;  // as many as function_table holds functions
}  // namespace

std::size_t recorded_places::count(const graph& recorded, const graph_hash& hash) {
  if (recorded.defined_at.line() == 0) return 0;
  // A function of several types has a graph for each, which is no fault: those are places of their own.
  std::vector<std::uint64_t> key(1);
  std::memcpy(key.data(), &recorded.defined_at, std::min(sizeof key[0], sizeof recorded.defined_at));
  for (const input_declaration& each : recorded.inputs)
    key.push_back(static_cast<std::uint64_t>(each.type) | static_cast<std::uint64_t>(each.rank) << 8);
  key.push_back(recorded.inputs.size());
  for (const element_type each : recorded.parameters) key.push_back(static_cast<std::uint64_t>(each));
  const std::uint64_t name = XXH3_64bits(recorded.name.data(), recorded.name.size());
  if (places_.size() >= max_places) places_.clear();
  place& at = places_[XXH3_64bits_withSeed(key.data(), key.size() * sizeof key[0], name)];
  if (at.graphs != 0 && at.latest == hash) return 0;
  at.latest = hash;
  return ++at.graphs;
}

}  // namespace sinter::inline v0::runtime
