// The CPU's loop over a piece of 64 elements evaluates whole pieces: lanes without an element contain a valid
// value anyway. Buffers start as NaN here, for which functions have no fast path, and the text counts how
// often it takes the full path.

#include <doctest/doctest.h>

#include "../clang/cpu_compiler_fixture.hpp"
#include "../support/cuda/cuda_simulator.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <algorithm>
#include <cmath>
#include <regex>
#include <utility>

namespace sinter::test {
namespace {

/// Runs sin(x) + y of a CPU kernel whose buffers start as NaN. Returns how many pieces took the full path.
long full_forms(const layout& x, const layout& y, const schedule* forced, bool at_the_end,
                std::size_t& wrong) {
  graph_builder builder;
  builder.restart();
  const auto rank = static_cast<unsigned>(x.extents.size());
  const graph_value a = builder.input(element_type::float32, rank),
                    b = builder.input(element_type::float32, rank);
  builder.output(builder.apply(operation::add, {builder.apply(operation::sin, {a}), b}));
  const target_facts target = cpu_facts();
  const lowered_call lowered = lower(builder.recorded(), {x, y}, target, {}, {}, forced);
  const stage& only = lowered.stages[0];
  std::string text = text_of(only);
  text = std::regex_replace(text, std::regex("alignas\\(64\\) float ((in|stage)[0-9a-z_]*)\\[([0-9]+)\\];"),
                            "alignas(64) float $1[$3]; for (float& at : $1) at = __builtin_nanf(\"\");");
  text = std::regex_replace(text, std::regex("if \\(__builtin_expect\\(needs_fallback, 0\\) != 0\\) \\{"),
                            "$& ++full_forms;");
  REQUIRE(text.find("++full_forms;") != std::string::npos);
  text =
      "extern \"C\" __attribute__((visibility(\"default\"))) long full_forms; long full_forms = 0;\n" + text;
  const cpu_compiler_test::compiled code = cpu_compiler_test::compile(text, {.options = {"-O1", "-w"}});
  REQUIRE_MESSAGE(code.status == SINTER_CPU_COMPILER_OK, code.log);
  const cpu_compiler_test::loaded kernel(code.object);

  // both operands are between guard pages, in memory filled with ones
  const auto place = [&](const layout& of) {
    std::int64_t first = 0, last = 0;
    for (std::size_t axis = 0; axis < of.extents.size(); ++axis)
      (of.strides[axis] < 0 ? first : last) += (of.extents[axis] - 1) * of.strides[axis];
    const auto elements = static_cast<std::size_t>(last - first + 1);
    guarded_memory memory(elements * sizeof(float), at_the_end);
    auto* begin = reinterpret_cast<float*>(memory.data());
    std::fill_n(begin, elements, 1.0f);
    return std::pair(std::move(memory), begin - first);
  };
  const auto [memory_x, from_x] = place(x);
  const auto [memory_y, from_y] = place(y);
  std::size_t count = 1;
  for (const std::int64_t extent : lowered.results[0].extents) count *= static_cast<std::size_t>(extent);
  std::vector<float> out(count + 64, -1.0f);
  std::vector<std::uint64_t> block;
  for (const argument_slot& slot : only.arguments) {
    using source = argument_slot::source;
    const float* const arrays[] = {from_x, from_y};
    block.push_back(slot.from == source::input_pointer ? reinterpret_cast<std::uint64_t>(arrays[slot.index]) +
                                                             static_cast<std::uint64_t>(slot.value)
                    : slot.from == source::output_pointer
                        ? reinterpret_cast<std::uint64_t>(out.data()) + static_cast<std::uint64_t>(slot.value)
                        : static_cast<std::uint64_t>(slot.value));
  }
  kernel.get<void(const void*, long long, long long)>("sinter_kernel")(block.data(), 0, only.tiles);
  for (std::size_t i = 0; i < out.size(); ++i)
    wrong += std::fabs(out[i] - (i < count ? std::sin(1.0f) + 1.0f : -1.0f)) > 1e-6f ? 1 : 0;
  return *reinterpret_cast<long*>(kernel.get<long>("full_forms"));
}

}  // namespace

TEST_CASE("lanes of a piece that belong to no element are evaluated from elements all the same") {
  schedule rows;
  rows.order = loop_order::rows;
  rows.threads_along = 1 << 14;
  rows.rows_per_thread = 4;
  for (const std::int64_t n : {5, 64, 101, 1025, 1090}) {
    CAPTURE(n);
    const bool at_the_end = n % 5 == 0;
    std::size_t wrong = 0;
    const auto check = [&](const layout& x, const layout& y, const schedule* forced = nullptr) {
      CHECK(full_forms(x, y, forced, at_the_end, wrong) == 0);
    };
    for (const std::int64_t step : {1, 2, 3, 7, -1, -2}) check(strided({n}, {step}), contiguous({n}));
    for (const std::int64_t step : {1, 2, -1}) {  // padded rows, and short ones
      check(strided({7, n}, {n * 3, step}), contiguous({7, n}));
      check(strided({7, n}, {n * 3, step}), contiguous({7, n}), &rows);
      check(strided({n, 3}, {7, step}), contiguous({n, 3}));
    }
    check(contiguous({1, n}), contiguous({7, n}));
    check(contiguous({n, 1}), contiguous({n, 3}));
    check(transposed({n, 70}), contiguous({n, 70}));
    check(transposed({70, n}), contiguous({70, n}));
    CHECK(wrong == 0);
  }
}

}  // namespace sinter::test
