#include <sinter/codegen/target/cpu_levels.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

using enum cpu_feature;

// Source: x86-64 psABI, "Low-level system information", table of micro-architecture levels.
constexpr cpu_level levels[] = {
    {"x86-64", {x86_64}, 16},
    {"x86-64-v2", {cmpxchg16b, lahf, popcnt, sse3, ssse3, sse4_1, sse4_2}, 16},
    {"x86-64-v3", {avx, avx2, bmi1, bmi2, f16c, fma, lzcnt, movbe}, 32},
    {"x86-64-v4", {avx512f, avx512bw, avx512cd, avx512dq, avx512vl}, 64},
};

}  // namespace

std::span<const cpu_level> cpu_levels() { return levels; }

const cpu_level* find_cpu_level(std::string_view name) {
  const auto* const found = std::find_if(std::begin(levels), std::end(levels),
                                         [&](const cpu_level& at) { return at.name == name; });
  return found != std::end(levels) ? found : nullptr;
}

std::vector<const cpu_level*> levels_of(const cpu_features& present) {
  std::vector<const cpu_level*> all;
  for (const cpu_level& each : levels) {
    if (!present.has_all(each.needed)) break;
    all.insert(all.begin(), &each);
  }
  return all;
}

std::vector<target_facts> facts_of_level(const cpu_level& level, std::span<const cpu_level* const> packed) {
  std::vector<target_facts> all;
  for (const cpu_level& wider : levels) {
    if (&wider < &level) continue;
    const bool serves_itself =
        &wider != &level && std::find(packed.begin(), packed.end(), &wider) != packed.end();
    if (serves_itself) break;
    if (!all.empty() && all.back().vector_bytes == wider.vector_bytes) continue;
    target_facts facts;
    facts.kind = target_kind::cpu;
    facts.vector_bytes = wider.vector_bytes;
    all.push_back(facts);
  }
  return all;
}

}  // namespace sinter::inline v0
