// Calls of functions with parts, on the CPU: every element type, no elements, targets that overlap several
// operands, ranges of extents, and the texts that show how a call runs.

#include <sinter/complex.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

using namespace sinter;

namespace {

std::size_t compiled() { return runtime::kernel_table_statistics().compiled; }

/// Elements of each type, of which two next to each other differ.
template <class T>
std::vector<T> some_elements(std::size_t count) {
  std::vector<T> made(count);
  for (std::size_t i = 0; i < count; ++i) {
    if constexpr (std::is_same_v<T, bool>)
      made[i] = i * 7 % 3 == 1;
    else if constexpr (std::is_integral_v<T>)
      made[i] = static_cast<T>(~std::uint64_t{0} / 3 * (i + 1));
    else if constexpr (is_complex(element_type_of<T>))
      made[i] = T(static_cast<float>(i) + 0.5f, -static_cast<float>(i));
    else
      made[i] = static_cast<T>(static_cast<float>(i % 61) - 30.5f);
  }
  return made;
}

/// Concatenated, padded and reshaped arrays of one type have the operands' bits.
template <class T>
void check_type() {
  constexpr std::int64_t rows = 3, columns = 50;
  CAPTURE(facts_of(element_type_of<T>).name);
  const std::vector<T> elements = some_elements<T>(rows * columns);
  const auto at = [&](std::int64_t i, std::int64_t j) {
    return elements[static_cast<std::size_t>(i * columns + j)];
  };
  const auto x = array<T, 2>::from(elements, {rows, columns});

  std::vector<T> joined, padded, mirrored;
  for (std::int64_t i = 0; i < rows; ++i) {
    for (std::int64_t j = 0; j < 2 * columns; ++j) joined.push_back(at(i, j % columns));
    for (std::int64_t j = -2; j < columns + 3; ++j) {
      padded.push_back(j < 0 || j >= columns ? elements[1] : at(i, j));
      mirrored.push_back(at(i, j < 0 ? -j : j < columns ? j : 2 * columns - 2 - j));
    }
  }
  for (const bool strict : {false, true}) {
    const auto called = [&](const auto& function) { return strict ? function.strict() : function; };
    CHECK(called(fuse([](auto a) { return concatenate<1>(a, a); }))(x).to_vector() == joined);
    const auto with_element = fuse([](auto a) { return pad(a, axis<1>, 2, 3, boundary::constant(a(0, 1))); });
    CHECK(called(with_element)(x).to_vector() == padded);
    CHECK(called(fuse([](auto a) { return pad(a, axis<1>, 2, 3, boundary::reflect); }))(x).to_vector() ==
          mirrored);
    const array<T, 3> other = called(fuse([](auto a) { return reshape(a, 25, -1, 2); }))(x);
    CHECK(other.shape() == shape<3>(25, 3, 2));
    CHECK(other.to_vector() == elements);
  }
  CHECK(evaluate(concatenate<1>(x, x)).to_vector() == joined);
  CHECK(evaluate(flatten(x)).to_vector() == elements);
}

/// Prepares a function of a matrix for ranges, then calls it for many extents in them.
template <class F>
void check_ranges(const char* name, const F& callable) {
  CAPTURE(name);
  const device cpu = device::cpu();
  const auto function = fuse(name, callable);
  const array<float, 2> x = ones<float>({5, 12}, cpu);
  const extent_range rows(1, 70), columns(1, 300);
  function.prepare(described<float, 2>({rows, columns}, cpu));
  const std::size_t prepared = compiled();
  for (std::int64_t r = 1; r <= 70; r += r < 9 ? 1 : 7)
    for (std::int64_t c = 1; c <= 300; c += c < 20 ? 1 : 11) {
      function.prepare(array<float, 2>({r, c}, cpu));
      if (compiled() != prepared) {
        FAIL_CHECK("compiled for ", r, " x ", c);
        return;
      }
    }
  CHECK_FALSE(function(x).to_vector().empty());
  CHECK(compiled() == prepared);
}

template <class Call>
std::string refusal(const Call& call) {
  try {
    call();
  } catch (const shape_error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

using floats = std::vector<float>;

}  // namespace

TEST_SUITE("calls of parts") {
  TEST_CASE("every element type is joined, padded and reshaped, bit by bit") {
    check_type<bool>();
    check_type<std::int8_t>();
    check_type<std::int16_t>();
    check_type<std::int32_t>();
    check_type<std::int64_t>();
    check_type<std::uint8_t>();
    check_type<std::uint16_t>();
    check_type<std::uint32_t>();
    check_type<std::uint64_t>();
    check_type<float16>();
    check_type<bfloat16>();
    check_type<float>();
    check_type<double>();
    check_type<std::complex<float>>();
    check_type<std::complex<double>>();
  }

  TEST_CASE("arrays without elements are joined, padded and reshaped") {
    const array<float, 2> none({0, 4}), narrow({3, 0}), x = ones<float>({2, 4});
    const auto joined = fuse([](auto a, auto b) { return concatenate<0>(a, b * 2, a); });
    CHECK(joined(none, x).to_vector() == floats(8, 2));
    CHECK(joined(x, none).to_vector() == floats(16, 1));
    CHECK(joined(none, none).shape() == shape<2>(0, 4));
    const auto padded = fuse([](auto a) { return pad(a, axis<1>, 1, 2, boundary::constant(5)); });
    CHECK(padded(narrow).to_vector() == floats(9, 5));
    CHECK(padded(none).shape() == shape<2>(0, 7));
    CHECK(
        contains(refusal([&] { fuse([](auto a) { return pad(a, axis<1>, 0, 1, boundary::edge); })(narrow); }),
                 "there is no element that could stand past its ends"));
    CHECK(fuse([](auto a) { return roll(a, 3, axis<1>); })(narrow).shape() == shape<2>(3, 0));
    CHECK(fuse([](auto a) { return repeat_elements(a, 0, axis<0>); })(x).shape() == shape<2>(0, 4));
    CHECK(fuse([](auto a) { return tile(a, 2, 0); })(x).shape() == shape<2>(4, 0));
    CHECK(fuse([](auto a) { return tril(a) + triu(a, 1); })(none).shape() == shape<2>(0, 4));
    CHECK(fuse([](auto a) { return diag(a); })(none).shape() == shape<1>(0));
    CHECK(fuse([](auto a) { return diag(a, 9); })(x).shape() == shape<1>(0));
    CHECK(fuse([](auto a) { return reshape(a, -1, 2, 2); })(none).shape() == shape<3>(0, 2, 2));
    CHECK(fuse([](auto a) { return reshape(a, 7, 0); })(none).shape() == shape<2>(7, 0));
    CHECK(fuse([](auto a) { return sum(sliding_window<1>(a, 2), axis<2>); })(none).shape() == shape<2>(0, 3));
    CHECK(contains(refusal([&] { fuse([](auto a) { return sliding_window<0>(a, 1); })(none); }),
                   "no windows of 1"));
    CHECK(fuse([](auto a) { return broadcast_to(a(0), 0, 4); })(x).shape() == shape<2>(0, 4));
    CHECK(fuse([](auto a) { return stack<0>(a, a); })(narrow).shape() == shape<3>(2, 3, 0));
    CHECK(evaluate(flatten(none)).to_vector().empty());
    // results of which only some have elements
    const auto both =
        fuse([](auto a) { return std::tuple(tile(a, 0, 1), pad(a, axis<0>, 0, 1, boundary::constant(1))); });
    const auto [empty, filled] = both(none);
    CHECK(empty.to_vector().empty());
    CHECK(filled.to_vector() == floats(4, 1));
  }

  TEST_CASE("amounts that do not fit throw, name what they are, and leave the target as it was") {
    const array<float, 2> x = ones<float>({2, 3});
    array<float, 2> target = full<float>({2, 3}, 7);
    const auto padded = fuse([](auto a, auto n) { return pad(a, axis<1>, n, 0, boundary::constant(0)); });
    CHECK(contains(refusal([&] { padded.into(target)(x, -4); }), "would have -4"));
    CHECK(contains(refusal([&] { padded.into(target)(x, 1); }), "result 0 has shape [2, 4]"));
    const auto reshaped = fuse([](auto a, auto n) { return reshape(a, n, -1); });
    CHECK(contains(refusal([&] { reshaped.into(target)(x, 4); }), "6 elements do not fill [4,1]"));
    CHECK(contains(refusal([&] { evaluate(concatenate<0>(x, transpose(x))); }), "concatenate of"));
    CHECK(target.to_vector() == floats(6, 7));
    padded.into(target)(x, 0);
    CHECK(target.to_vector() == floats(6, 1));
  }

  TEST_CASE("a target that overlaps several operands, or is one of them, gets the right elements") {
    floats memory(64), wanted;
    const auto restart = [&] {
      for (std::size_t i = 0; i < memory.size(); ++i) memory[i] = static_cast<float>(i);
    };
    restart();
    const view<float, 1> a(memory.data(), {20}), b(memory.data() + 10, {20});
    const auto joined = fuse([](auto x, auto y) { return concatenate<0>(y, x); });
    wanted = joined(a, b).to_vector();
    for (const std::int64_t offset : {0, 5, 10, 15, 24}) {
      restart();
      view<float, 1> target(memory.data() + offset, {40});
      joined.into(target)(a, b);
      CHECK(target.to_vector() == wanted);
    }
    restart();
    view<float, 1> same = a;
    fuse([](auto x) { return roll(x, 3, axis<0>); }).into(same)(a);
    CHECK(a.to_vector() == floats{17, 18, 19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16});
    restart();
    same = roll(a, -3, axis<0>) + a;
    CHECK(a.to_vector() ==
          floats{3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31, 33, 35, 17, 19, 21});
    // two results that overlap the operand
    restart();
    view<float, 1> first(memory.data() + 5, {20}), second(memory.data() + 30, {20});
    fuse([](auto x) {
      return std::tuple(roll(x, 1, axis<0>), pad(x(slice(0, 18)), axis<0>, 1, 1, boundary::edge));
    }).into(first, second)(a);
    CHECK(first.to_vector() == floats{19, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18});
    CHECK(second.to_vector() == floats{0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 17});
  }

  TEST_CASE("after preparing for ranges of extents no call in them compiles") {
    check_ranges("ranges_pad", [](auto x) { return pad(x, axis<1>, 2, 1, boundary::reflect); });
    check_ranges("ranges_constant", [](auto x) { return pad(x, axis<0>, 2, 1, boundary::constant(0)); });
    check_ranges("ranges_roll", [](auto x) { return roll(x, 3, axis<1>) + x; });
    check_ranges("ranges_concatenate", [](auto x) { return concatenate<1>(x, x + 1); });
    check_ranges("ranges_flatten", [](auto x) { return reshape(x, -1); });
    check_ranges("ranges_reshape", [](auto x) { return reshape(x, -1, extent<0>(x)); });
    check_ranges("ranges_tile", [](auto x) { return tile(x, 2, 3); });
  }

  TEST_CASE("explain and source show the parts, in one kernel with what is computed") {
    const array<float, 2> x = ones<float>({40, 64}, device::cpu());
    const auto called = fuse("blurred_rows", [](auto a) {
      return sum(sliding_window<1>(pad(exp(a), axis<1>, 1, 1, boundary::edge), 3), axis<2>);
    });
    const std::string explained = called.explain(x);
    INFO(explained);
    CHECK(contains(explained, "extended("));
    CHECK(contains(explained, "window("));
    CHECK(contains(explained, "blurred_rows"));
    CHECK(contains(called.source(x), "blurred_rows"));
    const auto joined =
        fuse("joined", [](auto a, auto n) { return reshape(concatenate<0>(a, a * n), -1, 8); });
    const std::string of_joined = joined.explain(x, 2.0f);
    INFO(of_joined);
    CHECK(contains(of_joined, "concatenate("));
    CHECK(contains(of_joined, "merged("));
    CHECK(contains(of_joined, "split("));
    CHECK(contains(joined.source(x, 2.0f), "joined"));
  }

  TEST_CASE("large arrays, which several threads share, are moved right") {
    constexpr std::int64_t rows = 1500, columns = 1100;
    const array<float, 2> x = reshape(arange<float>(rows * columns), rows, columns);
    const auto at = [](std::int64_t i, std::int64_t j) { return static_cast<float>(i * columns + j); };
    const array<float, 2> moved = roll(roll(x, 700, axis<0>), -3, axis<1>);
    const array<float, 2> joined = concatenate<1>(x, -x);
    const array<float, 2> around = pad(pad(x, axis<0>, 1, 1, boundary::edge), axis<1>, 2, 2, boundary::wrap);
    const array<float, 2> turned = reshape(transpose(x), rows, columns);
    const floats of_moved = moved.to_vector(), of_joined = joined.to_vector(), of_around = around.to_vector(),
                 of_turned = turned.to_vector();
    std::size_t wrong = 0;
    for (std::int64_t i = 0; i < rows; ++i)
      for (std::int64_t j = 0; j < columns; ++j) {
        const auto place = static_cast<std::size_t>(i * columns + j);
        wrong += of_moved[place] != at((i - 700 + rows) % rows, (j + 3) % columns);
        wrong += of_joined[place + static_cast<std::size_t>(i * columns)] != at(i, j);
        wrong += of_joined[place + static_cast<std::size_t>((i + 1) * columns)] != -at(i, j);
        const std::int64_t flat = i * columns + j;
        wrong += of_turned[place] != at(flat % rows, flat / rows);
      }
    for (std::int64_t i = 0; i < rows + 2; ++i)
      for (std::int64_t j = 0; j < columns + 4; ++j)
        wrong += of_around[static_cast<std::size_t>(i * (columns + 4) + j)] !=
                 at(std::clamp<std::int64_t>(i - 1, 0, rows - 1), (j - 2 + columns) % columns);
    CHECK(wrong == 0);
  }

  TEST_CASE("many arrays are joined, and functions of parts are part of other functions") {
    const array<float, 1> x = array<float, 1>::from({1, 2, 3}, {3});
    const auto eight =
        fuse([](auto a) { return concatenate<0>(a, a * 2, a * 3, a * 4, a * 5, a * 6, a * 7, a * 8); });
    floats wanted;
    for (int factor = 1; factor <= 8; ++factor)
      for (int i = 1; i <= 3; ++i) wanted.push_back(static_cast<float>(factor * i));
    CHECK(eight(x).to_vector() == wanted);
    const auto total =
        fuse([&](auto a) { return sum(eight(a)) + sum(eight(roll(a, 1, axis<0>))(slice(3))); });
    CHECK(total(x).to_vector() == floats{36 * 6 + 6});
    const auto running = fuse(
        [](auto a) { return cumsum(concatenate<0>(a, pad(a, axis<0>, 1, 0, boundary::edge)), axis<0>); });
    CHECK(running(x).to_vector() == floats{1, 3, 6, 7, 8, 10, 13});
    const auto wide = fuse([](auto a) { return max(stack<0>(a, sum(a) - a, flip<0>(a)), axis<0>); });
    CHECK(wide(x).to_vector() == floats{5, 4, 3});
  }

  TEST_CASE("streams, workspaces, the background and memory resources serve functions of parts") {
    const device cpu = device::cpu();
    const array<float, 2> x = ones<float>({30, 50}, cpu);
    const auto spread = fuse("options_of_parts", [](auto a) {
      return tile(a / sum(concatenate<1>(a, a), axis<1>, keepdims), 1, 2);
    });
    const floats wanted(3000, 0.01f);
    spread.prepare_async(x).wait();
    const std::size_t before = compiled();
    CHECK(spread(x).to_vector() == wanted);
    CHECK(compiled() == before);
    const stream order = stream::create(cpu);
    array<float, 2> target({30, 100}, cpu);
    std::vector<std::byte> memory(spread.workspace_bytes(x) + 64);
    spread.on(order).workspace(memory).into(target)(x);
    order.synchronize();
    CHECK(target.to_vector() == wanted);
  }
}
