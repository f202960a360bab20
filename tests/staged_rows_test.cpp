// Short rows whose length no vector divides: they pass through shared memory, wherever they begin.

#include <doctest/doctest.h>

#include "support/sweep.hpp"
#include "support/sweep_layout.hpp"

#include <sinter/sinter.hpp>

#include <random>

namespace sinter::test {
namespace {

constexpr std::int64_t lengths[] = {3, 5, 6, 7, 9, 10, 11, 13, 15, 17, 21, 25, 29, 30, 31};
constexpr std::int64_t row_counts[] = {1, 127, 129, 600, 1031};
constexpr std::int64_t beginnings[] = {0, 1, 2, 3, 15};  ///< elements after an aligned address

stage only_stage(const graph& recorded, const std::vector<layout>& arrays) {
  const lowered_call lowered = lower(recorded, arrays, cuda_facts());
  REQUIRE(lowered.stage_count == 1);
  return lowered.stages[0];
}

graph softmax_rows(element_type type) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(type, 2);
  const graph_value e = builder.apply(
      operation::exp, {builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2u, true)})});
  builder.output(builder.apply(operation::true_divide, {e, builder.reduce(operation::sum, e, 2u, true)}));
  return builder.recorded();
}

/// What all elements lie below their row's largest together, less what each does: whole numbers stay whole.
template <class T>
std::vector<T> by_hand(const std::vector<T>& x, std::int64_t length) {
  std::vector<T> made(x.size());
  for (std::size_t row = 0; row < x.size(); row += static_cast<std::size_t>(length)) {
    T largest = x[row], total = T(0);
    for (std::int64_t i = 0; i < length; ++i)
      largest = std::max(largest, x[row + static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < length; ++i)
      total = static_cast<T>(total + largest - x[row + static_cast<std::size_t>(i)]);
    for (std::int64_t i = 0; i < length; ++i) {
      const std::size_t at = row + static_cast<std::size_t>(i);
      made[at] = static_cast<T>(total - (largest - x[at]));
    }
  }
  return made;
}

/// Rows that begin `ahead` elements after an aligned address, computed into another such place and in place;
/// the elements around them stay as they were.
template <class T>
void check_rows(const device& where, std::int64_t rows, std::int64_t length, std::int64_t ahead) {
  INFO(rows, " rows of ", length, ", ", ahead, " elements ahead, ", sizeof(T), " bytes each");
  const std::int64_t count = rows * length, room = count + 2 * ahead + 1;
  std::mt19937_64 random(static_cast<std::uint64_t>(count + ahead));
  std::vector<T> held(static_cast<std::size_t>(room));
  for (T& at : held) at = static_cast<T>(random() % 8);
  const auto first = held.begin() + ahead, last = first + count;
  const std::vector<T> wanted = by_hand(std::vector<T>(first, last), length);
  const auto function = fuse([](auto x) {
    const auto apart = max(x, axis<1>, keepdims) - x;
    return sum<T>(apart, axis<1>, keepdims) - apart;
  });
  array<T, 1> from = array<T, 1>::from(held, {room}, where), to = from.copy();
  const view<T, 2> inside(from.data() + ahead, {rows, length}, where);
  const view<T, 2> result(to.data() + ahead, {rows, length}, where);
  const auto check = [&](const array<T, 1>& made) {
    std::vector<T> expected = held;
    std::copy(wanted.begin(), wanted.end(), expected.begin() + ahead);
    CHECK(made.to_vector() == expected);
  };
  function.into(result)(inside);
  check(to);
  function.into(inside)(inside);
  check(from);
}

}  // namespace

TEST_CASE("rows that vectors do not divide are staged while short, and those that they do divide are not") {
  for (const std::int64_t length : lengths) {
    INFO(length);
    const schedule chosen =
        only_stage(softmax_rows(element_type::float32), {contiguous({100000, length})}).chosen;
    CHECK(chosen.staged);
    CHECK(chosen.threads_along == 1);
    CHECK(chosen.steps == length);
    CHECK(parse_schedule(to_string(chosen)) == chosen);
    CHECK_NOTHROW(lower(softmax_rows(element_type::float32), {contiguous({100000, length})}, cuda_facts(), {},
                        {}, &chosen));
  }
  for (const std::int64_t length : {2, 4, 8, 12, 33, 100, 128, 129, 1001})
    CHECK_FALSE(
        only_stage(softmax_rows(element_type::float32), {contiguous({100000, length})}).chosen.staged);
}

TEST_CASE("one row alone, rows with gaps between them and rows of columns are not staged") {
  const graph recorded = softmax_rows(element_type::float32);
  CHECK_FALSE(only_stage(recorded, {contiguous({1, 7})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {strided({1000, 7}, {9, 1})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {strided({1000, 7}, {14, 2})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {transposed({1000, 7})}).chosen.staged);
}

TEST_CASE("staged rows are those of every element size, wherever they begin and however many there are") {
  for (const device where : sweep_devices())
    for (const std::int64_t length : lengths)
      for (const std::int64_t rows : row_counts)
        for (const std::int64_t ahead : beginnings) {
          check_rows<std::int8_t>(where, rows, length, ahead);
          check_rows<std::int32_t>(where, rows, length, ahead);
          check_rows<float>(where, rows, length, ahead);
          check_rows<double>(where, rows, length, ahead);
        }
}

}  // namespace sinter::test
