#pragma once
// One function of parts.hpp through every door: constant and run-time amounts, expressions of arrays, views
// and foreign tensors, modes, and targets that overlap the operand. Results are compared with a formula.

#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <initializer_list>
#include <vector>

namespace sinter::test::doors {

/// A matrix of another library.
struct foreign_matrix {
  const float* elements;
  std::int64_t rows, columns;
};

}  // namespace sinter::test::doors

template <>
struct sinter::foreign_tensor<sinter::test::doors::foreign_matrix> {
  static view<const float, 2> as_view(const sinter::test::doors::foreign_matrix& from) {
    return {from.elements, {from.rows, from.columns}};
  }
};

namespace sinter::test::doors {

inline std::size_t compiled() { return runtime::kernel_table_statistics().compiled; }

inline constexpr std::int64_t rows = 6, columns = 36;

/// The operand's element: all differ, and half of them are negative.
inline float x_at(std::int64_t i, std::int64_t j) {
  return static_cast<float>((i * 100 + j) * (j % 2 == 0 ? 1 : -1)) + 0.5f;
}
inline std::vector<float> x_elements() {
  std::vector<float> made;
  for (std::int64_t i = 0; i < rows; ++i)
    for (std::int64_t j = 0; j < columns; ++j) made.push_back(x_at(i, j));
  return made;
}

template <std::size_t Rank>
using position = std::array<std::int64_t, Rank>;

/// What a function gives: extents and the element at a position, both for an amount.
template <std::size_t Rank>
struct formula {
  position<Rank> (*extents)(std::int64_t n);
  float (*at)(std::int64_t n, const position<Rank>& p);
};

template <std::size_t Rank>
std::vector<float> elements_of(const formula<Rank>& wanted, std::int64_t n) {
  const position<Rank> extents = wanted.extents(n);
  std::vector<float> made;
  if (std::ranges::find(extents, 0) != extents.end()) return made;
  position<Rank> p{};
  while (true) {
    made.push_back(wanted.at(n, p));
    std::size_t axis = Rank;
    while (axis-- > 0 && ++p[axis] == extents[axis]) p[axis] = 0;
    if (axis > Rank) return made;
  }
}

template <unsigned Rank>
void check_result(const array<float, Rank>& result, const formula<Rank>& wanted, std::int64_t n) {
  CAPTURE(n);
  const position<Rank> extents = wanted.extents(n);
  for (unsigned axis = 0; axis < Rank; ++axis) CHECK(result.shape()[axis] == extents[axis]);
  CHECK(result.to_vector() == elements_of(wanted, n));
}

/// A function of a matrix and an amount. `Part` is a stateless callable (x, n).
template <class Part, std::size_t Rank>
class part_doors {
 public:
  explicit part_doors(const formula<Rank>& wanted) : wanted_(wanted) {}

  void check_functions() const {
    const auto constant = fuse([](auto x) { return Part{}(x, 2); });
    check_result<Rank>(constant(x_), wanted_, 2);
    check_result<Rank>(constant.strict()(x_), wanted_, 2);
    check_result<Rank>(constant.fast()(x_), wanted_, 2);
    check_result<Rank>(constant.general()(x_), wanted_, 2);
    std::int64_t n = 1;
    const auto stateful = fuse([&n](auto x) { return Part{}(x, n); });
    check_result<Rank>(stateful(x_), wanted_, 1);
    const auto by_argument = fuse([](auto x, auto amount) { return Part{}(x, amount); });
    for (const std::int64_t each : {3, 2, 1}) check_result<Rank>(by_argument(x_, each), wanted_, each);
    n = 3;
    check_result<Rank>(stateful(x_), wanted_, 3);
  }

  /// A shape-generic kernel serves all amounts, whether they are arguments or captured.
  void check_compiles() const {
    const auto by_argument = fuse([](auto x, auto amount) { return Part{}(x, amount); });
    std::int64_t n = 2;
    const auto stateful = fuse([&n](auto x) { return Part{}(x, n); });
    by_argument.general()(x_, n);
    stateful.general()(x_);
    const std::size_t before = compiled();
    for (n = 1; n <= 3; ++n) {
      check_result<Rank>(by_argument.general()(x_, n), wanted_, n);
      check_result<Rank>(stateful.general()(x_), wanted_, n);
    }
    CHECK(compiled() == before);
  }

