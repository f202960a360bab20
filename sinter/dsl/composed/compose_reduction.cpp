#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/composed/compose_reduction.hpp>

#include <sinter/codegen/graph/composed_function.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <array>
#include <bit>
#include <limits>

namespace sinter::inline v0::detail {

namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// What an error calls a reduction that has no result over no elements.
composed_function named(reduction what) {
  switch (what) {
    case reduction::softmax:
      return composed_function::softmax;
    case reduction::log_softmax:
      return composed_function::log_softmax;
    case reduction::norm:
      return composed_function::norm;
    case reduction::nanargmax:
      return composed_function::nanargmax;
    case reduction::nanargmin:
      return composed_function::nanargmin;
    default:
      return composed_function::none;
  }
}

/// One reduction being recorded. All steps keep the reduced axes, with extent 1; finish() drops them.
class composition {
 public:
  composition(graph_builder& into, const reduction_request& request, const graph_value* operands,
              const std::source_location& at)
      : request_(request), builder_(into), at_(at), given_(operands[0]) {
    elements_ = builder_.cast(given_, request.compute, at);
    if (request.masked) mask_ = operands[1];
    if (request.corrected) ddof_ = operands[request.masked ? 2 : 1];
  }

  graph_value made() {
    if (is_row(request_.what) || is_scan(request_.what)) return row(row_of(request_.what), elements_);
    switch (request_.what) {
      case reduction::nansum:
        return finish(sum(where_number(elements_, 0)));
      case reduction::nanprod:
        return finish(reduce(operation::prod, where_number(elements_, 1)));
      case reduction::count_nonzero:
        return row(operation::sum, elements_);
      case reduction::nanargmax:
        return found(operation::argmax, -infinity);
      case reduction::nanargmin:
        return found(operation::argmin, infinity);
      case reduction::mean:
        return finish(divide(sum(kept(elements_, 0)), count()));
      case reduction::nanmean:
        return finish(divide(sum(where_number(elements_, 0)), count_numbers()));
      case reduction::var:
      case reduction::nanvar:
        return finish(variance());
      case reduction::stddev:
      case reduction::nanstddev:
        return finish(apply(operation::sqrt, {variance()}));
      case reduction::norm:
        return finish(norm(std::bit_cast<double>(request_.order)));
      case reduction::softmax:
        return finish(softmax());
      case reduction::log_softmax:
        return finish(log_softmax());
      default:
        return finish(logsumexp());
    }
  }

 private:
  graph_value apply(operation op, std::initializer_list<graph_value> operands) {
    return builder_.apply(op, operands, at_);
  }
  graph_value number(double from, element_type type) {
    const element_type part = component_of(type);
    return literal(type, convert_bits(element_type::float64, std::bit_cast<std::uint64_t>(from), part));
  }
  /// A literal. For a complex type, `bits` are its real part.
  graph_value literal(element_type type, std::uint64_t bits) {
    return cast(builder_.literal(component_of(type), bits), type);
  }
  graph_value number(double from) { return number(from, request_.compute); }
  graph_value cast(graph_value from, element_type type) { return builder_.cast(from, type, at_); }
  graph_value divide(graph_value a, graph_value b) { return apply(operation::true_divide, {a, b}); }
  graph_value subtract(graph_value a, graph_value b) { return apply(operation::subtract, {a, b}); }
  graph_value reduce(operation op, graph_value x) {
    const graph_value made = builder_.reduce(op, x, request_.axes, true, at_);
    if (node* reduced = reduction_below(made))
      reduced->attribute = static_cast<std::uint64_t>(named(request_.what));
    return made;
  }
  /// The largest element; of no elements -inf.
  graph_value largest_or_start(graph_value x) {
    const graph_value made = reduce(operation::max, x);
    if (node* reduced = reduction_below(made)) {
      reduced->attribute = 0;
      reduced->payload |= start_if_empty;
    }
    return made;
  }
  /// The reduction that the builder has just made; none where there is no axis to reduce.
  node* reduction_below(graph_value made) {
    node& at = builder_.recorded().nodes[made.id];
    return request_.axes != 0 && is_reduction(at.op) ? &at : nullptr;
  }
  graph_value sum(graph_value x) { return reduce(operation::sum, x); }

