#include "shape_generic_cases.hpp"

#include "recorded.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <tuple>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

std::vector<shape> two_matrices(std::int64_t rows, std::int64_t columns) {
  return {{rows, columns}, {rows, columns}};
}
std::vector<shape> row(std::int64_t, std::int64_t columns) { return {{columns}}; }

template <class... Arguments, class Body>
graph simplified(const Body& body) {
  return simplify(record<Arguments...>(body));
}

/// A reversed view, a transposed one, and elements at the end: bounds that depend on extents.
graph views_from_the_end() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 2);
  const std::vector<view_item> backwards{every(-1), all_of()}, last{at_index(-1), all_of()};
  builder.output(builder.apply(operation::add, {builder.view(x, backwards), builder.view(x, last)}));
  return builder.recorded();
}

graph positions() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(f32, 2);
  const graph_value place = builder.apply(
      operation::add, {builder.coordinate(x, 0),
                       builder.apply(operation::multiply, {builder.coordinate(x, 1), builder.extent(x, 0)})});
  builder.output(place);
  builder.output(builder.reduce(operation::sum, place, 2u));
  return builder.recorded();
}

/// A reduction over no axis is the identity.
graph reduced_along_nothing() {
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(operation::sum, builder.input(f32, 2), 0));
  return builder.recorded();
}

graph complex_sums() {
  graph_builder builder;
  builder.restart();
  const graph_value z = builder.input(element_type::complex64, 2);
  builder.output(builder.reduce(operation::sum, builder.apply(operation::multiply, {z, z}), 2u));
  builder.output(builder.scan(operation::cumsum, z, 1));
  return builder.recorded();
}

void add_pointwise(std::vector<general_case>& made) {
  made.push_back({"axpy",
                  simplified<float, floats<1>, floats<1>>([](auto a, auto x, auto y) { return a * x + y; }),
                  [](std::int64_t, std::int64_t columns) { return std::vector<shape>{{columns}, {columns}}; },
                  {0x40200000}});
  made.push_back(
      {"operands of one element or all",
       simplified<floats<2>, floats<2>, floats<1>>([](auto x, auto y, auto z) { return x * y + z; }),
       [](std::int64_t rows, std::int64_t columns) {
         return std::vector<shape>{{rows, columns}, {rows, 1}, {columns}};
       }});
  made.push_back(
      {"outer sum",
       simplified<floats<1>, floats<1>>([](auto x, auto y) { return x(all(), newaxis) + y(newaxis, all()); }),
       [](std::int64_t rows, std::int64_t columns) { return std::vector<shape>{{rows}, {columns}}; }});
  made.push_back({"stencil", simplified<floats<2>>([](auto u) {
                    const auto inner = sinter::slice(1, -1);
                    return u(inner, inner) +
                           0.5f * (u(sinter::slice(2, end), inner) + u(inner, sinter::slice(0, -2)));
                  }),
                  one_matrix});
  made.push_back({"stencil of stencils", simplified<floats<1>>([](auto u) {
                    const auto step = [](auto v) {
                      return v(sinter::slice(0, -2)) + v(sinter::slice(1, -1)) + v(sinter::slice(2, end));
                    };
                    return step(step(step(step(u))));
                  }),
                  row});
  made.push_back({"views from the end", views_from_the_end(), one_matrix});
  made.push_back({"positions", positions(), one_matrix});
  made.push_back({"transposed",
                  simplified<floats<2>, floats<2>>([](auto x, auto y) { return transpose(x) - y; }),
                  [](std::int64_t rows, std::int64_t columns) {
                    return std::vector<shape>{{rows, columns}, {columns, rows}};
                  }});
  made.push_back({"results of one array twice", simplified<floats<2>, floats<2>>([](auto x, auto y) {
                    return std::tuple{x + y, x * 2.0f};
                  }),
                  two_matrices});
}

void add_reductions_and_scans(std::vector<general_case>& made) {
  made.push_back({"reduced along nothing", reduced_along_nothing(), one_matrix});
  made.push_back({"sums of complex numbers", complex_sums(), one_matrix});
  made.push_back({"sums of rows, columns and all", simplified<floats<2>>([](auto x) {
                    return std::tuple{sum(x * x, axis<1>), sum(x, axis<0>), sum(x),
                                      prod(x, axis<1>, keepdims)};
                  }),
                  one_matrix});
  made.push_back({"means of one element each or many",
                  simplified<floats<2>, floats<2>>([](auto x, auto y) { return mean(x + y, axis<1>); }),
                  [](std::int64_t rows, std::int64_t columns) {
                    return std::vector<shape>{{rows, columns}, {1, columns}};
                  }});
  made.push_back({"softmax", simplified<floats<2>>([](auto x) { return softmax(x, axis<1>); }), one_matrix});
  made.push_back({"centred by columns, then by all", simplified<floats<2>>([](auto x) {
                    const auto d = x - mean(x, axis<0>, keepdims);
                    return d - mean(d);
                  }),
                  one_matrix});
  made.push_back({"variances", simplified<floats<2>>([](auto x) { return var(x, axis<1>); }), one_matrix});
  made.push_back({"greatest and where it is", simplified<floats<2>>([](auto x) {
                    return std::tuple{argmax(x, axis<1>), argmin(x), max(x, axis<0>)};
                  }),
                  one_matrix});
  made.push_back({"scans along both axes", simplified<floats<2>>([](auto x) {
                    return std::tuple{cumsum(x, axis<1>), cumsum(x, axis<0>) + sum(x, axis<0>)};
                  }),
                  one_matrix});
  made.push_back(
      {"nearest of all points", simplified<floats<2>, floats<2>>([](auto x, auto y) {
         auto d = x(all(), newaxis, all()) - y(newaxis);
         return min(sum(d * d, axis<2>), axis<1>);
       }),
       [](std::int64_t rows, std::int64_t columns) { return std::vector<shape>{{rows, 3}, {columns, 3}}; }});
}

}  // namespace

std::vector<general_case> general_cases() {
  std::vector<general_case> made;
  add_pointwise(made);
  add_reductions_and_scans(made);
  return made;
}

std::vector<shape> one_matrix(std::int64_t rows, std::int64_t columns) { return {{rows, columns}}; }

program_options general_program(bool reductions) {
  program_options options;
  options.nodes = reductions ? 16 : 24;
  options.reductions = reductions;
  return options;
}

}  // namespace sinter::test
