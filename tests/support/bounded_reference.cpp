#include "bounded_reference.hpp"

#include "sweep/sweep.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

using bounds = std::vector<long double>;
constexpr long double unknown = std::numeric_limits<long double>::infinity();

/// The type in which arithmetic on a type's elements, or on their parts, rounds.
element_type rounding_type(element_type type) { return facts_of(component_of(type)).compute; }
/// Half the distance from 1 to the next number.
long double epsilon_of(element_type type) {
  switch (component_of(type)) {
    case element_type::float16:
      return 0x1p-11L;
    case element_type::bfloat16:
      return 0x1p-8L;
    case element_type::float32:
      return 0x1p-24L;
    default:
      return 0x1p-53L;
  }
}
long double greatest_of(element_type type) {
  switch (component_of(type)) {
    case element_type::float16:
      return 65504.0L;
    case element_type::bfloat16:
      return 0x1.fep127L;
    case element_type::float32:
      return static_cast<long double>(std::numeric_limits<float>::max());
    default:
      return static_cast<long double>(std::numeric_limits<double>::max());
  }
}
long double min_of(element_type type) {
  switch (component_of(type)) {
    case element_type::float16:
      return 0x1p-24L;
    case element_type::bfloat16:
      return 0x1p-133L;
    case element_type::float32:
      return 0x1p-149L;
    default:
      return 0x1p-1074L;
  }
}

bool is_finite(const reference_value& at) { return std::isfinite(at.real) && std::isfinite(at.imaginary); }
long double size_of_value(const reference_value& at) { return std::hypot(at.real, at.imaginary); }

/// The distance between two results of one node: infinity if they are of different kinds.
long double difference(element_type type, const reference_value& a, const reference_value& b) {
  if (!is_inexact(type)) return a.integer == b.integer ? 0 : unknown;
  const auto along = [](long double x, long double y) -> long double {
    if (std::isnan(x) || std::isnan(y)) return std::isnan(x) && std::isnan(y) ? 0 : unknown;
    if (std::isinf(x) || std::isinf(y)) return x == y ? 0 : unknown;
    return std::abs(x - y);
  };
  return std::hypot(along(a.real, b.real), along(a.imaginary, b.imaginary));
}

/// One node of a graph with its own operands.
class single_node {
 public:
  single_node(const graph& of, std::span<const std::uint64_t> scalars) : scalars_(scalars) {
    alone_.mode = of.mode;
    alone_.view_items = of.view_items;
    alone_.views = of.views;
    alone_.parameters = of.parameters;
    alone_.externals = of.externals;
  }

  reference_array run(node at, std::vector<reference_array> operands) {
    alone_.nodes.clear();
    alone_.inputs.clear();
    for (unsigned i = 0; i < operands.size(); ++i) {
      node input;
      input.op = operation::input;
      input.type = operands[i].type;
      input.rank = static_cast<std::uint8_t>(operands[i].extents.size());
      input.payload = i;
      if (is_part(at.op) && at.op != operation::concatenate && i > 0) {  // an integer that the host knows
        input.op = operation::literal;
        input.payload = operands[i].integers[0];
      }
      alone_.nodes.push_back(input);
      alone_.inputs.push_back({input.type, input.rank});
      at.inputs[i] = i;
    }
    alone_.nodes.push_back(at);
    alone_.outputs = {static_cast<node_id>(operands.size())};
    std::vector<reference_array> results;
    interpret(alone_, operands, scalars_, results, reference_precision::native);
    return std::move(results[0]);
  }
  /// Applies a view, reduction or scan to bounds or sizes instead of values.
  bounds run_on(node at, const reference_array& like, const bounds& from, operation op) {
    at.op = op;
    at.type = element_type::float64;
    reference_array numbers{element_type::float64, like.extents, from, {}};
    node input;
    input.op = operation::input;
    input.type = numbers.type;
    input.rank = static_cast<std::uint8_t>(like.extents.size());
    alone_.nodes = {input, at};
    alone_.nodes[1].inputs = {0};
    alone_.inputs = {{numbers.type, input.rank}};
    alone_.outputs = {1};
    std::vector<reference_array> results;
    interpret(alone_, std::span(&numbers, 1), scalars_, results, reference_precision::extended);
    return std::move(results[0].reals);
  }

