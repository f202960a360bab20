// Minima and maxima of zeros of either sign: the GPU takes them, not the compiler, which takes 0 for the
// smaller of 0 and -0 where it knows both.

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/runtime/compile/compile.hpp>

namespace sinter::test {
namespace {

/// PTX of an operation of a number that is known to be 0, without being a literal, and of -0.
std::string ptx_of_zeros(operation op, element_type type) {
  graph_builder builder;
  builder.restart(arithmetic_mode::strict);
  const graph_value x = builder.input(element_type::int64, 1);
  const graph_value zero = builder.cast(builder.apply(operation::subtract, {x, x}), type);
  builder.output(builder.apply(op, {zero, builder.literal(type, real_bits(type, -0.0L))}));
  const std::vector<layout> arrays{contiguous({1000}, element_type::int64)};
  const lowered_call lowered = lower(builder.recorded(), arrays, cuda_facts(), {}, {}, nullptr, 0);
  REQUIRE(lowered.stage_count == 1);
  const kernel_text text = emit(lowered.stages[0]);
  return runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::ptx}).code;
}

}  // namespace

TEST_CASE("the compiler leaves minima and maxima of zeros to the GPU") {
  if (nvrtc_is_missing()) return;
  CHECK(ptx_of_zeros(operation::fmin, element_type::float32).find("min.f32") != std::string::npos);
  CHECK(ptx_of_zeros(operation::fmax, element_type::float32).find("max.f32") != std::string::npos);
  CHECK(ptx_of_zeros(operation::fmin, element_type::float64).find("min.f64") != std::string::npos);
  CHECK(ptx_of_zeros(operation::fmax, element_type::float64).find("max.f64") != std::string::npos);
  CHECK(ptx_of_zeros(operation::minimum, element_type::float32).find("min.NaN.f32") != std::string::npos);
  CHECK(ptx_of_zeros(operation::maximum, element_type::float32).find("max.NaN.f32") != std::string::npos);
}

}  // namespace sinter::test
