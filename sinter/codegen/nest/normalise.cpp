#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/simplify_body.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <optional>

namespace sinter::inline v0 {
namespace {

bool is_used(const nest& loop_nest, std::uint32_t access) {
  return std::ranges::any_of(loop_nest.body,
                             [&](const instruction& at) {
                               return (at.op == operation::input || at.op == operation::coordinate) &&
                                      at.payload == access;
                             }) ||
         std::ranges::find(loop_nest.stores, access, &store::target) != loop_nest.stores.end();
}

void remove_unused_terms(nest& loop_nest) {
  for (std::uint32_t i = 0; i < loop_nest.accesses.size(); ++i) {
    const access at = loop_nest.accesses[i];
    if (at.term_count == 0 || is_used(loop_nest, i)) continue;
    const auto first = loop_nest.terms.begin() + at.first_term;
    loop_nest.terms.erase(first, first + at.term_count);
    loop_nest.accesses[i].term_count = 0;
    for (access& other : loop_nest.accesses)
      if (other.first_term > at.first_term) other.first_term -= at.term_count;
  }
}

void remove_unused_accesses(nest& loop_nest) {
  remove_unused_terms(loop_nest);
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < loop_nest.accesses.size(); ++i) {
    bool used = false;
    const auto renumber = [&](auto& number) {
      if (number != i) return;
      number = kept;
      used = true;
    };
    for (instruction& at : loop_nest.body)
      if (at.op == operation::input || at.op == operation::coordinate) renumber(at.payload);
    for (store& at : loop_nest.stores) renumber(at.target);
    for (access_term& term : loop_nest.terms) renumber(term.position);
    if (used) loop_nest.accesses[kept++] = loop_nest.accesses[i];
  }
  loop_nest.accesses.resize(kept);
}

}  // namespace

double bytes_of(const nest& loop_nest, const access& at) {
  double bytes = static_cast<double>(size_of(at.type));
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    if (at.strides[axis] != 0) bytes *= static_cast<double>(loop_nest.extents[axis]);
  return bytes;
}

void swap_axes(nest& loop_nest, unsigned a, unsigned b) {
  const auto swap_bits = [&](std::uint32_t& bits) {
    const std::uint32_t bit_a = bits >> a & 1, bit_b = bits >> b & 1;
    bits = (bits & ~(1u << a) & ~(1u << b)) | bit_a << b | bit_b << a;
  };
  std::swap(loop_nest.extents[a], loop_nest.extents[b]);
  for (access& at : loop_nest.accesses) {
    std::swap(at.strides[a], at.strides[b]);
    swap_bits(at.strided);
  }
  swap_bits(loop_nest.reduced);
  if (loop_nest.split == static_cast<int>(a) || loop_nest.split == static_cast<int>(b))
    loop_nest.split = static_cast<int>(a + b) - loop_nest.split;
}