  /// Moves the bounds of elements as a part moves these.
  template <typename Bounds>
  bounds moved(node at, std::vector<reference_array> operands, const Bounds& bounds_of) {
    const unsigned arrays = at.op == operation::concatenate ? 2 : 1;
    for (unsigned i = 0; i < arrays; ++i)
      operands[i] = {element_type::float64, operands[i].extents, bounds_of(i), {}};
    at.type = element_type::float64;
    return std::move(run(at, std::move(operands)).reals);
  }

 private:
  graph alone_;
  std::span<const std::uint64_t> scalars_;
};

class analysis {
 public:
  analysis(const graph& recorded, std::span<const reference_array> inputs,
           std::span<const std::uint64_t> scalars, const bounded_options& options)
      : graph_(recorded), inputs_(inputs), options_(options), alone_(recorded, scalars) {}

  std::vector<bounded_array> run() {
    for (const node& at : graph_.nodes) {
      bounded_array made = value_of(at);
      if (options_.stored) store(made.value);
      values_.push_back(std::move(made));
    }
    return std::move(values_);
  }

 private:
  const bounded_array& operand(const node& at, unsigned i) const { return values_[at.inputs[i]]; }

  bounded_array value_of(const node& at) {
    if (at.op == operation::input) return exact(inputs_[at.payload]);
    std::vector<reference_array> operands;
    for (unsigned i = 0; i < at.arity; ++i) operands.push_back(operand(at, i).value);
    bounded_array made = exact(alone_.run(at, operands));
    if (at.arity == 0 || at.op == operation::extent || at.op == operation::coordinate) return made;
    if (at.op == operation::view)
      made.bound = alone_.run_on(at, operands[0], operand(at, 0).bound, operation::view);
    else if (is_part(at.op))
      made.bound = alone_.moved(at, operands, [&](unsigned i) { return operand(at, i).bound; });
    else if (is_reduction(at.op) || is_scan(at.op))
      combine(at, made);
    else
      apply(at, std::move(operands), made);
    return made;
  }

  static bounded_array exact(reference_array value) {
    const std::size_t count = value.size();
    return {std::move(value), bounds(count, 0)};
  }
  static void store(reference_array& value) {
    if (!is_inexact(value.type)) return;
    const element_type part = component_of(value.type);
    for (long double& each : value.reals) each = rounded(part, each);
    for (long double& each : value.imaginaries) each = rounded(part, each);
  }

  /// Operations on elements, and casts.
  void apply(const node& at, std::vector<reference_array> operands, bounded_array& made) {
    const element_type compute = operand(at, at.arity - 1u).value.type;
    bounds undecided(made.bound.size(), 0);
    for (unsigned i = 0; i < at.arity; ++i) {
      const bounded_array& from = operand(at, i);
      if (std::all_of(from.bound.begin(), from.bound.end(), [](long double b) { return b == 0; })) continue;
      spread(from, made.value, undecided, at.op == operation::where ? i : 0, at);
      if (!is_inexact(from.value.type)) continue;
      for (const bool imaginary : {false, true}) {
        if (imaginary && !is_complex(from.value.type)) continue;
        for (const long double sign : {1.0L, -1.0L}) {
          reference_array moved = from.value;
          for (std::size_t e = 0; e < moved.size(); ++e)
            if (from.bound[e] != 0 && from.bound[e] != unknown)
              (imaginary ? moved.imaginaries : moved.reals)[e] += sign * from.bound[e];
          std::swap(operands[i], moved);
          const reference_array other = alone_.run(at, operands);
          std::swap(operands[i], moved);
          for (std::size_t e = 0; e < made.bound.size(); ++e)
            made.bound[e] += difference(made.value.type, made.value.at(e), other.at(e));
        }
      }
    }
    // both signs were added, which doubles the first-order bound
    for (std::size_t e = 0; e < made.bound.size(); ++e)
      made.bound[e] = std::max(undecided[e], own_error(at, compute, made.value.at(e), made.bound[e]));
    if (is_complex(compute) || is_complex(made.value.type)) beware_of_extremes(at, made);
  }

