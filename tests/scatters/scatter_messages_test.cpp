// Messages of scatters name the function that was called, what was given to it, and what would fit.

#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>
#include <sinter/sinter.hpp>

#include <cstdint>
#include <functional>
#include <regex>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

array<int, 1> ints(const std::vector<int>& elements) { return array<int, 1>::from(elements); }
array<float, 1> vector(std::int64_t count) { return zeros<float>(count); }
array<float, 2> matrix(std::int64_t rows, std::int64_t columns) { return zeros<float>({rows, columns}); }

/// What a call throws, without the places of calls; empty if it throws nothing of that kind.
template <class Error>
std::string refusal(const std::function<void()>& call) {
  static const std::regex places(" at [^ ]+:[0-9]+| \\(in [^ ]+:[0-9]+\\)");
  try {
    call();
    synchronize();  // a GPU tells of an index then
  } catch (const Error& thrown) {
    return std::regex_replace(thrown.what(), places, "");
  }
  return {};
}

/// A function of arrays of float32 that is built node by node, without places.
template <class Build>
std::string refused_graph(const Build& build) {
  graph_builder builder;
  try {
    (void)build(builder, std::source_location{});
  } catch (const error& thrown) {
    return thrown.what();
  }
  return {};
}

}  // namespace

TEST_SUITE("messages of scatters") {
  TEST_CASE("updates of another shape: the shapes of all three, and what would fit") {
    CHECK(
        refusal<shape_error>([] { (void)evaluate(scatter_add(vector(3), ints({0, 1, 2, 0}), vector(5))); }) ==
        "scatter_add: array float32[3], indices int32[4], updates float32[5]: updates of [4] would fit, or "
        "indices of [5]: they are broadcast together");
    CHECK(refusal<shape_error>(
              [] { (void)evaluate(scatter_min(matrix(3, 2), ints({0, 1, 2, 0}), matrix(4, 3), axis<0>)); }) ==
          "scatter_min: array float32[3,2], indices int32[4], updates float32[4,3]: updates of [4,2] would "
          "fit, or of a shape that is broadcast to it: there is an index for each along axis 0");
    CHECK(refusal<shape_error>(
              [] { (void)evaluate(scatter_max(matrix(3, 2), ints({0, 1, 1}), matrix(4, 3), axis<1>)); }) ==
          "scatter_max: array float32[3,2], indices int32[3], updates float32[4,3]: updates of [3,3] would "
          "fit, or of a shape that is broadcast to it: there is an index for each along axis 1");
    CHECK(refusal<shape_error>([] { (void)evaluate(scatter(vector(3), ints({0, 1}), vector(3))); }) ==
          "scatter: array float32[3], indices int32[2], updates float32[3]: updates of [2] would fit, or "
          "indices of [3]: they are broadcast together");
  }

  TEST_CASE("indices of another shape") {
    CHECK(refusal<shape_error>(
              [] { (void)evaluate(scatter_add(matrix(3, 2), zeros<int>({4, 3}), 1.f, axis<0>)); }) ==
          "scatter_add: array float32[3,2], indices int32[4,3], updates float32: indices of [4,2] would fit: "
          "their extents are those of the array, but for axis 0");
  }

  TEST_CASE("a fused function has its name and place beside the call") {
    const auto deposit = fuse("deposit", [](auto x, auto i, auto v) { return scatter_add(x, i, v); });
    const std::string text =
        refusal<shape_error>([&] { (void)evaluate(deposit(vector(3), ints({0, 1}), vector(3))); });
    CHECK(text.starts_with("scatter_add"));
    CHECK(text.find("array float32[3], indices int32[2], updates float32[3]") != std::string::npos);
  }

  TEST_CASE("weights, segments and masks of another shape") {
    CHECK(refusal<shape_error>([] { (void)evaluate(bincount(ints({0, 1}), 2, weights(vector(3)))); }) ==
          "bincount: indices int32[2], weights float32[3]: weights of [2] would fit");
    CHECK(refusal<shape_error>([] { (void)evaluate(histogram(vector(4), 2, 0, 1, weights(vector(3)))); }) ==
          "histogram: elements float32[4], weights float32[3]: weights of [4] would fit");
    CHECK(refusal<shape_error>([] { (void)evaluate(histogram2d(vector(4), vector(3), 2, 2, 0, 1, 0, 1)); }) ==
          "histogram2d: x float32[4], y float32[3]: y of [4] would fit");
    CHECK(refusal<shape_error>([] { (void)evaluate(segment_sum(matrix(4, 2), ints({0, 1, 0}), 2)); }) ==
          "segment_sum: rows float32[4,2], segments int32[3]: segments of [4] would fit: there is one for "
          "each row along axis 0");
    CHECK(refusal<shape_error>([] {
            (void)evaluate(segment_mean(vector(4), ints({0}), 2));
          }).starts_with("segment_mean: rows float32[4], segments int32[1]"));
    CHECK(refusal<shape_error>([] { (void)array<float, 1>(compress(vector(2), vector(3) > 0)); }) ==
          "compress: array float32[2], mask bool[3]: a mask of [2] would fit");
  }

  TEST_CASE("a number of counts below zero") {
    const auto counts = fuse([](auto x, auto n) { return bincount(x, n); });
    CHECK(refusal<shape_error>([&] { (void)evaluate(counts(ints({0}), -2)); }) ==
          "bincount: indices int32[1]: the result would have -2 elements along an axis: their number is not "
          "negative");
  }

  TEST_CASE("assignments") {
    array<float, 1> x = vector(3);
    CHECK(refusal<shape_error>([&] { x(ints({0, 1})) = vector(3); }) ==
          "x(i) = v: array float32[3], values float32[3], indices int32[2]: values of the shape that is read "
          "at the indices would fit, or of one that is broadcast to it");
    array<float, 2> m = matrix(3, 3);
    CHECK(refusal<shape_error>([&] { m(ints({0, 1}), ints({0, 1, 2})) = 1; }) ==
          "x(i) = v: array float32[3,3], values float32, indices int32[2], indices int32[3]: indices of one "
          "shape would fit: they are broadcast together");
    CHECK(refusal<shape_error>([&] { x(array<bool, 1>::from(std::vector<bool>{true})) = 1; }) ==
          "x(mask) = v: array float32[3], values float32, mask bool[1]: a mask of [3] would fit");
  }

  TEST_CASE("an index out of range: what was called, and into which array") {
    CHECK(refusal<index_error>([] { (void)evaluate(scatter_add(vector(3), ints({0, 7}), 1.f)); }) ==
          "scatter_add into float32[:] along axis 0: index 7 is out of range: the axis has 3 elements");
    CHECK(refusal<index_error>(
              [] { (void)evaluate(scatter_max(matrix(2, 3), ints({0, -4}), 1.f, axis<1>)); }) ==
          "scatter_max into float32[:,:] along axis 1: index -4 is out of range: the axis has 3 elements");
    CHECK(refusal<index_error>([] { (void)evaluate(scatter(zeros<int>(3), ints({5}), 1)); }) ==
          "scatter into int32[:] along axis 0: index 5 is out of range: the axis has 3 elements");
    CHECK(refusal<index_error>([] { (void)evaluate(bincount(ints({0, 4}), 4)); }) ==
          "bincount: index 4 is out of range: the axis has 4 elements");
    CHECK(refusal<index_error>([] { (void)evaluate(segment_sum(matrix(2, 2), ints({0, -1}), 2)); }) ==
          "segment_sum of float32[:,:] along axis 0: index -1 is out of range: the axis has 2 elements");
    CHECK(refusal<index_error>([] { (void)evaluate(segment_mean(zeros<double>(2), ints({0, 2}), 2)); }) ==
          "segment_mean of float64[:] along axis 0: index 2 is out of range: the axis has 2 elements");
    array<float, 2> m = matrix(3, 2);
    CHECK(refusal<index_error>([&] { m(ints({0, 1}), ints({0, 2})) = 1; }) ==
          "x(i) = v into float32[:,:] along axis 1: index 2 is out of range: the axis has 2 elements");
    CHECK(refusal<index_error>([&] { m(ints({0, 3}), ints({0, 1})) = 1; }) ==
          "x(i) = v into float32[:,:] along axis 0: index 3 is out of range: the axis has 3 elements");
  }

  TEST_CASE("what is refused where a graph is built") {
    const auto vector_of = [](graph_builder& in, element_type type) { return in.input(type, 1); };
    constexpr auto f32 = element_type::float32;
    CHECK(refused_graph([&](graph_builder& in, const std::source_location& at) {
            const graph_value x = vector_of(in, f32);
            return scatter(in, x, x, x, {0, scatter_combine::minimum}, at);
          }) ==
          "scatter_min(float32[:], float32[:], float32[:]): an index is an integer: convert it with "
          "astype<std::int64_t>(i)");
    CHECK(refused_graph([&](graph_builder& in, const std::source_location& at) {
            return bincount(in, vector_of(in, f32), in.literal(3), {}, at);
          }) == "bincount: what is counted are integers: convert them with astype<std::int64_t>(k)");
    CHECK(refused_graph([&](graph_builder& in, const std::source_location& at) {
            const graph_value k = vector_of(in, element_type::int32);
            return bincount(in, k, in.reduce(operation::max, k, 1), {}, at);
          }) ==
          "bincount: the number of results is computed from elements of arrays: it is known before the "
          "call");
    CHECK(refused_graph([&](graph_builder& in, const std::source_location& at) {
            return segment(in, vector_of(in, f32), in.input(element_type::int32, 2), in.literal(3),
                           {segment_result::maximum, 0}, at);
          }) ==
          "segment_max: segments are int32[:,:]: they have one axis, with a number for each row along "
          "axis 0 of float32[:]");
    CHECK(refused_graph([&](graph_builder& in, const std::source_location& at) {
            return compress(in, vector_of(in, f32), in.input(element_type::boolean, 2), at);
          }) == "compress: the mask is bool[:,:], the array float32[:]: a mask has the shape of the array");
  }

  TEST_CASE("a composition that is called inside of another one is the outer one's") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 1), k = builder.input(element_type::int32, 1);
    builder.output(segment(builder, x, k, builder.literal(3), {segment_result::mean, 0}));
    REQUIRE(builder.recorded().calls.size() == 1);
    CHECK(builder.recorded().calls[0].function == scatter_function::segment_mean);
    builder.restart();
    CHECK(builder.recorded().calls.empty());
  }
}

}  // namespace sinter::test
