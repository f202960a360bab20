// The C interface, sinter/order.h: elements in order along an axis.
#include <sinter/order.h>
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using floats = std::vector<float>;

}  // namespace

TEST_SUITE("the C interface's sorts") {
  TEST_CASE("elements and positions in order, the largest, medians and quantiles") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), q = input(builder, sinter_float32, 1);
    const auto as_floats = [&](sinter_value of) {
      return made(sinter_builder_cast, builder, of, sinter_float32);
    };
    const auto function = finished(
        builder,
        {made(sinter_builder_sort, builder, x, 0), as_floats(made(sinter_builder_argsort, builder, x, -1)),
         made(sinter_builder_top_elements, builder, x, 2, 0),
         as_floats(made(sinter_builder_top_positions, builder, x, 2, 0)),
         made(sinter_builder_median, builder, x, 0), made(sinter_builder_quantile, builder, x, q, 0),
         as_floats(made(sinter_builder_first_of_equal, builder, x))});
    elements<float> of({4}), fractions({2});
    of.values = {3, 1, 3, 2};
    fractions.values = {0, 0.5};
    const auto got = float_results(function, {of.operand(), fractions.operand()});
    CHECK(got[0] == floats{1, 2, 3, 3});
    CHECK(got[1] == floats{1, 3, 0, 2});
    CHECK(got[2] == floats{3, 3});
    CHECK(got[3] == floats{0, 2});
    CHECK(got[4] == floats{2.5});
    CHECK(got[5] == floats{1, 2.5});
    CHECK(got[6] == floats{1, 1, 1, 0});
  }

  TEST_CASE("random orders are those of C++") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 2), seed = integer(builder, 42),
                       sequence = integer(builder, 3);
    sinter_value order = 0, rows = 0, columns = 0, counted = 0;
    REQUIRE(sinter_builder_permutation(builder.get(), integer(builder, 9), seed, sequence, &order) ==
            sinter_ok);
    REQUIRE(sinter_builder_shuffled(builder.get(), x, seed, sequence, 0, &rows) == sinter_ok);
    REQUIRE(sinter_builder_shuffled(builder.get(), x, seed, sequence, -1, &columns) == sinter_ok);
    REQUIRE(sinter_builder_cast(builder.get(), order, sinter_float32, &counted) == sinter_ok);
    const auto function = finished(builder, {counted, rows, columns});
    elements<float> of({3, 2});
    of.values = {1, 2, 3, 4, 5, 6};
    const auto got = float_results(function, {of.operand()});
    const auto given = sinter::array<float, 2>::from({1, 2, 3, 4, 5, 6}, {3, 2});
    namespace rng = sinter::rng;
    CHECK(got[0] == sinter::array<float, 1>(sinter::astype<float>(rng::permutation(9, 42, 3))).to_vector());
    CHECK(got[1] == sinter::array<float, 2>(rng::permutation(given, 42, 3)).to_vector());
    CHECK(got[2] == sinter::array<float, 2>(rng::permutation(given, 42, 3, sinter::axis<1>)).to_vector());
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_permutation(builder.get(), x, seed, sequence, &none), sinter_type_error,
                "the number of elements is an integer");
    CHECK_FAILS(sinter_builder_shuffled(builder.get(), x, seed, sequence, 2, &none), sinter_shape_error,
                "axis");
  }

  TEST_CASE("what has no order is refused") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), matrix = input(builder, sinter_float32, 2),
                       complex = input(builder, sinter_complex64, 1);
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_median(builder.get(), complex, 0, &none), sinter_type_error, "no order");
    CHECK_FAILS(sinter_builder_argsort(builder.get(), x, 1, &none), sinter_shape_error, "axis");
    CHECK_FAILS(sinter_builder_top_elements(builder.get(), x, 33, 0, &none), sinter_shape_error, "1 to 32");
    CHECK_FAILS(sinter_builder_quantile(builder.get(), x, matrix, 0, &none), sinter_shape_error, "rank 1");
    CHECK_FAILS(sinter_builder_first_of_equal(builder.get(), matrix, &none), sinter_shape_error, "flatten");
  }
}
