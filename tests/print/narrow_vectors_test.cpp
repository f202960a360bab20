// Vectors of elements that are narrower than a word, as CUDA kernels store them.

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>

namespace sinter::test {
namespace {

/// int8 times a scale per row, as float16: a thread has eight elements of each of several rows.
lowered_call dequantised() {
  graph_builder builder;
  const graph_value x = builder.cast(builder.input(element_type::int8, 2), element_type::float32);
  const graph_value scaled = builder.apply(operation::multiply, {x, builder.input(element_type::float32, 2)});
  builder.output(builder.cast(scaled, element_type::float16));
  return lower(builder.recorded(), {contiguous({16384, 16384}, element_type::int8), contiguous({16384, 1})},
               cuda_facts());
}

std::size_t times(const std::string& text, std::string_view part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

}  // namespace

TEST_CASE("the eight halves of each row of a thread are one store, and single ones only at a row's end") {
  if (nvrtc_is_missing()) return;
  const lowered_call lowered = dequantised();
  REQUIRE(lowered.stage_count == 1);
  const schedule& chosen = lowered.stages[0].chosen;
  REQUIRE(chosen.vector == 8);
  REQUIRE(chosen.rows_per_thread > 1);
  const kernel_text text = emit(lowered.stages[0]);
  const std::string ptx =
      runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::ptx}).code;
  CHECK(times(ptx, "st.global.v4.b32") == chosen.rows_per_thread);
  CHECK(times(ptx, "st.global.u16") + times(ptx, "st.global.b16") <= 7u * chosen.rows_per_thread);
}

TEST_CASE("the text stores words only where a thread has several vectors of narrow elements") {
  const auto stores_words = [](const graph& recorded, const layout& x) {
    return text_of(lower(recorded, {x}, cuda_facts()).stages[0]).find("st.global.v4.b32") !=
           std::string::npos;
  };
  CHECK(text_of(dequantised().stages[0]).find("st.global.v4.b32") != std::string::npos);
  CHECK_FALSE(
      stores_words(sum_of({{element_type::float16, 1}}), contiguous({1 << 20}, element_type::float16)));
  CHECK_FALSE(stores_words(sum_of({{element_type::float32, 1}}), contiguous({1 << 20})));
}

}  // namespace sinter::test
