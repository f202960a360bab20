// Rows on the CPU whose expensive values are resident from one phase to the next: whatever is resident, and
// however results are stored, the bits equal those of the same steps as separate functions.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <random>
#include <tuple>
#include <vector>

namespace sinter::test {
namespace {

const device cpu = device::cpu();

template <class T>
std::vector<T> drawn(std::size_t count) {
  std::mt19937_64 random(7);
  std::vector<T> made(count);
  for (T& at : made) at = static_cast<T>(static_cast<double>(random() >> 40) * 0x1p-22 - 2);
  return made;
}

template <class T, unsigned Rank>
array<T, Rank> drawn_array(sinter::shape<Rank> extents) {
  return array<T, Rank>::from(drawn<T>(static_cast<std::size_t>(extents.product())), extents, cpu);
}

template <class A, class B>
bool same_bits(const A& a, const B& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(*a.data())) == 0;
}

/// Softmax as one function, compared with softmax in four, none of which keeps values.
template <class T, unsigned Rank, class Axes>
void check_softmax(sinter::shape<Rank> extents, Axes over) {
  const array<T, Rank> x = drawn_array<T, Rank>(extents);
  const auto whole = fuse([over](auto at) {
    const auto e = exp(at - max(at, over, keepdims));
    return e / sum(e, over, keepdims);
  });
  const auto most = fuse([over](auto at) { return max(at, over, keepdims); })(x);
  const auto e = fuse([](auto at, auto m) { return exp(at - m); })(x, most);
  const auto total = fuse([over](auto at) { return sum(at, over, keepdims); })(e);
  const auto by_steps = fuse([](auto at, auto by) { return at / by; })(e, total).to_vector();
  CHECK(same_bits(whole(x).to_vector(), by_steps));
  array<T, Rank> in_place = x.copy();
  whole.into(in_place)(in_place);
  CHECK(same_bits(in_place.to_vector(), by_steps));
}

}  // namespace

TEST_CASE("softmax of rows gives the bits of its steps at every length, resident or not, in place or not") {
  for (const std::int64_t length : {5, 31, 32, 33, 63, 64, 65, 95, 100, 511, 513, 4096, 4099, 16384, 16385})
    check_softmax<float>(sinter::shape<2>(7, length), axis<1>);
  for (const std::int64_t length : {33, 8191, 8192, 8193})
    check_softmax<double>(sinter::shape<2>(5, length), axis<1>);
}

TEST_CASE("softmax of columns gives the bits of its steps, in whole strips of lanes and in others") {
  for (const std::int64_t width : {9, 63, 64, 65, 200})
    for (const std::int64_t length : {5, 31, 256, 257})
      check_softmax<float>(sinter::shape<2>(length, width), axis<0>);
}

TEST_CASE("softmax over axes around a kept one gives the bits of its steps") {
  for (const std::int64_t inner : {5, 32, 77})
    check_softmax<float>(sinter::shape<3>(9, 6, inner), axis<0, 2>);
}

TEST_CASE("results that bypass the cache are the same, wherever their rows begin") {
  // more than the last-level cache of most machines, and far more than a row
  constexpr std::int64_t rows = 2500;
  for (const std::int64_t length : {4099, 4096}) {
    const array<float, 2> x = drawn_array<float, 2>({rows, length});
    const auto soft = fuse([](auto at) { return softmax(at, axis<1>); });
    const std::vector<float> by_rows = [&] {
      std::vector<float> made;
      for (std::int64_t row = 0; row < rows; row += 500) {
        const view<const float, 2> some(x.data() + row * length, {500, length}, cpu);
        const std::vector<float> part = soft(some).to_vector();
        made.insert(made.end(), part.begin(), part.end());
      }
      return made;
    }();
    CHECK(same_bits(soft(x).to_vector(), by_rows));
    std::vector<float> shifted(static_cast<std::size_t>(rows * length) + 8, -1.0f);
    for (const std::size_t shift : {std::size_t{1}, std::size_t{6}}) {
      view<float, 2> out(shifted.data() + shift, {rows, length}, cpu);
      soft.into(out)(x);
      CHECK(std::memcmp(shifted.data() + shift, by_rows.data(), by_rows.size() * sizeof(float)) == 0);
      CHECK(shifted[shift - 1] == -1.0f);
      CHECK(shifted[shift + by_rows.size()] == -1.0f);
      std::fill(shifted.begin(), shifted.end(), -1.0f);
    }
  }
}

TEST_CASE("results of one byte and of eight bypass the cache beside each other") {
  constexpr std::int64_t rows = 3000, length = 2047;
  const array<float, 2> x = drawn_array<float, 2>({rows, length});
  const auto both = fuse([](auto at) {
    const auto m = mean(at, axis<1>, keepdims);
    return std::tuple{at > m, astype<double>(at) - astype<double>(m)};
  })(x);
  const auto m = fuse([](auto at) { return mean(at, axis<1>, keepdims); })(x);
  const auto larger = fuse([](auto at, auto than) { return at > than; })(x, m);
  const auto less = fuse([](auto at, auto by) { return astype<double>(at) - astype<double>(by); })(x, m);
  CHECK(std::get<0>(both).to_vector() == larger.to_vector());
  CHECK(same_bits(std::get<1>(both).to_vector(), less.to_vector()));
}

TEST_CASE("several values of a row are resident at once, each in its own type") {
  const array<float, 2> x = drawn_array<float, 2>({11, 777});
  const auto root = [](auto at) { return sqrt(abs(at)); };
  const auto wide = [](auto at) { return exp(astype<double>(at)); };
  const auto is_far = [](auto at) { return sin(at) > 0.5f; };
  const auto all = fuse([=](auto at) {
    const auto r = root(at);
    const auto w = wide(at);
    const auto far = is_far(at);
    return std::tuple{r / max(r, axis<1>, keepdims), w / max(w, axis<1>, keepdims),
                      where(far, at, at * astype<float>(count_nonzero(far, axis<1>, keepdims)))};
  })(x);
  const auto r = fuse(root)(x);
  const auto w = fuse(wide)(x);
  const auto far = fuse(is_far)(x);
  const auto over_most = fuse([](auto at) { return at / max(at, axis<1>, keepdims); });
  CHECK(same_bits(std::get<0>(all).to_vector(), over_most(r).to_vector()));
  CHECK(same_bits(std::get<1>(all).to_vector(), over_most(w).to_vector()));
  const auto scaled = fuse(
      [](auto at, auto f) { return where(f, at, at * astype<float>(count_nonzero(f, axis<1>, keepdims))); });
  CHECK(same_bits(std::get<2>(all).to_vector(), scaled(x, far).to_vector()));
}

TEST_CASE("resident values on the CPU take a bounded part of the stack") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value e = builder.apply(
      operation::exp, {builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2u, true)})});
  builder.output(builder.apply(operation::true_divide, {e, builder.reduce(operation::sum, e, 2u, true)}));
  const auto chosen = [&](std::int64_t length) {
    return lower(builder.recorded(), {contiguous({4096, length})}, cpu_facts()).stages[0].chosen;
  };
  CHECK(chosen(4096).resident);
  CHECK(chosen(16384).resident);
  CHECK_FALSE(chosen(16385).resident);
  CHECK(chosen(4096).streaming);
  CHECK_FALSE(chosen(8).streaming);
}

}  // namespace sinter::test
