// The warnings for functions that compile again and again, and for places that record again and again.
#include <doctest/doctest.h>

#include <array>
#include <string>
#include <vector>

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/dispatch/compiles/compile_history.hpp>
#include <sinter/runtime/dispatch/compiles/recorded_places.hpp>
#include <sinter/runtime/dispatch/compiles/repeated_compiles.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/sinter.hpp>

#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

/// Collects warnings that have `part`, of this test's functions alone.
class warnings {
 public:
  explicit warnings(std::string part) : part_(std::move(part)), before_(set_log_hook(nullptr)) {
    set_log_hook(&keep, this);
  }
  warnings(const warnings&) = delete;
  warnings& operator=(const warnings&) = delete;
  ~warnings() { set_log_hook(before_); }
  std::vector<std::string> texts;

 private:
  static void keep(void* data, log_level level, std::string_view text) {
    auto& self = *static_cast<warnings*>(data);
    if (level == log_level::warning && text.find(self.part_) != std::string_view::npos)
      self.texts.emplace_back(text);
  }
  std::string part_;
  log_hook before_;
};

/// No cache on disk, so that each case compiles.
struct fresh_cache {
  fresh_cache() {
    cache_settings none;
    none.on_disk = false;
    set_cache(none);
  }
  ~fresh_cache() { set_cache(cache_settings_from_environment()); }
};

bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

compiled_call call_of(compiled_array operand) {
  return {.where = device::cpu(), .operands = {std::move(operand)}, .targets = {}, .view_numbers = {}};
}

/// Notes a compile for two operands of `extent` elements, aligned to `alignment` bytes.
void note(const function& called, std::int64_t extent, std::uint32_t alignment,
          const call_request& settings) {
  const std::int64_t stride = 1;
  const array_layout first{.type = element_type::float32, .rank = 1, .extents = &extent, .strides = &stride};
  array_layout second = first;
  second.alignment = alignment;
  second.identity = 1;
  call_request request = settings;
  request.called = &called;
  request.where = device::cpu();
  note_compile(request, std::array{first, second}, {});
}

}  // namespace

TEST_CASE("warnings come at the powers of four from 16 on") {
  std::vector<std::size_t> told;
  for (std::size_t count = 0; count < 5000; ++count)
    if (is_told_at(count)) told.push_back(count);
  CHECK(told == std::vector<std::size_t>{16, 64, 256, 1024, 4096});
}

TEST_CASE("the difference of two calls names operands, extents, strides and alignment") {
  const compiled_call plain = call_of({{512, 1000}, {1000, 1}, 256, 0});
  CHECK(differences(plain, plain).empty());
  CHECK(differences(plain, call_of({{512, 1001}, {1001, 1}, 4, 0})) ==
        "operand 0: extents 512x1000 before, 512x1001 now; alignment 256 bytes before, 4 now");
  CHECK(differences(plain, call_of({{512, 1000}, {1024, 1}, 256, 0})) ==
        "operand 0: strides 1000x1 before, 1024x1 now");
  // alignments beyond the widest access are told of where nothing else differs
  CHECK(differences(plain, call_of({{512, 999}, {999, 1}, 64, 0})) ==
        "operand 0: extents 512x1000 before, 512x999 now");
  CHECK(differences(plain, call_of({{512, 1000}, {1000, 1}, 64, 0})) ==
        "operand 0: alignment 256 bytes before, 64 now");

  compiled_call two = plain, same = plain;
  two.operands.push_back({{512, 1000}, {1000, 1}, 256, 1});
  same.operands.push_back({{512, 1000}, {1000, 1}, 256, 0});
  CHECK(differences(two, same) == "operand 1: the same array as operand 1 before, as operand 0 now");

  compiled_call into = plain;
  into.targets.push_back({{512, 1000}, {1000, 1}, 256, 0});
  CHECK(differences(plain, into) == "results: new arrays before, into arrays of the caller's now");
  CHECK(differences(into, plain) == "results: into arrays of the caller's before, new arrays now");

  compiled_call first = plain, second = plain;
  first.view_numbers = {3};
  second.view_numbers = {static_cast<runtime::scalar>(-1)};
  CHECK(differences(first, second) == "number 0 of a view or shape: 3 before, -1 now");
}

