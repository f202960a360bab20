// Sequences on the CPU: what they compute, in which order, with which arguments, and what they refuse.
#include <doctest/doctest.h>

#include <string>
#include <utility>
#include <vector>

#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include "../support/count_allocations.hpp"

namespace sinter::test {
namespace {

const auto scaled = fuse("sequence_scaled", [](auto x, auto a) { return a * x; });
const auto summed = fuse("sequence_summed", [](auto x, auto y) { return x + y; });
const auto total = fuse("sequence_total", [](auto x) { return x / sum(x); });
const auto picked = fuse("sequence_picked", [](auto x, auto i) { return take(x, i, axis<0>); });
const auto ordered = fuse("sequence_ordered", [](auto x) { return sort(x); });

array<float, 1> made(std::vector<float> values) {
  const auto count = static_cast<std::int64_t>(values.size());
  return array<float, 1>::from(values, {count}, device::cpu());
}

array<float, 1> room(std::int64_t count) { return array<float, 1>(count, device::cpu()); }

using numbers = std::vector<float>;

template <class Error, class Action>
void refused(const Action& action, const char* text) {
  CHECK_THROWS_WITH_AS(action(), doctest::Contains(text), Error);
}

}  // namespace

TEST_SUITE("sequences on the CPU") {
  TEST_CASE("steps run in the order that their memory asks for, at each replay anew") {
    const auto x = made({1, 2, 3});
    array<float, 1> y = room(3), z = room(3), w = room(3);
    sequence steps(device::cpu());
    CHECK(steps.add(scaled.into(y), x, 2.0f).number() == 0);
    steps.add(scaled.into(w), x, 10.0f);
    steps.add(summed.into(z), y, w);
    steps.add(scaled.into(y), z, 1.0f);  // after the step that reads y
    CHECK(steps.size() == 4);
    steps.run();
    CHECK(z.to_vector() == numbers{12, 24, 36});
    CHECK(y.to_vector() == numbers{12, 24, 36});
    steps.run();
    CHECK(z.to_vector() == numbers{12, 24, 36});
    const std::string text = steps.explain();
    CHECK(text.find("4 steps on cpu") != std::string::npos);
    CHECK(text.find("step 1: function 'sequence_scaled'") != std::string::npos);
    CHECK(text.find("step 2: function 'sequence_summed'") != std::string::npos);
    CHECK(text.find(", after 0, 1\n") != std::string::npos);
    CHECK(text.find(", after 2\n") != std::string::npos);
  }

  TEST_CASE(
      "a step that reads what an earlier one only reads waits for nothing, and parts of an array are apart") {
    const auto x = made({1, 2, 3, 4});
    array<float, 1> y = room(4);
    sequence steps(device::cpu());
    steps.add(scaled.into(y(slice(0, 2))), x(slice(0, 2)), 2.0f);
    steps.add(scaled.into(y(slice(2, 4))), x(slice(2, 4)), 3.0f);
    CHECK(steps.explain().find("after") == std::string::npos);
    steps.run();
    CHECK(y.to_vector() == numbers{2, 4, 9, 12});
  }

  TEST_CASE("numbers and arrays change between replays, and nothing is compiled") {
    const auto x = made({1, 2, 3}), other = made({5, 6, 7});
    array<float, 1> y = room(3), z = room(3);
    sequence steps(device::cpu());
    const auto first = steps.add(scaled.into(y), x, 2.0f);
    steps.add(summed.into(z), y, x);
    steps.run();
    CHECK(z.to_vector() == numbers{3, 6, 9});
    const std::size_t compiled = runtime::kernel_table_statistics().compiled;
    steps.change(first, x, 3.0f);
    steps.run();
    CHECK(z.to_vector() == numbers{4, 8, 12});
    steps.change(first, other, 1.0f);
    steps.run();
    CHECK(z.to_vector() == numbers{6, 8, 10});
    CHECK(runtime::kernel_table_statistics().compiled == compiled);
  }

  TEST_CASE("a change that makes a step use what another writes orders the two") {
    const auto x = made({1, 2, 3});
    array<float, 1> y = room(3), z = room(3);
    sequence steps(device::cpu());
    steps.add(scaled.into(y), x, 2.0f);
    const auto second = steps.add(scaled.into(z), x, 10.0f);
    CHECK(steps.explain().find("after") == std::string::npos);
    steps.change(second, y, 10.0f);
    CHECK(steps.explain().find(", after 0\n") != std::string::npos);
    steps.run();
    CHECK(z.to_vector() == numbers{20, 40, 60});
  }

  TEST_CASE("a replay allocates nothing") {
    const auto x = made(numbers(1000, 1.0f));
    array<float, 1> y = room(1000), z = room(1000);
    sequence steps(device::cpu());
    const auto first = steps.add(scaled.into(y), x, 2.0f);
    steps.add(total.into(z), y);
    steps.run();
    const allocation_counter counter;
    steps.run();
    CHECK(counter.count() == 0);
    steps.change(first, x, 3.0f);
    steps.run();
    CHECK(z.to_vector()[7] == doctest::Approx(0.001));
  }

  TEST_CASE("independent steps that are worth it run side by side, with the bits of calls") {
    constexpr std::int64_t count = 1 << 16;
    std::vector<array<float, 1>> inputs, apart, expected;
    sequence steps(device::cpu());
    for (int i = 0; i < 8; ++i) {
      inputs.push_back(made(numbers(count, 1.0f + static_cast<float>(i))));
      apart.push_back(room(count));
    }
    for (std::size_t i = 0; i < 8; ++i) {
      steps.add(total.into(apart[i]), inputs[i]);
      expected.push_back(total(inputs[i]));
    }
    for (int run = 0; run < 20; ++run) steps.run();
    for (std::size_t i = 0; i < 8; ++i) CHECK(apart[i].to_vector() == expected[i].to_vector());
  }

  TEST_CASE("a function with state is recorded when its step is added") {
    const auto x = made({1, 2, 3});
    array<float, 1> y = room(3);
    float factor = 2.0f;
    const auto with_state = fuse([&factor, offset = made({1, 1, 1})](auto v) { return factor * v + offset; });
    sequence steps(device::cpu());
    const auto step = steps.add(with_state.into(y), x);
    factor = 100.0f;
    steps.run();
    CHECK(y.to_vector() == numbers{3, 5, 7});
    const auto tens = made({10, 10, 10});
    steps.change(step, tens);
    steps.run();
    CHECK(y.to_vector() == numbers{21, 21, 21});
  }

  TEST_CASE("sorts, cuts of several kernels and results in place are steps like others") {
    const auto x = made({3, 1, 2});
    array<float, 1> y = room(3), z = room(3);
    sequence steps(device::cpu());
    steps.add(ordered.into(y), x);
    steps.add(scaled.into(y), y, 2.0f);
    steps.add(total.into(z), y);
    for (int run = 0; run < 2; ++run) {
      steps.run();
      CHECK(y.to_vector() == numbers{2, 4, 6});
      CHECK(z.to_vector()[2] == doctest::Approx(0.5));
    }
  }

  TEST_CASE("an index out of range is thrown by the replay, and by the next one if it is still there") {
    const auto x = made({10, 11, 12});
    const auto good = array<int, 1>::from(std::vector<int>{2, 0}, {2}, device::cpu());
    const auto bad = array<int, 1>::from(std::vector<int>{2, 7}, {2}, device::cpu());
    array<float, 1> y = room(2);
    sequence steps(device::cpu());
    const auto step = steps.add(picked.into(y), x, bad);
    for (int run = 0; run < 2; ++run) refused<index_error>([&] { steps.run(); }, "index 7 is out of range");
    steps.change(step, x, good);
    steps.run();
    CHECK(y.to_vector() == numbers{12, 10});
  }

  TEST_CASE("a fault stops no other step, and the first faulty step's is thrown") {
    const auto x = made({10, 11, 12});
    const auto good = array<int, 1>::from(std::vector<int>{2, 0}, {2}, device::cpu());
    const auto seven = array<int, 1>::from(std::vector<int>{1, 7}, {2}, device::cpu());
    const auto nine = array<int, 1>::from(std::vector<int>{9, 1}, {2}, device::cpu());
    array<float, 1> y = room(2), z = room(2), w = room(2), v = room(2);
    sequence steps(device::cpu());
    steps.add(picked.into(y), x, good);
    const auto second = steps.add(picked.into(z), y, seven);  // on the second level
    const auto third = steps.add(picked.into(w), x, nine);    // on the first
    steps.add(scaled.into(v), y, 2.0f);
    refused<index_error>([&] { steps.run(); }, "index 7 is out of range");
    CHECK(v.to_vector() == numbers{24, 20});
    const auto turned = array<int, 1>::from(std::vector<int>{1, 0}, {2}, device::cpu());
    steps.change(second, y, turned);
    refused<index_error>([&] { steps.run(); }, "index 9 is out of range");
    CHECK(z.to_vector() == numbers{10, 12});
    steps.change(third, x, good);
    steps.run();
    CHECK(w.to_vector() == numbers{12, 10});
  }

  TEST_CASE("strides of axes of one element have no meaning") {
    const numbers memory(64, 3.0f);
    const auto column = [&](std::int64_t stride) {
      return view<const float, 2>(memory.data(), {4, 1}, {1, stride});
    };
    array<float, 2> y(shape<2>(4, 1), device::cpu());
    sequence steps(device::cpu());
    const auto step = steps.add(scaled.into(y), column(1), 2.0f);
    steps.change(step, column(16), 3.0f);
    steps.run();
    CHECK(y.to_vector() == numbers(4, 9.0f));
  }

  TEST_CASE("a sequence moves with its steps, and an empty one does nothing") {
    const auto x = made({1, 2, 3});
    array<float, 1> y = room(3);
    sequence first(device::cpu());
    first.run();
    const auto step = first.add(scaled.into(y), x, 2.0f);
    sequence second = std::move(first);
    second.change(step, x, 4.0f);
    second.run();
    CHECK(y.to_vector() == numbers{4, 8, 12});
    refused<error>([&] { first.run(); }, "moved from");
    first = std::move(second);
    first.run();
    CHECK(first.where() == device::cpu());
  }
}

TEST_SUITE("what a sequence refuses") {
  TEST_CASE("arguments for which a step's kernels are not, by name, and the step stays as it was") {
    const auto x = made({1, 2, 3, 4}), longer = made({1, 2, 3, 4, 5, 6, 7, 8});
    array<float, 1> y = room(4);
    sequence steps(device::cpu());
    const auto step = steps.add(scaled.into(y), x, 2.0f);
    const auto both = steps.add(summed.into(y), x, x);
    refused<shape_error>([&] { steps.change(step, longer, 5.0f); },
                         "step 0 of a sequence, function 'sequence_scaled'");
    refused<shape_error>([&] { steps.change(step, longer, 5.0f); },
                         "operand 0 is (8) with strides (1), and was (4) with strides (1)");
    refused<shape_error>([&] { steps.change(step, longer(slice(0, 8, 2)), 5.0f); }, "strides (2)");
    refused<shape_error>([&] { steps.change(step, longer(slice(1, 5)), 5.0f); }, "aligned to 4 bytes");
    refused<shape_error>([&] { steps.change(both, x, longer(slice(0, 4))); },
                         "operands 0 and 1 were one array");
    array<float, 1> wide = room(5);
    sequence others(device::cpu());
    const auto second = others.add(summed.into(wide(slice(0, 4))), x, longer(slice(0, 4)));
    refused<shape_error>([&] { others.change(second, x, wide(slice(1, 5))); }, "operand 1 is at");
    steps.change(both, x, x);
    steps.run();
    CHECK(y.to_vector() == numbers{2, 4, 6, 8});
    others.run();
    CHECK(wide(slice(0, 4)).copy().to_vector() == numbers{2, 4, 6, 8});
  }

  TEST_CASE("a result that would need a temporary, when added and when changed") {
    array<float, 2> square = ones<float>(shape<2>(16, 16), device::cpu());
    const array<float, 2> other = square.copy();
    const auto turned = fuse("sequence_turned", [](auto a) { return transpose(a) + 1.0f; });
    sequence steps(device::cpu());
    refused<shape_error>([&] { steps.add(turned.into(square), square); },
                         "result 0 shares memory with another array of the call");
    CHECK(steps.size() == 0);
    const auto step = steps.add(turned.into(square), other);
    refused<shape_error>([&] { steps.change(step, square); }, "result 0 shares memory");
    steps.run();
    CHECK(square.to_vector()[5] == 2.0f);
  }

  TEST_CASE("a number that its type does not hold") {
    sequence steps(device::cpu());
    const auto small = array<std::int8_t, 1>::from(std::vector<std::int8_t>{1, 2}, {2}, device::cpu());
    array<std::int8_t, 1> result(shape<1>(2), device::cpu());
    const auto narrow = steps.add(scaled.into(result), small, 3);
    refused<type_error>([&] { steps.change(narrow, small, 300); }, "300");
    steps.run();
    CHECK(result.to_vector() == std::vector<std::int8_t>{3, 6});
  }

  TEST_CASE("options that a replay has, wrong results, and steps of other sequences") {
    const auto x = made({1, 2, 3});
    array<float, 1> y = room(3), shorter = room(2);
    sequence steps(device::cpu()), others(device::cpu());
    const stream on = stream::default_of(device::cpu());
    refused<error>([&] { steps.add(scaled.on(on).into(y), x, 2.0f); },
                   "run(stream) gives all steps the stream");
    refused<error>([&] { steps.add(scaled.assume_ordered().into(y), x, 2.0f); }, "assume_ordered()");
    refused<shape_error>([&] { steps.add(scaled.into(shorter), x, 2.0f); }, "result 0 has shape [3]");
    CHECK(steps.size() == 0);
    const auto step = steps.add(scaled.into(y), x, 2.0f);
    array<float, 1> z = room(3);
    const auto of_others = others.add(scaled.into(z), x, 5.0f);
    refused<error>([&] { others.change(step, x, 3.0f); }, "it is another sequence's");
    refused<error>([&] { steps.change(of_others, x, 3.0f); }, "it is another sequence's");
    std::swap(steps, others);
    refused<error>([&] { steps.change(step, x, 3.0f); }, "it is another sequence's");
    others.change(step, x, 7.0f);
    others.run();
    steps.run();
    CHECK(y.to_vector() == numbers{7, 14, 21});
    CHECK(z.to_vector() == numbers{5, 10, 15});
  }
}

}  // namespace sinter::test
