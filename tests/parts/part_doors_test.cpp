// Every function of parts.hpp on the CPU through every door of the library.

#include "part_doors.hpp"

using namespace sinter;
using namespace sinter::test::doors;

namespace {

using p1 = position<1>;
using p2 = position<2>;
using p3 = position<3>;
using p4 = position<4>;
using amount = std::int64_t;

amount modulo(amount q, amount n) { return ((q % n) + n) % n; }
/// Position q of an axis of n elements that is mirrored at its ends.
amount mirrored(amount q, amount n) {
  const amount at = modulo(q, 2 * (n - 1));
  return at < n ? at : 2 * (n - 1) - at;
}

}  // namespace

TEST_SUITE("parts put together, through every door") {
  TEST_CASE("concatenate and stack") {
    check_doors<2>([](auto&& x, auto n) { return concatenate<1>(x, add(x, n), x); },
                   [](amount) { return p2{rows, 3 * columns}; },
                   [](amount n, const p2& p) {
                     return x_at(p[0], p[1] % columns) + (p[1] / columns == 1 ? static_cast<float>(n) : 0.0f);
                   });
    check_doors<2>([](auto&& x, auto n) { return concatenate<0>(x, repeat_elements(x, n, axis<0>)); },
                   [](amount n) { return p2{rows + n * rows, columns}; },
                   [](amount n, const p2& p) { return x_at(p[0] < rows ? p[0] : (p[0] - rows) / n, p[1]); });
    check_doors<3>([](auto&& x, auto n) { return stack<1>(x, negative(x), multiply(x, n)); },
                   [](amount) { return p3{rows, 3, columns}; },
                   [](amount n, const p3& p) {
                     const float element = x_at(p[0], p[2]);
                     return p[1] == 0 ? element : p[1] == 1 ? -element : element * static_cast<float>(n);
                   });
  }

  TEST_CASE("pad") {
    check_doors<2>(
        [](auto&& x, auto n) { return pad(x, axis<1>, n, n + 1, boundary::constant(7)); },
        [](amount n) { return p2{rows, columns + 2 * n + 1}; },
        [](amount n, const p2& p) { return p[1] < n || p[1] >= n + columns ? 7.0f : x_at(p[0], p[1] - n); });
    check_doors<2>(
        [](auto&& x, auto n) { return pad(x, axis<0>, n, 2, boundary::edge); },
        [](amount n) { return p2{rows + n + 2, columns}; },
        [](amount n, const p2& p) { return x_at(std::clamp<amount>(p[0] - n, 0, rows - 1), p[1]); });
    check_doors<2>([](auto&& x, auto n) { return pad(x, axis<-1>, 40 * n, n, boundary::reflect); },
                   [](amount n) { return p2{rows, columns + 41 * n}; },
                   [](amount n, const p2& p) { return x_at(p[0], mirrored(p[1] - 40 * n, columns)); });
    check_doors<2>([](auto&& x, auto n) { return pad(x, axis<0>, 0, 5 * n, boundary::wrap); },
                   [](amount n) { return p2{rows + 5 * n, columns}; },
                   [](amount, const p2& p) { return x_at(p[0] % rows, p[1]); });
  }

  TEST_CASE("roll, repeat_elements and tile") {
    check_doors<2>([](auto&& x, auto n) { return roll(x, n, axis<1>); },
                   [](amount) { return p2{rows, columns}; },
                   [](amount n, const p2& p) { return x_at(p[0], modulo(p[1] - n, columns)); });
    check_doors<2>(
        [](auto&& x, auto n) { return roll(roll(x, -n, axis<0>), 100, axis<1>); },
        [](amount) { return p2{rows, columns}; },
        [](amount n, const p2& p) { return x_at(modulo(p[0] + n, rows), modulo(p[1] - 100, columns)); });
    check_doors<2>([](auto&& x, auto n) { return repeat_elements(x, n, axis<1>); },
                   [](amount n) { return p2{rows, n * columns}; },
                   [](amount n, const p2& p) { return x_at(p[0], p[1] / n); });
    check_doors<2>([](auto&& x, auto n) { return tile(x, n, 2); },
                   [](amount n) { return p2{n * rows, 2 * columns}; },
                   [](amount, const p2& p) { return x_at(p[0] % rows, p[1] % columns); });
  }
}

