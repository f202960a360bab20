// Processor levels: which code runs where, and what a pack contains for each.

#include <doctest/doctest.h>

#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/runtime/posix/host.hpp>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace sinter;

namespace {

const cpu_level& level(std::string_view name) {
  const cpu_level* const found = find_cpu_level(name);
  REQUIRE(found != nullptr);
  return *found;
}

/// The features that all processors of a level have.
cpu_features features_up_to(const cpu_level& last) {
  cpu_features all;
  for (const cpu_level& each : cpu_levels()) {
    for (unsigned i = 0; i <= static_cast<unsigned>(cpu_feature::avx512vl); ++i)
      if (const auto feature = static_cast<cpu_feature>(i); each.needed.has_all({feature})) all.add(feature);
    if (&each == &last) break;
  }
  return all;
}

std::vector<std::string> names_of(const std::vector<const cpu_level*>& levels) {
  std::vector<std::string> names;
  for (const cpu_level* each : levels) names.emplace_back(each->name);
  return names;
}

std::set<std::uint32_t> registers_packed(std::string_view name, std::vector<const cpu_level*> packed) {
  std::set<std::uint32_t> widths;
  for (const target_facts& each : facts_of_level(level(name), packed)) {
    CHECK(each.kind == target_kind::cpu);
    widths.insert(each.vector_bytes);
  }
  return widths;
}

using names = std::vector<std::string>;
using widths = std::set<std::uint32_t>;

}  // namespace

TEST_CASE("a processor runs the code of its own level and of those below, the best first") {
  CHECK(names_of(levels_of(features_up_to(level("x86-64")))) == names{"x86-64"});
  CHECK(names_of(levels_of(features_up_to(level("x86-64-v3")))) == names{"x86-64-v3", "x86-64-v2", "x86-64"});
  CHECK(names_of(levels_of(features_up_to(level("x86-64-v4")))) ==
        names{"x86-64-v4", "x86-64-v3", "x86-64-v2", "x86-64"});
}

TEST_CASE("a processor that lacks one feature of a level is of the level below, whatever else it has") {
  const cpu_features all = features_up_to(level("x86-64-v4"));
  const auto best_without = [&](cpu_feature feature) {
    cpu_features masked = all;
    masked.remove(feature);
    return std::string(levels_of(masked).front()->name);
  };
  CHECK(best_without(cpu_feature::avx512vl) == "x86-64-v3");
  CHECK(best_without(cpu_feature::avx512f) == "x86-64-v3");
  CHECK(best_without(cpu_feature::fma) == "x86-64-v2");
  CHECK(best_without(cpu_feature::movbe) == "x86-64-v2");
  CHECK(best_without(cpu_feature::popcnt) == "x86-64");
}

TEST_CASE("a processor of another family runs the code of no level") { CHECK(levels_of({}).empty()); }

TEST_CASE("a level has features that no other one names, and registers no narrower than the one below") {
  std::uint32_t vector_bytes = 0;
  cpu_features seen;
  for (const cpu_level& each : cpu_levels()) {
    CHECK(each.vector_bytes >= vector_bytes);
    CHECK_FALSE(seen.has_all(each.needed));
    vector_bytes = each.vector_bytes;
    seen = features_up_to(each);
  }
  CHECK(find_cpu_level("x86-64-v5") == nullptr);
  CHECK(find_cpu_level("native") == nullptr);
}

TEST_CASE("kernels of a level are packed for wider registers too, unless a level of the pack has those") {
  const cpu_level *v2 = &level("x86-64-v2"), *v3 = &level("x86-64-v3"), *v4 = &level("x86-64-v4");
  CHECK(registers_packed("x86-64-v3", {v3}) == widths{32, 64});
  CHECK(registers_packed("x86-64-v3", {v3, v4}) == widths{32});
  CHECK(registers_packed("x86-64-v4", {v3, v4}) == widths{64});
  CHECK(registers_packed("x86-64", {v4}) == widths{16, 32});
  CHECK(registers_packed("x86-64", {v2}) == widths{16});
  CHECK(registers_packed("x86-64-v2", {v2}) == widths{16, 32, 64});
}

#if defined(__x86_64__)
TEST_CASE("what this processor's registers hold fits its level") {
  const std::vector<const cpu_level*> own = levels_of(runtime::processor_feature_set());
  REQUIRE_FALSE(own.empty());
  CHECK(own.front()->vector_bytes <= runtime::vector_register_bytes());
  CHECK((__builtin_cpu_supports("avx2") != 0) ==
        runtime::processor_feature_set().has_all({cpu_feature::avx2}));
  CHECK((__builtin_cpu_supports("avx512f") != 0) ==
        runtime::processor_feature_set().has_all({cpu_feature::avx512f}));
  CHECK((__builtin_cpu_supports("sse4.2") != 0) ==
        runtime::processor_feature_set().has_all({cpu_feature::sse4_2}));
}
#endif
