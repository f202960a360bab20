// Results that bypass the caches of the CPU: the same numbers where they belong, and nothing beside them,
// wherever each result begins in a line, and of whatever type it is.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/sinter.hpp>

#include <array>
#include <cstring>
#include <vector>

#include "../support/host_array.hpp"

namespace sinter::test {
namespace {

constexpr std::int64_t beside = 64;  ///< bytes before and behind a result that must not change
constexpr std::byte untouched{0xA5};

/// Room for a result that begins some elements into a cache line.
struct placed_result {
  std::vector<std::byte> bytes;
  std::size_t begin;
  runtime::operand at;

  placed_result(element_type type, const std::int64_t* count, std::int64_t shift)
      : bytes((static_cast<std::size_t>(*count) + 2 * beside + 64) * size_of(type), untouched) {
    static constexpr std::int64_t stride = 1;
    const auto address = reinterpret_cast<std::uintptr_t>(bytes.data());
    begin = (address + beside + 63) / 64 * 64 - address + static_cast<std::size_t>(shift) * size_of(type);
    at.data = bytes.data() + begin;
    at.extents = count;
    at.strides = &stride;
    at.type = type;
    at.rank = 1;
  }
  std::vector<std::byte> result() const {
    const auto first = bytes.begin() + static_cast<std::ptrdiff_t>(begin);
    return {first, first + at.extents[0] * static_cast<std::ptrdiff_t>(size_of(at.type))};
  }
  bool keeps_what_is_beside() const {
    const std::size_t end = begin + static_cast<std::size_t>(at.extents[0]) * size_of(at.type);
    for (std::size_t i = 0; i < bytes.size(); ++i)
      if ((i < begin || i >= end) && bytes[i] != untouched) return false;
    return true;
  }
};

/// x + x and x as another type.
runtime::function_handle two_results(element_type from, element_type second) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(from, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  builder.output(builder.cast(x, second));
  return runtime::intern(builder.recorded());
}

schedule streaming() {
  schedule made;
  made.streaming = true;
  return made;
}

}  // namespace

TEST_CASE("results that bypass the caches are those that go to them, wherever each of them begins") {
  using enum element_type;
  constexpr std::array<std::array<element_type, 2>, 8> types{{{float32, float32},
                                                              {float32, float64},
                                                              {float64, int8},
                                                              {int8, int64},
                                                              {float16, boolean},
                                                              {bfloat16, uint16},
                                                              {int16, float32},
                                                              {complex64, complex128}}};
  const schedule bypassing = streaming();
  for (const auto& [from, second] : types) {
    const runtime::function_handle function = two_results(from, second);
    for (const std::int64_t count : {1, 63, 64, 65, 200, 1000, 33000})
      for (const auto& [first_shift, second_shift] : {std::pair{0, 0}, {0, 3}, {5, 5}, {7, 0}}) {
        CAPTURE(facts_of(from).name);
        CAPTURE(facts_of(second).name);
        CAPTURE(count);
        CAPTURE(first_shift);
        CAPTURE(second_shift);
        placed_result x(from, &count, 0);
        for (std::size_t i = 0; i < x.bytes.size(); ++i) x.bytes[i] = std::byte(i * 7 % 61);
        std::vector<std::vector<std::byte>> results;
        for (const schedule* forced : {static_cast<const schedule*>(nullptr), &bypassing}) {
          placed_result one(from, &count, first_shift), other(second, &count, second_shift);
          const runtime::operand into[] = {one.at, other.at};
          runtime::call_options options;
          options.forced = forced;
          runtime::call(function, {&x.at, 1}, {}, into, {}, options);
          CHECK(one.keeps_what_is_beside());
          CHECK(other.keeps_what_is_beside());
          results.push_back(one.result());
          results.push_back(other.result());
        }
        CHECK(results[0] == results[2]);
        CHECK(results[1] == results[3]);
      }
  }
}

TEST_CASE("rows of a matrix that bypass the caches each begin where they are") {
  const auto sum = fuse([](auto x, auto y) { return x + 2 * y; });
  for (const std::int64_t columns : {1, 17, 64, 100, 1000}) {
    array<float, 2> x({37, columns}, device::cpu()), y({37, columns}, device::cpu());
    for (std::int64_t i = 0; i < x.size(); ++i) {
      x.data()[i] = static_cast<float>(i % 1013);
      y.data()[i] = static_cast<float>(i % 719);
    }
    const array<float, 2> expected = sum(x, y), made = sum.with(streaming())(x, y);
    for (std::int64_t i = 0; i < x.size(); ++i) REQUIRE(made.data()[i] == expected.data()[i]);
  }
}

TEST_CASE("an update in place is right where the schedule asks for results that bypass the caches") {
  const auto grow = fuse([](auto x) { return 2 * x + 1; });
  for (const std::int64_t count : {5, 64, 1000, 33000}) {
    array<float, 1> x({count}, device::cpu());
    for (std::int64_t i = 0; i < count; ++i) x.data()[i] = static_cast<float>(i);
    grow.with(streaming()).into(x)(x);
    for (std::int64_t i = 0; i < count; ++i) REQUIRE(x.data()[i] == static_cast<float>(2 * i + 1));
  }
}

}  // namespace sinter::test
