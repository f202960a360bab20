// Reductions over no elements, and results without elements.

#include <doctest/doctest.h>

#include "../support/compiles.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

namespace sinter::test {
namespace {

constexpr element_type types[] = {element_type::boolean,   element_type::int8,    element_type::int64,
                                  element_type::uint64,    element_type::float16, element_type::bfloat16,
                                  element_type::float32,   element_type::float64, element_type::complex64,
                                  element_type::complex128};
constexpr operation with_start[] = {operation::sum, operation::prod, operation::all, operation::any};

bool takes(operation op, element_type type) { return !is_complex(type) || takes_complex(facts_of(op).rule); }

graph reduced(operation op, element_type type, std::uint32_t axes, bool and_more) {
  graph_builder b;
  b.restart();
  const graph_value x = b.input(type, 2);
  const graph_value result = b.reduce(op, x, axes, true);
  b.output(result);
  if (and_more) b.output(b.apply(operation::equal, {result, b.apply(operation::add, {result, result})}));
  return b.recorded();
}

}  // namespace

TEST_CASE("a reduction over no elements of any type is what it begins with") {
  sweep(std::size(types), [](std::size_t t, failure_list& failures) {
    for (const operation op : with_start) {
      if (!takes(op, types[t])) continue;
      for (const shape& extents : {shape{0, 3}, shape{3, 0}, shape{0, 0}})
        for (const std::uint32_t axes : {1u, 2u, 3u})
          for (const device on : sweep_devices())
            check_against_reference(
                std::string(facts_of(op).name) + " of " + std::string(facts_of(types[t]).name) + " " +
                    text_of(extents) + " over axes " + std::to_string(axes),
                reduced(op, types[t], axes, true), {{}}, {extents}, placement::contiguous, on, {}, failures);
    }
  });
}

TEST_CASE("reductions over no elements compile for GPUs") {
  if (nvrtc_is_missing()) return;
  sweep(std::size(types), [](std::size_t t, failure_list& failures) {
    for (const operation op : {operation::sum, operation::prod}) {
      const graph made = reduced(op, types[t], 2u, true);
      const std::string name = std::string(facts_of(op).name) + " of " + std::string(facts_of(types[t]).name);
      check_compiles(name, lower(made, {contiguous({3, 0}, types[t])}, cuda_facts()), failures);
      check_compiles(name + ", general", lower_general(made, {contiguous({3, 0}, types[t])}, cuda_facts()),
                     failures);
    }
  });
}

TEST_CASE("results without elements are written into arrays of their shape, whatever the strides") {
  const auto doubled = fuse([](auto x) { return x + x; });
  for (const shape& extents : {shape{5, 0}, shape{0, 5}, shape{5, 0, 3}, shape{0, 0}, shape{2, 3, 0}}) {
    graph_builder b;
    b.restart();
    const graph_value x = b.input(element_type::float32, static_cast<unsigned>(extents.size()));
    b.output(b.apply(operation::add, {x, x}));
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const std::int64_t stride : {0, 1, -7}) {
        const layout into = strided(extents, shape(extents.size(), stride));
        CHECK(lower(b.recorded(), {contiguous(extents)}, target, {into}).stages[0].tiles == 0);
      }
  }
  auto x = array<float, 2>({5, 0}, device::cpu()), out = array<float, 2>({5, 0}, device::cpu());
  doubled.into(out)(x);
  CHECK(out.to_vector().empty());
  const auto row = array<float, 2>({1, 3}, device::cpu());
  auto wide = array<float, 2>({0, 3}, device::cpu());
  fuse([](auto a, auto b) { return a + b; }).into(wide)(row, wide);
}

TEST_CASE("a result that has elements is not written into an array that has one for several") {
  graph_builder b;
  b.restart();
  const graph_value x = b.input(element_type::float32, 2);
  b.output(b.apply(operation::add, {x, x}));
  CHECK_THROWS_AS(lower(b.recorded(), {contiguous({5, 2})}, cpu_facts(), {strided({5, 2}, {0, 1})}),
                  shape_error);
}

}  // namespace sinter::test
