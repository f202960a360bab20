// Arrays put together and taken apart: types, ranks, what the reference interpreter computes with the
// recorded graphs, and what is refused. Expectations are NumPy's.
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "../support/recorded_bodies.hpp"

using namespace bodies_test;

namespace {

using matrix = value<float, 2>;
using extents = std::vector<std::int64_t>;

struct given {
  extents shape;
  numbers elements;
};

/// The first result of a callable on arrays of floats: its extents and elements.
struct result {
  extents shape;
  doubles elements;
  bool operator==(const result&) const = default;
};
doctest::String toString(const result& shown) {
  std::string text = "[";
  for (const std::int64_t extent : shown.shape) text += std::to_string(extent) + " ";
  text += "]";
  for (const double element : shown.elements) text += " " + std::to_string(element);
  return text.c_str();
}

result interpreted(const recorded_function& recorded, const std::vector<given>& inputs) {
  std::vector<reference_array> loaded, results;
  for (const given& each : inputs)
    loaded.push_back(load_reference(element_type::float32, each.shape, each.elements.data()));
  interpret(recorded.made, loaded, recorded.scalars, results);
  const reference_array& first = results.front();
  result made{first.extents, {}};
  for (std::size_t i = 0; i < first.size(); ++i) {
    const reference_value element = first.at(i);
    made.elements.push_back(is_floating(first.type)
                                ? static_cast<double>(element.real)
                                : static_cast<double>(static_cast<std::int64_t>(element.integer)));
  }
  return made;
}
template <class F>
result on_row(const numbers& row, const F& callable) {
  return interpreted(record_on<floats>(callable), {{{static_cast<std::int64_t>(row.size())}, row}});
}
template <class F>
result on_matrix(const given& x, const F& callable) {
  return interpreted(record_on<matrix>(callable), {x});
}
template <class F>
std::string refusal_of(const given& x, const F& callable) {
  try {
    on_matrix(x, callable);
  } catch (const error& refused) {
    return refused.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

result row(const doubles& elements) { return {{static_cast<std::int64_t>(elements.size())}, elements}; }

const given two_by_three{{2, 3}, {0, 1, 2, 3, 4, 5}};
constexpr std::int64_t least = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();

}  // namespace

TEST_SUITE("parts put together") {
  TEST_CASE("concatenate and stack take any number of arrays, and promote them") {
    CHECK(on_row({1, 2}, [](auto x) { return concatenate<0>(x, x * 10, x); }) == row({1, 2, 10, 20, 1, 2}));
    CHECK(on_row({1, 2}, [](auto x) { return concatenate<-1>(x); }) == row({1, 2}));
    CHECK(on_row({}, [](auto x) { return concatenate<0>(x, x); }) == row({}));
    CHECK(on_matrix(two_by_three, [](auto x) { return concatenate<1>(x, x(all(), slice(1))); }) ==
          result{{2, 4}, {0, 1, 2, 0, 3, 4, 5, 3}});
    CHECK(on_row({1, 2}, [](auto x) { return stack<0>(x, -x); }) == result{{2, 2}, {1, 2, -1, -2}});
    CHECK(on_row({1, 2}, [](auto x) { return stack<-1>(x, -x, x); }) == result{{2, 3}, {1, -1, 1, 2, -2, 2}});
    CHECK(on_row({1, 2}, [](auto x) { return stack<0>(sum(x), x(0)); }) == row({3, 1}));
    record_on<floats>([](auto x) {
      static_assert(is_value<double, 1, decltype(concatenate<0>(x, astype<double>(x)))>);
      static_assert(is_value<float, 1, decltype(concatenate<0>(astype<bool>(x), x))>);
      static_assert(is_value<bool, 1, decltype(concatenate<0>(x > 0, x < 0))>);
      static_assert(is_value<float, 2, decltype(stack<0>(x, x))>);
      return concatenate<0>(x, astype<double>(x));
    });
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return concatenate<0>(x, x(all(), slice(1))); }),
                   "concatenate of float32[2,3] and float32[2,1] along axis 0"));
  }

  TEST_CASE("pad adds a constant, the edge, its mirror image or the other end") {
    const numbers x{1, 2, 3};
    CHECK(on_row(x, [](auto x) { return pad(x, axis<0>, 2, 1, boundary::constant(7)); }) ==
          row({7, 7, 1, 2, 3, 7}));
    CHECK(on_row(x, [](auto x) { return pad(x, axis<0>, 2, 1, boundary::edge); }) == row({1, 1, 1, 2, 3, 3}));
    CHECK(on_row(x, [](auto x) { return pad(x, axis<0>, 3, 1, boundary::reflect); }) ==
          row({2, 3, 2, 1, 2, 3, 2}));
    CHECK(on_row(x, [](auto x) { return pad(x, axis<0>, 4, 1, boundary::wrap); }) ==
          row({3, 1, 2, 3, 1, 2, 3, 1}));
    CHECK(on_row({}, [](auto x) { return pad(x, axis<0>, 0, 2, boundary::constant(sum(x) + 1)); }) ==
          row({1, 1}));
    CHECK(on_row({4}, [](auto x) { return pad(x, axis<0>, 2, 2, boundary::reflect); }) ==
          row({4, 4, 4, 4, 4}));
    CHECK(on_matrix(two_by_three, [](auto x) { return pad(x, axis<-1>, 0, 1, boundary::constant(-1)); }) ==
          result{{2, 4}, {0, 1, 2, -1, 3, 4, 5, -1}});
    CHECK(contains(refusal_of({{0, 3}, {}}, [](auto x) { return pad(x, axis<0>, 1, 0, boundary::wrap); }),
                   "there is no element that could stand past its ends"));
    CHECK(contains(
        refusal_of(two_by_three, [](auto x) { return pad(x, axis<0>, -1, 0, boundary::constant(0)); }),
        "would have -1"));
    const std::string refused =
        refusal_of(two_by_three, [](auto x) { return pad(x, axis<-1>, -1, 3, boundary::edge); });
    CHECK(contains(refused, "pad of float32[2,3] at "));
    CHECK(contains(refused, ": axis 1 has 3 elements, and would have -1 more before them"));
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return pad(x, axis<0>, 0, -2, boundary::wrap); }),
                   ": axis 0 has 2 elements, and would have -2 more after them"));
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return pad(x, axis<0>, 5, -1, boundary::reflect); }),
                   "would have -1 more after them"));
  }

  TEST_CASE("sizes beyond 64 bits are refused, and distances of any size roll") {
    const numbers x{1, 2, 3, 4, 5};
    // 2^63 modulo 5 is 3
    CHECK(on_row(x, [](auto x) { return roll(x, least, axis<0>); }) == row({4, 5, 1, 2, 3}));
    CHECK(on_row(x, [](auto x) { return roll(x, largest, axis<0>); }) == row({4, 5, 1, 2, 3}));
    CHECK(on_row(x, [](auto x) { return roll(x, -largest, axis<0>); }) == row({3, 4, 5, 1, 2}));
    CHECK(on_row({}, [](auto x) { return roll(x, least, axis<0>); }) == row({}));
    const given row_of_four{{4}, {0, 1, 2, 3}};
    const auto refused = [&](const auto& callable) {
      try {
        interpreted(record_on<floats>(callable), {row_of_four});
      } catch (const shape_error& caught) {
        return std::string(caught.what());
      }
      return std::string("nothing was thrown");
    };
    constexpr const char* beyond = "computed with numbers beyond 64 bits";
    CHECK(contains(refused([](auto x) { return tile(x, std::int64_t{1} << 62); }), beyond));
    const std::string padded =
        refused([](auto x) { return pad(x, axis<0>, largest, largest, boundary::edge); });
    CHECK(contains(padded, "pad of float32[4] at "));
    CHECK(contains(padded, beyond));
    CHECK(contains(refused([](auto x) { return diag(x, least); }), beyond));
    CHECK(on_matrix(two_by_three, [](auto x) { return diag(x, least); }) == row({}));
    CHECK(on_matrix(two_by_three, [](auto x) { return diag(x, largest); }) == row({}));
  }

  TEST_CASE("elements are rolled, repeated and tiled") {
    const numbers x{1, 2, 3};
    CHECK(on_row(x, [](auto x) { return roll(x, 1, axis<0>); }) == row({3, 1, 2}));
    CHECK(on_row(x, [](auto x) { return roll(x, -7, axis<0>); }) == row({2, 3, 1}));
    CHECK(on_row({}, [](auto x) { return roll(x, 3, axis<0>); }) == row({}));
    CHECK(on_row(x, [](auto x) { return repeat_elements(x, 2, axis<0>); }) == row({1, 1, 2, 2, 3, 3}));
    CHECK(on_matrix(two_by_three, [](auto x) { return repeat_elements(x, 2, axis<0>)(all(), 0); }) ==
          row({0, 0, 3, 3}));
    CHECK(on_row(x, [](auto x) { return tile(x, 2); }) == row({1, 2, 3, 1, 2, 3}));
    CHECK(on_row(x, [](auto x) { return tile(x, 0); }) == row({}));
    CHECK(on_matrix({{1, 2}, {1, 2}}, [](auto x) { return tile(x, 2, 2); }) ==
          result{{2, 4}, {1, 2, 1, 2, 1, 2, 1, 2}});
  }
}

