#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>
#include <bit>
#include <limits>

namespace sinter::inline v0 {
namespace {

/// Number of elements along an axis; for a reduced axis that is split, over all pieces.
std::int64_t elements_along(const nest& body, unsigned axis) {
  return body.split >= 0 && axis == split_axis(body) ? body.whole : body.extents[axis];
}

}  // namespace

bool is_empty(const nest& body) {
  const bool scans = has_scans(body);
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.extents[axis] == 0 && (scans || !body.is_reduced(axis))) return true;
  return false;
}

std::int64_t bytes_moved(const nest& body) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t total = 0;
  for (const access& at : body.accesses) {
    if (at.what == access::kind::position) continue;
    auto bytes = static_cast<std::int64_t>(size_of(at.type));
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (at.strides[axis] != 0 && __builtin_mul_overflow(bytes, elements_along(body, axis), &bytes))
        bytes = most;
    if (__builtin_add_overflow(total, bytes, &total)) total = most;
  }
  return total;
}

std::size_t widest_value(const nest& body) {
  std::size_t widest = sizeof(std::int64_t);
  for (const instruction& at : body.body) widest = std::max<std::size_t>(widest, size_of(at.type));
  return widest;
}

bool reads_only_what_it_writes(const nest& body, std::uint32_t input) {
  // a later phase may read a row again, so elements should be stored in the last phase
  for (const store& at : body.stores)
    if (phase_of_store(body, at) + 1 < body.phases && stores_elements(body, at)) return false;
  const access* write = nullptr;
  for (const access& at : body.accesses) {
    if (at.what != access::kind::write) continue;
    if (write != nullptr && at.strides != write->strides) return false;
    write = &at;
  }
  return std::ranges::all_of(body.accesses, [&](const access& at) {
    return at.what != access::kind::read || at.array != input ||
           (at.strides == write->strides && at.offset == write->offset);
  });
}

bool positions_ascend(const nest& body, const instruction& reduction) {
  const instruction& position = body.body[reduction.arguments[1]];
  if (position.op != operation::coordinate) return false;
  const access& counts = body.accesses[position.payload];
  if (std::has_single_bit(body.reduced))
    return counts.pattern(static_cast<unsigned>(std::countr_zero(body.reduced))) == step_pattern::unit;
  std::int64_t farthest = 0;  // from the first element, along the axes before
  for (unsigned axis = 0; axis < body.rank; ++axis) {
    if (!body.is_reduced(axis)) continue;
    if ((counts.strided >> axis & 1) != 0 || counts.strides[axis] <= farthest) return false;
    farthest += (body.extents[axis] - 1) * counts.strides[axis];
  }
  return true;
}

bool has_many_reductions(const nest& body) {
  std::size_t reductions = 0;
  for (const instruction& at : body.body) reductions += is_reduction(at.op) ? 1 : 0;
  return reductions >= many_reductions;
}

}  // namespace sinter::inline v0
