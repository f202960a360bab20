// The C interface, sinter/stencils.h: differences, slopes, areas and convolutions along an axis.
#include <sinter/stencils.h>

#include <doctest/doctest.h>

#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using floats = std::vector<float>;

}  // namespace

TEST_SUITE("the C interface's stencils") {
  TEST_CASE("differences, slopes and areas, with spacings and coordinates") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), places = input(builder, sinter_float32, 1);
    const sinter_value two = integer(builder, 2);
    const auto function = finished(
        builder, {made(sinter_builder_diff, builder, x, 1, 0), made(sinter_builder_diff, builder, x, 2, 0),
                  made(sinter_builder_gradient, builder, x, two, 0, sinter_edge_first),
                  made(sinter_builder_gradient, builder, x, two, 0, sinter_edge_second),
                  made(sinter_builder_gradient, builder, x, places, 0, sinter_edge_first),
                  made(sinter_builder_trapezoid, builder, x, two, 0),
                  made(sinter_builder_trapezoid, builder, x, places, 0)});
    elements<float> of({4}), at({4});
    of.values = {1, 4, 9, 16};
    at.values = {0, 2, 4, 6};
    const auto got = float_results(function, {of.operand(), at.operand()});
    CHECK(got[0] == floats{3, 5, 7});
    CHECK(got[1] == floats{2, 2});
    CHECK(got[2] == floats{1.5, 2, 3, 3.5});
    CHECK(got[3] == floats{1, 2, 3, 4});
    CHECK(got[4] == floats{1.5, 2, 3, 3.5});
    CHECK(got[5] == floats{43});
    CHECK(got[6] == floats{43});
  }

  TEST_CASE("convolutions of each mode") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), kernel = input(builder, sinter_float32, 1);
    const auto convolved = [&](sinter_convolution mode) {
      return made(sinter_builder_convolve, builder, x, kernel, mode, 0);
    };
    const auto function =
        finished(builder, {convolved(sinter_convolution_full), convolved(sinter_convolution_same),
                           convolved(sinter_convolution_valid),
                           made(sinter_builder_correlate, builder, x, kernel, sinter_convolution_valid, 0)});
    elements<float> of({4}), by({3});
    of.values = {1, 4, 9, 16};
    by.values = {1, 2, -1};
    const auto got = float_results(function, {of.operand(), by.operand()});
    CHECK(got[0] == floats{1, 6, 16, 30, 23, -16});
    CHECK(got[1] == floats{6, 16, 30, 23});
    CHECK(got[2] == floats{16, 30});
    CHECK(got[3] == floats{0, 6});
  }

  TEST_CASE("the largest and the smallest element up to each one are scans by name") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1);
    const auto function = finished(builder, {made(sinter_builder_scan, builder, "cummax", x, 0),
                                             made(sinter_builder_scan, builder, "cummin", x, 0)});
    elements<float> of({4});
    of.values = {3, 1, 4, 1};
    const auto got = float_results(function, {of.operand()});
    CHECK(got[0] == floats{3, 3, 4, 4});
    CHECK(got[1] == floats{3, 1, 1, 1});
  }

  TEST_CASE("what does not fit is refused, with what there is") {
    const auto builder = new_builder();
    const sinter_value x = input(builder, sinter_float32, 1), matrix = input(builder, sinter_float32, 2),
                       complex = input(builder, sinter_complex64, 0);
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_diff(builder.get(), x, 33, 0, &none), sinter_shape_error,
                "the order is from 0 to 32");
    CHECK_FAILS(sinter_builder_diff(builder.get(), x, 1, 1, &none), sinter_shape_error, "axis");
    CHECK_FAILS(sinter_builder_gradient(builder.get(), x, x, 0, 3, &none), sinter_invalid_argument,
                "there is no order 3 of ends");
    CHECK_FAILS(sinter_builder_gradient(builder.get(), x, matrix, 0, 1, &none), sinter_shape_error,
                "an array of rank 1");
    CHECK_FAILS(sinter_builder_gradient(builder.get(), x, complex, 0, 1, &none), sinter_type_error,
                "no complex number");
    CHECK_FAILS(sinter_builder_trapezoid(builder.get(), x, matrix, 0, &none), sinter_shape_error,
                "coordinates have rank 1");
    CHECK_FAILS(sinter_builder_convolve(builder.get(), x, x, 3, 0, &none), sinter_invalid_argument,
                "there is no convolution 3");
    CHECK_FAILS(sinter_builder_convolve(builder.get(), x, matrix, 0, 0, &none), sinter_shape_error,
                "a kernel has one axis");
  }
}