TEST_SUITE("parts taken apart, through every door") {
  TEST_CASE("tril, triu and diag") {
    check_doors<2>([](auto&& x, auto n) { return tril(x, n); }, [](amount) { return p2{rows, columns}; },
                   [](amount n, const p2& p) { return p[1] - p[0] <= n ? x_at(p[0], p[1]) : 0.0f; });
    check_doors<2>([](auto&& x, auto n) { return triu(x, -n); }, [](amount) { return p2{rows, columns}; },
                   [](amount n, const p2& p) { return p[1] - p[0] >= -n ? x_at(p[0], p[1]) : 0.0f; });
    check_doors<1>([](auto&& x, auto n) { return diag(x, -n); }, [](amount n) { return p1{rows - n}; },
                   [](amount n, const p1& p) { return x_at(p[0] + n, p[0]); });
    check_doors<2>([](auto&& x, auto n) { return diag(diag(x), n); },
                   [](amount n) { return p2{rows + n, rows + n}; },
                   [](amount n, const p2& p) { return p[1] == p[0] + n ? x_at(p[0], p[0]) : 0.0f; });
  }

  TEST_CASE("sliding_window and select") {
    check_doors<4>([](auto&& x, auto n) { return sliding_window<1, 0>(x, n, 2); },
                   [](amount n) { return p4{rows - 1, columns - n + 1, n, 2}; },
                   [](amount, const p4& p) { return x_at(p[0] + p[3], p[1] + p[2]); });
    check_doors<2>([](auto&& x, auto n) { return max(sliding_window<1>(x, n), axis<-1>); },
                   [](amount n) { return p2{rows, columns - n + 1}; },
                   [](amount n, const p2& p) {
                     float largest = x_at(p[0], p[1]);
                     for (amount k = 1; k < n; ++k) largest = std::max(largest, x_at(p[0], p[1] + k));
                     return largest;
                   });
    check_doors<2>(
        [](auto&& x, auto n) { return select(greater(x, 300 * n), x, less(x, 0), negative(x), 7); },
        [](amount) { return p2{rows, columns}; },
        [](amount n, const p2& p) {
          const float element = x_at(p[0], p[1]);
          return element > static_cast<float>(300 * n) ? element : element < 0 ? -element : 7.0f;
        });
  }
}

TEST_SUITE("other shapes, through every door") {
  TEST_CASE("reshape and flatten") {
    check_doors<2>([](auto&& x, auto n) { return reshape(x, -1, 4 * n); },
                   [](amount n) { return p2{rows * columns / (4 * n), 4 * n}; },
                   [](amount n, const p2& p) {
                     const amount at = p[0] * 4 * n + p[1];
                     return x_at(at / columns, at % columns);
                   });
    check_doors<3>([](auto&& x, auto n) { return reshape(transpose(x), n, 4, -1); },
                   [](amount n) { return p3{n, 4, rows * columns / (4 * n)}; },
                   [](amount n, const p3& p) {
                     const amount at = (p[0] * 4 + p[1]) * (rows * columns / (4 * n)) + p[2];
                     return x_at(at % rows, at / rows);
                   });
    check_doors<1>(
        [](auto&& x, auto n) { return flatten(x) * n; }, [](amount) { return p1{rows * columns}; },
        [](amount n, const p1& p) { return x_at(p[0] / columns, p[0] % columns) * static_cast<float>(n); });
  }

  TEST_CASE("broadcast_to, expand_dims, squeeze and moveaxis") {
    check_doors_of_shape<3>([](auto&& x, auto n) { return broadcast_to(x, n, rows, columns); },
                            [](amount n) { return p3{n, rows, columns}; },
                            [](amount, const p3& p) { return x_at(p[1], p[2]); });
    check_doors<4>([](auto&& x, auto n) { return expand_dims(roll(x, n, axis<1>), axis<0, -2>); },
                   [](amount) { return p4{1, rows, 1, columns}; },
                   [](amount n, const p4& p) { return x_at(p[1], modulo(p[3] - n, columns)); });
    check_doors<2>([](auto&& x, auto n) { return squeeze(expand_dims(x, axis<0, 2>) + n, axis<0, 2>); },
                   [](amount) { return p2{rows, columns}; },
                   [](amount n, const p2& p) { return x_at(p[0], p[1]) + static_cast<float>(n); });
    check_doors<2>([](auto&& x, auto n) { return moveaxis<0, -1>(x) * n; },
                   [](amount) { return p2{columns, rows}; },
                   [](amount n, const p2& p) { return x_at(p[1], p[0]) * static_cast<float>(n); });
  }

  TEST_CASE("iota, in a function") {
    const auto x = array<float, 2>::from(x_elements(), {rows, columns});
    const auto counted = fuse([](auto a) { return astype<float>(iota(extent<1>(a)) * 2) + a; });
    const std::vector<float> result = counted(x).to_vector();
    for (amount i = 0; i < rows; ++i)
      for (amount j = 0; j < columns; ++j)
        CHECK(result[static_cast<std::size_t>(i * columns + j)] == x_at(i, j) + static_cast<float>(2 * j));
    const auto numbers = fuse([](auto n) { return iota(n) + 1; });
    CHECK(numbers(3).to_vector() == std::vector<std::int64_t>{1, 2, 3});
    CHECK(numbers(0).to_vector().empty());
  }
}