namespace {

/// Whether an axis counts pieces, or the elements of a piece.
bool is_of_pieces(const nest& loop_nest, unsigned axis) {
  return loop_nest.split >= 0 && (static_cast<int>(axis) == loop_nest.split || axis == split_axis(loop_nest));
}

void remove_axis(nest& loop_nest, unsigned axis) {
  const auto remove_bit = [below = (1u << axis) - 1](std::uint32_t& bits) {
    bits = (bits & below) | (bits >> 1 & ~below);
  };
  remove_bit(loop_nest.reduced);
  --loop_nest.rank;
  if (loop_nest.split > static_cast<int>(axis)) --loop_nest.split;
  for (unsigned i = axis; i < loop_nest.rank; ++i) loop_nest.extents[i] = loop_nest.extents[i + 1];
  for (access& at : loop_nest.accesses) {
    for (unsigned i = axis; i < loop_nest.rank; ++i) at.strides[i] = at.strides[i + 1];
    at.strides[loop_nest.rank] = 0;
    remove_bit(at.strided);
  }
}

/// The write that moves the most bytes; of equal ones the last. Results determine the order, not operands:
/// scattered stores cost more than scattered loads, and only loads can be transposed in a tile.
const access& heaviest_write(const nest& loop_nest) {
  const access* found = &loop_nest.accesses[loop_nest.stores.front().target];
  for (const store& at : loop_nest.stores)
    if (size_of(loop_nest.accesses[at.target].type) >= size_of(found->type))
      found = &loop_nest.accesses[at.target];
  return *found;
}

/// The most expensive access. A reduction's reads count more than its writes, unless these are as large.
const access& heaviest_access(const nest& loop_nest) {
  const access* found = &heaviest_write(loop_nest);
  for (const access& at : loop_nest.accesses)
    if (at.what == access::kind::read && bytes_of(loop_nest, at) > bytes_of(loop_nest, *found)) found = &at;
  return *found;
}

void order_axes(nest& loop_nest) {
  const access reference = loop_nest.reduced == 0 ? heaviest_write(loop_nest) : heaviest_access(loop_nest);
  std::array<std::uint64_t, max_rank> weight{};
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    weight[axis] = static_cast<std::uint64_t>(std::llabs(reference.strides[axis])) - 1;  // axes along which
                                                                                         // it repeats go last
  // insertion sort: ranks are small, and equal weights must keep their order
  for (unsigned i = 1; i < loop_nest.rank; ++i)
    for (unsigned j = i; j > 0 && weight[j] < weight[j - 1]; --j) {
      std::swap(weight[j], weight[j - 1]);
      swap_axes(loop_nest, j, j - 1);
    }
}

/// The axis along which the elements of an access are closest; the nest's rank if it does not move.
unsigned nearest_axis(const nest& loop_nest, const access& at) {
  unsigned found = loop_nest.rank;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    if (at.strides[axis] != 0 &&
        (found == loop_nest.rank || std::llabs(at.strides[axis]) < std::llabs(at.strides[found])))
      found = axis;
  return found;
}

/// The stride that says in which direction an axis is traversed: that of the first result; where it does not
/// move, as along reduced axes, that of the read that moves the most bytes.
std::int64_t leading_stride(const nest& loop_nest, unsigned axis) {
  const access* leading = &loop_nest.accesses[loop_nest.stores.front().target];
  if (leading->strides[axis] != 0) return leading->strides[axis];
  for (const access& at : loop_nest.accesses)
    if (at.what == access::kind::read && at.strides[axis] != 0 &&
        (leading->what == access::kind::write || bytes_of(loop_nest, at) > bytes_of(loop_nest, *leading)))
      leading = &at;
  return leading->strides[axis];
}

/// Traverses every axis in the direction in which its leading access goes upward, except where scans fix the
/// direction.
void make_ascending(nest& loop_nest) {
  const bool scans = has_scans(loop_nest);
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis) {
    if ((scans && loop_nest.is_reduced(axis)) || leading_stride(loop_nest, axis) >= 0) continue;
    for (access& at : loop_nest.accesses) {
      at.offset += (loop_nest.extents[axis] - 1) * at.strides[axis];
      at.strides[axis] = -at.strides[axis];
    }
  }
}

void group_accesses(nest& loop_nest) {
  std::uint32_t groups = 0;
  for (std::size_t i = 0; i < loop_nest.accesses.size(); ++i) {
    access& at = loop_nest.accesses[i];
    const auto equal = std::find_if(
        loop_nest.accesses.begin(), loop_nest.accesses.begin() + static_cast<std::ptrdiff_t>(i),
        [&](const access& other) {
          return !loop_nest.shape_generic && other.strides == at.strides && other.strided == at.strided;
        });
    at.group = equal != loop_nest.accesses.begin() + static_cast<std::ptrdiff_t>(i) ? equal->group : groups++;
  }
}

/// Elements, and steps along axis 1.
struct window_distance {
  std::int64_t rows = 0, elements = 0;
};

/// Splits a distance of elements; nullopt if it is not small.
std::optional<window_distance> split_distance(std::int64_t distance, std::int64_t row_stride) {
  window_distance made;
  if (row_stride != 0) {
    const std::int64_t half = std::llabs(row_stride) / 2;
    made.rows = (distance + (distance < 0 ? -half : half)) / row_stride;
  }
  made.elements = distance - made.rows * row_stride;
  if (std::llabs(made.rows) > farthest_row || std::llabs(made.elements) > farthest_element) return {};
  return made;
}

/// Whether an axis other than the innermost has so small a stride that a distance could be one of its steps.
bool has_short_rows(const access& at, unsigned rank) {
  return std::any_of(at.strides.begin() + 1, at.strides.begin() + std::max(1u, rank),
                     [](std::int64_t stride) { return std::llabs(stride) < nearest_row; });
}

