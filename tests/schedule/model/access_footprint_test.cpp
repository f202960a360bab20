// Sectors and cache lines that boxes of positions touch, beside a count of them one by one.

#include <doctest/doctest.h>

#include <sinter/codegen/schedule/model/access_footprint.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <random>
#include <set>
#include <vector>

namespace sinter::test {
namespace {

access access_of(element_type type, std::initializer_list<std::int64_t> strides) {
  access made;
  made.type = type;
  std::copy(strides.begin(), strides.end(), made.strides.begin());
  return made;
}

/// Pieces of `granularity` bytes, one by one.
std::int64_t counted(const access& at, const position_box& box, std::int64_t width,
                     std::int64_t granularity) {
  std::vector<std::int64_t> places{std::int64_t{1} << 40};
  for (const position_box::side& side : box) {
    std::vector<std::int64_t> more;
    for (const std::int64_t place : places)
      for (std::int64_t i = 0; i < side.count; ++i)
        more.push_back(place +
                       at.strides[side.axis] * side.step * i * static_cast<std::int64_t>(size_of(at.type)));
    places = more;
  }
  std::set<std::int64_t> pieces;
  for (const std::int64_t place : places)
    for (std::int64_t byte = 0; byte < width; ++byte) pieces.insert((place + byte) / granularity);
  return static_cast<std::int64_t>(pieces.size());
}

}  // namespace

TEST_CASE("a warp of contiguous elements touches the sectors that its bytes fill") {
  position_box box;
  box.add(0, 1, 32);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::float32, {1}), box, 4) == 4);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::float64, {1}), box, 8) == 8);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::uint8, {1}), box, 1) == 1);
  CHECK(pieces_touched<gpu_cache_line_bytes>(access_of(element_type::float32, {1}), box, 4) == 1);
}

TEST_CASE("elements apart by more than a sector touch one each, and equal ones one in all") {
  position_box box;
  box.add(0, 1, 32);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::float32, {1000}), box, 4) == 32);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::float32, {2}), box, 4) == 8);
  CHECK(pieces_touched<sector_bytes>(access_of(element_type::float32, {0}), box, 4) == 1);
}

TEST_CASE("a direction does not matter") {
  position_box box;
  box.add(0, 1, 64);
  for (const std::int64_t stride : {1, 2, 3, 100})
    CHECK(pieces_touched<sector_bytes>(access_of(element_type::float32, {stride}), box, 4) ==
          pieces_touched<sector_bytes>(access_of(element_type::float32, {-stride}), box, 4));
}

TEST_CASE("pieces of random boxes are never fewer than those touched, and at most twice as many") {
  std::mt19937 draws(1);
  const auto power = [&](int most) { return std::int64_t{1} << draws() % static_cast<unsigned>(most + 1); };
  for (int i = 0; i < 2000; ++i) {
    // strides that follow each other's extents, with room between them
    const element_type type = i % 3 == 0   ? element_type::uint8
                              : i % 3 == 1 ? element_type::float32
                                           : element_type::float64;
    access at = access_of(type, {});
    position_box box;
    std::int64_t next = draws() % 2 == 0 ? 1 : power(3);
    for (unsigned axis = 0; axis < 3; ++axis) {
      const std::int64_t step = power(2), count = power(4);
      at.strides[axis] = draws() % 4 == 0 ? 0 : next;
      box.add(axis, step, count);
      if (at.strides[axis] != 0) next *= step * count * power(2);
    }
    const auto width = static_cast<std::int64_t>(size_of(type));
    INFO(i, ": strides ", at.strides[0], " ", at.strides[1], " ", at.strides[2]);
    const std::int64_t sectors = pieces_touched<sector_bytes>(at, box, width);
    const std::int64_t exact = counted(at, box, width, sector_bytes);
    // holes inside of a run count with it
    CHECK(sectors >= exact);
    CHECK(sectors <= 2 * exact);
  }
}

TEST_CASE("numbers that count through axes fill the innermost first") {
  nest body;
  body.rank = 3;
  body.extents = {4, 1, 8};
  body.reduced = 2;
  position_box box;
  box.add_run(body, false, 1, 16);
  std::vector<std::pair<unsigned, std::int64_t>> sides;
  for (const position_box::side& side : box) sides.emplace_back(side.axis, side.count);
  CHECK(sides == std::vector<std::pair<unsigned, std::int64_t>>{{0, 4}, {2, 4}});
}

}  // namespace sinter::test
