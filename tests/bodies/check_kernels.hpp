#pragma once
// Kernels of graphs with bodies beside the interpreter.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/sweep/sweep_reference.hpp"
#include "body_graphs.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/interpreter.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/sinter.hpp>

namespace sinter::test {

inline constexpr element_type f32 = element_type::float32, i32 = element_type::int32,
                              i64 = element_type::int64;
inline constexpr declared matrix{f32, 2}, row{f32, 1};

/// Numbers between 0.1 and 1, none of which repeats soon.
inline bits some_numbers(std::size_t count) {
  bits made;
  for (std::size_t i = 0; i < count; ++i)
    made.push_back(real_bits(f32, 0.1L + 0.9L * static_cast<long double>(i * 37 % 101) / 101));
  return made;
}

/// What the interpreter makes of a graph, as bits.
inline std::vector<bits> interpreted(const graph& recorded, const std::vector<reference_array>& inputs) {
  std::vector<reference_array> results;
  interpret(recorded, inputs, {}, results, reference_precision::native);
  std::vector<bits> made;
  for (const reference_array& result : results) {
    bits& of_result = made.emplace_back();
    for (std::size_t i = 0; i < result.size(); ++i)
      of_result.push_back(store_reference(result.type, result.at(i)));
  }
  return made;
}

inline std::vector<bits> interpreted(const graph& recorded, const shape& extents) {
  const shape last{extents.back()};
  std::vector<reference_array> inputs;
  for (const shape& each : {extents, last}) {
    std::vector<float> numbers;
    for (const std::uint64_t of : some_numbers(count_of(each)))
      numbers.push_back(static_cast<float>(real_of(f32, of)));
    inputs.push_back(load_reference(f32, each, numbers.data()));
  }
  return interpreted(recorded, inputs);
}

/// Runs a function of a matrix and its last row's length in each way, on shapes with and without whole
/// vectors.
inline void check_kernels(const graph& recorded, std::initializer_list<shape> shapes = {
                                                     {7, 33}, {1, 1}, {40, 128}, {3, 2000}, {0, 5}, {5, 1}}) {
  for (const shape& extents : shapes) {
    const shape last{extents.back()};
    const std::vector<bits> wanted = interpreted(recorded, extents);
    const auto placed_on = [&](device on) {
      std::vector<placed_array> arrays;
      arrays.emplace_back(f32, some_numbers(count_of(extents)), extents, placement::contiguous, on);
      arrays.emplace_back(f32, some_numbers(count_of(last)), last, placement::contiguous, on);
      return arrays;
    };
    for (const lowering_variant variant : {lowering_variant::specialised, lowering_variant::shape_generic}) {
      CAPTURE(text_of(extents));
      CAPTURE(static_cast<int>(variant));
      for (const device on : sweep_devices())
        CHECK(run(runtime::intern(recorded), placed_on(on), {}, on, variant) == wanted);
      if (sweep_devices().size() > 1) continue;  // a GPU ran them
      const std::vector<placed_array> arrays = placed_on(device::cpu());
      CHECK(simulate(recorded, {arrays[0].operand(), arrays[1].operand()}, {}, {.variant = variant}) ==
            wanted);
    }
  }
}

}  // namespace sinter::test
