// Sizes beyond addressable memory throw out_of_memory wherever arrays, views and temporaries are made.
#include <doctest/doctest.h>

#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/sinter.hpp>

#include "../support/cuda/fake_cuda.hpp"

using namespace sinter;

namespace {

constexpr std::int64_t huge = std::int64_t{1} << 31, most = std::numeric_limits<std::int64_t>::max();
const device cpu = device::cpu();

/// Every way to make an array with two extents, by name.
std::vector<std::pair<std::string, std::function<void(std::int64_t, std::int64_t)>>> ways(device where) {
  using extent = std::int64_t;
  float element = 1;
  return {
      {"array", [=](extent a, extent b) { array<double, 2>({a, b}, where); }},
      {"array of bytes", [=](extent a, extent b) { array<std::uint8_t, 2>({a, b}, where); }},
      {"any_array",
       [=](extent a, extent b) {
         const extent extents[] = {a, b};
         any_array(element_type::float64, extents, where);
       }},
      {"zeros", [=](extent a, extent b) { zeros<float>({a, b}, where); }},
      {"ones", [=](extent a, extent b) { ones<double>({a, b}, where); }},
      {"full", [=](extent a, extent b) { full<float>({a, b}, 2.0f, where); }},
      {"from", [=](extent a,
                   extent b) { array<float, 2>::from(std::span<const float>(&element, 1), {a, b}, where); }},
      {"from bits",
       [=](extent a, extent b) { array<bool, 2>::from(std::vector<bool>{true}, shape<2>(a, b), where); }},
  };
}

}  // namespace

TEST_CASE("arrays of more bytes than memory has addresses are out_of_memory, however they are made") {
  fake_cuda fake;
  for (const device where : {cpu, device::cuda(0)})
    for (const auto& [name, make] : ways(where)) {
      INFO(name << " on " << where.to_string());
      CHECK_THROWS_AS(make(huge, huge << 3), out_of_memory);
      CHECK_THROWS_AS(make(most, most), out_of_memory);
      CHECK_THROWS_AS(make(most, 2), out_of_memory);
      CHECK_THROWS_AS(make(-1, 2), shape_error);
      CHECK_THROWS_AS(make(most, -1), shape_error);
    }
  CHECK_THROWS_AS((array<double, 2>({huge, huge})), out_of_memory);
  const std::int64_t wraps[] = {(std::int64_t{1} << 61) + 1};
  CHECK_THROWS_AS(any_array(element_type::float64, wraps), out_of_memory);
  // unsigned numbers larger than any extent
  CHECK_THROWS_AS((array<float, 1>({std::size_t{0} - 1}, cpu)), out_of_memory);
  CHECK_THROWS_AS((zeros<float>(std::size_t{1} << 63, cpu)), out_of_memory);
}

TEST_CASE("arrays of no elements have no bytes, whatever their other extents") {
  for (const shape<3>& extents :
       {shape<3>(huge, huge << 3, 0), shape<3>(0, most, most), shape<3>(most, 0, most)}) {
    const array<double, 3> empty(extents, cpu);
    CHECK(empty.size() == 0);
    CHECK(empty.to_vector().empty());
    const any_array any(element_type::float64, std::span<const std::int64_t>(extents.data(), 3), cpu);
    CHECK(any.size() == 0);
    const array<double, 3> doubled = empty + empty;
    CHECK(doubled.shape() == extents);
  }
}

TEST_CASE("progressions of more elements than memory has addresses are out_of_memory") {
  CHECK_THROWS_AS(arange<std::int64_t>(std::numeric_limits<std::int64_t>::min(), most, 1, cpu),
                  out_of_memory);
  CHECK_THROWS_AS(arange<std::int8_t>(std::int64_t{0}, most, 1, cpu), out_of_memory);
  CHECK_THROWS_AS(arange<double>(0, 1e300, 1, cpu), out_of_memory);
  CHECK_THROWS_AS(arange<double>(0, 0x1p62, 1, cpu), out_of_memory);
  CHECK_THROWS_AS(arange<double>(0, std::numeric_limits<double>::infinity(), 1, cpu), shape_error);
  CHECK_THROWS_AS(linspace<float>(0, 1, std::int64_t{1} << 62, cpu), out_of_memory);
  CHECK_THROWS_AS(linspace<float>(0, 1, std::size_t{0} - 1, cpu), out_of_memory);
}

TEST_CASE("views of elements further apart than memory is large are out_of_memory") {
  float element = 1;
  CHECK_THROWS_AS((view<float, 2>(&element, {huge, huge << 3})), out_of_memory);
  CHECK_THROWS_AS((view<float, 2>(&element, {huge, huge << 3}, {huge << 3, 1})), out_of_memory);
  CHECK_THROWS_AS((view<float, 1>(&element, {2}, {std::numeric_limits<std::int64_t>::min()})), out_of_memory);
  CHECK_THROWS_AS((view<float, 1>(&element, {-1})), shape_error);
  CHECK_THROWS_AS((view<float, 1>(&element, {-1}, {1})), shape_error);
  const std::int64_t extents[] = {huge, huge << 3}, row_major[] = {huge << 3, 1}, none[] = {0, 0},
                     far[] = {std::numeric_limits<std::int64_t>::min(), 0};
  CHECK_THROWS_AS(any_view(&element, element_type::float32, extents, row_major, cpu), out_of_memory);
  CHECK_THROWS_AS(any_view(&element, element_type::float32, extents, far, cpu), out_of_memory);
  // one repeated element: all positions are at one address
  const any_view repeated(&element, element_type::float32, extents, none, cpu);
  CHECK(repeated.shape()[1] == huge << 3);
}

TEST_CASE("results and copies of repeated elements are out_of_memory, and nothing is changed") {
  const array<float, 2> column = zeros<float>({1 << 20, 1}, cpu), row = zeros<float>({1, 1 << 20}, cpu);
  float element = 1;
  const view<float, 2> repeated(&element, {huge, huge << 3}, {0, 0}, cpu);
  CHECK_THROWS_AS(repeated.copy(), out_of_memory);
  array<float, 2> kept = ones<float>({2, 2}, cpu);
  CHECK_THROWS_AS(kept = repeated + 1.0f, out_of_memory);
  CHECK(kept.to_vector() == std::vector<float>(4, 1.0f));
  const auto twice = fuse([](auto x) { return 2 * x; });
  CHECK_THROWS_AS(twice(repeated), out_of_memory);
  CHECK_THROWS_AS(evaluate({any_view(repeated)},
                           [](graph_builder& builder, std::span<const graph_value> values) {
                             builder.output(builder.apply(operation::negative, {values[0]}));
                           }),
                  out_of_memory);
}

TEST_CASE("temporaries of more bytes than memory has addresses are out_of_memory where a call is lowered") {
  // A reduction that another reduction depends on, at 2^31 × 2^30 positions: its values go to the workspace.
  float element = 1;
  const view<float, 3> repeated(&element, {huge, huge << 3, 2}, {0, 0, 0}, cpu);
  const auto past = fuse([](auto x) {
    const auto totals = cumsum(x, axis<0>);
    return sum(cumsum(totals, axis<1>), axis<0>);
  });
  CHECK_THROWS_AS(past.workspace_bytes(repeated), out_of_memory);
  CHECK_THROWS_AS(past(repeated), out_of_memory);
  CHECK_THROWS_AS(sum_of_bytes(max_bytes, 1), out_of_memory);
  CHECK_THROWS_AS(bytes_of_elements(max_bytes / 8 + 1, 8), out_of_memory);
  CHECK(bytes_of_elements(max_bytes / 8, 8) == max_bytes / 8 * 8);
}