TEST_SUITE("parts taken apart") {
  TEST_CASE("triangles keep one side of a diagonal") {
    CHECK(on_matrix(two_by_three, [](auto x) { return tril(x); }) == result{{2, 3}, {0, 0, 0, 3, 4, 0}});
    CHECK(on_matrix(two_by_three, [](auto x) { return tril(x, 1); }) == result{{2, 3}, {0, 1, 0, 3, 4, 5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return triu(x); }) == result{{2, 3}, {0, 1, 2, 0, 4, 5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return triu(x, -1); }) == result{{2, 3}, {0, 1, 2, 3, 4, 5}});
  }

  TEST_CASE("diag goes from a matrix to its diagonal and back") {
    CHECK(on_matrix(two_by_three, [](auto x) { return diag(x); }) == row({0, 4}));
    CHECK(on_matrix(two_by_three, [](auto x) { return diag(x, 1); }) == row({1, 5}));
    CHECK(on_matrix(two_by_three, [](auto x) { return diag(x, -2); }) == row({}));
    CHECK(on_row({1, 2}, [](auto x) { return diag(x); }) == result{{2, 2}, {1, 0, 0, 2}});
    CHECK(on_row({1, 2}, [](auto x) { return diag(x, 1); }) == result{{3, 3}, {0, 1, 0, 0, 0, 2, 0, 0, 0}});
    CHECK(on_row({1, 2}, [](auto x) { return diag(x, -1); }) == result{{3, 3}, {0, 0, 0, 1, 0, 0, 0, 2, 0}});
    CHECK(on_row({}, [](auto x) { return diag(x, 1); }) == result{{1, 1}, {0}});
    CHECK(on_row({}, [](auto x) { return diag(x); }) == result{{0, 0}, {}});
  }

  TEST_CASE("windows slide along one axis or several") {
    CHECK(on_row({1, 2, 3, 4}, [](auto x) { return sum(sliding_window<0>(x, 3), axis<1>); }) == row({6, 9}));
    CHECK(on_matrix(two_by_three, [](auto x) { return sliding_window<1, 0>(x, 3, 2); }) ==
          result{{1, 1, 3, 2}, {0, 3, 1, 4, 2, 5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return sliding_window<-1>(x, 2); }) ==
          result{{2, 2, 2}, {0, 1, 1, 2, 3, 4, 4, 5}});
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return sliding_window<1>(x, 4); }),
                   "axis 1 has 3 elements, and no windows of 4"));
  }

  TEST_CASE("select takes the first value whose condition holds") {
    CHECK(on_row({1, 2, 3, 4}, [](auto x) { return select(x < 2, -x, x < 4, x * 10, 0); }) ==
          row({-1, 20, 30, 0}));
    CHECK(on_row({1, 2}, [](auto x) { return select(x < 2, 5, x); }) == row({5, 2}));
  }
}

