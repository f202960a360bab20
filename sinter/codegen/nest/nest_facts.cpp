#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>

namespace sinter::inline v0 {
namespace {

/// Number of elements along an axis; for a reduced axis that is split, over all pieces.
std::int64_t elements_along(const nest& body, unsigned axis) {
  return body.split >= 0 && axis == split_axis(body) ? body.whole : body.extents[axis];
}

}  // namespace

bool is_empty(const nest& body) {
  const bool scans = has_scans(body) && std::ranges::all_of(body.stores, [&](const store& at) {
                       return stores_elements(body, at);
                     });
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

namespace {

/// Elements of one array that some accesses of it touch, between the lowest and the highest address of all.
class touched_elements {
 public:
  void add(const nest& body, const access& at) {
    std::int64_t count = 1, low = at.offset, high = at.offset;
    for (unsigned axis = 0; axis < body.rank; ++axis) {
      if (at.strides[axis] == 0) {
        // what a term moves reads another element at most positions
        if (has_term_along(body, at, axis)) {
          overflows_ |= __builtin_mul_overflow(count, elements_along(body, axis), &count);
          is_scattered_ = true;
        }
        continue;
      }
      std::int64_t last = 0;
      const std::int64_t extent = elements_along(body, axis);
      overflows_ |= __builtin_mul_overflow(count, extent, &count);
      overflows_ |= __builtin_mul_overflow(at.strides[axis], std::max<std::int64_t>(extent, 1) - 1, &last);
      std::int64_t& end = last < 0 ? low : high;
      overflows_ |= __builtin_add_overflow(end, last, &end);
      step_ = std::gcd(step_, at.strides[axis]);
    }
    if (any_)
      step_ = std::gcd(step_, at.offset - first_);
    else
      first_ = at.offset;
    low_ = any_ ? std::min(low_, low) : low;
    high_ = any_ ? std::max(high_, high) : high;
    any_ = true;
    overflows_ |= __builtin_add_overflow(sum_, count, &sum_);
  }
  std::int64_t count() const {
    if (overflows_) return std::numeric_limits<std::int64_t>::max();
    if (is_scattered_) return sum_;
    return step_ == 0 ? std::min<std::int64_t>(sum_, 1) : std::min(sum_, (high_ - low_) / step_ + 1);
  }

 private:
  std::int64_t sum_ = 0, step_ = 0, first_ = 0, low_ = 0, high_ = 0;
  bool any_ = false, overflows_ = false, is_scattered_ = false;
};

}  // namespace

std::int64_t bytes_touched(const nest& body) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t total = 0;
  for (std::size_t i = 0; i < body.accesses.size(); ++i) {
    const access& at = body.accesses[i];
    const auto is_same_array = [&at](const access& other) {
      return other.what == at.what && other.place == at.place && other.array == at.array;
    };
    if (at.what == access::kind::position ||
        std::any_of(body.accesses.begin(), body.accesses.begin() + static_cast<std::ptrdiff_t>(i),
                    is_same_array))
      continue;
    touched_elements touched;
    for (const access& other : body.accesses)
      if (is_same_array(other)) touched.add(body, other);
    std::int64_t bytes = 0;
    if (__builtin_mul_overflow(touched.count(), static_cast<std::int64_t>(size_of(at.type)), &bytes))
      bytes = most;
    if (__builtin_add_overflow(total, bytes, &total)) total = most;
  }
  return total;
}

std::size_t widest_value(const nest_body& body) {
  std::size_t widest = sizeof(std::int64_t);
  for (const instruction& at : body.body) widest = std::max<std::size_t>(widest, size_of(at.type));
  return widest;
}

bool reads_only_what_it_writes(const nest& body, std::uint32_t input) {
  const auto is_of_input = [&](const access& at) {
    return at.place == access::where::argument && at.array == input;
  };
  if (body.has_updates())  // of any element
    return std::ranges::none_of(body.accesses, [&](const access& at) {
      return at.what != access::kind::position && at.what != access::kind::updated && is_of_input(at);
    });
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
    if (at.what == access::kind::gathered) return !is_of_input(at);  // of any element
    return at.what != access::kind::read || !is_of_input(at) ||
           (at.strides == write->strides && at.offset == write->offset && at.term_count == 0);
  });
}

bool reads_input(const nest& body, std::uint32_t input) {
  return std::ranges::any_of(body.accesses, [&](const access& at) {
    const bool reads = at.what == access::kind::read || at.what == access::kind::gathered;
    return reads && at.place == access::where::argument && at.array == input;
  });
}

bool writes_a_result(const nest& body) {
  return std::ranges::any_of(
      body.accesses, [](const access& at) { return at.is_written() && at.place == access::where::argument; });
}

std::optional<copied_array> find_copied_array(const nest& body) {
  if (body.body.size() != 1 || body.stores.size() != 1 || body.accesses.size() != 2 ||
      body.stores[0].is_update())
    return {};
  const access &to = body.accesses[body.stores[0].target], &from = body.accesses[1 - body.stores[0].target];
  const bool is_copy = from.what == access::kind::read && from.term_count == 0 && from.type == to.type &&
                       from.place == access::where::argument && to.place == access::where::argument &&
                       from.strides == to.strides && from.offset == to.offset;
  return is_copy ? std::optional(copied_array{from.array, to.array}) : std::nullopt;
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

bool has_window(const nest& body) {
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
    if (body.accesses[i].base != i && body.accesses[i].strides[0] == 1) return true;
  return false;
}

bool combines_by_body(const nest_body& body) {
  return std::ranges::any_of(body.body, [](const instruction& at) { return combines_by_body(at.op); });
}

bool has_many_reductions(const nest_body& body) {
  std::size_t reductions = 0;
  for (const instruction& at : body.body) reductions += is_reduction(at.op) ? 1 : 0;
  return reductions >= many_reductions;
}

bool counts_updates(const nest_body& body, const store& made) {
  const instruction& added = body.body[made.value];
  return made.combine == operation::add && added.op == operation::literal && is_integer(added.type) &&
         added.payload <= static_cast<std::uint64_t>(std::numeric_limits<std::int32_t>::max());
}

std::int64_t elements_updated(const nest& body) {
  if (body.stores.size() != 1 || !body.stores[0].has_elements()) return 0;
  return body.constants[body.body[body.stores[0].elements].payload];
}

}  // namespace sinter::inline v0
