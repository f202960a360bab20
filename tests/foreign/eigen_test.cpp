// Eigen's dense objects as operands and targets (sinter/eigen.hpp).
#include <sinter/eigen.hpp>

#include <doctest/doctest.h>

#include <string>

#include "message_of.hpp"

using namespace sinter;
using sinter::test::message_of;

namespace {

template <class Matrix>
Matrix counted(Eigen::Index rows, Eigen::Index columns) {
  Matrix made(rows, columns);
  for (Eigen::Index i = 0; i < rows; ++i)
    for (Eigen::Index j = 0; j < columns; ++j)
      made(i, j) = static_cast<typename Matrix::Scalar>(static_cast<int>(10 * i + j));
  return made;
}

using row_major = Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
const auto add_rows = fuse([](auto x, auto row) { return x + row; });

template <class T>
auto viewed(T& object) {
  return foreign_tensor<std::remove_const_t<T>>::as_view(object);
}

}  // namespace

TEST_CASE("a matrix of Eigen is an operand in either storage order") {
  const auto by_columns = counted<Eigen::MatrixXf>(3, 4);
  const auto by_rows = counted<row_major>(3, 4);
  CHECK((viewed(by_columns).strides() == shape<2>(1, 3)));
  CHECK((viewed(by_rows).strides() == shape<2>(4, 1)));
  const Eigen::RowVector4f row(1, 2, 3, 4);
  const row_major expected = by_rows.rowwise() + row;
  CHECK(to_eigen(add_rows(by_columns, row)) == expected);
  CHECK(to_eigen(add_rows(by_rows, row)) == expected);
}

TEST_CASE("matrices of fixed sizes, arrays, maps and references of Eigen are operands") {
  Eigen::Matrix<float, 2, 3> fixed;
  fixed << 1, 2, 3, 4, 5, 6;
  const Eigen::Array<float, 1, 3> row(10, 20, 30);
  const row_major expected = fixed.array().rowwise() + row;
  CHECK(to_eigen(add_rows(fixed, row)) == expected);
  const float memory[] = {1, -1, 4, -1, 2, -1, 5, -1, 3, -1, 6, -1};  // columns, with every second element
  const Eigen::Map<const Eigen::Matrix<float, 2, 3>, 0, Eigen::Stride<4, 2>> mapped(memory);
  CHECK(to_eigen(add_rows(mapped, row)) == expected);
  Eigen::Ref<Eigen::MatrixXf, 0, Eigen::OuterStride<>> reference(fixed);
  CHECK(to_eigen(add_rows(reference, row)) == expected);
  const row_major rows_twice = Eigen::Array<float, 2, 3>(fixed.array()).matrix() + fixed;
  CHECK(to_eigen(fuse([](auto a, auto b) { return a + b; })(fixed.array().eval(), fixed)) == rows_twice);
}

TEST_CASE("blocks, rows, columns, diagonals and transposes of Eigen are operands without a copy") {
  auto matrix = counted<Eigen::MatrixXf>(4, 5);
  const auto block = matrix.block(1, 2, 2, 3);
  CHECK(viewed(block).data() == &matrix(1, 2));
  CHECK((viewed(block).strides() == shape<2>(1, 4)));
  const auto row = matrix.row(2);
  static_assert(decltype(viewed(row))::rank == 1);
  CHECK((viewed(row).strides() == shape<1>(4)));
  CHECK((viewed(row).shape() == shape<1>(5)));
  const auto column = matrix.col(3);
  CHECK((viewed(column).strides() == shape<1>(1)));
  const auto part = matrix.col(3).segment(1, 2);
  CHECK(viewed(part).data() == &matrix(1, 3));
  const auto diagonal = matrix.diagonal();
  CHECK((viewed(diagonal).strides() == shape<1>(5)));
  CHECK((viewed(diagonal).shape() == shape<1>(4)));
  const auto transposed = matrix.transpose();
  CHECK((viewed(transposed).shape() == shape<2>(5, 4)));
  CHECK((viewed(transposed).strides() == shape<2>(4, 1)));
  const auto total = fuse([](auto x) { return sum(x); });
  CHECK(total(block).item() == block.sum());
  CHECK(total(diagonal).item() == diagonal.sum());
}

