// How rows are sorted by the CPU's threads: stably, in runs that are merged, many short rows at once.

#include <doctest/doctest.h>

#include "sorted_rows.hpp"

#include <sinter/runtime/cpu/sort_rows.hpp>

namespace sinter::test {
namespace {

template <class Key>
void check(std::int64_t rows, std::int64_t length, unsigned bits, key_order order) {
  CAPTURE(rows);
  CAPTURE(length);
  CAPTURE(bits);
  CAPTURE(static_cast<int>(order));
  const std::vector<Key> given = drawn_keys<Key>(static_cast<std::size_t>(rows * length), bits, order);
  const std::vector<Key> keys = given;
  std::vector<std::uint32_t> positions(keys.size(), ~0U);
  runtime::sort_rows_on_cpu({sizeof(Key), bits, rows, length}, keys.data(), positions.data());
  CHECK(positions == sorted_positions(given, static_cast<std::size_t>(length)));
  CHECK(keys == given);
}

constexpr key_order orders[] = {key_order::equal, key_order::sorted, key_order::reversed, key_order::random,
                                key_order::few_values};

}  // namespace

TEST_SUITE("sorting rows on the CPU") {
  TEST_CASE("rows of any length, in one run and in several that are merged, have the stable order") {
    for (const key_order order : orders)
      for (const std::int64_t length : {1, 2, 17, 1000, 32768, 32769, 65537, 200'003}) {
        check<std::uint32_t>(1, length, 32, order);
        check<std::uint64_t>(1, length, 64, order);
      }
  }

  TEST_CASE("many short rows, and several long ones, are sorted each by itself") {
    for (const key_order order : orders) {
      check<std::uint32_t>(20'000, 3, 32, order);
      check<std::uint64_t>(5'000, 17, 64, order);
      check<std::uint32_t>(100'000, 1, 1, order);
      check<std::uint32_t>(3, 40'000, 16, order);
      check<std::uint64_t>(2, 70'001, 40, order);
    }
  }

  TEST_CASE("rows without elements, and no rows, have no positions") {
    check<std::uint32_t>(0, 10, 32, key_order::random);
    check<std::uint64_t>(10, 0, 64, key_order::random);
  }
}

}  // namespace sinter::test
