// x(i) = v and x(mask) = v outside of fused functions, compared with plain loops.

#include <doctest/doctest.h>

#include <sinter/complex.hpp>
#include <sinter/sinter.hpp>

#include <complex>
#include <cstdint>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

array<int, 1> ints(const std::vector<int>& elements) { return array<int, 1>::from(elements); }
array<float, 1> floats(const std::vector<float>& elements) { return array<float, 1>::from(elements); }
/// rows by columns: 0, 1, 2, …
array<float, 2> matrix(std::int64_t rows, std::int64_t columns) {
  return reshape(arange<float>(rows * columns), rows, columns);
}
array<float, 3> cube() { return reshape(arange<float>(24), 2, 3, 4); }

}  // namespace

TEST_SUITE("assignment at indices") {
  TEST_CASE("a number, an array or an expression goes to the elements that indices name") {
    array<float, 1> x = floats({1, 2, 3, 4});
    x(ints({0, -1})) = 9;
    CHECK(x.to_vector() == std::vector<float>{9, 2, 3, 9});
    x(ints({1, 2})) = floats({5, 6});
    CHECK(x.to_vector() == std::vector<float>{9, 5, 6, 9});
    x(ints({3, 0})) = x(ints({1, 2})) + 1;
    CHECK(x.to_vector() == std::vector<float>{7, 5, 6, 6});
    x(ints({0, 1}) + 2) = x(ints({0, 1}));
    CHECK(x.to_vector() == std::vector<float>{7, 5, 7, 5});
    const array<std::uint8_t, 1> small = array<std::uint8_t, 1>::from({1});
    x(small) = ints({3});
    CHECK(x.to_vector() == std::vector<float>{7, 3, 7, 5});
  }

  TEST_CASE("of several values for one element the last one stays") {
    array<float, 1> x = zeros<float>(3);
    x(ints({1, 2, 1, 2, 1})) = floats({1, 2, 3, 4, 5});
    CHECK(x.to_vector() == std::vector<float>{0, 5, 4});
    std::vector<int> at;
    std::vector<float> wanted(10);
    for (int i = 0; i < 10000; ++i) {
      at.push_back(i * 7919 % 10);
      wanted[static_cast<std::size_t>(at.back())] = static_cast<float>(i);
    }
    array<float, 1> many = zeros<float>(10);
    many(ints(at)) = arange<float>(10000);
    CHECK(many.to_vector() == wanted);
  }

  TEST_CASE("indices of any shape, and one of rank 0") {
    array<float, 1> x = zeros<float>(5);
    x(array<int, 2>::from(std::vector<int>{0, 1, 2, 3}, {2, 2})) = floats({8, 9});
    CHECK(x.to_vector() == std::vector<float>{8, 9, 8, 9, 0});
    array<float, 2> m = matrix(2, 3);
    m(argmax(floats({1, 7}))) = floats({6, 5, 4});
    CHECK(m.to_vector() == std::vector<float>{0, 1, 2, 6, 5, 4});
    const array<int, 1> none({0});
    m(none) = 1;
    CHECK(m.to_vector() == std::vector<float>{0, 1, 2, 6, 5, 4});
  }

  TEST_CASE("rows, columns, and what is beside slices and numbers") {
    array<float, 2> m = matrix(3, 4);
    m(ints({2, 0}), all()) = floats({1, 2, 3, 4});
    CHECK(m.to_vector() == std::vector<float>{1, 2, 3, 4, 4, 5, 6, 7, 1, 2, 3, 4});
    m(all(), ints({3, 1})) = array<float, 2>::from({10, 20, 30, 40, 50, 60}, {3, 2});
    CHECK(m.to_vector() == std::vector<float>{1, 20, 3, 10, 4, 40, 6, 30, 1, 60, 3, 50});
    m(slice(1, 3), ints({0})) = 0;
    CHECK(m.to_vector() == std::vector<float>{1, 20, 3, 10, 0, 40, 6, 30, 0, 60, 3, 50});
    m(1, ints({2, 3})) = -1;
    CHECK(m.to_vector() == std::vector<float>{1, 20, 3, 10, 0, 40, -1, -1, 0, 60, 3, 50});
  }

  TEST_CASE("several indices name an element each, broadcast together") {
    array<float, 2> m = zeros<float>({3, 4});
    m(ints({0, 2, -1}), ints({1, -1, 3})) = floats({5, 6, 7});
    CHECK(m.to_vector() == std::vector<float>{0, 5, 0, 0, 0, 0, 0, 0, 0, 0, 0, 7});
    const array<int, 2> rows = reshape(ints({0, 1}), 2, 1);
    m(rows, ints({0, 2})) = array<float, 2>::from({1, 2, 3, 4}, {2, 2});
    CHECK(m.to_vector() == std::vector<float>{1, 5, 2, 0, 3, 0, 4, 0, 0, 0, 0, 7});
  }

  TEST_CASE("what is written at indices is what is read there, whatever the places of the axes") {
    const array<int, 1> i = ints({1, 0}), j = ints({-1, 0}), k = ints({3, 0});
    const array<int, 2> square = array<int, 2>::from(std::vector<int>{2, 0, 1, 1}, {2, 2});
    const auto check = [](const auto& at) {
      array<float, 3> x = cube(), marked = zeros<float>({2, 3, 4});
      const auto values = array(evaluate(at(x) * 10 + 100));
      at(x) = values;
      at(marked) = 1;
      const auto read = evaluate(at(x));
      CHECK(read.shape() == values.shape());
      CHECK(read.to_vector() == values.to_vector());
      const std::vector<float> before = cube().to_vector(), after = x.to_vector(), is = marked.to_vector();
      for (std::size_t place = 0; place < before.size(); ++place)
        CHECK(after[place] == (is[place] != 0 ? before[place] * 10 + 100 : before[place]));
      CHECK(array<float, 0>(sum(marked)).to_vector()[0] == static_cast<float>(values.size()));
    };
    check([&](auto& x) { return x(i); });
    check([&](auto& x) { return x(all(), j); });
    check([&](auto& x) { return x(all(), all(), k); });
    check([&](auto& x) { return x(i, j); });
    check([&](auto& x) { return x(i, all(), k); });
    check([&](auto& x) { return x(all(), j, k); });
    check([&](auto& x) { return x(i, j, k); });
    check([&](auto& x) { return x(ellipsis, k); });
    check([&](auto& x) { return x(all(), square(0), slice(1, 3)); });
    check([&](auto& x) { return x(0, all(), k); });
    check([&](auto& x) { return x(i, 1, k); });
    check([&](auto& x) { return x(newaxis, i, all(), k); });
  }

  TEST_CASE("views of any strides are written, and nothing beside them") {
    array<float, 2> m = matrix(3, 4);
    view<float, 2> turned = transpose(m);
    turned(ints({3, 0})) = -1;
    CHECK(m.to_vector() == std::vector<float>{-1, 1, 2, -1, -1, 5, 6, -1, -1, 9, 10, -1});
    array<float, 1> x = arange<float>(6);
    x(slice(5, end, -2))(ints({0})) = 50;
    CHECK(x.to_vector() == std::vector<float>{0, 1, 2, 3, 4, 50});
  }

  TEST_CASE("an index out of range is an index_error, and its value is not written") {
    // on a GPU the next call that waits tells of it
    array<float, 1> x = zeros<float>(3);
    CHECK_THROWS_WITH_AS((x(ints({1, 3})) = 1, synchronize()), doctest::Contains("index 3"), index_error);
    CHECK_THROWS_WITH_AS((x(ints({-4})) = 1, synchronize()), doctest::Contains("3 elements"), index_error);
    array<float, 2> m = matrix(2, 3);
    CHECK_THROWS_WITH_AS((m(ints({0, 2}), ints({1, 1})) = 1, synchronize()), doctest::Contains("index 2"),
                         index_error);
    CHECK_THROWS_WITH_AS((m(ints({0, 1}), ints({-4, 1})) = 1, synchronize()), doctest::Contains("index -4"),
                         index_error);
    CHECK_THROWS_WITH_AS((m(ints({0, 1}), ints({-4, 1})) = 1, synchronize()), doctest::Contains("3 elements"),
                         index_error);
    for (const int last : {2, -4}) {
      array<int, 1> y = ints({7, 8});
      CHECK_THROWS_AS((y(ints({0, last})) = 1, synchronize()), index_error);
      CHECK(y.to_vector()[1] == 8);
    }
  }

  TEST_CASE("values that do not fit the indices are a shape_error") {
    array<float, 1> x = zeros<float>(3);
    CHECK_THROWS_AS(x(ints({0, 1})) = floats({1, 2, 3}), shape_error);
    CHECK_THROWS_AS(x(ints({0})) = floats({1, 2}), shape_error);
    array<float, 2> m = matrix(2, 3);
    CHECK_THROWS_AS(m(ints({0})) = floats({1, 2}), shape_error);
    CHECK_THROWS_AS(m(ints({0, 1}), ints({0, 1, 2})) = 1, shape_error);
  }

  TEST_CASE("elements of other types") {
    array<bool, 1> flags = zeros<bool>(3);
    flags(ints({1})) = true;
    CHECK(flags.to_vector() == std::vector<bool>{false, true, false});
    array<std::complex<float>, 1> z = zeros<std::complex<float>>(2);
    z(ints({1})) = std::complex<float>(1, -2);
    CHECK(z.to_vector()[1] == std::complex<float>(1, -2));
    array<std::uint8_t, 1> bytes = zeros<std::uint8_t>(2);
    bytes(ints({0})) = array<std::uint8_t, 1>::from({200});
    CHECK(bytes.to_vector() == std::vector<std::uint8_t>{200, 0});
  }
}

