// Calls of products of arrays, as users write them, beside loops by the definition.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/dsl/products/compose_products.hpp>
#include <sinter/sinter.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

using floats = std::vector<float>;

template <class T, unsigned Rank>
array<T, Rank> numbers(const std::vector<T>& elements, const std::array<std::int64_t, Rank>& shape) {
  return array<T, Rank>::from(elements, shape);
}
/// Whole numbers from -9 to 9, whose sums are exact in any order.
template <class T = float>
std::vector<T> small_numbers(std::int64_t count, int factor) {
  std::vector<T> made;
  for (std::int64_t i = 0; i < count; ++i) made.push_back(static_cast<T>(i * factor % 19 - 9));
  return made;
}
floats matrix_product(const floats& a, const floats& b, std::size_t rows, std::size_t inner,
                      std::size_t columns) {
  floats made(rows * columns);
  for (std::size_t i = 0; i < rows; ++i)
    for (std::size_t k = 0; k < inner; ++k)
      for (std::size_t j = 0; j < columns; ++j)
        made[i * columns + j] += a[i * inner + k] * b[k * columns + j];
  return made;
}
/// What shape_error says of a call.
template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const shape_error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}
bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// How often a part stands in a text.
std::size_t count_of_text(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_SUITE("calls of products") {
  TEST_CASE("matmul is the sum of rows times columns, for matrices of all extents") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    const auto general = product.general();
    for (const std::int64_t rows : {1, 2, 5, 17, 64})
      for (const std::int64_t inner : {1, 3, 16, 33, 100})
        for (const std::int64_t columns : {1, 4, 15, 65}) {
          CAPTURE(rows);
          CAPTURE(inner);
          CAPTURE(columns);
          const floats a = small_numbers(rows * inner, 7), b = small_numbers(inner * columns, 5);
          const auto wanted =
              matrix_product(a, b, static_cast<std::size_t>(rows), static_cast<std::size_t>(inner),
                             static_cast<std::size_t>(columns));
          const auto left = numbers<float, 2>(a, {rows, inner}),
                     right = numbers<float, 2>(b, {inner, columns});
          CHECK(product(left, right).to_vector() == wanted);
          CHECK(general(left, right).to_vector() == wanted);
        }
  }
  TEST_CASE("a vector is one row of the first operand, or one column of the second") {
    const auto m = numbers<float, 2>({1, 2, 3, 4, 5, 6}, {2, 3});
    const auto two = numbers<float, 1>({10, 1}, {2}), three = numbers<float, 1>({1, 0, 2}, {3});
    CHECK(array<float, 1>(matmul(m, three)).to_vector() == floats{7, 16});
    CHECK(array<float, 1>(matmul(two, m)).to_vector() == floats{14, 25, 36});
    CHECK(array<float, 0>(matmul(three, three)).to_vector() == floats{5});
    CHECK(array<float, 0>(dot(three, three)).to_vector() == floats{5});
    CHECK(array<float, 1>(dot(m, three)).to_vector() == floats{7, 16});
    CHECK(array<float, 1>(dot(two, m)).to_vector() == floats{14, 25, 36});
    CHECK(array<float, 2>(dot(m, transpose(m))).to_vector() == floats{14, 32, 32, 77});
    CHECK(array<float, 1>(dot(sum(three), three)).to_vector() == floats{3, 0, 6});
  }
  TEST_CASE("batches are broadcast together") {
    const floats a = small_numbers(2 * 3 * 4, 7), b = small_numbers(5 * 1 * 4 * 2, 5);
    const array<float, 4> made = matmul(numbers<float, 3>(a, {2, 3, 4}), numbers<float, 4>(b, {5, 1, 4, 2}));
    CHECK(made.shape() == std::array<std::int64_t, 4>{5, 2, 3, 2});
    floats wanted;
    for (std::ptrdiff_t outer = 0; outer < 5; ++outer)
      for (std::ptrdiff_t inner = 0; inner < 2; ++inner)
        for (const float each : matrix_product({a.begin() + inner * 12, a.begin() + inner * 12 + 12},
                                               {b.begin() + outer * 8, b.begin() + outer * 8 + 8}, 3, 4, 2))
          wanted.push_back(each);
    CHECK(made.to_vector() == wanted);
    const array<float, 2> rows =
        matmul(numbers<float, 3>(a, {2, 3, 4}), numbers<float, 1>({1, 0, 0, 0}, {4}));
    CHECK(rows.to_vector() == floats{a[0], a[4], a[8], a[12], a[16], a[20]});
  }
  TEST_CASE("dot of arrays with more axes has all axes of both") {
    const floats a = small_numbers(2 * 3, 7), b = small_numbers(4 * 3 * 2, 5);
    const array<float, 3> made = dot(numbers<float, 2>(a, {2, 3}), numbers<float, 3>(b, {4, 3, 2}));
    const array<float, 3> wanted =
        einsum<"ik,bkj->ibj">(numbers<float, 2>(a, {2, 3}), numbers<float, 3>(b, {4, 3, 2}));
    CHECK(made.shape() == std::array<std::int64_t, 3>{2, 4, 2});
    CHECK(made.to_vector() == wanted.to_vector());
    CHECK(made.to_vector()[0] == a[0] * b[0] + a[1] * b[2] + a[2] * b[4]);
  }
  TEST_CASE("vecdot goes along an axis, with conjugates of the first operand") {
    const auto m = numbers<float, 2>({1, 2, 3, 4, 5, 6}, {2, 3});
    CHECK(array<float, 1>(vecdot(m, m)).to_vector() == floats{14, 77});
    CHECK(array<float, 1>(vecdot(m, m, axis<0>)).to_vector() == floats{17, 29, 45});
    CHECK(array<float, 1>(vecdot(m, numbers<float, 1>({1, 0, 2}, {3}))).to_vector() == floats{7, 16});
    using number = std::complex<float>;
    const auto z = numbers<number, 1>({{1, 2}, {0, 1}}, {2});
    CHECK(array<number, 0>(vecdot(z, z)).to_vector() == std::vector<number>{{6, 0}});
    CHECK(array<number, 0>(dot(z, z)).to_vector() == std::vector<number>{{-4, 4}});
  }
  TEST_CASE("outer has the products of all elements of both") {
    const auto m = numbers<float, 2>({1, 2, 3, 4}, {2, 2});
    const auto two = numbers<float, 1>({10, 100}, {2});
    CHECK(array<float, 2>(outer(two, m)).to_vector() == floats{10, 20, 30, 40, 100, 200, 300, 400});
    CHECK(array<float, 2>(outer(m, two)).shape() == std::array<std::int64_t, 2>{4, 2});
  }
  TEST_CASE("einsum takes diagonals, sums labels, and orders the axes of the result") {
    const auto square = numbers<float, 2>({1, 2, 3, 4}, {2, 2});
    const auto m = numbers<float, 2>({1, 2, 3, 4, 5, 6}, {2, 3});
    const auto v = numbers<float, 1>({1, 0, 2}, {3});
    CHECK(array<float, 0>(einsum<"ii">(square)).to_vector() == floats{5});
    CHECK(array<float, 1>(einsum<"ii->i">(square)).to_vector() == floats{1, 4});
    CHECK(array<float, 2>(einsum<"ij -> ji">(m)).to_vector() == floats{1, 4, 2, 5, 3, 6});
    CHECK(array<float, 2>(einsum<"ba">(m)).to_vector() == floats{1, 4, 2, 5, 3, 6});
    CHECK(array<float, 1>(einsum<"ij->j">(m)).to_vector() == floats{5, 7, 9});
    CHECK(array<float, 0>(einsum<"ij->">(m)).to_vector() == floats{21});
    CHECK(array<float, 2>(einsum<"ij,jk">(square, m)).to_vector() == floats{9, 12, 15, 19, 26, 33});
    CHECK(array<float, 1>(einsum<"ij,j->i">(m, v)).to_vector() == floats{7, 16});
    CHECK(array<float, 2>(einsum<"i,j->ji">(v, v)).to_vector() == floats{1, 0, 2, 0, 0, 0, 2, 0, 4});
    CHECK(array<float, 0>(einsum<"i,ij,j->">(numbers<float, 1>({1, 10}, {2}), m, v)).to_vector() ==
          floats{167});
    CHECK(array<float, 1>(einsum<"iji->j">(numbers<float, 3>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2})))
              .to_vector() == floats{7, 11});
    CHECK(
        array<float, 0>(einsum<"iii">(numbers<float, 3>({1, 2, 3, 4, 5, 6, 7, 8}, {2, 2, 2}))).to_vector() ==
        floats{9});
    CHECK(array<float, 1>(einsum<",i->i">(sum(v), v)).to_vector() == floats{3, 0, 6});
  }
  TEST_CASE("types are promoted, integers wrap, booleans are combined by `and` and `or`") {
    using small = std::vector<std::int8_t>;
    CHECK(array<std::int8_t, 0>(
              dot(numbers<std::int8_t, 1>({100, 100}, {2}), numbers<std::int8_t, 1>({2, 1}, {2})))
              .to_vector() == small{44});
    CHECK(
        array<double, 0>(dot(numbers<int, 1>({1, 2}, {2}), numbers<float, 1>({0.5f, 1}, {2}))).to_vector() ==
        std::vector<double>{2.5});
    CHECK(array<bool, 2>(matmul(numbers<bool, 2>({true, false, true, true}, {2, 2}),
                                numbers<bool, 2>({false, false, true, false}, {2, 2})))
              .to_vector() == std::vector<bool>{false, false, true, false});
    const auto ones = numbers<float16, 1>(std::vector<float16>(4096, float16(1)), {4096});
    CHECK(static_cast<float>(array<float16, 0>(dot(ones, ones)).to_vector()[0]) ==
          4096);  // in float16 2048 at most
    CHECK(array<std::int8_t, 0>(einsum<"i->">(numbers<std::int8_t, 1>({100, 100}, {2}))).to_vector() ==
          small{-56});
  }
  TEST_CASE("sums over no elements are 0") {
    CHECK(array<float, 2>(matmul(array<float, 2>({2, 0}), array<float, 2>({0, 3}))).to_vector() == floats(6));
    CHECK(array<float, 2>(matmul(array<float, 2>({0, 2}), array<float, 2>({2, 3}))).shape()[0] == 0);
    CHECK(array<float, 0>(dot(zeros<float>(0), zeros<float>(0))).to_vector() == floats{0});
  }
  TEST_CASE("extents that differ are refused with both shapes, also of arrays without elements") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    const array<float, 2> a({2, 3}), b({4, 5});
    for (const std::string& said :
         {refusal([&] { product(a, b); }), refusal([&] { product.general()(a, b); })}) {
      INFO(said);
      CHECK(has(said, "matmul"));
      CHECK(has(said, "product_calls_test.cpp"));
      CHECK(has(said, "axis 1 of float32[2,3] with 3"));
      CHECK(has(said, "axis 0 of float32[4,5] with 4 elements: axes that are multiplied have equally many"));
    }
    CHECK(has(refusal([&] { product(a, array<float, 2>({4, 0})); }), "float32[4,0] with 4"));
    CHECK(has(refusal([&] { product(a, array<float, 2>({1, 5})); }), "float32[1,5] with 1"));
    CHECK(has(refusal([&] { array<float, 2>(dot(a, b)); }), "dot"));
    CHECK(has(refusal([&] { array<float, 1>(vecdot(a, b)); }), "vecdot"));
    CHECK(has(refusal([&] { array<float, 2>(einsum<"ij,jk">(a, b)); }),
              "label 'j' is that of axis 1 of float32[2,3] with 3"));
    CHECK(has(refusal([&] { array<float, 0>(einsum<"ii">(a)); }), "label 'i'"));
    CHECK(
        has(refusal([&] { array<float, 3>(matmul(array<float, 3>({2, 3, 4}), array<float, 3>({3, 4, 5}))); }),
            "product_calls_test.cpp"));
  }
  TEST_CASE("a product with what is before and after it is one kernel, and no products are stored") {
    const auto layer = fuse([](auto x, auto w, auto b) { return maximum(matmul(x * 2, w) + b, 0); });
    const auto transposed = fuse([](auto x, auto w) { return tanh(matmul(x, transpose(w))); });
    const auto both = fuse([](auto x, auto w) { return exp(einsum<"ki,kj->ij">(x - 1, w)); });
    const array<float, 2> x({64, 64}), w({64, 64});
    const array<float, 1> b({64});
    for (const std::string& text : {layer.explain(x, w, b), transposed.explain(x, w), both.explain(x, w),
                                    fuse([](auto p, auto q) { return dot(p, q); }).explain(b, b),
                                    fuse([](auto p, auto q) { return matmul(p, q) * 2; }).explain(x, b)}) {
      INFO(text);
      CHECK(has(text, "stage 1 of 1: results"));
      CHECK(count_of_text(text, "stage ") == 1);
    }
    CHECK(layer(numbers<float, 2>({1, 2}, {1, 2}), numbers<float, 2>({1, -1, 2, 1}, {2, 2}),
                numbers<float, 1>({1, -5}, {2}))
              .to_vector() == floats{11, 0});
    CHECK(transposed.workspace_bytes(x, w) == 0);
    CHECK(layer.workspace_bytes(x, w, b) == 0);
  }
  TEST_CASE("graphs refuse subscripts that do not fit") {
    graph_builder builder;
    const graph_value m = builder.input(element_type::float32, 2);
    const auto said = [&](std::string_view subscripts) {
      return refusal([&] { einsum(builder, subscripts, std::array{m, m}); });
    };
    CHECK(has(said("ij,jk->ix"), "the label 'x' behind \"->\" is that of no operand"));
    CHECK(has(said("ij,jk->ii"), "the label 'i' stands twice behind \"->\""));
    CHECK(has(said("ij"), "the subscripts are those of 1 operands, and there are 2"));
    CHECK(has(said("ij,jkl"), "operand 1 has rank 2, and 3 labels: \"jkl\""));
    CHECK(has(said("...ij,jk"), "'.' is no label"));
    CHECK(has(said("ij,jk->i->k"), "one \"->\" stands behind the last operand"));
    CHECK(has(refusal([&] { vecdot(builder, m, m, 2); }), "there is no axis 2 of 2"));
    CHECK(has(refusal([&] { matmul(builder, m, builder.literal(2.f)); }), "rank 0"));
  }
}

}  // namespace sinter::test
