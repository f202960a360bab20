// Arrays in fmt's formats, by sinter/fmt.hpp.
#define FMT_HEADER_ONLY 1
#include <doctest/doctest.h>

#include <fmt/format.h>
#include <sinter/fmt.hpp>
#include <sinter/sinter.hpp>

using namespace sinter;

TEST_SUITE("formatting") {
  TEST_CASE("arrays, views and those of run-time types are written as streams write them") {
    const auto m = array<float, 2>::from({{1, 2}, {3, 4}});
    CHECK(fmt::format("{}", m) == "[[1. 2.]\n [3. 4.]]");
    CHECK(fmt::format("x = {}", m(1)) == "x = [3. 4.]");
    const any_array any = any_array::from(std::vector<bool>{true, false});
    CHECK(fmt::format("{}", any) == "[ True False]");
    CHECK(fmt::format("{}", any.view()) == "[ True False]");
  }
}