  /// Elements with an unknown operand are unknown, except for operands that are not selected.
  void spread(const bounded_array& from, const reference_array& made, bounds& undecided, unsigned chosen,
              const node& at) const {
    const auto index = [&](const reference_array& array, std::size_t e) {
      std::size_t own = 0, rest = e, factor = 1;
      for (std::size_t axis = made.extents.size(); axis-- > 0;) {
        const auto extent = static_cast<std::size_t>(made.extents[axis]);
        const std::size_t position = rest % extent, lead = made.extents.size() - array.extents.size();
        rest /= extent;
        if (axis < lead) continue;
        const auto here = static_cast<std::size_t>(array.extents[axis - lead]);
        own += (here == 1 ? 0 : position) * factor;
        factor *= here;
      }
      return own;
    };
    for (std::size_t e = 0; e < undecided.size(); ++e) {
      if (from.bound[index(from.value, e)] != unknown) continue;
      if (chosen != 0) {
        const bounded_array& condition = operand(at, 0);
        const std::size_t c = index(condition.value, e);
        if (condition.bound[c] == 0 && (condition.value.integers[c] != 0) != (chosen == 1)) continue;
      }
      undecided[e] = unknown;
    }
  }

  /// The bound that rounding adds.
  long double own_error(const node& at, element_type compute, const reference_value& value,
                        long double moved) const {
    if (!is_inexact(at.type) || moved == unknown || !is_finite(value)) return moved;
    const long double size = size_of_value(value), unit = epsilon_of(rounding_type(at.type)) * size;
    if (is_complex(compute)) {
      const bool plain = at.op == operation::cast || at.op == operation::where || at.op == operation::real ||
                         at.op == operation::imag || at.op == operation::conj ||
                         at.op == operation::negative || at.op == operation::positive ||
                         at.op == operation::add || at.op == operation::subtract;
      if (plain) return moved == 0 ? 0 : moved + 4 * unit;
      // each of the real functions that it consists of may lose digits
      return 2 * moved + (facts_of(at.op).spelling.empty() ? 256 : 16) * unit + min_of(at.type);
    }
    if (!is_inexact(compute)) return moved;
    if (is_smooth(at.op)) {
      const double stated = stated_ulp(at.op, compute, at.type, options_.on, graph_.mode);
      return moved + (4 + 2 * static_cast<long double>(stated)) * epsilon_of(at.type) * size +
             min_of(at.type);
    }
    const bool product = at.op == operation::multiply || at.op == operation::square;
    if (product && graph_.mode != arithmetic_mode::strict)
      return moved + 2 * unit + min_of(rounding_type(at.type));
    const bool either_zero = at.op == operation::maximum || at.op == operation::minimum ||
                             at.op == operation::fmax || at.op == operation::fmin || at.op == operation::clip;
    if (either_zero && size == 0) return std::max(moved, min_of(at.type));
    if (moved == 0) return 0;
    const long double kept = graph_.mode == arithmetic_mode::strict || at.op == operation::cast
                                 ? epsilon_of(at.type) * size
                                 : unit;
    return moved + 4 * kept + min_of(at.type);
  }