TEST_CASE("results are written into matrices of Eigen and parts of them") {
  auto matrix = counted<Eigen::MatrixXf>(4, 5);
  const Eigen::MatrixXf before = matrix;
  const auto doubled = fuse([](auto x) { return 2 * x; });
  auto block = matrix.block(1, 1, 2, 2);
  doubled.into(block)(block);
  CHECK(matrix.block(1, 1, 2, 2) == 2 * before.block(1, 1, 2, 2));
  doubled.into(matrix.row(3))(before.row(0));
  CHECK(matrix.row(3) == 2 * before.row(0));
  CHECK(matrix.row(0) == before.row(0));
  Eigen::Map<Eigen::VectorXf> flat(matrix.data(), matrix.size());
  doubled.into(flat)(flat);
  CHECK(matrix(0, 1) == 2);
  const auto too_large = counted<Eigen::MatrixXf>(2, 2);
  Eigen::MatrixXf target(3, 3);
  CHECK(message_of([&] { doubled.into(target)(too_large); }) != "");
}

TEST_CASE("elements of const objects of Eigen are const") {
  using read_only = view<const float, 2>;
  const Eigen::MatrixXf matrix = Eigen::MatrixXf::Ones(2, 2);
  Eigen::MatrixXf writable = matrix;
  Eigen::Map<const Eigen::MatrixXf> map_of_const(matrix.data(), 2, 2);
  static_assert(std::is_same_v<decltype(viewed(matrix)), read_only>);
  static_assert(std::is_same_v<decltype(viewed(writable)), view<float, 2>>);
  static_assert(std::is_same_v<decltype(viewed(map_of_const)), read_only>);
  auto block_of_const = matrix.block(0, 0, 1, 1);
  static_assert(std::is_same_v<decltype(viewed(block_of_const)), read_only>);
  // What has no elements in memory is no operand.
  using sum_of_two = decltype(matrix + matrix);
  static_assert(!detail::eigen_in_memory<sum_of_two>);
}

TEST_CASE("Eigen's narrow and complex scalars are Sinter's") {
  using half_vector = Eigen::Matrix<Eigen::half, Eigen::Dynamic, 1>;
  half_vector halves(3);
  halves << Eigen::half(1), Eigen::half(2), Eigen::half(3);
  static_assert(std::is_same_v<decltype(viewed(halves)), view<float16, 1>>);
  fuse([](auto x) { return x / 2; }).into(halves)(halves);
  CHECK(static_cast<float>(halves(1)) == 1);
  CHECK(static_cast<float>(halves(2)) == 1.5f);
  half_vector back = to_eigen(fuse([](auto x) { return x + x; })(halves));
  CHECK(static_cast<float>(back.sum()) == 6);
  array<float16, 2> square =
      array<float16, 2>::from({{float16(1), float16(2)}, {float16(3), float16(4)}}, device::cpu());
  as_eigen(square).row(1).setConstant(Eigen::half(5));
  CHECK(static_cast<float>(square.to_vector()[2]) == 5);
  CHECK(static_cast<float>(as_eigen(std::as_const(square)).sum()) == 13);
  Eigen::VectorXcf turning(2);
  turning << std::complex<float>(1, 2), std::complex<float>(0, -1);
  const Eigen::VectorXcf expected = turning.conjugate();
  CHECK(to_eigen(fuse([](auto x) { return conj(x); })(turning)) == expected);
}

TEST_CASE("an array of Sinter's is a map of Eigen's, or is copied to a matrix") {
  array<float, 2> x = array<float, 2>::from({{1, 2, 3}, {4, 5, 6}}, device::cpu());
  auto mapped = as_eigen(x);
  CHECK(mapped.data() == x.data());
  mapped(1, 2) = 60;
  CHECK(x.to_vector().back() == 60);
  CHECK(as_eigen(x(all(), 1)).sum() == 7);
  const Eigen::Matrix<float, 2, 3> fixed = to_eigen<Eigen::Matrix<float, 2, 3>>(x);
  CHECK(fixed(1, 2) == 60);
  CHECK(to_eigen(x(all(), slice(end, end, -1)))(0, 0) == 3);
  CHECK(message_of([&] { (void)as_eigen(x(all(), slice(end, end, -1))); }) ==
        "as_eigen: an Eigen::Map has no negative strides: say to_eigen(x) for a copy");
  const view<float, 1> elsewhere(x.data(), {2}, device::cuda());
  CHECK(message_of([&] { (void)as_eigen(elsewhere); }).find("say to_eigen(x)") != std::string::npos);
}
