// The C interface, sinter/scatters.h: writes at positions that are values, and counts.
#include <sinter/scatters.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using builder_handle = owned<sinter_builder>;
using floats = std::vector<float>;

sinter_value as_floats(const builder_handle& builder, sinter_value of) {
  return made(sinter_builder_cast, builder, of, sinter_float32);
}

}  // namespace

TEST_SUITE("the C interface's scatters") {
  TEST_CASE("updates are combined at indices, in each way and by each rule") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), i = input(builder, sinter_int32, 1),
                       updates = input(builder, sinter_float32, 1);
    const auto scattered = [&](sinter_scatter_combine combine, sinter_scatter_rule rule) {
      return made(sinter_builder_scatter, builder, x, i, updates, -1, combine, rule);
    };
    const auto function = finished(builder, {scattered(sinter_scatter_add, sinter_scatter_checked),
                                             scattered(sinter_scatter_minimum, sinter_scatter_checked),
                                             scattered(sinter_scatter_maximum, sinter_scatter_checked),
                                             scattered(sinter_scatter_last, sinter_scatter_checked),
                                             scattered(sinter_scatter_add, sinter_scatter_within)});
    elements<float> base({3}), from({4});
    elements<std::int32_t> at({4});
    base.values = {10, 20, 30};
    at.values = {0, -1, 2, 0};
    from.values = {1, 50, 2, 3};
    const auto got = float_results(function, {base.operand(), at.operand(), from.operand()});
    CHECK(got[0] == floats{14, 20, 82});
    CHECK(got[1] == floats{1, 20, 2});
    CHECK(got[2] == floats{10, 20, 50});
    CHECK(got[3] == floats{3, 20, 2});
    CHECK(got[4] == floats{14, 20, 32});
    at.values[1] = 3;
    const std::vector<sinter_operand> operands{base.operand(), at.operand(), from.operand()};
    const sinter_arguments arguments = arguments_of(operands);
    sinter_array* none[5] = {};
    CHECK_FAILS(sinter_call(function.get(), &arguments, none, 5), sinter_shape_error,
                "index 3 is out of range");
  }

  TEST_CASE("integers and bins are counted, with and without weights") {
    const auto builder = new_builder();
    const sinter_value k = input(builder, sinter_int32, 1), x = input(builder, sinter_float32, 1);
    const sinter_value n = integer(builder, 3), low = integer(builder, 0), high = integer(builder, 6);
    const sinter_value range[] = {integer(builder, 2), low, high};
    const auto function = finished(
        builder,
        {as_floats(builder, made(sinter_builder_bincount, builder, k, n, nullptr)),
         made(sinter_builder_bincount, builder, k, n, &x),
         as_floats(builder,
                   made(sinter_builder_histogram, builder, x, n, low, high, sinter_float32, nullptr)),
         made(sinter_builder_histogram, builder, x, n, low, high, sinter_float32, &x),
         as_floats(builder, made(sinter_builder_histogram2d, builder, x, k, range, range, nullptr))});
    elements<std::int32_t> of({4});
    elements<float> numbers({4});
    of.values = {2, 0, 2, 1};
    numbers.values = {1, 2, 6, 7};
    const auto got = float_results(function, {of.operand(), numbers.operand()});
    CHECK(got[0] == floats{1, 1, 2});
    CHECK(got[1] == floats{2, 7, 7});
    CHECK(got[2] == floats{1, 1, 1});
    CHECK(got[3] == floats{1, 2, 6});
    CHECK(got[4] == floats{2, 0, 1, 0});
  }

  TEST_CASE("segments, positions that are not 0, and chosen elements") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), of = input(builder, sinter_int32, 1);
    const sinter_value n = integer(builder, 2), none = integer(builder, 4);
    const sinter_value mask = apply(builder, "less", {x, none});
    const auto segment = [&](sinter_segment_result result) {
      return made(sinter_builder_segment, builder, x, of, n, result, 0);
    };
    const auto function = finished(
        builder,
        {segment(sinter_segment_sum), segment(sinter_segment_minimum), segment(sinter_segment_maximum),
         segment(sinter_segment_mean), as_floats(builder, made(sinter_builder_nonzero, builder, mask)),
         made(sinter_builder_compress, builder, x, mask), segment(sinter_segment_sum_unordered)});
    elements<float> rows({4});
    elements<std::int32_t> numbers({4});
    rows.values = {1, 5, 3, 9};
    numbers.values = {0, 1, 0, 1};
    const auto got = float_results(function, {rows.operand(), numbers.operand()});
    CHECK(got[0] == floats{4, 14});
    CHECK(got[1] == floats{1, 5});
    CHECK(got[2] == floats{3, 9});
    CHECK(got[3] == floats{2, 7});
    CHECK(got[4] == floats{0, 2, 0, 0});
    CHECK(got[5] == floats{1, 3, 0, 0});
    CHECK(got[6] == floats{4, 14});
  }

  TEST_CASE("chosen elements become an array of exactly these") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1);
    const sinter_value mask = apply(builder, "less", {x, integer(builder, 4)});
    const std::int32_t axes[] = {0};
    const sinter_value number =
        made(sinter_builder_reduce, builder, "sum", made(sinter_builder_cast, builder, mask, sinter_int64),
             static_cast<const std::int32_t*>(axes), std::size_t{1}, 0);
    const auto function = finished(builder, {made(sinter_builder_compress, builder, x, mask), number, x});
    elements<float> all({4});
    all.values = {1, 5, 3, 9};
    const std::vector<sinter_operand> operands{all.operand()};
    const sinter_arguments arguments = arguments_of(operands);
    sinter_array* results[3] = {};
    REQUIRE(sinter_call(function.get(), &arguments, results, 3) == sinter_ok);
    const owned<sinter_array> chosen(results[0]), count(results[1]), same(results[2]);
    sinter_array* first = nullptr;
    REQUIRE(sinter_array_first(chosen.get(), count.get(), &first) == sinter_ok);
    const owned<sinter_array> exact(first);
    CHECK(read<float>(exact.get()) == floats{1, 3});
    CHECK_FAILS(sinter_array_first(chosen.get(), same.get(), &first), sinter_type_error, "int64 and rank 0");
    CHECK_FAILS(sinter_array_first(count.get(), count.get(), &first), sinter_shape_error, "has rank 0");
    const std::int64_t beyond = 5;
    REQUIRE(sinter_array_write(count.get(), &beyond, sizeof beyond) == sinter_ok);
    CHECK_FAILS(sinter_array_first(chosen.get(), count.get(), &first), sinter_shape_error,
                "the count is 5, and the array has 4 elements");
  }

  TEST_CASE("what does not fit is refused, with what there is") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), i = input(builder, sinter_int32, 1),
                       square = input(builder, sinter_float32, 2);
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_scatter(builder.get(), x, i, x, 0, 5, 0, &none), sinter_invalid_argument,
                "there is no way to combine 5");
    CHECK_FAILS(sinter_builder_scatter(builder.get(), x, i, x, 0, 0, 3, &none), sinter_invalid_argument,
                "there is no rule for indices 3");
    CHECK_FAILS(sinter_builder_scatter(builder.get(), x, x, x, 0, 0, 0, &none), sinter_type_error,
                "an index is an integer");
    CHECK_FAILS(sinter_builder_scatter(builder.get(), x, i, x, 1, 0, 0, &none), sinter_shape_error, "axis");
    CHECK_FAILS(sinter_builder_segment(builder.get(), x, square, i, 0, 0, &none), sinter_shape_error,
                "they have one axis, with a number for each row");
    CHECK_FAILS(sinter_builder_compress(builder.get(), x, square, &none), sinter_shape_error,
                "a mask has the shape of the array");
  }
}