  /// x, replaced by `otherwise` where the mask is false.
  graph_value kept(graph_value x, double otherwise) {
    return request_.masked ? apply(operation::where, {mask_, x, number(otherwise, x.type.type)}) : x;
  }

  /// The reduction with the mask, in the requested type.
  graph_value row(operation op, graph_value x) {
    const operation_types types = apply_rule(facts_of(op).rule, x.type);
    if (request_.masked) {
      // before masking: only the reduction's own type may hold its start value
      x = cast(x, types.compute.type);
      const element_type type = x.type.type;
      // as in NumPy's nancumsum, a skipped element of a scan is 0, not the -0 that changes nothing
      const operation start = op == operation::cumsum ? operation::sum : op;
      x = apply(operation::where, {mask_, x, literal(type, start_bits(start, component_of(type)))});
    }
    if (is_scan(request_.what))
      return finish(builder_.scan(op, x, static_cast<unsigned>(std::countr_zero(request_.axes)), at_));
    return finish(reduce(op, x));
  }

  /// The result in its type, without the reduced axes unless keepdims is given.
  graph_value finish(graph_value x) {
    if (!request_.keepdims && !keeps_shape(request_.what) && request_.axes != 0) {
      std::array<view_item, std::numeric_limits<std::uint32_t>::digits> items{};
      for (unsigned axis = 0; axis < x.rank; ++axis)
        if ((request_.axes >> axis & 1) != 0) {
          items[axis].what = view_item::kind::index;
          items[axis].start = literal_bound(0);
        }
      x = builder_.view(x, std::span(items).first(x.rank), at_);
    }
    return cast(x, request_.result);
  }

  /// Which elements count, in the shape of the elements: those that are not NaN, if asked for, and in the
  /// mask.
  graph_value counted(bool numbers_only) {
    graph_value held = builder_.literal(element_type::boolean, 1);
    if (numbers_only && is_inexact(given_.type.type)) {
      held = apply(operation::logical_not, {apply(operation::isnan, {given_})});
      return request_.masked ? apply(operation::logical_and, {mask_, held}) : held;
    }
    // the elements only give the shape
    return apply(operation::where,
                 {held, request_.masked ? mask_ : held, cast(given_, element_type::boolean)});
  }
  bool counts_numbers() const { return is_inexact(given_.type.type); }

  /// x, replaced by `otherwise` where it is NaN or the mask is false.
  graph_value where_number(graph_value x, double otherwise) {
    if (!counts_numbers()) return kept(x, otherwise);
    return apply(operation::where, {counted(true), x, number(otherwise, x.type.type)});
  }

  /// The type of computation; for complex numbers that of their parts.
  element_type real_type() const { return component_of(request_.compute); }
  /// |x|^2
  graph_value squared(graph_value x) {
    if (!is_complex(request_.compute)) return apply(operation::multiply, {x, x});
    const graph_value real = apply(operation::real, {x}), imag = apply(operation::imag, {x});
    return apply(operation::add,
                 {apply(operation::multiply, {real, real}), apply(operation::multiply, {imag, imag})});
  }

  /// How many elements are reduced to one result, as a real number.
  graph_value count() {
    if (request_.masked) return cast(sum(counted(false)), real_type());
    graph_value product = builder_.literal(element_type::int64, 1);
    for (unsigned axis = 0; axis < elements_.rank; ++axis)
      if ((request_.axes >> axis & 1) != 0)
        product = apply(operation::multiply, {product, builder_.extent(elements_, axis, at_)});
    return cast(product, real_type());
  }
  graph_value count_numbers() { return counts_numbers() ? cast(sum(counted(true)), real_type()) : count(); }

