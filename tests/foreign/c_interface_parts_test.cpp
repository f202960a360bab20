// The C interface, sinter/sinter.h: arrays put together and taken apart.
#include <sinter/sinter.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using builder_handle = owned<sinter_builder>;

struct result {
  std::vector<std::int64_t> shape;
  std::vector<float> values;
};

/// The results of a function of float tensors.
std::vector<result> results_of(const owned<sinter_function>& function,
                               const std::vector<sinter_operand>& operands,
                               const std::vector<sinter_scalar>& scalars = {}) {
  sinter_arguments arguments = arguments_of(operands);
  arguments.scalars = scalars.data();
  arguments.scalar_count = scalars.size();
  std::size_t count = 0;
  REQUIRE(sinter_function_counts(function.get(), nullptr, nullptr, &count) == sinter_ok);
  std::vector<sinter_array*> arrays(count);
  const sinter_status status = sinter_call(function.get(), &arguments, arrays.data(), count);
  INFO(std::string(sinter_last_message()));
  REQUIRE(status == sinter_ok);
  std::vector<result> all;
  for (sinter_array* const array : arrays) {
    const owned<sinter_array> each(array);
    sinter_tensor tensor{};
    REQUIRE(sinter_array_tensor(array, &tensor) == sinter_ok);
    all.push_back({{tensor.shape, tensor.shape + tensor.ndim}, read<float>(array)});
  }
  return all;
}

/// x with `before` and `after` more elements along an axis.
sinter_value padded(const builder_handle& builder, sinter_value x, std::int32_t axis, sinter_extension rule,
                    std::int64_t before, std::int64_t after) {
  const sinter_value extent = made(sinter_builder_extent, builder, x, axis);
  const sinter_value whole = apply(builder, "add", {extent, integer(builder, before + after)});
  return made(sinter_builder_extended, builder, x, axis, rule, integer(builder, -before), whole);
}

using shape = std::vector<std::int64_t>;
using floats = std::vector<float>;

}  // namespace