/// Which reads form a window with one of them. Reads of a window have their terms in common: one term along
/// axis 0 and one along axis 1 say, for all elements of the window, where they are.
class window_search {
 public:
  window_search(const nest& loop_nest, const access& first) : nest_(loop_nest), first_(first) {
    for (const access& at : loop_nest.accesses) {
      const auto distance = is_close(at);
      if (!distance.has_value() || !is_simple(at)) continue;
      for (const access_term& term : terms_of(loop_nest, at)) {
        const unsigned axis = axis_of(term);
        if (!terms_[axis].has_value()) terms_[axis] = {term, first_number(term, axis, *distance)};
      }
    }
  }

  bool has(const access& at, window_distance& distance) const {
    distance = {};
    if (&at == &first_) return true;
    const auto found = is_close(at);
    if (!found.has_value() || !is_simple(at) || !is_simple(first_)) return false;
    distance = *found;
    return shares_terms(first_, {}) && shares_terms(at, distance);
  }

 private:
  struct shared_term {
    access_term term;
    std::int64_t first_number;  ///< that the first access' first element has
  };

  std::optional<window_distance> is_close(const access& at) const {
    if (at.what != access::kind::read || first_.place != at.place || first_.array != at.array ||
        nest_.shape_generic || first_.strides != at.strides)
      return {};
    // not contiguous, such as coordinates of points: they share a pointer and nothing else
    const bool scattered = at.strides[0] != 1 && has_short_rows(at, nest_.rank);
    if (!scattered && has_short_rows(at, nest_.rank)) return {};
    const auto distance =
        split_distance(at.offset - first_.offset, nest_.rank > 1 && !scattered ? at.strides[1] : 0);
    if (!distance.has_value()) return {};
    // as far apart as the axis is long: two separate rows, not one row read twice
    const bool beyond_rows = nest_.rank > 1 && std::llabs(distance->rows) >= nest_.extents[1];
    const std::int64_t length = nest_.rank > 0 ? nest_.extents[0] * std::llabs(at.strides[0]) : 0;
    if (beyond_rows || (length != 0 && std::llabs(distance->elements) >= length)) return {};
    return distance;
  }

  /// The axis along which a term's position steps by one; max_rank if it is no such position.
  unsigned axis_of(const access_term& term) const {
    const auto& steps = nest_.accesses[term.position].strides;
    unsigned found = max_rank;
    for (unsigned axis = 0; axis < nest_.rank; ++axis) {
      if (steps[axis] == 0) continue;
      if (steps[axis] != 1 || found != max_rank || axis > 1) return max_rank;
      found = axis;
    }
    return found;
  }
  /// Whether all terms say where an element lies along an axis of a window.
  bool is_simple(const access& at) const {
    if (at.term_count == 0) return true;
    return at.strides[0] == 1 && std::ranges::all_of(terms_of(nest_, at), [&](const access_term& term) {
             const unsigned axis = axis_of(term);
             return axis != max_rank && keeps_positions(term.rule) && term.rule != position_rule::part &&
                    term.stride == at.strides[axis];
           });
  }
  static std::int64_t along(unsigned axis, const window_distance& distance) {
    return axis == 0 ? distance.elements : distance.rows;
  }
  std::int64_t first_number(const access_term& term, unsigned axis, const window_distance& distance) const {
    return nest_.accesses[term.position].offset - along(axis, distance);
  }
  /// An access without a term that the window has must lie inside where it is.
  bool shares_terms(const access& at, const window_distance& distance) const {
    for (unsigned axis = 0; axis < 2; ++axis) {
      if (!terms_[axis].has_value()) continue;
      const auto& [shared, number] = *terms_[axis];
      const auto own = std::ranges::find_if(terms_of(nest_, at),
                                            [&](const access_term& term) { return axis_of(term) == axis; });
      if (own == terms_of(nest_, at).end()) {
        const std::int64_t begin = number + along(axis, distance);
        if (at.strides[0] != 1 || begin < 0 || begin + nest_.extents[axis] > shared.extent) return false;
      } else if (own->rule != shared.rule || own->extent != shared.extent ||
                 first_number(*own, axis, distance) != number) {
        return false;
      }
    }
    return true;
  }

  const nest& nest_;
  const access& first_;
  std::array<std::optional<shared_term>, 2> terms_;
};

}  // namespace

