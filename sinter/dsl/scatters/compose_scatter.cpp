#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>
#include <sinter/dsl/scatters/named_call.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

using detail::scatter_operands;

/// The type in which elements are combined: one that is updated in memory.
constexpr element_type type_combined(element_type type) {
  if (is_boolean(type)) return element_type::uint32;
  if (is_floating(type)) return type == element_type::float64 ? type : element_type::float32;
  if (size_of(type) >= 4) return type;
  return kind_of(type) == element_kind::unsigned_integer ? element_type::uint32 : element_type::int32;
}

class scatter_composer : detail::graph_operations {
 public:
  scatter_composer(graph_builder& to, const scatter_request& request, const std::source_location& where)
      : graph_operations{to, where}, request_(request) {}

  graph_value combined(const scatter_operands& given) const {
    if (request_.combine == scatter_combine::last) return last_update(given);
    scatter_operands each = of_one_rank(given);
    if (!is_complex(each.base.type.type)) return combined_numbers(each);
    each.updates = cast(each.updates, each.base.type.type);
    const auto part = [&](operation which) {
      return combined_numbers({apply(which, each.base), each.index, apply(which, each.updates)});
    };
    const graph_value real = part(operation::real), imaginary = part(operation::imag);
    return apply(operation::make_complex, real, imaginary);
  }

 private:
  /// Of a vector, index and updates are broadcast together and become one axis; of others, an index of rows
  /// stands along the axis.
  scatter_operands of_one_rank(scatter_operands given) const {
    const unsigned rank = given.base.rank;
    if (rank > 1 && given.index.rank <= 1)
      given.index = with_axes(flat(given.index), 1, rank - 1 - request_.axis);
    const unsigned together = std::max(given.index.rank, given.updates.rank);
    if (rank > 1 || together <= 1) return given;
    graph_value* const both[] = {&given.index, &given.updates};
    for (graph_value* each : both) *each = with_axes(*each, 0, together - each->rank);
    for (unsigned axis = 0; axis < together; ++axis) {
      const graph_value first = extent(given.index, axis), second = extent(given.updates, axis);
      const graph_value wanted = where(equal(first, number(1)), second, first);
      for (graph_value* each : both) *each = broadcast(*each, axis, wanted);
    }
    for (graph_value* each : both) *each = flat(*each);
    return given;
  }

  scatter_operands placed(const scatter_operands& given) const {
    const auto [index, updates] =
        into.scatter_operands(given.base, given.index, given.updates, request_.axis, at);
    return {given.base, index, updates};
  }
  graph_value in_memory(const scatter_operands& given, operation combine) const {
    return into.scatter(given.base, given.index, given.updates,
                        {request_.axis, combine, request_.rule, request_.axis}, at);
  }

  graph_value combined_numbers(const scatter_operands& given) const {
    const element_type own = given.base.type.type, type = type_combined(own);
    const graph_value updates = cast(given.updates, own);  // first to the base's own type, then wider
    const scatter_operands wide = placed({cast(given.base, type), given.index, cast(updates, type)});
    return cast(is_floating(type) ? floating(wide) : in_memory(wide, operation_on(own)), own);
  }
  operation operation_on(element_type own) const {
    if (request_.combine == scatter_combine::minimum) return operation::minimum;
    return request_.combine == scatter_combine::maximum || is_boolean(own) ? operation::maximum
                                                                           : operation::add;
  }
  graph_value floating(const scatter_operands& given) const {
    if (request_.combine == scatter_combine::add_unordered) return in_memory(given, operation::add);
    if (request_.combine == scatter_combine::add)
      return scatter_floating_sum(into, given, request_.axis, request_.rule, at);
    // keys have NaN above all numbers: minima are those of negative numbers
    const bool is_minimum = request_.combine == scatter_combine::minimum;
    const auto key = [&](graph_value x) { return apply(operation::order_key, is_minimum ? negative(x) : x); };
    const graph_value largest =
        apply(operation::of_order_key,
              in_memory({key(given.base), given.index, key(given.updates)}, operation::maximum));
    return is_minimum ? negative(largest) : largest;
  }