TEST_SUITE("the C interface's parts") {
  TEST_CASE("arrays are padded, concatenated and reshaped on the CPU") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 2), y = input(builder, sinter_float32, 2);
    const sinter_value wide = padded(builder, x, -1, sinter_extend_edge, 2, 1);
    const sinter_value both[] = {wide, apply(builder, "negative", {y}), wide};
    const sinter_value rows = made(sinter_builder_concatenate, builder, both, std::size_t{3}, 0);
    const sinter_value flat = made(sinter_builder_merged, builder, rows, 0);
    sinter_value turned = made(sinter_builder_split, builder, flat, 0, integer(builder, 5), 0);
    turned = made(sinter_builder_split, builder, turned, 0, integer(builder, 6), 1);
    const auto function = finished(builder, {rows, turned});
    elements<float> a({2, 3}), b({1, 6});
    const auto got = results_of(function, {a.operand(), b.operand()});
    const floats expected{-4, -4, -4, -3, -2, -2, -1, -1, -1, 0,  1,  1,  4, 3, 2,
                          1,  0,  -1, -4, -4, -4, -3, -2, -2, -1, -1, -1, 0, 1, 1};
    CHECK(got[0].shape == shape{5, 6});
    CHECK(got[0].values == expected);
    CHECK(got[1].shape == shape{6, 5});
    CHECK(got[1].values == expected);
  }

  TEST_CASE("elements are read at indices, and one out of range is said") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), i = input(builder, sinter_int32, 1);
    const auto function =
        finished(builder, {made(sinter_builder_gather, builder, x, i, 0, sinter_index_checked),
                           made(sinter_builder_gather, builder, x, i, -1, sinter_index_wrap)});
    elements<float> a({4});
    elements<std::int32_t> good({3});
    good.values = {3, -1, 0};
    const auto got = results_of(function, {a.operand(), good.operand()});
    CHECK(got[0].values == floats{-1, -1, -4});
    CHECK(got[1].values == floats{-1, -1, -4});
    good.values[1] = 7;
    const std::vector<sinter_operand> operands{a.operand(), good.operand()};
    const sinter_arguments arguments = arguments_of(operands);
    sinter_array* none[2] = {};
    CHECK_FAILS(sinter_call(function.get(), &arguments, none, 2), sinter_shape_error,
                "index 7 is out of range");
    sinter_value no_value = 0;
    CHECK_FAILS(sinter_builder_gather(builder.get(), x, i, 0, 3, &no_value), sinter_invalid_argument,
                "there is no rule 3");
    CHECK_FAILS(sinter_builder_gather(builder.get(), x, x, 0, sinter_index_checked, &no_value),
                sinter_type_error, "an index is an integer");
  }

  TEST_CASE("values are found in what is sorted, and between points") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), points = input(builder, sinter_float32, 1);
    const sinter_value beyond = integer(builder, 99), none = 0;
    const auto function = finished(
        builder,
        {made(sinter_builder_cast, builder,
              made(sinter_builder_searchsorted, builder, points, x, sinter_search_left), sinter_float32),
         made(sinter_builder_cast, builder,
              made(sinter_builder_searchsorted, builder, points, x, sinter_search_right), sinter_float32),
         made(sinter_builder_interp, builder, x, points, points, nullptr, nullptr),
         made(sinter_builder_interp, builder, x, points, points, &beyond, &beyond)});
    elements<float> at({4}), in({3});
    at.values = {0, 2, 3, 9};
    in.values = {1, 2, 4};
    const auto got = results_of(function, {at.operand(), in.operand()});
    CHECK(got[0].values == floats{0, 1, 2, 3});
    CHECK(got[1].values == floats{0, 2, 2, 3});
    CHECK(got[2].values == floats{1, 2, 3, 4});
    CHECK(got[3].values == floats{99, 2, 3, 99});
    sinter_value no_value = none;
    CHECK_FAILS(sinter_builder_searchsorted(builder.get(), points, x, 2, &no_value), sinter_invalid_argument,
                "there is no side 2");
    const sinter_value square = input(builder, sinter_float32, 2);
    CHECK_FAILS(sinter_builder_searchsorted(builder.get(), square, x, 0, &no_value), sinter_shape_error,
                "the sorted array has rank 2, not 1");
  }

  TEST_CASE("an axis goes on by each rule") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), one = input(builder, sinter_float32, 1);
    const sinter_value none = 0, three = integer(builder, 3);
    const auto function = finished(
        builder,
        {padded(builder, x, 0, sinter_extend_edge, 1, 1), padded(builder, x, 0, sinter_extend_reflect, 2, 2),
         padded(builder, x, 0, sinter_extend_wrap, 1, 2),
         made(sinter_builder_extended, builder, one, 0, sinter_extend_broadcast, none, three),
         made(sinter_builder_extended, builder, x, 0, sinter_extend_repeat, none, three)});
    elements<float> a({3}), b({1});
    const auto got = results_of(function, {a.operand(), b.operand()});
    CHECK(got[0].values == floats{-4, -4, -3, -2, -2});
    CHECK(got[1].values == floats{-2, -3, -4, -3, -2, -3, -4});
    CHECK(got[2].values == floats{-2, -4, -3, -2, -4, -3});
    CHECK(got[3].values == floats{-4, -4, -4});
    CHECK(got[4].values == floats{-4, -4, -4, -3, -3, -3, -2, -2, -2});
  }

  TEST_CASE("windows and diagonals are new last axes, and amounts may be parameters") {
    const auto builder = new_builder(sinter_strict);
    const sinter_value x = input(builder, sinter_float32, 2);
    const sinter_value n = made(sinter_builder_parameter, builder, sinter_int32, 0);
    const sinter_value windows = made(sinter_builder_window, builder, x, -1, integer(builder, 2));
    const std::int32_t last = -1;
    const auto function = finished(
        builder, {made(sinter_builder_reduce, builder, "max", windows, &last, std::size_t{1}, 0),
                  made(sinter_builder_diagonal, builder, x, 0, -1, n),
                  made(sinter_builder_extended, builder, x, 1, sinter_extend_wrap,
                       apply(builder, "negative", {n}), made(sinter_builder_extent, builder, x, 1))});
    elements<float> a({2, 3});
    auto got = results_of(function, {a.operand()}, {sinter_of_integer(1)});
    CHECK(got[0].shape == shape{2, 2});
    CHECK(got[0].values == floats{-3, -2, 0, 1});
    CHECK(got[1].values == floats{-3, 1});
    CHECK(got[2].values == floats{-2, -4, -3, 1, -1, 0});
    got = results_of(function, {a.operand()}, {sinter_of_integer(-1)});
    CHECK(got[1].values == floats{-1});
    CHECK(got[2].values == floats{-3, -2, -4, 0, 1, -1});
  }

  TEST_CASE("arrays of several types are promoted, and one array alone is itself") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_int32, 1), y = input(builder, sinter_float64, 1);
    const sinter_value both[] = {x, y};
    const sinter_value joined = made(sinter_builder_concatenate, builder, both, std::size_t{2}, 0);
    CHECK(made(sinter_builder_concatenate, builder, both, std::size_t{1}, 0) != 0);
    const auto function = finished(builder, {joined});
    elements<std::int32_t> a({2});
    elements<double> b({2});
    const std::vector<sinter_operand> operands{a.operand(), b.operand()};
    CHECK(read<double>(called(function, arguments_of(operands)).get()) ==
          std::vector<double>{-4, -3, -4, -3});
  }

  TEST_CASE("what no part takes is refused, by name") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 2), row = input(builder, sinter_float32, 1);
    const sinter_value two = integer(builder, 2);
    const sinter_value real = made(sinter_builder_real, builder, 2.0);
    const sinter_value element = made(sinter_builder_cast, builder,
                                      made(sinter_builder_reduce, builder, "max", row,
                                           static_cast<const std::int32_t*>(nullptr), std::size_t{0}, 0),
                                      sinter_int64);
    sinter_builder* const at = builder.get();
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_extended(at, x, 0, 5, two, two, &none), sinter_invalid_argument,
                "sinter_builder_extended: there is no extension 5: they are numbered from 0 to 4");
    CHECK_FAILS(sinter_builder_extended(at, x, 2, sinter_extend_edge, two, two, &none), sinter_shape_error,
                "there is no axis 2");
    CHECK_FAILS(sinter_builder_extended(at, x, 0, sinter_extend_edge, 0, two, &none), sinter_invalid_argument,
                "operand 1 is 0");
    CHECK_FAILS(sinter_builder_extended(at, x, 0, sinter_extend_edge, two, real, &none), sinter_type_error,
                "a size or position is an integer");
    CHECK_FAILS(sinter_builder_window(at, x, 0, element, &none), sinter_type_error,
                "a size or position is known before the call");
    CHECK_FAILS(sinter_builder_window(at, x, -3, two, &none), sinter_shape_error, "there is no axis -3");
    const sinter_value both[] = {x, row};
    CHECK_FAILS(sinter_builder_concatenate(at, both, 2, 0, &none), sinter_shape_error, "concatenate(");
    CHECK_FAILS(sinter_builder_concatenate(at, both, 0, 0, &none), sinter_invalid_argument,
                "the list of operands is empty");
    CHECK_FAILS(sinter_builder_concatenate(at, nullptr, 2, 0, &none), sinter_invalid_argument,
                "the list of operands is a null pointer");
    CHECK_FAILS(sinter_builder_diagonal(at, x, 1, -1, two, &none), sinter_shape_error, "diagonal(");
    CHECK_FAILS(sinter_builder_diagonal(at, row, 0, 1, two, &none), sinter_shape_error, "there is no axis 1");
    CHECK_FAILS(sinter_builder_merged(at, x, 1, &none), sinter_shape_error, "merged(");
    CHECK_FAILS(sinter_builder_split(at, x, 0, 0, 0, &none), sinter_invalid_argument, "operand 1 is 0");
    CHECK_FAILS(sinter_builder_split(nullptr, x, 0, two, 0, &none), sinter_invalid_argument,
                "the builder is a null pointer");
    CHECK_FAILS(sinter_builder_merged(at, x, 0, nullptr), sinter_invalid_argument,
                "the pointer for the result is a null pointer");
    CHECK(none == 0);
  }

  TEST_CASE("sizes that do not fit each other are refused by the call, with the shapes") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1);
    const auto function =
        finished(builder, {made(sinter_builder_split, builder, x, 0, integer(builder, 4), 0)});
    elements<float> fits({8}), other({6});
    CHECK(results_of(function, {fits.operand()})[0].shape == shape{2, 4});
    const std::vector<sinter_operand> operands{other.operand()};
    const sinter_arguments arguments = arguments_of(operands);
    sinter_array* none = nullptr;
    CHECK_FAILS(sinter_call(function.get(), &arguments, &none, 1), sinter_shape_error, "6 elements");
    CHECK(none == nullptr);
  }
}
