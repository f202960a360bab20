#include <array>
#include <cmath>
#include <cstdint>
#include <sstream>
#include <type_traits>
#include <vector>

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

static_assert(!std::is_copy_constructible_v<array<float, 1>>);
static_assert(!std::is_copy_assignable_v<array<float, 1>>);
static_assert(std::is_nothrow_move_constructible_v<array<float, 1>>);
static_assert(std::is_nothrow_move_assignable_v<array<float, 1>>);
static_assert(!std::is_constructible_v<array<float, 0>, int>);
static_assert(std::is_convertible_v<view<float, 1>, view<const float, 1>>);
static_assert(!std::is_convertible_v<view<const float, 1>, view<float, 1>>);

TEST_SUITE("dsl_array") {
  TEST_CASE("an array of a view or an expression needs no template arguments") {
    const auto x = array<float, 2>::from({1, 2, 3, 4}, {2, 2});
    array row = x(1);
    array mask = x > 2;
    array total = sum(x);
    static_assert(std::is_same_v<decltype(row), array<float, 1>>);
    static_assert(std::is_same_v<decltype(mask), array<bool, 2>>);
    static_assert(std::is_same_v<decltype(total), array<float, 0>>);
    CHECK(row.to_vector() == std::vector<float>{3, 4});
    CHECK(mask.to_vector() == std::vector<bool>{false, false, true, true});
    CHECK(total.to_vector() == std::vector<float>{10});
  }

  TEST_CASE("empty braces are the extents of an array of rank 0, which has one element") {
    array<float, 0> x({});
    x = full<float>(shape<0>{}, 3.f);
    CHECK(x.to_vector() == std::vector<float>{3});
  }

  TEST_CASE("host data goes in and comes back, for every element type") {
    const auto round_trip = [](auto first, auto second) {
      using T = decltype(first);
      const std::vector<T> host{first, second, first, second, first, second};
      const auto x = array<T, 2>::from(host, {2, 3});
      CHECK(x.size() == 6);
      const std::vector<T> back = x.to_vector();
      for (std::size_t i = 0; i < host.size(); ++i)
        CHECK(static_cast<double>(static_cast<float>(back[i])) ==
              static_cast<double>(static_cast<float>(host[i])));
    };
    round_trip(true, false);
    round_trip(std::int8_t{-1}, std::int8_t{2});
    round_trip(std::int16_t{-1}, std::int16_t{2});
    round_trip(-1, 2);
    round_trip(std::int64_t{-1}, std::int64_t{2});
    round_trip(std::uint8_t{1}, std::uint8_t{2});
    round_trip(std::uint16_t{1}, std::uint16_t{2});
    round_trip(1u, 2u);
    round_trip(std::uint64_t{1}, std::uint64_t{2});
    round_trip(1LL, 2LL);
    round_trip(float16(1.5), float16(-2));
    round_trip(bfloat16(1.5), bfloat16(-2));
    round_trip(1.5f, -2.0f);
    round_trip(1.5, -2.0);
    const bool flags[] = {true, false, true};
    CHECK(array<bool, 1>::from(flags, {3}).to_vector() == std::vector<bool>{true, false, true});
    CHECK(array<bool, 1>::from(std::vector<bool>{false, true}).to_vector() == std::vector<bool>{false, true});
  }

  TEST_CASE("rows in braces are an array, and are equally long") {
    const auto m = array<float, 2>::from({{1, 2, 3}, {4, 5, 6}});
    CHECK(m.shape() == shape<2>(2, 3));
    CHECK(m.to_vector() == std::vector<float>{1, 2, 3, 4, 5, 6});
    const auto cube = array<int, 3>::from({{{1}, {2}}, {{3}, {4}}, {{5}, {6}}});
    CHECK(cube.shape() == shape<3>(3, 2, 1));
    CHECK(cube.to_vector() == std::vector<int>{1, 2, 3, 4, 5, 6});
    const auto mask = array<bool, 2>::from({{true, false}, {false, true}});
    CHECK(mask.to_vector() == std::vector<bool>{true, false, false, true});
    CHECK((array<float, 2>::from({{}, {}}).shape() == shape<2>(2, 0)));
    CHECK_THROWS_WITH_AS((array<float, 2>::from({{1, 2, 3}, {4, 5}})),
                         doctest::Contains("the first has 3 elements, and another 2"), shape_error);
    CHECK_THROWS_AS((array<int, 3>::from({{{1}}, {{2}, {3}}})), shape_error);
  }
  TEST_CASE("one number is the extent of an array of one axis") {
    const array<float, 1> x(7);
    CHECK(x.size() == 7);
    CHECK(empty<float>(3).shape() == shape<1>(3));
    CHECK(empty<float>({3, 4}).shape() == shape<2>(3, 4));
    CHECK_THROWS_AS((array<float, 1>(-1)), shape_error);
  }
  TEST_CASE("item is the only element, and anything else is refused") {
    const auto x = array<float, 1>::from({1, 2, 4});
    const array<float, 0> total = evaluate(sum(x));
    CHECK(total.item() == 7);
    CHECK(x(1).item() == 2);
    CHECK((array<bool, 2>::from({{true}}).item()));
    CHECK_THROWS_WITH_AS((void)x.item(), doctest::Contains("item: there are 3 elements"), shape_error);
    CHECK_THROWS_AS((void)(array<float, 1>().item()), shape_error);
  }

  TEST_CASE("shapes take any integers and must fit the data") {
    const std::vector<double> host(12, 1);
    const std::size_t rows = 3;
    const std::int16_t columns = 4;
    CHECK(array<double, 2>::from(host, {rows, columns}).shape() == shape<2>{3, 4});
    CHECK(array<double, 2>::from(host, std::array<long, 2>{6, 2}).strides() == shape<2>{2, 1});
    CHECK(array<double, 3>::from(host, {2u, 2ull, char{3}}).strides() == shape<3>{6, 3, 1});
    CHECK_THROWS_AS((array<double, 2>::from(host, {3, 5})), shape_error);
    CHECK_THROWS_AS((array<double, 1>({-1})), shape_error);
    const array<double, 0> scalar_array = array<double, 0>::from({2.5}, {});
    CHECK(scalar_array.to_vector() == std::vector<double>{2.5});
    const array<float, 1> empty({0});
    CHECK(empty.to_vector().empty());
    CHECK(evaluate(empty + 1).size() == 0);
  }

  TEST_CASE("arrays move, copy and change place") {
    auto x = arange<int>(4);
    const int* elements = x.data();
    array<int, 1> moved = std::move(x);
    CHECK(static_cast<const int*>(moved.data()) == elements);
    CHECK(x.size() == 0);  // NOLINT: a moved-from array is empty
    const array<int, 1> copy = moved.copy();
    moved(0) = 9;
    CHECK(copy.to_vector() == std::vector<int>{0, 1, 2, 3});
    const array<int, 1> on_host = moved.to(device::cpu());
    CHECK(on_host.device() == device::cpu());
    CHECK(on_host.data()[0] == 9);
    array<long long, 1> other_spelling = array<long, 1>::from({1L}, {1});
    CHECK(other_spelling.to_vector()[0] == 1);
  }

  TEST_CASE("views of arrays index as NumPy does") {
    const auto x = array<int, 2>::from(std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11}, {3, 4});
    using list = std::vector<int>;
    CHECK(x(1).to_vector() == list{4, 5, 6, 7});
    CHECK(x(-1, 1).to_vector() == list{9});
    CHECK(x(all(), 2).to_vector() == list{2, 6, 10});
    CHECK(x(slice(1, end), slice(end, end, -2)).to_vector() == list{7, 5, 11, 9});
    for (const bool whole : {false, true})
      CHECK(x(slice(0, whole ? slice_bound(end) : 1), 0).size() == (whole ? x.shape()[0] : 1));
    CHECK(x(slice(0, 100), slice(-2, end)).to_vector() == list{2, 3, 6, 7, 10, 11});
    CHECK(x(slice(2, 1)).size() == 0);
    CHECK(x(newaxis, 0, newaxis).shape() == shape<3>{1, 1, 4});
    CHECK(x(slice(end, end, -1))(0).to_vector() == list{8, 9, 10, 11});
    CHECK(transpose(x).shape() == shape<2>{4, 3});
    CHECK(transpose(x).strides() == shape<2>{1, 4});
    CHECK(flip<0, 1>(x).to_vector() == list{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0});
    CHECK(permute<1, 0>(x)(3).to_vector() == list{3, 7, 11});
    CHECK(flip<-1>(x)(0).copy().to_vector() == list{3, 2, 1, 0});
    CHECK_THROWS_AS(x(3), shape_error);
    CHECK_THROWS_AS(x(0, -5), shape_error);
    CHECK_THROWS_AS(x(slice(0, 3, 0)), shape_error);
    static_assert(std::is_same_v<decltype(x(0)), view<const int, 1>>);
    auto writable = x.copy();
    static_assert(std::is_same_v<decltype(writable(0, all(), newaxis)), view<int, 2>>);
  }

  TEST_CASE("a view borrows memory of somebody else's, with any strides") {
    std::vector<float> memory{0, 1, 2, 3, 4, 5, 6, 7};
    const view<float, 2> odd(memory.data() + 7, {2, 2}, {-4, -2}, device::cpu());
    CHECK(odd.to_vector() == std::vector<float>{7, 5, 3, 1});
    odd = odd * 10;
    CHECK(memory == std::vector<float>{0, 10, 2, 30, 4, 50, 6, 70});
    const view<const float, 1> reads(memory.data(), {8});
    array<float, 1> sum = reads + reads;
    CHECK(sum.to_vector()[7] == 140);
    CHECK(sum.device() == device::cpu());
    view<float, 1> other;
    other.refer_to(view<float, 1>(memory.data(), {2}));
    other = 1;
    CHECK(memory[1] == 1);
  }

  TEST_CASE("arrays are made from nothing") {
    using floats = std::vector<float>;
    CHECK(zeros<float>({2, 2}).to_vector() == floats{0, 0, 0, 0});
    CHECK(ones<float>(3).to_vector() == floats{1, 1, 1});
    CHECK(full<float>(shape<1>{2}, 2.5).to_vector() == floats{2.5, 2.5});
    CHECK(full<bool>({2}, true).to_vector() == std::vector<bool>{true, true});
    CHECK(full<double>({1}, inf).to_vector()[0] == HUGE_VAL);
    CHECK(full<float16>(1, 1e9).to_vector()[0].bits() == 0x7c00);
    CHECK(zeros<int>({0, 3}).size() == 0);
    CHECK_THROWS_AS(full<std::int8_t>({2}, 128), type_error);
    CHECK(arange<float>(3).to_vector() == floats{0, 1, 2});
    CHECK(arange<float>(1, 2, 0.25).to_vector() == floats{1, 1.25, 1.5, 1.75});
    CHECK(arange<int>(5, 0, -2).to_vector() == std::vector<int>{5, 3, 1});
    CHECK(arange<std::uint8_t>(3, 3).size() == 0);
    CHECK(arange<std::int64_t>(std::int64_t{1} << 60, (std::int64_t{1} << 60) + 2).to_vector()[1] ==
          (std::int64_t{1} << 60) + 1);
    CHECK_THROWS_AS(arange<int>(0, 1, 0), shape_error);
    CHECK(linspace<float>(0, 1, 5).to_vector() == floats{0, 0.25, 0.5, 0.75, 1});
    CHECK(linspace<double>(0.1, 0.7, 4).to_vector()[3] == 0.7);
    CHECK(linspace<float>(3, 4, 1).to_vector() == floats{3});
  }

  TEST_CASE("arrays of run-time type and rank convert to typed ones and back") {
    any_array any = arange<float>(6);
    CHECK(any.type() == element_type::float32);
    CHECK(any.rank() == 1);
    CHECK(any.shape()[0] == 6);
    CHECK(any.view().to<float, 1>().to_vector()[5] == 5);
    CHECK_THROWS_AS((any.view().to<double, 1>()), type_error);
    CHECK_THROWS_AS((any.view().to<float, 2>()), shape_error);
    CHECK_THROWS_AS((std::move(any).to<int, 1>()), type_error);
    const array<float, 1> typed = std::move(any).to<float, 1>();
    CHECK(typed.to_vector()[2] == 2);
    CHECK(any.size() <= 1);  // NOLINT: given away
    const any_view constant = typed;
    CHECK(constant.read_only());
    CHECK_THROWS_AS((constant.to<float, 1>()), type_error);
    CHECK(constant.to<const float, 1>().to_vector()[1] == 1);
    const std::int64_t extents[] = {2, 3};
    const any_array unset(element_type::int16, extents);
    CHECK(unset.strides()[0] == 3);
  }

  TEST_CASE("arrays of run-time type go from vectors and to them, are copied and printed") {
    const std::int64_t extents[] = {2, 3};
    const any_array x = any_array::from(std::vector<float>{1, 2, 3, 4, 5, 6}, extents);
    CHECK(x.rank() == 2);
    const any_array again = x.copy();
    CHECK(again.data() != x.data());
    CHECK(again.to_vector<float>() == std::vector<float>{1, 2, 3, 4, 5, 6});
    CHECK_THROWS_AS((void)x.to_vector<double>(), type_error);
    CHECK_THROWS_AS((void)x.item<float>(), shape_error);
    CHECK_THROWS_AS((void)any_array::from(std::vector<float>{1, 2}, extents), shape_error);
    const any_array mask = any_array::from(std::vector<bool>{true, false});
    CHECK(mask.type() == element_type::boolean);
    CHECK(mask.to_vector<bool>() == std::vector<bool>{true, false});
    CHECK(any_array::from(std::vector<double>{2.5}).item<double>() == 2.5);

    const array<float, 2> typed = array<float, 2>::from({{1, 2, 3}, {4, 5, 6}});
    const any_view transposed = transpose(typed);
    CHECK(transposed.to_vector<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
    CHECK(transposed.copy().to_vector<float>() == std::vector<float>{1, 4, 2, 5, 3, 6});
    std::ostringstream printed;
    printed << mask << transposed;
    CHECK(printed.str() == "[ True False][[1. 4.]\n [2. 5.]\n [3. 6.]]");
  }
  TEST_CASE("operands of run-time type are computed with through the graph builder") {
    const array<float, 1> x = arange<float>(4);
    const array<int, 2> y = ones<int>({2, 1});
    const auto multiply_add = [](graph_builder& builder, std::span<const graph_value> in) {
      const graph_value product = builder.apply(operation::multiply, {in[0], in[1]});
      builder.output(builder.apply(operation::add, {product, in[0]}));
      builder.output(product);
    };
    std::vector<any_array> made = evaluate({any_view(x), any_view(y)}, multiply_add);
    REQUIRE(made.size() == 2);
    CHECK(made[0].type() == element_type::float64);
    CHECK(std::move(made[0]).to<double, 2>().to_vector() == std::vector<double>{0, 2, 4, 6, 0, 2, 4, 6});
    array<double, 2> first({2, 4}), second({2, 4});
    evaluate({any_view(x), any_view(y)}, {any_view(first), any_view(second)}, multiply_add);
    CHECK(second.to_vector() == std::vector<double>{0, 1, 2, 3, 0, 1, 2, 3});
    CHECK_THROWS_AS(evaluate({any_view(x), any_view(y)}, {any_view(std::as_const(first)), any_view(second)},
                             multiply_add),
                    type_error);
  }
}
