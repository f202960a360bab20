// The C interface, sinter/products.h: products of arrays.
#include <sinter/products.h>

#include <doctest/doctest.h>

#include <vector>

#include "c_calls.hpp"
#include "check_fails.hpp"

using namespace sinter::test::c;

namespace {

using floats = std::vector<float>;

}  // namespace

TEST_SUITE("the C interface's products") {
  TEST_CASE("products of matrices and vectors, and by subscripts") {
    const auto builder = new_builder();
    const sinter_value m = input(builder, sinter_float32, 2), v = input(builder, sinter_float32, 1);
    const sinter_value both[] = {m, m}, one[] = {m};
    const auto function = finished(
        builder, {made(sinter_builder_matmul, builder, m, v), made(sinter_builder_dot, builder, v, v),
                  made(sinter_builder_vecdot, builder, m, m, 0),
                  made(sinter_builder_vecdot, builder, m, v, -1), made(sinter_builder_outer, builder, v, v),
                  made(sinter_builder_einsum, builder, "ij,kj", both, std::size_t{2}),
                  made(sinter_builder_einsum, builder, "ij->j", one, std::size_t{1})});
    elements<float> matrix({2, 3}), vector({3});
    matrix.values = {1, 2, 3, 4, 5, 6};
    vector.values = {1, 0, 2};
    const auto got = float_results(function, {matrix.operand(), vector.operand()});
    CHECK(got[0] == floats{7, 16});
    CHECK(got[1] == floats{5});
    CHECK(got[2] == floats{17, 29, 45});
    CHECK(got[3] == floats{7, 16});
    CHECK(got[4] == floats{1, 0, 2, 0, 0, 0, 2, 0, 4});
    CHECK(got[5] == floats{14, 32, 32, 77});
    CHECK(got[6] == floats{5, 7, 9});
  }

  TEST_CASE("what does not fit is refused, with what there is") {
    const auto builder = new_builder();
    const sinter_value m = input(builder, sinter_float32, 2), number = input(builder, sinter_float32, 0);
    const sinter_value both[] = {m, m};
    sinter_value none = 0;
    CHECK_FAILS(sinter_builder_matmul(builder.get(), m, number, &none), sinter_shape_error, "rank 0");
    CHECK_FAILS(sinter_builder_vecdot(builder.get(), m, m, 2, &none), sinter_shape_error,
                "there is no axis 2 of 2");
    CHECK_FAILS(sinter_builder_einsum(builder.get(), "ij,jk->x", both, std::size_t{2}, &none),
                sinter_shape_error, "the label 'x'");
    CHECK_FAILS(sinter_builder_einsum(builder.get(), "ij", both, std::size_t{2}, &none), sinter_shape_error,
                "1 operands");
    CHECK_FAILS(sinter_builder_einsum(builder.get(), nullptr, both, std::size_t{2}, &none),
                sinter_invalid_argument, "the subscripts");
    CHECK_FAILS(sinter_builder_einsum(builder.get(), "ij,jk", nullptr, std::size_t{2}, &none),
                sinter_invalid_argument, "the operands");
  }
}
