// A stateful function is recorded at each call: along the steps of its last recording as long as they are the
// same, and by itself from the first other step on.
#include <cstdint>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/dsl/detail/graph_steps.hpp>
#include <sinter/sinter.hpp>

#include "../support/count_allocations.hpp"

using namespace sinter;

namespace {

using numbers = std::vector<std::int32_t>;
using row = array<std::int32_t, 1>;

row made_row(const numbers& from) { return row::from(from, {from.size()}); }

/// One instruction of a program that a lambda interprets while it is recorded.
struct instruction {
  int what = 0;
  std::int32_t number = 0;
  bool operator==(const instruction&) const = default;
};
constexpr int kinds = 10;

// Each kind of step: operations with run-time and literal scalars, a conversion, views with bounds of both
// kinds, a reduction, a scan, coordinates, extents, and an array that is met once or twice.
template <class Value>
Value recorded(const std::vector<instruction>& program, const row& other, Value x) {
  for (const auto& [what, number] : program) switch (what) {
      case 0:
        x = x + number;
        break;
      case 1:
        x = x * literal(number % 3 + 2);
        break;
      case 2:
        x = minimum(x, number);
        break;
      case 3:
        x = x - x(slice(number % 4, number % 4 + 1));
        break;
      case 4:
        x = number % 2 == 0 ? x(slice(end, slice_bound(), -1)) : x;
        break;
      case 5:
        x = x + astype<std::int32_t>(remainder(sum(x), literal(7)));
        break;
      case 6:
        x = x + astype<std::int32_t>(coordinate<0>(x));
        break;
      case 7:
        x = x + other;
        break;
      case 8:
        x = astype<std::int32_t>(astype<std::int8_t>(x));
        break;
      default:
        x = x + astype<std::int32_t>(extent<0>(x)) * number;
        break;
    }
  return x;
}

std::int32_t wrapped(std::int64_t from) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(from));
}

numbers expected(const std::vector<instruction>& program, const numbers& other, numbers x) {
  const auto count = static_cast<std::int64_t>(x.size());
  for (const auto& [what, number] : program) {
    const numbers before = x;
    std::int64_t total = 0;
    for (const std::int32_t each : before) total += each;
    for (std::size_t i = 0; i < x.size(); ++i) {
      const std::int64_t at = before[i];
      const std::int64_t remainder = (total % 7 + 7) % 7;
      const std::int64_t results[] = {at + number,
                                      at * (number % 3 + 2),
                                      std::min<std::int64_t>(at, number),
                                      at - before[static_cast<std::size_t>(number % 4)],
                                      number % 2 == 0 ? before[x.size() - 1 - i] : at,
                                      at + remainder,
                                      at + static_cast<std::int64_t>(i),
                                      at + other[i],
                                      static_cast<std::int8_t>(at),
                                      at + count * number};
      x[i] = wrapped(results[what]);
    }
  }
  return x;
}

instruction drawn_instruction(std::mt19937& random) {
  return {static_cast<int>(random() % kinds), static_cast<std::int32_t>(random() % 50)};
}

}  // namespace