TEST_SUITE("other shapes") {
  TEST_CASE("reshape keeps the elements in row-major order") {
    CHECK(on_matrix(two_by_three, [](auto x) { return reshape(x, 3, 2); }) ==
          result{{3, 2}, {0, 1, 2, 3, 4, 5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return reshape(transpose(x), 6); }) ==
          row({0, 3, 1, 4, 2, 5}));
    CHECK(on_matrix(two_by_three, [](auto x) { return flatten(x); }) == row({0, 1, 2, 3, 4, 5}));
    CHECK(on_matrix(two_by_three, [](auto x) { return flatten(sum(x)); }) == row({15}));
    const extents shape_of_three[] = {
        on_matrix(two_by_three, [](auto x) { return reshape(x, -1, 2, 1); }).shape,
        on_matrix(two_by_three, [](auto x) { return reshape(x, 3, -1, 1); }).shape,
        on_matrix(two_by_three, [](auto x) { return reshape(x, 3, 2, -1); }).shape};
    for (const extents& shape : shape_of_three) CHECK(shape == extents{3, 2, 1});
    CHECK(on_matrix({{0, 3}, {}}, [](auto x) { return reshape(x, 5, 0); }).shape == extents{5, 0});
    CHECK(on_matrix({{0, 3}, {}}, [](auto x) { return reshape(x, 5, -1, 2); }).shape == extents{5, 0, 2});
    CHECK(on_matrix({{1, 1}, {7}}, [](auto x) { return reshape(x, 1); }) == row({7}));
  }

  TEST_CASE("a reshape that does not fit is refused, as are two unknown extents") {
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return reshape(x, 2, 2); }),
                   "6 elements do not fill [2,2]"));
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return reshape(x, 4, -1); }),
                   "6 elements do not fill [4,1]"));
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return reshape(x, 7, -1); }),
                   "6 elements do not fill [-1,0]"));
    CHECK(
        contains(refusal_of(two_by_three, [](auto x) { return reshape(x, -1, -1); }), "two extents are -1"));
  }

  TEST_CASE("axes are added, dropped, moved and broadcast") {
    CHECK(on_row({1, 2}, [](auto x) { return broadcast_to(x, 3, 2); }) == result{{3, 2}, {1, 2, 1, 2, 1, 2}});
    CHECK(on_row({1}, [](auto x) { return broadcast_to(x, 3); }) == row({1, 1, 1}));
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return broadcast_to(x, 2, 4); }),
                   "axis 1 has 3 elements, and would have 4"));
    CHECK(on_row({1, 2}, [](auto x) { return expand_dims(x, axis<0, -1>); }) == result{{1, 2, 1}, {1, 2}});
    CHECK(on_matrix({{1, 2}, {1, 2}}, [](auto x) { return squeeze(x, axis<0>); }) == row({1, 2}));
    CHECK(on_matrix({{1, 1}, {1}}, [](auto x) { return squeeze(x, axis<0, 1>); }) == result{{}, {1}});
    CHECK(contains(refusal_of(two_by_three, [](auto x) { return squeeze(x, axis<0>); }),
                   "cannot reshape float32[2,3]"));
    CHECK(on_matrix(two_by_three, [](auto x) { return moveaxis<0, -1>(x); }) ==
          result{{3, 2}, {0, 3, 1, 4, 2, 5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return moveaxis<-1, 0>(x(newaxis))(all(), 0); }) ==
          result{{3, 2}, {0, 3, 1, 4, 2, 5}});
  }

  TEST_CASE("an ellipsis stands for the axes that are not named") {
    CHECK(on_matrix(two_by_three, [](auto x) { return x(ellipsis, 0); }) == row({0, 3}));
    CHECK(on_matrix(two_by_three, [](auto x) { return x(1, ellipsis); }) == row({3, 4, 5}));
    CHECK(on_matrix(two_by_three, [](auto x) { return x(1, ellipsis, 2); }) == result{{}, {5}});
    CHECK(on_matrix(two_by_three, [](auto x) { return x(ellipsis, newaxis); }).shape == extents{2, 3, 1});
  }

  TEST_CASE("iota counts") {
    CHECK(on_row({5, 5, 5}, [](auto x) { return iota(extent<0>(x)); }) == row({0, 1, 2}));
    CHECK(on_row({5}, [](auto) { return iota(2) * 10; }) == row({0, 10}));
    CHECK(on_row({5}, [](auto) { return iota(0); }) == row({}));
  }
}

