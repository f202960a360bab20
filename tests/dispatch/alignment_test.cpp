// Alignment of array elements: a GPU loads each of them whole.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/error.hpp>

#include <array>
#include <complex>

#include "../support/cuda/fake_cuda.hpp"

using namespace sinter;

namespace {

runtime::function_handle negated(element_type type) {
  graph_builder builder;
  builder.restart();
  builder.output(builder.apply(operation::negative, {builder.input(type, 1)}));
  return runtime::intern(builder.recorded());
}

runtime::operand operand_at(void* data, element_type type, const std::int64_t* extent,
                            const std::int64_t* stride, device where) {
  return {data, extent, stride, type, 1, where};
}

}  // namespace

TEST_CASE(
    "elements of a GPU's array that are not at multiples of their size are refused before anything is "
    "launched") {
  const fake_cuda fake;
  alignas(16) std::array<float, 64> memory{};
  const std::int64_t extent = 8, stride = 1;
  for (const element_type type : {element_type::complex64, element_type::complex128, element_type::float64}) {
    const device gpu = device::cuda(0);
    const runtime::operand aligned = operand_at(memory.data(), type, &extent, &stride, gpu),
                           shifted = operand_at(memory.data() + 1, type, &extent, &stride, gpu);
    const runtime::function_handle called = negated(type);
    CHECK_THROWS_WITH_AS(runtime::call(called, {&shifted, 1}, {}, {&aligned, 1}, {}),
                         doctest::Contains("operand 0"), device_error);
    CHECK_THROWS_WITH_AS(runtime::call(called, {&aligned, 1}, {}, {&shifted, 1}, {}),
                         doctest::Contains("result 0"), device_error);
  }
}

TEST_CASE("on the CPU complex numbers may lie wherever their parts may") {
  std::array<float, 64> memory{};
  for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
  const std::int64_t extent = 15, stride = 1;
  const runtime::operand from = operand_at(memory.data() + 1, element_type::complex64, &extent, &stride,
                                           device::cpu()),
                         to = operand_at(memory.data() + 33, element_type::complex64, &extent, &stride,
                                         device::cpu());
  runtime::call(negated(element_type::complex64), {&from, 1}, {}, {&to, 1}, {});
  for (std::size_t i = 0; i < 30; ++i) CHECK(memory[33 + i] == -static_cast<float>(1 + i));
}