TEST_CASE("a function that compiles for its 16th and 64th call is told of, with what changed") {
  const function_handle called = axpy_function("repeated_compiles_noted");
  const warnings told("repeated_compiles_noted");
  const stream on = stream::default_of(device::cpu());
  call_request launched;
  launched.on = &on;
  for (std::int64_t i = 1; i <= 100; ++i) {
    note(*called, 1000 + i, i % 2 == 0 ? 4 : 16, launched);
    CHECK(told.texts.size() == (i < 16 ? 0u : i < 64 ? 1u : 2u));
  }
  REQUIRE(told.texts.size() == 2);
  CHECK(has(told.texts[0], "for the 16th different call"));
  CHECK(has(told.texts[0],
            "operand 0: extents 1015 before, 1016 now. operand 1: extents 1015 before, 1016 now; "
            "alignment 16 bytes before, 4 now"));
  CHECK(has(told.texts[0], "prepare()"));
  CHECK(has(told.texts[1], "for the 64th different call"));
}

TEST_CASE("what compiles on purpose is not told of") {
  const function_handle called = axpy_function("repeated_compiles_on_purpose");
  const warnings told("repeated_compiles_on_purpose");
  const stream on = stream::default_of(device::cpu());
  const schedule forced;
  call_request prepared, tuned, generic;
  tuned.on = generic.on = &on;
  tuned.forced = &forced;
  generic.variant = lowering_variant::shape_generic;
  for (std::int64_t i = 1; i <= 20; ++i)
    for (const call_request& each : {prepared, tuned, generic}) note(*called, i, 16, each);
  CHECK(told.texts.empty());
}

TEST_CASE("calls that compile are counted, and calls of known kernels are not") {
  const fresh_cache fresh;
  const auto total = fuse("repeated_compiles_counted", [](auto a, auto b, auto c, auto d, auto e) {
    return a + 2 * b + 3 * c + 4 * d + 5 * e;
  });
  const warnings told("repeated_compiles_counted");
  const array<float, 1> one = ones<float>({1}, device::cpu()), row = ones<float>({37}, device::cpu());
  // which operands are broadcast is part of a kernel
  const auto call_all = [&] {
    for (unsigned broadcast = 0; broadcast < 31; ++broadcast) {
      const auto of = [&](unsigned i) { return view<const float, 1>((broadcast >> i & 1) != 0 ? one : row); };
      array<float, 1> made = total(of(0), of(1), of(2), of(3), of(4));
      CHECK(made.to_vector() == std::vector<float>(37, 15.0f));
    }
  };
  call_all();
  REQUIRE(told.texts.size() == 1);
  CHECK(has(told.texts[0], "for the 16th different call"));
  CHECK(has(told.texts[0], "extents"));
  for (int i = 0; i < 3; ++i) call_all();
  CHECK(told.texts.size() == 1);
}

TEST_CASE("a place that records another graph for the 16th time is told of, once") {
  const array<float, 1> x = ones<float>({5}, device::cpu());
  const warnings told("was recorded with another graph");
  const auto scaled_by = [&](int number) {
    const auto scaled = fuse("repeated_graphs", [&](auto v) { return v * literal(number) + v; });
    array<float, 1> made = scaled(x);
    CHECK(made.to_vector()[0] == static_cast<float>(number + 1));
  };
  for (int i = 1; i <= 20; ++i) {
    scaled_by(100 + i);
    scaled_by(100 + i);
  }
  REQUIRE(told.texts.size() == 1);
  CHECK(has(told.texts[0], "'repeated_graphs'"));
  CHECK(has(told.texts[0], "16th time"));
  CHECK(has(told.texts[0], "literal()"));
}

TEST_CASE("captured numbers are parameters: their place records one graph") {
  const array<float, 1> x = ones<float>({5}, device::cpu());
  const warnings told("'repeated_captures'");
  for (int i = 1; i <= 20; ++i) {
    const float number = static_cast<float>(i);
    array<float, 1> made = fuse("repeated_captures", [=](auto v) { return v * number; })(x);
    CHECK(made.to_vector()[0] == number);
  }
  CHECK(told.texts.empty());
}

TEST_CASE("graphs of other types are other places, and a graph that comes back is not counted again") {
  recorded_places places;
  const auto counted = [&](element_type type, std::uint64_t hash) {
    ir::graph recorded;
    recorded.inputs = {{type, 1}};
    recorded.defined_at = std::source_location::current();
    return places.count(recorded, {hash, 0});
  };
  CHECK(counted(element_type::float32, 1) == 1);
  CHECK(counted(element_type::float32, 2) == 2);
  CHECK(counted(element_type::float32, 2) == 0);
  CHECK(counted(element_type::float64, 3) == 1);
  CHECK(counted(element_type::float32, 4) == 3);
  CHECK(places.count(ir::graph{}, {5, 0}) == 0);  // no place
}