  /// The mean of squared distances from the mean, in two passes to avoid cancellation. Rounding the mean
  /// shifts all distances; their sum shows the shift, and is used to correct it.
  graph_value variance() {
    const bool skips =
        counts_numbers() && (request_.what == reduction::nanvar || request_.what == reduction::nanstddev);
    const auto chosen = [&](graph_value x) { return skips ? where_number(x, 0) : kept(x, 0); };
    const graph_value elements = skips ? count_numbers() : count();
    const graph_value distance = chosen(subtract(elements_, divide(sum(chosen(elements_)), elements)));
    const graph_value around = sum(squared(distance)), drift = sum(distance);
    const graph_value excess = is_complex(request_.compute)
                                   ? divide(squared(drift), elements)
                                   : apply(operation::multiply, {drift, divide(drift, elements)});
    // where the correction overflows or is NaN, the squares alone give the result
    const graph_value squares =
        apply(operation::where, {apply(operation::isfinite, {excess}),
                                 apply(operation::maximum, {subtract(around, excess), zero()}), around});
    if (!request_.corrected && !skips) return divide(squares, elements);
    const graph_value freedom = request_.corrected ? subtract(elements, cast(ddof_, real_type())) : elements;
    // as in NumPy: without degrees of freedom it divides by zero, or gives NaN where NaN is skipped
    if (!skips) return divide(squares, apply(operation::maximum, {freedom, zero()}));
    return apply(operation::where,
                 {apply(operation::less_equal, {freedom, zero()}),
                  number(std::numeric_limits<double>::quiet_NaN(), real_type()), divide(squares, freedom)});
  }

  graph_value zero() { return number(0, real_type()); }

  graph_value norm(double order) {
    const graph_value chosen = kept(elements_, order < 0 ? infinity : 0);
    if (order == 0) return cast(sum(cast(chosen, element_type::boolean)), real_type());
    if (order == 2) return apply(operation::sqrt, {sum(squared(chosen))});
    const graph_value absolute = apply(operation::absolute, {chosen});
    if (order == 1) return sum(absolute);
    if (order == infinity) return apply(operation::maximum, {largest_or_start(absolute), zero()});
    if (order == -infinity) return reduce(operation::min, absolute);
    const graph_value powers = sum(apply(operation::power, {absolute, number(order, real_type())}));
    return apply(operation::power, {powers, number(1 / order, real_type())});
  }

  /// The number that is subtracted from exponents: the largest element, unless it is infinite or NaN.
  graph_value finite(graph_value largest) {
    return apply(operation::where, {apply(operation::isfinite, {largest}), largest, number(0)});
  }
  graph_value logsumexp() {
    const graph_value chosen = kept(elements_, -infinity), largest = finite(largest_or_start(chosen));
    const graph_value total = sum(apply(operation::exp, {subtract(chosen, largest)}));
    return apply(operation::add, {apply(operation::log, {total}), largest});
  }
  // What the mask holds back is 0 and -inf in all rows, also in those that have nothing to divide by.
  graph_value softmax() {
    const graph_value chosen = kept(elements_, -infinity);
    const graph_value powers = apply(operation::exp, {subtract(chosen, reduce(operation::max, chosen))});
    return kept(divide(powers, sum(powers)), 0);
  }
  graph_value log_softmax() {
    const graph_value chosen = kept(elements_, -infinity);
    const graph_value distance = subtract(chosen, finite(reduce(operation::max, chosen)));
    return kept(subtract(distance, apply(operation::log, {sum(apply(operation::exp, {distance}))})),
                -infinity);
  }

  /// Position of an extreme among elements that are not NaN; -1 where there is none.
  graph_value found(operation op, double otherwise) {
    if (!counts_numbers()) return finish(reduce(op, elements_));
    const graph_value missing = apply(operation::isnan, {elements_});
    const graph_value position = reduce(op, apply(operation::where, {missing, number(otherwise), elements_}));
    return finish(apply(operation::where,
                        {reduce(operation::all, missing), number(-1, element_type::int64), position}));
  }

  const reduction_request& request_;
  graph_builder& builder_;
  const std::source_location& at_;
  graph_value given_, elements_, mask_, ddof_;
};

}  // namespace

graph_value compose_reduction(graph_builder& into, const reduction_request& request,
                              const graph_value* operands, const std::source_location& at) {
  return composition(into, request, operands, at).made();
}

}  // namespace sinter::inline v0::detail