  /// So do specialised kernels, where sizes stay in one class: reductions of up to 16 elements have no loop,
  /// so each such number has a kernel of its own.
  void check_large_amounts() const {
    const array<float, 2> large({512, 1440});
    std::int64_t n = 24;
    const auto by_argument = fuse([](auto x, auto amount) { return Part{}(x, amount); });
    const auto stateful = fuse([&n](auto x) { return Part{}(x, n); });
    by_argument.prepare(large, n);
    stateful.prepare(large);
    const std::size_t before = compiled();
    for (n = 32; n <= 48; n += 8) {
      by_argument.prepare(large, n);
      stateful.prepare(large);
    }
    CHECK(compiled() == before);
  }

  void check_expressions() const {
    for (const std::int64_t n : {1, 3}) check_result<Rank>(evaluate(Part{}(x_, n)), wanted_, n);
    check_result<Rank>(evaluate(Part{}(x_ * 1.0f, 2)), wanted_, 2);
    const std::vector<float> elements = x_elements();
    const foreign_matrix foreign{elements.data(), rows, columns};
    check_result<Rank>(evaluate(Part{}(foreign, 2)), wanted_, 2);
    check_result<Rank>(fuse([](auto x) { return Part{}(x, 2); })(foreign), wanted_, 2);
    // every other row of a matrix that is stored by columns, from the last column to the first
    std::vector<float> memory(2 * rows * columns, -1);
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j)
        memory[static_cast<std::size_t>(2 * i + 2 * rows * (columns - 1 - j))] = x_at(i, j);
    const view<const float, 2> strided(memory.data() + 2 * rows * (columns - 1), {rows, columns},
                                       {2, -2 * rows});
    check_result<Rank>(evaluate(Part{}(strided, 2)), wanted_, 2);
  }

  /// The result is what it is without overlap, wherever the target begins in the operand's memory.
  void check_overlaps() const {
    const std::vector<float> wanted = elements_of(wanted_, 2), elements = x_elements();
    const position<Rank> extents = wanted_.extents(2);
    shape<Rank> whole;
    for (unsigned axis = 0; axis < Rank; ++axis) whole[axis] = extents[axis];
    const auto called = fuse([](auto x) { return Part{}(x, 2); });
    for (const std::size_t offset : std::initializer_list<std::size_t>{0, 1, 40, 100}) {
      CAPTURE(offset);
      std::vector<float> memory = elements;
      memory.resize(std::max(elements.size(), offset + wanted.size()));
      const view<float, 2> x(memory.data(), {rows, columns});
      view<float, Rank> target(memory.data() + offset, whole);
      called.into(target)(x);
      const auto begin = memory.begin() + static_cast<std::ptrdiff_t>(offset);
      CHECK(std::vector<float>(begin, begin + static_cast<std::ptrdiff_t>(wanted.size())) == wanted);
      for (std::size_t i = 0; i < elements.size(); ++i)
        if (i < offset || i >= offset + wanted.size()) CHECK(memory[i] == elements[i]);
    }
  }

  void check_this_shape() const {
    check_functions();
    check_compiles();
    check_expressions();
    check_overlaps();
  }

 private:
  array<float, 2> x_ = array<float, 2>::from(x_elements(), {rows, columns});
  formula<Rank> wanted_;
};

template <std::size_t Rank, class Part>
void check_doors(Part, position<Rank> (*extents)(std::int64_t),
                 float (*at)(std::int64_t, const position<Rank>&)) {
  const part_doors<Part, Rank> doors({extents, at});
  doors.check_this_shape();
  doors.check_large_amounts();
}
/// Of a function that takes a matrix of rows x columns and no other.
template <std::size_t Rank, class Part>
void check_doors_of_shape(Part, position<Rank> (*extents)(std::int64_t),
                          float (*at)(std::int64_t, const position<Rank>&)) {
  part_doors<Part, Rank>({extents, at}).check_this_shape();
}

}  // namespace sinter::test::doors