  /// Complex functions have implementation-specific results if parts overflow, vanish or are NaN.
  void beware_of_extremes(const node& at, bounded_array& made) const {
    if (at.op == operation::real || at.op == operation::imag || at.op == operation::conj ||
        at.op == operation::cast || at.op == operation::where || at.op == operation::make_complex)
      return;
    bool extreme = false;
    const auto look = [&](const reference_value& value, element_type type) {
      const long double size = size_of_value(value), root = std::sqrt(greatest_of(rounding_type(type))) / 16;
      return !is_finite(value) || size > root || (size != 0 && size < 1 / root);
    };
    for (unsigned i = 0; i < at.arity; ++i) {
      const reference_array& from = operand(at, i).value;
      for (std::size_t e = 0; e < from.size() && !extreme && is_inexact(from.type); ++e)
        extreme = look(from.at(e), from.type);
    }
    if (extreme && is_inexact(made.value.type)) std::fill(made.bound.begin(), made.bound.end(), unknown);
    if (extreme && !is_inexact(made.value.type) && at.op != operation::equal && at.op != operation::not_equal)
      std::fill(made.bound.begin(), made.bound.end(), unknown);
    if (is_inexact(made.value.type))
      for (std::size_t e = 0; e < made.bound.size(); ++e)
        if (look(made.value.at(e), made.value.type)) made.bound[e] = unknown;
  }

  /// Reductions and scans.
  void combine(const node& at, bounded_array& made) {
    const bounded_array& from = operand(at, 0);
    const bool scans = is_scan(at.op);
    const operation total = scans ? operation::cumsum : operation::sum;
    made.bound = alone_.run_on(at, from.value, from.bound, total);
    if (!is_inexact(from.value.type)) {
      for (long double& each : made.bound)
        if (each != 0) each = unknown;
      return;
    }
    const element_type type = from.value.type;
    switch (at.op) {
      case operation::argmax:
      case operation::argmin:
        for (long double& each : made.bound)
          if (each != 0) each = unknown;
        return;
      case operation::all:
      case operation::any:
        return;  // of booleans
      case operation::max:
      case operation::min:
      case operation::nanmax:
      case operation::nanmin:
        for (std::size_t e = 0; e < made.bound.size(); ++e)
          if (made.value.reals[e] == 0) made.bound[e] = std::max(made.bound[e], min_of(type));
        return;
      default:
        break;
    }
    combine_sizes(at, from, total, made);
  }

  /// Sums and products: the bound grows with the sizes of what is combined.
  void combine_sizes(const node& at, const bounded_array& from, operation total, bounded_array& made) {
    const element_type type = from.value.type;
    const std::size_t count = from.value.size();
    const bool sums = facts_of(at.op).combine == operation::add;
    bounds sizes(count), counted(count, 1), odd(count);
    for (std::size_t e = 0; e < count; ++e) {
      const reference_value value = from.value.at(e);
      const long double size = size_of_value(value);
      odd[e] = is_finite(value) ? 0 : 1;
      // for products: the number of binary digits by which each factor may change it, up or down
      sizes[e] = odd[e] != 0 ? 0 : sums ? size : size == 0 ? 0 : std::abs(std::log2(size)) + 1;
      if (sums) continue;
      counted[e] = size == 0 ? (from.bound[e] == 0 ? 0 : unknown) : from.bound[e] / size;
    }
    const bounds size = alone_.run_on(at, from.value, sizes, total),
                 strange = alone_.run_on(at, from.value, odd, total);
    const bool whole = all_whole(from);
    const bounds number = sums ? bounds() : alone_.run_on(at, from.value, counted, total);
    const auto length = static_cast<long double>(std::max<std::size_t>(count, 1));
    for (std::size_t e = 0; e < made.bound.size(); ++e) {
      if (made.bound[e] == unknown) continue;
      const combined_sizes of{size[e], strange[e], sums ? 0 : number[e], length, whole};
      if (is_complex(type) && (of.strange != 0 || !is_finite(made.value.at(e))))
        made.bound[e] = unknown;
      else
        made.bound[e] = sums ? bound_of_sum(type, made.value.at(e), made.bound[e], of)
                             : bound_of_product(type, made.value.at(e), made.bound[e], of);
    }
  }

  /// What is known of the elements that make one result.
  struct combined_sizes {
    long double size;     ///< the sum of their sizes; of products, of the digits by which they change it
    long double strange;  ///< how many are infinite or not a number
    long double number;   ///< the sum of their relative bounds; of products alone
    long double length;
    bool whole;  ///< all are exact integers
  };

