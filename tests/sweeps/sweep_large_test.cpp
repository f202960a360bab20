// Arrays of 2^31 elements and one more or less: positions and offsets past 32 bits, on every target with
// enough memory.

#include <doctest/doctest.h>

#include "../support/needs.hpp"
#include "../support/sweep/sweep.hpp"

#include <unistd.h>
#include <algorithm>
#include <cstdio>
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>

namespace sinter::test {
namespace {

// Smaller shares are those of sanitizers, under which these take minutes.
constexpr std::size_t most_of_a_machine = 3;

constexpr std::int64_t two_to_31 = std::int64_t{1} << 31;
constexpr element_type u8 = element_type::uint8;

bool has_memory(device on) {
  if (on.is_cpu()) return sysconf(_SC_AVPHYS_PAGES) * sysconf(_SC_PAGESIZE) > 4 * two_to_31;
  try {
    buffer(on, 6 * static_cast<std::size_t>(two_to_31 / 2), stream::default_of(on));
    return true;
  } catch (const out_of_memory&) {
    return false;
  }
}

/// A large result that is sampled.
class large_result {
 public:
  explicit large_result(runtime::result made) : made_(std::move(made)) {}
  std::uint8_t at(std::int64_t index) {
    if (index < first_ || index >= first_ + static_cast<std::int64_t>(window_.size())) {
      first_ =
          std::clamp<std::int64_t>(index - 100, 0, static_cast<std::int64_t>(made_.storage.size()) - 200);
      window_.resize(200);
      const stream order = stream::default_of(made_.storage.where());
      copy_bytes(window_.data(), device::cpu(), static_cast<std::byte*>(made_.storage.data()) + first_,
                 made_.storage.where(), window_.size(), order);
      order.synchronize();
    }
    return window_[static_cast<std::size_t>(index - first_)];
  }

 private:
  runtime::result made_;
  std::int64_t first_ = -1;
  std::vector<std::uint8_t> window_;
};

/// Positions to sample: ends, limits of 31 and 32 bits, and some between.
std::vector<std::int64_t> places(std::int64_t size) {
  std::vector<std::int64_t> made;
  for (const std::int64_t near : {std::int64_t{0}, two_to_31 / 2, two_to_31 - 2, two_to_31, size - 1})
    for (std::int64_t at = near - 2; at <= near + 2; ++at)
      if (at >= 0 && at < size) made.push_back(at);
  for (std::int64_t i = 1; i < 60; ++i) made.push_back(size / 61 * i);
  std::sort(made.begin(), made.end());
  return made;
}

/// coordinate(x, 0) * 3 + coordinate(x, 1) as uint8.
runtime::function_handle position_function() {
  graph_builder builder;
  const graph_value x = builder.input(u8, 2), three = builder.literal(element_type::int64, 3);
  const graph_value rows = builder.apply(operation::multiply, {builder.coordinate(x, 0), three});
  builder.output(builder.cast(builder.apply(operation::add, {rows, builder.coordinate(x, 1)}), u8));
  return runtime::intern(builder.recorded());
}

/// The positions of an array with these extents and one byte of memory.
large_result positions(const shape& extents, device on) {
  const shape none{0, 0};
  buffer one(on, 1, stream::default_of(on));
  const runtime::operand operand{.data = one.data(),
                                 .extents = extents.data(),
                                 .strides = none.data(),
                                 .type = u8,
                                 .rank = 2,
                                 .where = on};
  std::vector<runtime::result> results(1);
  runtime::call(position_function(), std::span(&operand, 1), {}, {}, results);
  return large_result(std::move(results[0]));
}

}  // namespace

TEST_CASE("positions past 2^31 are right, whichever axis is long") {
  for (const device on : sweep_devices()) {
    if (sweep_share() > most_of_a_machine) continue;
    if (lacks(need::memory, has_memory(on) ? "" : "too little of " + on.to_string())) continue;
    for (const shape& extents :
         {shape{1, two_to_31 - 1}, shape{1, two_to_31 + 1}, shape{two_to_31 + 1, 1},
          shape{two_to_31 / 3 + 1, 3}, shape{3, two_to_31 / 3 + 1}, shape{46341, 46341}}) {
      if (on.is_cpu() && extents[0] < 1000 && extents[1] != two_to_31 + 1) continue;  // each takes seconds
      large_result made = positions(extents, on);
      std::size_t wrong = 0;
      for (const std::int64_t at : places(extents[0] * extents[1]))
        wrong += made.at(at) != static_cast<std::uint8_t>(3 * (at / extents[1]) + at % extents[1]);
      INFO(on.to_string(), " ", extents[0], " by ", extents[1]);
      CHECK(wrong == 0);
    }
  }
}

TEST_CASE("reads past 2^31 are right: forwards, backwards, transposed and by rows") {
  for (const device on : sweep_devices()) {
    if (sweep_share() > most_of_a_machine) continue;
    if (lacks(need::memory, has_memory(on) ? "" : "too little of " + on.to_string())) continue;
    const std::int64_t rows = 46341, columns = 46341, size = rows * columns;  // a little over 2^31
    buffer memory(on, static_cast<std::size_t>(size), stream::default_of(on)),
        one(on, 1, stream::default_of(on));
    const shape square{rows, columns}, none{0, 0}, whole{columns, 1};
    const runtime::operand source{.data = memory.data(),
                                  .extents = square.data(),
                                  .strides = none.data(),
                                  .type = u8,
                                  .rank = 2,
                                  .where = on};
    const runtime::operand into{.data = memory.data(),
                                .extents = square.data(),
                                .strides = whole.data(),
                                .type = u8,
                                .rank = 2,
                                .where = on};
    runtime::call(position_function(), std::span(&source, 1), {}, std::span(&into, 1), {});
    struct reading {
      const char* name;
      shape extents, strides;
      std::int64_t first;
    };
    for (const reading& at : {reading{"forwards", {rows, columns}, {columns, 1}, 0},
                              reading{"backwards", {rows, columns}, {-columns, -1}, size - 1},
                              reading{"transposed", {columns, rows}, {1, columns}, 0},
                              reading{"every second column", {rows, columns / 2}, {columns, 2}, 0}}) {
      graph_builder builder;
      builder.output(builder.apply(operation::bitwise_not, {builder.input(u8, 2)}));
      const runtime::operand operand{.data = static_cast<std::byte*>(memory.data()) + at.first,
                                     .extents = at.extents.data(),
                                     .strides = at.strides.data(),
                                     .type = u8,
                                     .rank = 2,
                                     .where = on};
      std::vector<runtime::result> results(1);
      runtime::call(runtime::intern(builder.recorded()), std::span(&operand, 1), {}, {}, results);
      large_result made(std::move(results[0]));
      std::size_t wrong = 0;
      for (const std::int64_t index : places(at.extents[0] * at.extents[1])) {
        const std::int64_t element =
            at.first + index / at.extents[1] * at.strides[0] + index % at.extents[1] * at.strides[1];
        const auto value = static_cast<std::uint8_t>(3 * (element / columns) + element % columns);
        wrong += made.at(index) != static_cast<std::uint8_t>(~value);
      }
      INFO(on.to_string(), " ", at.name);
      CHECK(wrong == 0);
    }
  }
}

}  // namespace sinter::test
