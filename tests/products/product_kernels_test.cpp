// Products of every element type: kernels of each device, and CUDA's texts in the simulator, beside the
// interpreter.

#include "../bodies/check_kernels.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/products/compose_products.hpp>

namespace sinter::test {
namespace {

constexpr element_type types[] = {element_type::boolean, element_type::int8,    element_type::uint16,
                                  element_type::int64,   element_type::float16, element_type::bfloat16,
                                  element_type::float32, element_type::float64, element_type::complex64};

/// Whole numbers from 0 to 7, whose sums of products are exact in any order.
graph_value whole_numbers(graph_builder& builder, graph_value x, element_type type) {
  const graph_value scaled = builder.apply(operation::multiply, {x, builder.literal(1000.f)});
  const graph_value whole = builder.cast(scaled, i32);
  return builder.cast(builder.apply(operation::remainder, {whole, builder.literal(8)}), type);
}
graph_value transposed(graph_builder& builder, graph_value x) {
  std::vector<view_item> items(2);
  for (unsigned i = 0; i < 2; ++i) {
    items[i].what = view_item::kind::permute;
    items[i].start = literal_bound(1 - static_cast<std::int64_t>(i));
  }
  return builder.view(x, items);
}
/// Results of complex numbers as two of real ones.
values results_of(graph_builder& builder, graph_value made) {
  if (!is_complex(made.type.type)) return {made};
  return {builder.apply(operation::real, {made}), builder.apply(operation::imag, {made})};
}

/// A product of a matrix and a row of every type.
template <class Make>
void check_each_type(std::initializer_list<shape> shapes, Make make) {
  for (const element_type type : types) {
    CAPTURE(std::string(facts_of(type).name));
    check_kernels(graph_of({matrix, row},
                           [&](graph_builder& builder, const values& given) -> values {
                             return results_of(builder, make(builder, whole_numbers(builder, given[0], type),
                                                             whole_numbers(builder, given[1], type)));
                           }),
                  shapes);
  }
}

}  // namespace

TEST_SUITE("kernels of products") {
  TEST_CASE("matrices times vectors of every type") {
    check_each_type({{7, 33}, {3, 1}, {0, 5}, {5, 0}}, [](graph_builder& builder, graph_value x,
                                                          graph_value v) { return matmul(builder, x, v); });
  }
  TEST_CASE("matrices times their transposed ones, of every type") {
    check_each_type({{7, 33}, {1, 5}}, [](graph_builder& builder, graph_value x, graph_value) {
      return matmul(builder, x, transposed(builder, x));
    });
    check_each_type({{7, 33}, {5, 1}}, [](graph_builder& builder, graph_value x, graph_value) {
      return matmul(builder, transposed(builder, x), x);
    });
  }
  TEST_CASE("dots and outer products of every type") {
    check_each_type({{7, 33}, {1, 2000}},
                    [](graph_builder& builder, graph_value, graph_value v) { return dot(builder, v, v); });
    check_each_type(
        {{7, 33}}, [](graph_builder& builder, graph_value x, graph_value v) { return outer(builder, v, x); });
    check_each_type({{7, 33}, {3, 1}}, [](graph_builder& builder, graph_value x, graph_value v) {
      return vecdot(builder, x, v, -1);
    });
  }
  TEST_CASE("three operands and diagonals") {
    const auto three = [](graph_builder& builder, graph_value x, graph_value v) {
      return einsum(builder, "ij,kj,j->ki", std::array{x, x, v});
    };
    check_each_type({{7, 33}, {2, 1}}, three);
    const auto trace = [](graph_builder& builder, graph_value x, graph_value v) {
      return einsum(builder, "ii,j->j", std::array{x, v});
    };
    check_each_type({{9, 9}, {1, 1}}, trace);
  }
  TEST_CASE("a chain before a product and an activation after it") {
    check_kernels(graph_of({matrix, row},
                           [](graph_builder& builder, const values& given) -> values {
                             const graph_value x = whole_numbers(builder, given[0], f32);
                             const graph_value less =
                                 builder.apply(operation::subtract, {x, builder.literal(3)});
                             const graph_value made = matmul(builder, less, transposed(builder, x));
                             return {builder.apply(operation::maximum, {made, builder.literal(0)})};
                           }),
                  {{7, 33}, {40, 20}, {1, 3}, {65, 64}});
  }
}

}  // namespace sinter::test