TEST_SUITE("positions without an array") {
  TEST_CASE("coordinate of extents is a position in an array of them") {
    const auto f = fuse([](auto x) {
      return std::tuple(coordinate<0>(extent<0>(x), 3), coordinate<-1>(extent<0>(x), 3),
                        coordinate<0>(extent<0>(x)));
    });
    const auto [rows, columns, numbers] = f(array<float, 1>::from({7, 7}));
    CHECK(rows.shape() == shape<2>(2, 3));
    CHECK(rows.to_vector() == std::vector<std::int64_t>{0, 0, 0, 1, 1, 1});
    CHECK(columns.to_vector() == std::vector<std::int64_t>{0, 1, 2, 0, 1, 2});
    CHECK(numbers.to_vector() == std::vector<std::int64_t>{0, 1});
  }
}

TEST_SUITE("sizes of parts") {
  TEST_CASE("they are computed from extents, and are parameters of stateful functions") {
    const auto half = [](auto x) {
      return pad(x, axis<0>, floor_divide(extent<0>(x), 2), 0, boundary::edge);
    };
    CHECK(on_row({1, 2, 3, 4}, half) == row({1, 1, 1, 2, 3, 4}));
    int n = 1;
    const auto rolled = [&n](auto x) { return roll(x, n, axis<0>); };
    CHECK(record_on<floats>(rolled).scalars.size() == 1);
    CHECK(record_on<floats>(rolled, true).scalars.empty());
    record_again<floats>(rolled);
    n = 2;
    const recorded_function again = record_again<floats>(rolled);
    CHECK(interpreted(again, {{{3}, {1, 2, 3}}}) == row({2, 3, 1}));
  }

  TEST_CASE("what is read from an array is no size") {
    const auto by_element = [](auto x) { return roll(x, astype<int>(x(0, 0)), axis<0>); };
    CHECK(contains(refusal_of(two_by_three, by_element), "a size or position is known before the call"));
  }

  TEST_CASE("parts are recorded in the function itself, not in bodies") {
    const auto in_body = [](auto x) {
      return repeat(2, x, [](auto state) { return roll(state, 1, axis<0>); });
    };
    CHECK_THROWS_AS(record_on<floats>(in_body), type_error);
    const auto around = [](auto x) {
      return repeat(2, x, [&](auto state) { return state + roll(x, 1, axis<0>); });
    };
    CHECK(on_row({1, 2}, around) == row({5, 4}));
  }

  TEST_CASE("an expression of arrays is recorded where it meets a value") {
    const array<float, 1> a = made_row({10, 20, 30});
    const auto mixed = [&a](auto x) {
      return x + roll(pad(a + 1, axis<0>, 0, 1, boundary::edge), 1, axis<0>);
    };
    CHECK(interpreted(record_on<floats>(mixed), {{{4}, {1, 2, 3, 4}}, {{3}, {10, 20, 30}}}) ==
          row({32, 13, 24, 35}));
    const auto reshaped = [&a](auto x) { return x + reshape(a, -1, 1); };
    CHECK(interpreted(record_on<floats>(reshaped), {{{1}, {1}}, {{3}, {10, 20, 30}}}) ==
          result{{3, 1}, {11, 21, 31}});
  }

  TEST_CASE("arrays, views and expressions give expressions of the same types") {
    const array<float, 2> x = array<float, 2>::from({0, 1, 2, 3, 4, 5}, {2, 3});
    const auto rank_and_type = [](const auto& expression, unsigned rank, element_type type) {
      using made = std::remove_cvref_t<decltype(expression)>;
      return made::result_rank == rank && made::result_type == operand_type{type};
    };
    CHECK(rank_and_type(concatenate<0>(x, astype<double>(x)), 2, element_type::float64));
    CHECK(rank_and_type(stack<0>(x(0), x(1)), 2, element_type::float32));
    CHECK(rank_and_type(pad(x, axis<0>, 1, 1, boundary::constant(0)), 2, element_type::float32));
    CHECK(rank_and_type(reshape(x + 1, 3, -1), 2, element_type::float32));
    CHECK(rank_and_type(diag(x(0)), 2, element_type::float32));
    CHECK(rank_and_type(sliding_window<0, 1>(x, 2, 2), 4, element_type::float32));
    CHECK(rank_and_type(squeeze(x, axis<0>), 1, element_type::float32));
    CHECK(x(ellipsis, 0).to_vector() == numbers{0, 3});
    CHECK(moveaxis<0, 1>(x).copy().to_vector() == numbers{0, 3, 1, 4, 2, 5});
  }
}
