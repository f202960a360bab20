#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/schedule/size_classes.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <limits>

namespace sinter::inline v0 {
namespace {

constexpr std::int64_t widest_vector = access_bytes;  // bytes of an element
constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();

std::int64_t magnitude(const bound& at, std::span<const std::uint64_t> scalars) {
  if (at.absent()) return 0;
  const auto index = static_cast<std::size_t>(at.value);
  const std::int64_t value = !at.is_parameter()       ? at.value
                             : index < scalars.size() ? static_cast<std::int64_t>(scalars[index])
                                                      : 0;
  return value < 0 ? (value == std::numeric_limits<std::int64_t>::min() ? most : -value) : value;
}

std::int64_t saturated(std::int64_t factor, std::int64_t threshold, std::int64_t more) {
  std::int64_t value = 0;
  const bool over =
      __builtin_mul_overflow(factor, threshold, &value) || __builtin_add_overflow(value, more, &value);
  return over ? most : value;
}

void sort_and_merge(std::vector<std::int64_t>& values) {
  std::sort(values.begin(), values.end());
  values.erase(std::unique(values.begin(), values.end()), values.end());
}

/// The integers that decide how long parts of arrays are, and how many arrays one after the other are.
std::vector<std::int64_t> amounts_of_parts(const graph& recorded, std::span<const std::uint64_t> scalars) {
  std::vector<std::int64_t> amounts;
  std::int64_t arrays = 1;
  std::vector<bool> decides(recorded.nodes.size(), false);
  for (node_id id = static_cast<node_id>(recorded.nodes.size()); id-- > 0;) {
    const node& at = recorded.nodes[id];
    arrays += at.op == operation::concatenate ? 1 : 0;
    for (const node_id each : scalars_of(at)) decides[each] = true;
    if (!decides[id]) continue;
    if (at.op == operation::literal)
      amounts.push_back(magnitude(literal_bound(static_cast<std::int64_t>(at.payload)), scalars));
    if (at.op == operation::parameter)
      amounts.push_back(magnitude(parameter_bound(static_cast<std::uint32_t>(at.payload)), scalars));
    if (at.op == operation::extent) continue;
    for (const node_id operand : recorded.operands_of(at)) decides[operand] = true;
  }
  for (std::int64_t count = 2; count <= arrays; ++count) amounts.push_back(count);
  sort_and_merge(amounts);
  return amounts;
}

/// Parts of arrays are longer or shorter than their source by amounts or by factors.
void add_beginnings_of_parts(std::span<const std::int64_t> amounts, std::vector<std::int64_t>& to) {
  for (const std::int64_t amount : amounts) {
    if (amount == 0) continue;
    to.push_back(amount);
    to.push_back(saturated(2, amount, 0));
    for (const std::int64_t threshold : extent_thresholds()) {
      to.push_back(saturated(1, threshold, amount));
      to.push_back(saturated(amount, threshold, 0));
      to.push_back(divide_up(threshold, amount));
      if (threshold > amount) to.push_back(threshold - amount);
    }
  }
}

/// Where classes start: a slice's result has its source's extent less the bounds, divided by the step.
std::vector<std::int64_t> class_beginnings(const graph& recorded, std::span<const std::uint64_t> scalars) {
  const std::span<const std::int64_t> own = extent_thresholds();
  std::vector<std::int64_t> all(own.begin(), own.end());
  const bool has_parts = std::any_of(recorded.nodes.begin(), recorded.nodes.end(),
                                     [](const node& at) { return is_part(at.op); });
  if (has_parts) add_beginnings_of_parts(amounts_of_parts(recorded, scalars), all);
  bool sliced = has_parts;
  for (const view_item& item : recorded.view_items) {
    if (item.what != view_item::kind::slice) continue;
    const std::int64_t start = magnitude(item.start, scalars), stop = magnitude(item.stop, scalars);
    const std::int64_t step = std::max<std::int64_t>(1, magnitude(item.step, scalars));
    if (start == 0 && stop == 0 && step == 1) continue;
    sliced = true;
    // from twice of what a slice takes off, at least half of its source is needed (recomputed_values.cpp)
    for (const std::int64_t taken : {start, stop, saturated(1, start, stop)})
      all.push_back(saturated(2, taken, 0));
    for (const std::int64_t threshold : own)
      for (const std::int64_t moved : {std::int64_t{0}, start, stop, saturated(1, start, stop)})
        all.push_back(saturated(step, threshold, moved));
  }
  for (std::int64_t extent = 0; sliced && extent < first_joint_class; ++extent) all.push_back(extent);
  sort_and_merge(all);
  return all;
}

/// What is updated has copies of as many elements as a power of two, and sorted rows have that many places.
bool reduces_scans_or_updates(const graph& recorded) {
  return std::any_of(recorded.nodes.begin(), recorded.nodes.end(), [](const node& at) {
    return is_reduction(at.op) || is_scan(at.op) || at.op == operation::scatter ||
           at.op == operation::argsort;
  });
}

/// Where classes of reductions start: rows and blocks double from one schedule to the next, or grow by a
/// quarter of that, and a device is full at powers of two times its multiprocessors. If an axis merges with
/// others, their product counts.
void add_reduction_beginnings(const target_facts& target, std::span<const std::int64_t> beside,
                              std::vector<std::int64_t>& to) {
  std::int64_t multiprocessors = std::max(1, target.multiprocessors);
  while (multiprocessors % 2 == 0) multiprocessors /= 2;
  // reductions over a few elements are unrolled, and reads are like slices
  for (std::int64_t extent = 0; extent < first_joint_class; ++extent) to.push_back(extent);
  for (const std::int64_t unit :
       {std::int64_t{1}, std::int64_t{3}, std::int64_t{5}, std::int64_t{7}, multiprocessors})
    for (std::int64_t extent = unit; extent < std::int64_t{1} << 41; extent *= 2) {
      to.push_back(extent);
      to.push_back(extent + 1);
      for (const std::int64_t other : beside)
        if (other > 1) {
          to.push_back(extent / other);
          to.push_back(extent / other + 1);
        }
    }
}

/// On a GPU stages of sliced functions depend on how many elements a launch is worth (recomputed_values.cpp).
/// A class may hold one such extent, whose both sides its ends show, but not two.
void add_stage_beginnings(std::vector<std::int64_t>& to) {
  for (std::int64_t extent = first_stage_class; extent <= last_stage_class; extent *= 4) to.push_back(extent);
}

/// Numbers at both ends of a class: the two outermost, and the outermost multiples of the largest power of
/// two, up to a vector, that has a multiple in the class.
void add_class(std::int64_t first, std::int64_t last, std::vector<std::int64_t>& to) {
  for (const std::int64_t value : {first, first + 1, last - 1, last})
    if (value >= first && value <= last) to.push_back(value);
  for (std::int64_t unit = widest_vector; unit > 1; unit /= 2) {
    const std::int64_t highest = last / unit * unit, lowest = round_up(first, unit);
    if (lowest > last) continue;
    to.push_back(lowest);
    to.push_back(highest);
    break;
  }
}

}  // namespace

std::vector<std::int64_t> representative_extents(const graph& recorded,
                                                 std::span<const std::uint64_t> scalars, std::int64_t low,
                                                 std::int64_t high, const target_facts& target,
                                                 std::span<const std::int64_t> beside) {
  std::vector<std::int64_t> chosen;
  // no array in memory has more elements than this, and the numbers here do not overflow
  high = std::min(high, std::int64_t{1} << 60);
  std::vector<std::int64_t> beginnings = class_beginnings(recorded, scalars);
  const bool sliced = beginnings.size() > extent_thresholds().size();
  if (reduces_scans_or_updates(recorded)) add_reduction_beginnings(target, beside, beginnings);
  if (sliced && is_gpu(target.kind)) add_stage_beginnings(beginnings);
  sort_and_merge(beginnings);
  beginnings.push_back(most);
  for (std::int64_t first = low; const std::int64_t next : beginnings) {
    if (next <= first || first > high) continue;
    add_class(first, std::min(next - 1, high), chosen);
    first = next;
  }
  // slices move an extent by amounts that are not multiples of a vector: then every remainder is needed
  if (sliced)
    for (std::int64_t value = std::max(low, high - widest_vector + 1); value <= high; ++value)
      chosen.push_back(value);
  sort_and_merge(chosen);
  return chosen;
}

}  // namespace sinter::inline v0