TEST_SUITE("assignment where a mask holds") {
  TEST_CASE("a number, and what is broadcast to the array, is written where the mask holds") {
    array<float, 2> m = matrix(2, 3);
    m(m > 3) = 0;
    CHECK(m.to_vector() == std::vector<float>{0, 1, 2, 3, 0, 0});
    const array<bool, 2> mask = m == 0;
    m(mask) = floats({7, 8, 9});
    CHECK(m.to_vector() == std::vector<float>{7, 1, 2, 3, 8, 9});
    m(m >= 3) = -m;
    CHECK(m.to_vector() == std::vector<float>{-7, 1, 2, -3, -8, -9});
    transpose(m)(transpose(m) < 0) = 1;
    CHECK(m.to_vector() == std::vector<float>{1, 1, 2, 1, 1, 1});
    array<int, 1> x = ints({1, 2, 3});
    x(!(x == 2)) = true;
    CHECK(x.to_vector() == std::vector<int>{1, 2, 1});
  }
  TEST_CASE("a mask of another shape is refused") {
    array<int, 1> x = ints({1, 2, 3});
    CHECK_THROWS_AS(x(array<bool, 1>::from(std::vector<bool>{true})) = 1, shape_error);
    CHECK_THROWS_AS(x(array<bool, 1>::from(std::vector<bool>{true, false})) = 1, shape_error);
    CHECK_THROWS_AS(x(x > 1) = ints({1, 2}), shape_error);
    CHECK(x.to_vector() == std::vector<int>{1, 2, 3});
  }
}

}  // namespace sinter::test
