// Short rows whose length no vector divides: they are staged in shared memory, at any alignment.

#include <doctest/doctest.h>

#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <random>

namespace sinter::test {
namespace {

constexpr std::int64_t lengths[] = {3, 5, 6, 7, 9, 10, 11, 13, 15, 17, 21, 25, 29, 30, 31};
constexpr std::int64_t row_counts[] = {1, 127, 129, 600, 1031};
constexpr std::int64_t beginnings[] = {0, 1, 3, 8, 15};  ///< elements after an aligned address

stage only_stage(const graph& recorded, const std::vector<layout>& arrays) {
  const lowered_call lowered = lower(recorded, arrays, cuda_facts());
  REQUIRE(lowered.stage_count == 1);
  return lowered.stages[0];
}

/// The sum of all elements' distances from their row's maximum, less each element's own: whole numbers stay
/// whole.
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

/// Rows that start `ahead` elements after an aligned address, computed into another such array and in place;
/// the elements around them must not change.
template <class T>
void check_rows(const device& on, std::int64_t rows, std::int64_t length, std::int64_t ahead) {
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
  array<T, 1> from = array<T, 1>::from(held, {room}, on), to = from.copy();
  const view<T, 2> inside(from.data() + ahead, {rows, length}, on);
  const view<T, 2> result(to.data() + ahead, {rows, length}, on);
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
    const schedule chosen = only_stage(softmax_over(2), {contiguous({100000, length})}).chosen;
    CHECK(chosen.staged);
    CHECK(chosen.threads_along == 1);
    CHECK(chosen.steps == length);
    CHECK(parse_schedule(to_string(chosen)) == chosen);
    CHECK_NOTHROW(lower(softmax_over(2), {contiguous({100000, length})}, cuda_facts(), {}, {}, &chosen));
  }
  for (const std::int64_t length : {2, 4, 8, 12, 33, 100, 128, 129, 1001})
    CHECK_FALSE(only_stage(softmax_over(2), {contiguous({100000, length})}).chosen.staged);
}

TEST_CASE("a staged schedule is refused with what to say where it cannot be") {
  const graph recorded = softmax_over(2);
  const auto refusal = [&](const shape& extents, const std::string& changed) {
    const schedule forced = parse_schedule(
        "row_reduction resident=1 staged=1 threads_along=1 threads_across=128 steps=7 " + changed);
    try {
      lower(recorded, {contiguous(extents)}, cuda_facts(), {}, {}, &forced);
    } catch (const error& refused) {
      return std::string(refused.what());
    }
    return std::string();
  };
  const shape rows{1000, 7};
  CHECK(refusal(rows, "").empty());
  CHECK(refusal(rows, "rows_per_thread=2").empty());
  for (const char* changed : {"steps=8", "steps=6", "resident=0", "cluster=2 threads_across=1",
                              "shared_steps=1", "threads_along=32 threads_across=4", "rows_per_thread=16"}) {
    INFO(changed);
    CHECK_FALSE(refusal(rows, changed).empty());
  }
  CHECK(refusal({1000, 9}, "").find("staged") != std::string::npos);
}

TEST_CASE("one row alone, rows with gaps between them and rows of columns are not staged") {
  const graph recorded = softmax_over(2);
  CHECK_FALSE(only_stage(recorded, {contiguous({1, 7})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {strided({1000, 7}, {9, 1})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {strided({1000, 7}, {14, 2})}).chosen.staged);
  CHECK_FALSE(only_stage(recorded, {transposed({1000, 7})}).chosen.staged);
  CHECK_FALSE(only_stage(softmax_over(1), {contiguous({5, 7})}).chosen.staged);
  CHECK_FALSE(only_stage(softmax_over(1), {contiguous({7, 3})}).chosen.staged);
}

TEST_CASE("staged rows are those of every element size, wherever they begin and however many there are") {
  for (const device on : sweep_devices())
    for (const std::int64_t length : lengths)
      for (const std::int64_t rows : row_counts)
        for (const std::int64_t ahead : beginnings) {
          check_rows<std::int8_t>(on, rows, length, ahead);
          check_rows<std::int32_t>(on, rows, length, ahead);
          check_rows<float>(on, rows, length, ahead);
          check_rows<double>(on, rows, length, ahead);
        }
}

TEST_CASE(
    "operands of several sizes, each beginning elsewhere, are staged beside what rows share and results of "
    "rows") {
  for (const device on : sweep_devices())
    for (const std::int64_t length : {3, 6, 13, 31})
      for (const std::int64_t rows : {5, 700}) {
        INFO(rows, " rows of ", length);
        const std::int64_t count = rows * length;
        const auto drawn = [&](std::int64_t extent, auto made) {
          std::vector<decltype(made)> values(static_cast<std::size_t>(extent));
          std::mt19937 random(static_cast<std::uint32_t>(extent));
          for (auto& at : values) at = static_cast<decltype(made)>(static_cast<float>(random() % 8));
          return values;
        };
        const std::vector<float> x = drawn(count + 5, float()), bias = drawn(length, float());
        const std::vector<bfloat16> y = drawn(count + 3, bfloat16());
        const array<float, 1> in_x = array<float, 1>::from(x, {count + 5}, on),
                              in_bias = array<float, 1>::from(bias, {length}, on);
        const array<bfloat16, 1> in_y = array<bfloat16, 1>::from(y, {count + 3}, on);
        array<float, 1> far(sinter::shape<1>{count + 2}, on), near(sinter::shape<1>{count}, on);
        array<float, 2> total(sinter::shape<2>{rows, 1}, on);
        const view<float, 2> to_far(far.data() + 2, {rows, length}, on),
            to_near(near.data(), {rows, length}, on);
        fuse([](auto a, auto b, auto shared) {
          const auto most = max(a, axis<1>, keepdims);
          const auto first = argmax(a, axis<1>, keepdims);
          return std::tuple{(most - a) * b + shared, where(coordinate<1>(a) == first, b * 1.f, a),
                            sum(a * b, axis<1>, keepdims)};
        })
            .into(to_far, to_near, total)(view<const float, 2>(in_x.data() + 5, {rows, length}, on),
                                          view<const bfloat16, 2>(in_y.data() + 3, {rows, length}, on),
                                          in_bias);
        const std::vector<float> made_far = far.to_vector(), made_near = near.to_vector(),
                                 made_total = total.to_vector();
        for (std::int64_t row = 0; row < rows; ++row) {
          const float* const a = x.data() + 5 + row * length;
          const bfloat16* const b = y.data() + 3 + row * length;
          const auto largest = std::max_element(a, a + length);
          float dot = 0;
          for (std::int64_t i = 0; i < length; ++i) {
            const auto factor = static_cast<float>(b[i]);
            dot += a[i] * factor;
            REQUIRE(made_far[static_cast<std::size_t>(2 + row * length + i)] ==
                    (*largest - a[i]) * factor + bias[static_cast<std::size_t>(i)]);
            REQUIRE(made_near[static_cast<std::size_t>(row * length + i)] ==
                    (a + i == largest ? factor : a[i]));
          }
          REQUIRE(made_total[static_cast<std::size_t>(row)] == dot);
        }
      }
}

}  // namespace sinter::test