void order_other_axes(nest& loop_nest) {
  if (loop_nest.reduced == 0 || has_scans(loop_nest)) return;
  const bool reduced = loop_nest.is_reduced(0);
  std::array<unsigned, max_rank> reads{};
  for (const access& at : loop_nest.accesses) {
    const unsigned nearest = nearest_axis(loop_nest, at);
    if (at.what == access::kind::read && nearest < loop_nest.rank &&
        loop_nest.is_reduced(nearest) != reduced && !is_of_pieces(loop_nest, nearest))
      ++reads[nearest];
  }
  const auto most = static_cast<unsigned>(std::ranges::max_element(reads) - reads.begin());
  if (reads[most] == 0) return;
  for (unsigned axis = most, other = most; axis-- > 0;)
    if (loop_nest.is_reduced(axis) != reduced) {
      swap_axes(loop_nest, axis, other);
      other = axis;
    }
}

void find_windows(nest& loop_nest) {
  const auto count = static_cast<std::uint32_t>(loop_nest.accesses.size());
  for (std::uint32_t i = 0; i < count; ++i) {
    access& at = loop_nest.accesses[i];
    at.base = i;
    at.shift = at.row_shift = 0;
    at.contiguous_inside = false;
  }
  for (std::uint32_t first = 0; first < count; ++first) {
    if (loop_nest.accesses[first].base != first || loop_nest.accesses[first].what != access::kind::read)
      continue;
    const window_search window(loop_nest, loop_nest.accesses[first]);
    window_distance lowest, distance;
    for (std::uint32_t i = first; i < count; ++i) {
      access& at = loop_nest.accesses[i];
      if (at.base != i || !window.has(at, distance)) continue;
      at.base = first;
      lowest.rows = std::min(lowest.rows, distance.rows);
      lowest.elements = std::min(lowest.elements, distance.elements);
    }
    bool is_shared = false;
    for (std::uint32_t i = first; i < count; ++i) {
      access& at = loop_nest.accesses[i];
      if (at.base != first || !window.has(at, distance)) continue;
      at.shift = static_cast<std::uint16_t>(distance.elements - lowest.elements);
      at.row_shift = static_cast<std::uint16_t>(distance.rows - lowest.rows);
      is_shared |= i != first;
    }
    for (std::uint32_t i = first; i < count && is_shared; ++i) {
      access& at = loop_nest.accesses[i];
      if (at.base == first) at.contiguous_inside = has_term_along(loop_nest, at, 0);
    }
  }
}

void merge_axes(nest& loop_nest) {
  for (unsigned axis = 0; axis + 1 < loop_nest.rank;) {
    const bool mergeable =
        loop_nest.is_reduced(axis) == loop_nest.is_reduced(axis + 1) && !is_of_pieces(loop_nest, axis) &&
        !is_of_pieces(loop_nest, axis + 1) &&
        std::all_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
          return at.strides[axis + 1] == at.strides[axis] * loop_nest.extents[axis] &&
                 (at.strided >> axis & 1) == (at.strided >> (axis + 1) & 1);
        });
    if (!mergeable) {
      ++axis;
      continue;
    }
    const std::int64_t merged = loop_nest.extents[axis] * loop_nest.extents[axis + 1];
    remove_axis(loop_nest, axis + 1);
    loop_nest.extents[axis] = merged;
  }
}

void regroup(nest& loop_nest) {
  remove_unused_constants(loop_nest);
  group_accesses(loop_nest);
  find_windows(loop_nest);
}

void settle_empty(nest& loop_nest) {
  if (is_empty(loop_nest)) {
    std::fill_n(loop_nest.extents.begin(), loop_nest.rank, 0);
    return;
  }
  bool none = false;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    none |= loop_nest.is_reduced(axis) && loop_nest.extents[axis] == 0;
  if (!none) return;
  for (unsigned axis = 0; axis < loop_nest.rank; ++axis)
    if (loop_nest.is_reduced(axis)) loop_nest.extents[axis] = 0;
  if (std::popcount(loop_nest.reduced) > 1)
    loop_nest.extents[static_cast<unsigned>(std::countr_zero(loop_nest.reduced))] = 1;
}

void normalise(nest& loop_nest) {
  remove_unused_accesses(loop_nest);
  if (!loop_nest.shape_generic) {
    for (unsigned axis = loop_nest.rank; axis-- > 0;)
      if (loop_nest.extents[axis] == 1) remove_axis(loop_nest, axis);
    const bool empty = std::find(loop_nest.extents.begin(), loop_nest.extents.begin() + loop_nest.rank, 0) !=
                       loop_nest.extents.begin() + loop_nest.rank;
    if (!empty) {
      make_ascending(loop_nest);
      order_axes(loop_nest);
      order_other_axes(loop_nest);
      merge_axes(loop_nest);
    }
  }
  regroup(loop_nest);
}

}  // namespace sinter::inline v0