TEST_SUITE("repeated_recording") {
  TEST_CASE("the steps of the last recording give its function, without a graph") {
    using namespace sinter::detail;
    step_sequence sequence;
    sequence.place.name = "repeated";
    step_writer recorder;
    const auto record_sum = [&](operation op) -> const runtime::function_handle& {
      recorder.restart(sequence);
      const node_id x = recorder.take(
          {.what = packed({.kind = step_kind::input, .type = element_type::float32}), .payload = 1});
      const std::uint64_t operand = packed(x, {element_type::float32}, 1);
      const node_id made = recorder.take(
          {.what = packed({.kind = step_kind::apply, .op = op, .count = 2}), .operands = {operand, operand}});
      recorder.take({.what = packed({.kind = step_kind::output, .count = 1}),
                     .operands = {packed(made, {element_type::float32}, 1)}});
      return recorder.finish();
    };
    const runtime::function_handle first = record_sum(operation::add);
    const std::size_t functions = runtime::function_count();
    const runtime::function_handle* again = nullptr;
    {
      const allocation_counter counter;
      again = &record_sum(operation::add);
      CHECK(counter.count() == 0);
    }
    CHECK(again == &sequence.made);  // the sequence's own, which no look-up has found
    CHECK(*again == first);
    CHECK(runtime::function_count() == functions);
    CHECK_FALSE(record_sum(operation::multiply) == first);
    CHECK(record_sum(operation::add) == first);
  }

  TEST_CASE("a repeated call of a stateful function allocates nothing, and takes new scalars") {
    const auto x = made_row({1, 2, 3});
    row out({3});
    const row shift = made_row({100, 200, 300});
    std::int32_t factor = 1, position = 1;
    const auto call = [&] {
      fuse("scaled", [&](auto v) {
        return v * factor + shift + v(slice(position, position + 1)) + astype<std::int32_t>(sum(v));
      }).into(out)(x);
    };
    call();
    call();
    {
      const allocation_counter counter;
      factor = 2;
      call();
      CHECK(counter.count() == 0);
    }
    CHECK(out.to_vector() == numbers{2 + 100 + 2 + 6, 4 + 200 + 2 + 6, 6 + 300 + 2 + 6});
  }

  TEST_CASE("a recording that leaves the known steps anywhere gives what its own steps say") {
    std::mt19937 random(34);
    const numbers start{5, -3, 12, 7, 0, 9}, offsets{3, 1, 4, 1, 5, 9};
    const row x = made_row(start), other = made_row(offsets), same = other.copy();
    std::vector<instruction> program;
    const auto interpreted = fuse([&](auto v) { return recorded(program, other, v); });
    for (int round = 0; round < 150; ++round) {
      // Mostly the last program with a change: in the middle, at the end, shorter or longer.
      switch (program.empty() ? 5u : static_cast<unsigned>(random() % 6)) {
        case 0:
          program[random() % program.size()] = drawn_instruction(random);
          break;
        case 1:
          program.pop_back();
          break;
        case 2:
          program.push_back(drawn_instruction(random));
          break;
        case 3:
          program[random() % program.size()].number = static_cast<std::int32_t>(random() % 50);
          break;
        case 4:
          break;
        default:
          program.clear();
          for (std::size_t left = 1 + random() % 6; left > 0; --left)
            program.push_back(drawn_instruction(random));
      }
      std::string text;
      for (const auto& [what, number] : program)
        text += std::to_string(what) + ":" + std::to_string(number) + " ";
      CAPTURE(text);
      REQUIRE(interpreted(x).to_vector() == expected(program, offsets, start));
    }
  }

  TEST_CASE("one array that is captured twice is told from two arrays") {
    const row x = made_row({1, 2}), a = made_row({10, 20}), b = made_row({100, 200});
    const row* second = &a;
    const auto added = fuse([&](auto v) { return v + a + *second; });
    CHECK(added(x).to_vector() == numbers{21, 42});
    second = &b;
    CHECK(added(x).to_vector() == numbers{111, 222});
    second = &a;
    CHECK(added(x).to_vector() == numbers{21, 42});
  }

  TEST_CASE("options of a reduction, its order and its mask are part of the steps") {
    const auto x = array<double, 2>::from({3, 4, 6, 8}, {2, 2});
    int what = 0;
    const auto reduced = fuse([&](auto v) {
      switch (what) {
        case 0:
          return astype<double>(norm<2>(v, axis<1>));
        case 1:
          return astype<double>(norm<1>(v, axis<1>));
        case 2:
          return astype<double>(sum(v, axis<0>));
        case 3:
          return astype<double>(sum(v, axis<1>, only_where(v > 3)));
        default:
          return astype<double>(sum(v, axis<1>));
      }
    });
    const std::vector<double> results[] = {{5, 10}, {7, 14}, {9, 12}, {4, 14}, {7, 14}};
    for (int round = 0; round < 3; ++round)
      for (what = 0; what < 5; ++what) CHECK(reduced(x).to_vector() == results[what]);
  }

  TEST_CASE("an operation that is refused leaves later recordings whole") {
    const auto x = array<std::int8_t, 1>::from({1, 0}, {2});
    const auto chosen = fuse([](auto a, auto number) { return where(a, number, a); });
    bool fails = false, is_caught = true;
    const auto refusing = fuse([&](auto v) {
      auto r = v + v;
      try {
        // the condition is converted before the number is refused
        if (fails) r = chosen(r, 300);
      } catch (const type_error&) {
        if (!is_caught) throw;
      }
      return r + r;
    });
    const std::vector<std::int8_t> four_times{4, 0};
    for (int round = 0; round < 3; ++round) {
      for (fails = true, is_caught = true; is_caught; is_caught = false)
        CHECK(refusing(x).to_vector() == four_times);
      CHECK_THROWS_AS(refusing(x), type_error);
      fails = false;
      CHECK(refusing(x).to_vector() == four_times);
    }
  }

  TEST_CASE("a function that calls itself records beside itself") {
    const row x = made_row({1, 2, 3});
    int depth = 0;
    struct recursive {
      const row& x;
      int& depth;
      numbers run() const {
        return fuse([this](auto v) {
                 auto r = v + depth;
                 if (depth < 3) {
                   ++depth;
                   const numbers inner = run();  // another call of this function, at once
                   r = r * inner[0];
                   --depth;
                 }
                 return r;
               })(x)
            .to_vector();
      }
    };
    // 1 + 3, times 1 + 2, times 1 + 1, times 1 + 0
    for (int round = 0; round < 3; ++round) {
      depth = 0;
      const numbers made = recursive{x, depth}.run();
      CHECK(made[0] == 1 * 2 * 3 * 4);
      CHECK(made[2] == 3 * 2 * 3 * 4);
    }
  }

  TEST_CASE("threads record one function side by side") {
    const auto work = [](std::int32_t seed) {
      const row x = made_row({1, 2, 3, 4, 5, 6});
      const row other = made_row({6, 5, 4, 3, 2, 1});
      std::mt19937 random(static_cast<std::uint32_t>(seed));
      int wrong = 0;
      for (int round = 0; round < 40; ++round) {
        std::vector<instruction> program;
        for (std::size_t left = 1 + random() % 3; left > 0; --left)
          program.push_back({static_cast<int>(random() % 3), static_cast<std::int32_t>(random() % 4)});
        const auto made = fuse([&](auto v) { return recorded(program, other, v); })(x).to_vector();
        wrong += made != expected(program, {6, 5, 4, 3, 2, 1}, {1, 2, 3, 4, 5, 6});
      }
      return wrong;
    };
    std::vector<int> wrong(4);
    std::vector<std::thread> threads;
    for (std::size_t t = 0; t < wrong.size(); ++t)
      threads.emplace_back([&, t] { wrong[t] = work(static_cast<std::int32_t>(t)); });
    for (std::thread& each : threads) each.join();
    CHECK(wrong == std::vector<int>(4));
  }

  TEST_CASE("more names than a thread remembers are recorded all the same") {
    const row x = made_row({1, 2});
    for (int round = 0; round < 2; ++round)
      for (std::int32_t i = 0; i < 600; ++i) {
        const std::string name = "named_" + std::to_string(i % 300);
        const auto named = fuse(name, [&](auto v) { return v + i; });
        REQUIRE(named(x).to_vector() == numbers{1 + i, 2 + i});
      }
  }
}
