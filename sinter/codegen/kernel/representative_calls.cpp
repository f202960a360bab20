#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>
#include <sinter/codegen/kernel/representative_calls.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0 {
namespace {

// Lengths of rows on both sides of what fits a warp, a block and a cluster, divisible by vectors and not; one
// array that fits a cache, and one that does not.
constexpr std::int64_t vectors[] = {1000, 1001, 1 << 12, 1 << 16, 1 << 20, 1 << 26};
constexpr std::int64_t rows[] = {32, 100, 128, 256, 1000, 1001, 1024, 4096, 1 << 14, 1 << 17};
constexpr std::int64_t rows_beside[] = {64, 4096};
constexpr std::int64_t further_extent = 4;

recorded_array array_of(input_declaration declared, std::uint32_t index,
                        std::span<const std::int64_t> shape) {
  recorded_array made;
  made.type = declared.type;
  made.rank = declared.rank;
  made.identity = index;
  made.extents.assign(shape.end() - declared.rank, shape.end());
  made.strides.resize(declared.rank);
  std::int64_t stride = 1;
  for (unsigned axis = declared.rank; axis-- > 0;) {
    made.strides[axis] = stride;
    stride *= made.extents[axis];
  }
  return made;
}

/// Whether the bounds of a view have a parameter.
bool bounds_a_view(const graph& recorded, std::uint32_t parameter) {
  return std::ranges::any_of(recorded.view_items, [&](const view_item& item) {
    return std::ranges::any_of(std::array{item.start, item.stop, item.step}, [&](const bound& each) {
      return each.is_parameter() && each.value == std::int64_t{parameter};
    });
  });
}

/// Parameters are 0, but those that are extents: a number of bins of 0 leaves no kernel to compile.
std::vector<std::uint64_t> scalars_of_call(const graph& recorded) {
  std::vector<std::uint64_t> made(recorded.parameters.size());
  for (const std::uint32_t parameter : shape_parameters(recorded))
    if (is_integer(recorded.parameters[parameter]) && !bounds_a_view(recorded, parameter))
      made[parameter] = further_extent;
  return made;
}

recorded_call call_of(const graph& recorded, std::span<const std::int64_t> shape) {
  recorded_call made;
  for (std::uint32_t i = 0; i < recorded.inputs.size(); ++i)
    made.inputs.push_back(array_of(recorded.inputs[i], i, shape));
  made.scalars = scalars_of_call(recorded);
  return made;
}

}  // namespace

std::vector<recorded_call> representative_calls(const graph& recorded) {
  unsigned rank = 0;
  for (const input_declaration& each : recorded.inputs) rank = std::max<unsigned>(rank, each.rank);
  std::vector<std::int64_t> shape(rank, further_extent);
  std::vector<recorded_call> made;
  if (rank == 0) {
    made.push_back(call_of(recorded, shape));
  } else if (rank == 1) {
    for (const std::int64_t extent : vectors) made.push_back(call_of(recorded, {&extent, 1}));
  } else {
    for (const std::int64_t row : rows)
      for (const std::int64_t beside : rows_beside) {
        shape[rank - 1] = row;
        shape[rank - 2] = beside;
        made.push_back(call_of(recorded, shape));
      }
  }
  return made;
}

}  // namespace sinter::inline v0
