// Values that several phases need, before a scan and after it: each phase evaluates them, or keeps them, for
// itself.

#include <doctest/doctest.h>

#include "../support/compiles.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/drawn/random_rows.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <functional>

namespace sinter::test {
namespace {

struct program {
  std::string name;
  std::function<graph_value(graph_builder& b, graph_value x, unsigned axis)> of;
};

graph_value shares(graph_builder& b, graph_value x, unsigned axis) {
  const std::uint32_t axes = 1u << axis;
  const graph_value powers =
      b.apply(operation::exp, {b.apply(operation::subtract, {x, b.reduce(operation::max, x, axes, true)})});
  return b.apply(operation::true_divide, {powers, b.reduce(operation::sum, powers, axes, true)});
}

const std::vector<program>& programs() {
  static const std::vector<program> all{
      {"cumprod(x) + x * sum(x)",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value sum = b.reduce(operation::sum, x, 1u << axis, true);
         return b.apply(operation::add,
                        {b.scan(operation::cumprod, x, axis), b.apply(operation::multiply, {x, sum})});
       }},
      {"(cumprod(x) + x) * sum(x)",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value sum = b.reduce(operation::sum, x, 1u << axis, true);
         return b.apply(operation::multiply,
                        {b.apply(operation::add, {b.scan(operation::cumprod, x, axis), x}), sum});
       }},
      {"cumsum(cos(x) - max(cos(x))) * cos(x)",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value y = b.apply(operation::cos, {x});
         const graph_value apart =
             b.apply(operation::subtract, {y, b.reduce(operation::max, y, 1u << axis, true)});
         return b.apply(operation::multiply, {b.scan(operation::cumsum, apart, axis), y});
       }},
      {"shares whose sum before them is small, over what they add up to",
       [](graph_builder& b, graph_value x, unsigned axis) {
         const graph_value p = shares(b, x, axis);
         const graph_value before = b.apply(operation::subtract, {b.scan(operation::cumsum, p, axis), p});
         const graph_value most = b.literal(element_type::float64, 0x3fe6855da272862f);  // 0.7038
         const graph_value kept = b.apply(operation::where, {b.apply(operation::less, {before, most}), p,
                                                             b.literal(element_type::float64, 0)});
         return b.apply(operation::true_divide, {kept, b.reduce(operation::sum, kept, 1u << axis, true)});
       }},
  };
  return all;
}

graph recorded(const program& of, unsigned axis) {
  graph_builder b;
  b.restart();
  b.output(of.of(b, b.input(element_type::float64, 2), axis));
  return b.recorded();
}

bits small_numbers(const shape& extents, std::uint64_t seed) {
  return whole_numbers(element_type::float64, count_of(extents), seed,
                       [](std::int64_t drawn) { return drawn % 2 == 0 ? 1 : -1; });
}

}  // namespace

TEST_CASE("a value of an earlier loop over a row is there again after a scan") {
  const std::vector<shape> shapes{{3, 5}, {7, 300}, {40, 33}, {2, 5000}, {300, 3}};
  sweep(programs().size() * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const program& at = programs()[i / shapes.size()];
    const shape& extents = shapes[i % shapes.size()];
    for (unsigned axis = 0; axis < 2; ++axis)
      for (const device on : sweep_devices())
        check_against_reference(at.name + " " + text_of(extents) + " along " + std::to_string(axis),
                                recorded(at, axis), {small_numbers(extents, i)}, {extents},
                                placement::contiguous, on, {1e-9, 1}, failures);
  });
}

TEST_CASE("kernels that use a value before a scan and after it compile for GPUs") {
  if (nvrtc_is_missing()) return;
  const std::vector<shape> shapes{{3, 5}, {7, 300}, {64, 5000}, {4000, 33}, {300, 70000}};
  sweep(programs().size() * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const program& at = programs()[i / shapes.size()];
    const shape& extents = shapes[i % shapes.size()];
    for (unsigned axis = 0; axis < 2; ++axis) {
      const graph made = recorded(at, axis);
      check_compiles(at.name + " " + text_of(extents),
                     lower(made, {contiguous(extents, element_type::float64)}, cuda_facts()), failures);
    }
  });
}

TEST_CASE("random mixtures of scans and reductions give what the interpreter gives") {
  sweep(60, [](std::size_t seed, failure_list& failures) {
    const graph made = random_rows(seed, 2, 2, 5 + seed % 10);
    const shape extents = seed % 2 == 0 ? shape{6, 9} : shape{37, 130};
    for (const device on : sweep_devices())
      check_against_reference("seed " + std::to_string(seed), made,
                              {small_numbers(extents, seed), small_numbers(extents, seed + 1)},
                              {extents, extents}, placement::contiguous, on, {}, failures);
  });
}

TEST_CASE("random mixtures of scans and reductions compile for GPUs") {
  if (nvrtc_is_missing()) return;
  sweep(40, [](std::size_t seed, failure_list& failures) {
    const graph made = simplify(random_rows(1000 + seed, 2, 2, 5 + seed % 10));
    const shape extents = seed % 2 == 0 ? shape{37, 130} : shape{4000, 70};
    check_compiles("seed " + std::to_string(1000 + seed),
                   lower(made, std::vector(2, contiguous(extents, element_type::float64)), cuda_facts()),
                   failures);
  });
}

}  // namespace sinter::test
