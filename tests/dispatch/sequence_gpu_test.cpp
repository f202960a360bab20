// Sequences on a real GPU: the values of replays, against those of calls.
#include <doctest/doctest.h>

#include "../support/host_array.hpp"
#include "../support/needs.hpp"

#include <cstddef>
#include <utility>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

namespace sinter::test {
namespace {

const device cuda = device::cuda(0);
const auto scaled = fuse("sequence_gpu_scaled", [](auto x, auto a) { return a * x; });
const auto summed = fuse("sequence_gpu_summed", [](auto x, auto y) { return x + y; });
const auto normal = fuse("sequence_gpu_normal", [](auto x) { return (x - sum(x) / 1000.0f) / max(abs(x)); });
const auto ordered = fuse("sequence_gpu_ordered", [](auto x) { return sort(x); });
const auto picked = fuse("sequence_gpu_picked", [](auto x, auto i) { return take(x, i, axis<0>); });

bool gpu_is_missing() { return lacks_cuda_device() || lacks_nvrtc(); }

array<float, 1> made(std::int64_t count, float first) {
  std::vector<float> values;
  for (std::int64_t i = 0; i < count; ++i)
    values.push_back(first + static_cast<float>((i * 7919) % 1009) / 16.0f);
  return array<float, 1>::from(values, {count}, cuda);
}

/// x plus a sum of parameters, added in pairs, so that the graph stays shallow.
runtime::function_handle sum_of_parameters(std::size_t count) {
  graph_builder builder;
  builder.restart();
  std::vector<graph_value> terms{builder.input(element_type::float32, 1)};
  for (std::size_t i = 0; i < count; ++i) terms.push_back(builder.parameter(element_type::float32));
  while (terms.size() > 1) {
    std::vector<graph_value> sums;
    for (std::size_t i = 0; i + 1 < terms.size(); i += 2)
      sums.push_back(builder.apply(operation::add, {terms[i], terms[i + 1]}));
    if (terms.size() % 2 != 0) sums.push_back(terms.back());
    terms = std::move(sums);
  }
  builder.output(terms.front());
  builder.recorded().name = "sequence_gpu_long";
  return runtime::intern(builder.recorded());
}

runtime::function_handle sum_of_two() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1), y = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::add, {x, y}));
  builder.recorded().name = "sequence_gpu_two";
  return runtime::intern(builder.recorded());
}

}  // namespace

TEST_SUITE("sequences on a GPU") {
  TEST_CASE("replays have the values of calls, also after changes") {
    if (gpu_is_missing()) return;
    constexpr std::int64_t count = 100'000;
    const auto x = made(count, 1.0f), other = made(count, -20.0f);
    array<float, 1> left({count}, cuda), right({count}, cuda), out({count}, cuda);
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    const auto first = steps.add(scaled.into(left), x, 2.0f);
    steps.add(scaled.into(right), x, 3.0f);
    steps.add(summed.into(out), left, right);
    steps.add(scaled.into(out), out, 0.5f);
    const auto expect = [&](const array<float, 1>& from, float a) {
      const auto both = summed(scaled(from, a), scaled(x, 3.0f));
      CHECK(out.to_vector() == scaled(both, 0.5f).to_vector());
    };
    for (int run = 0; run < 3; ++run) steps.run(own);
    expect(x, 2.0f);
    steps.change(first, other, 7.0f);
    steps.run(own);
    expect(other, 7.0f);
    steps.run();
    expect(other, 7.0f);
    steps.change(first, x, -1.0f);
    for (int run = 0; run < 3; ++run) steps.run(own);
    expect(x, -1.0f);
  }

  TEST_CASE("functions of several kernels, sorts and many operands replay") {
    if (gpu_is_missing()) return;
    constexpr std::int64_t count = std::int64_t{1} << 22;
    const auto x = made(count, 1.0f), other = made(count, 5.0f);
    array<float, 1> a({count}, cuda), b({count}, cuda);
    sequence steps(cuda);
    const auto first = steps.add(normal.into(a), x);
    steps.add(ordered.into(b), a);
    steps.run();
    CHECK(b.to_vector() == ordered(normal(x)).to_vector());
    steps.change(first, other);
    steps.run();
    CHECK(b.to_vector() == ordered(normal(other)).to_vector());
  }

  TEST_CASE("a change does not reach a replay that is queued, and arrays may be gone before it is done") {
    if (gpu_is_missing()) return;
    constexpr std::int64_t count = std::int64_t{1} << 26;
    array<float, 1> out({count}, cuda), kept = zeros<float>(shape<1>(count), cuda);
    const auto ones_ = ones<float>(shape<1>(count), cuda);
    const stream own = stream::create(cuda);
    sequence steps(cuda);
    const auto first = steps.add(scaled.into(out), ones_, 2.0f);
    steps.add(summed.into(kept), kept, out);
    float expected = 0.0f;
    for (int run = 1; run <= 20; ++run) {
      {
        const auto twos = scaled(ones_, 2.0f);
        steps.change(first, twos, static_cast<float>(run));
      }
      steps.run(own);
      expected += 2.0f * static_cast<float>(run);
    }
    CHECK(kept.to_vector()[12345] == expected);
  }

  TEST_CASE("more arguments than a launch takes change between replays on two streams") {
    if (gpu_is_missing()) return;
    constexpr std::size_t count = 4200;  // more than 32,764 bytes: they are copied to the device
    constexpr std::int64_t elements = 1 << 20;
    const auto x = ones<float>(shape<1>(elements), cuda);
    array<float, 1> out({elements}, cuda), kept = zeros<float>(shape<1>(elements), cuda);
    const any_view views[] = {x, out, kept};  // which hold the layouts
    const runtime::operand from = views[0].erased(), to = views[1].erased(), sum = views[2].erased();
    const runtime::operand both[] = {sum, to};
    std::vector<runtime::scalar> numbers(count, bits_of(1.0f));
    runtime::call_sequence steps(cuda);
    const std::size_t step = steps.add(sum_of_parameters(count), {&from, 1}, numbers, {&to, 1});
    steps.add(sum_of_two(), both, {}, {&sum, 1});
    const stream streams[] = {stream::create(cuda), stream::create(cuda)};
    float expected = 0.0f;
    for (int run = 1; run <= 20; ++run) {
      numbers.back() = bits_of(static_cast<float>(run));
      steps.change(step, {&from, 1}, numbers);
      steps.run(streams[run / 2 % 2]);
      expected += static_cast<float>(count) + static_cast<float>(run);
    }
    CHECK(kept.to_vector()[12345] == expected);
  }

  TEST_CASE("an index out of range is told to the stream of the replay") {
    if (gpu_is_missing()) return;
    const auto x = made(4, 1.0f);
    const auto good = array<int, 1>::from(std::vector<int>{3, 0}, {2}, cuda);
    const auto bad = array<int, 1>::from(std::vector<int>{3, 7}, {2}, cuda);
    array<float, 1> out({2}, cuda);
    const stream own = stream::create(cuda), other = stream::create(cuda);
    sequence steps(cuda);
    const auto step = steps.add(picked.into(out), x, bad);
    const auto expect_fault = [](const stream& on) {
      CHECK_THROWS_WITH_AS(on.synchronize(), doctest::Contains("index 7 is out of range"), index_error);
    };
    steps.run(own);
    expect_fault(own);
    steps.run(other);
    expect_fault(other);
    own.synchronize();
    steps.change(step, x, good);
    steps.run(other);
    other.synchronize();
    CHECK(out.to_vector() == picked(x, good).to_vector());
  }
}

}  // namespace sinter::test