  /// -1 in the shape of x.
  graph_value no_update(graph_value x) const {
    graph_value made = with_axes(number(-1), 0, x.rank);
    for (unsigned i = 0; i < x.rank; ++i) made = broadcast(made, i, extent(x, i));
    return made;
  }
  /// The number of the last update of each element, -1 where there is none: of an index of rows for each row.
  graph_value last_numbers(const scatter_operands& full, graph_value index, bool is_of_rows) const {
    const unsigned axis = request_.axis;
    const auto greatest = [&](graph_value none, graph_value at_rows, graph_value numbers, unsigned along) {
      const auto [rows, counted] = into.scatter_operands(none, at_rows, numbers, along, at);
      return into.scatter(none, rows, counted, {along, operation::maximum, request_.rule, axis}, at);
    };
    if (!is_of_rows)
      return greatest(no_update(full.base), full.index, into.coordinate(full.updates, axis, at), axis);
    const auto along = [&](graph_value of) {
      return broadcast(with_axes(number(-1), 0, 1), 0, extent(of, axis));
    };
    const graph_value numbers = into.coordinate(along(full.updates), 0, at);
    const graph_value made = greatest(along(full.base), flat(index), numbers, 0);
    return with_axes(with_axes(made, 1, full.base.rank - 1 - axis), 0, axis);
  }

  graph_value last_update(const scatter_operands& given) const {
    const unsigned axis = request_.axis;
    const scatter_operands each = of_one_rank(given), full = placed(each);
    const bool is_of_rows = given.base.rank == 1 || given.index.rank <= 1;
    const graph_value last = last_numbers(full, given.base.rank == 1 ? each.index : given.index, is_of_rows);
    // a row behind the updates, so that there is one to read
    std::vector<view_item> first_row(axis + 1);
    first_row[axis].stop = literal_bound(1);
    const graph_value rows = into.concatenate(full.updates, into.view(full.base, first_row, at), axis, at);
    const graph_value is_kept = less(last, number(0));
    const graph_value read = where(is_kept, extent(full.updates, axis), last);
    return where(is_kept, full.base, into.gather(rows, read, axis, index_rule::known, axis, at));
  }

  const scatter_request request_;
};

scatter_function function_of(scatter_combine combine) {
  switch (combine) {
    case scatter_combine::minimum:
      return scatter_function::scatter_min;
    case scatter_combine::maximum:
      return scatter_function::scatter_max;
    case scatter_combine::last:
      return scatter_function::scatter;
    default:
      return scatter_function::scatter_add;
  }
}

/// "scatter_add(float32[:,:], int64[:], float32[:]) at map.cpp:12: "
std::string describe_called(const scatter_operands& given, const scatter_request& request,
                            const std::source_location& at) {
  std::string text(name_of(function_of(request.combine)));
  const char* separator = "(";
  for (const graph_value& each : {given.base, given.index, given.updates}) {
    text += separator + describe(each.type.type, each.rank);
    separator = ", ";
  }
  return text + ")" + describe(at) + ": ";
}

void check_operands(const scatter_operands& given, const scatter_request& request,
                    const std::source_location& at) {
  const std::string called = describe_called(given, request, at);
  if (is_boolean(given.index.type.type))
    throw type_error(called + "a boolean array is no index: use where or compress");
  if (!is_integer(given.index.type.type))
    throw type_error(called + "an index is an integer: convert it with astype<std::int64_t>(i)");
  const unsigned base = given.base.rank, index = given.index.rank;
  if (request.axis >= base) throw shape_error(called + "there is no axis " + std::to_string(request.axis));
  if (base > 1 && index > 1 && index != base)
    throw shape_error(called + "the index has rank " + std::to_string(index) +
                      ": it is one of rows, of rank 1, or of rank " + std::to_string(base) +
                      ", as the array");
  if (base > 1 && given.updates.rank > base)
    throw shape_error(called + "updates have rank " + std::to_string(given.updates.rank) + ", the array " +
                      std::to_string(base));
  if (is_complex(given.updates.type.type) && !is_complex(given.base.type.type))
    throw type_error(called + "complex updates of real elements: take real(x) or imag(x)");
  const bool orders =
      request.combine == scatter_combine::minimum || request.combine == scatter_combine::maximum;
  if (orders && is_complex(given.base.type.type))
    throw type_error(called + "complex numbers have no order: update real(x), imag(x) or absolute(x)");
}

}  // namespace

graph_value scatter(graph_builder& into, graph_value base, graph_value index, graph_value updates,
                    const scatter_request& request, const std::source_location& at) {
  const scatter_operands given{base, index, updates};
  check_operands(given, request, at);
  return detail::named_call(into, {function_of(request.combine), request.axis, {}},
                            std::array{base, index, updates},
                            [&] { return scatter_composer(into, request, at).combined(given); });
}

}  // namespace sinter::inline v0