  static long double bound_of_sum(element_type type, const reference_value& value, long double bound,
                                  const combined_sizes& of) {
    const long double greatest = greatest_of(rounding_type(type)), epsilon = epsilon_of(rounding_type(type)),
                      least = min_of(component_of(type));
    if (of.size > greatest / 2)
      bound = unknown;
    else if (of.strange != 0)
      bound = bound != 0 && is_finite(value) ? unknown : 0;
    else if (!(of.whole && of.size < 1 / epsilon))
      bound = 2 * bound + 2 * of.length * epsilon * of.size + least;
    return size_of_value(value) == 0 ? std::max(bound, least) : bound;
  }

  static long double bound_of_product(element_type type, const reference_value& value, long double bound,
                                      const combined_sizes& of) {
    const long double greatest = greatest_of(rounding_type(type)), epsilon = epsilon_of(rounding_type(type)),
                      least = min_of(component_of(type)), own = size_of_value(value);
    if (of.size > std::log2(greatest) - 8)
      bound = unknown;  // another order of evaluation may overflow or underflow
    else if (of.strange != 0)
      bound = of.number == 0 ? 0 : unknown;
    else if (!(of.whole && std::exp2(of.size) < 1 / epsilon && of.number == 0))
      bound = std::isnan(of.number) ? unknown : 4 * own * (of.number + of.length * epsilon) + least;
    return own == 0 ? std::max(bound, least) : bound;
  }

  static bool all_whole(const bounded_array& from) {
    if (is_complex(from.value.type)) return false;
    for (std::size_t e = 0; e < from.value.size(); ++e)
      if (from.bound[e] != 0 ||
          (std::isfinite(from.value.reals[e]) && from.value.reals[e] != std::nearbyint(from.value.reals[e])))
        return false;
    return true;
  }

  const graph& graph_;
  std::span<const reference_array> inputs_;
  const bounded_options options_;
  single_node alone_;
  std::vector<bounded_array> values_;
};

}  // namespace

std::vector<bounded_array> bounded_values(const graph& recorded, std::span<const reference_array> inputs,
                                          std::span<const std::uint64_t> scalars,
                                          const bounded_options& options) {
  return analysis(recorded, inputs, scalars, options).run();
}

std::string first_outside(const bounded_array& expected, const bits& actual, compared_elements& counts) {
  const element_type type = expected.value.type, part = component_of(type);
  const std::size_t parts = parts_of(type);
  if (actual.size() != expected.value.size() * parts)
    return "has " + std::to_string(actual.size() / parts) + " elements instead of " +
           std::to_string(expected.value.size());
  for (std::size_t e = 0; e < expected.value.size(); ++e) {
    const reference_value wanted = expected.value.at(e);
    const long double bound = expected.bound[e];
    if (bound == unknown) {
      ++counts.undecided;
      continue;
    }
    ++counts.compared;
    std::string what, got;
    bool same = true;
    for (std::size_t p = 0; p < parts; ++p) {
      const reference_value one = p == 0 ? wanted : reference_value{wanted.imaginary};
      const std::uint64_t rounded_bits = store_reference(part, one), given = actual[e * parts + p];
      same = same && same_element(part, rounded_bits, given);
      what += (p == 0 ? "" : ", ") + element_text(part, rounded_bits);
      got += (p == 0 ? "" : ", ") + element_text(part, given);
    }
    if (same) continue;
    if (bound > 0 && is_inexact(type)) {
      const long double size = size_of_value(wanted);
      const long double allowed = bound + 2.5L * epsilon_of(type) * size + min_of(part);
      if (is_finite(wanted) && size + allowed >= greatest_of(type)) continue;  // it may have overflowed
      reference_value given{real_of(part, actual[e * parts])};
      if (parts == 2) given.imaginary = real_of(part, actual[e * parts + 1]);
      if (difference(type, wanted, given) <= allowed) continue;
    }
    char by[32];
    std::snprintf(by, sizeof by, "%.3Lg", bound);
    return "element " + std::to_string(e) + " is " + what + " (bound " + by + "), got " + got;
  }
  return {};
}

}  // namespace sinter::test
