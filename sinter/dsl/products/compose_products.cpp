#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/parts/equal_extents.hpp>
#include <sinter/codegen/types/rank.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/products/compose_products.hpp>
#include <sinter/dsl/products/einsum_labels.hpp>

#include <algorithm>
#include <array>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// The labels of an operand's axes, or of the product's.
using labels = std::vector<std::uint8_t>;
/// Axes with such a label, or a higher one, are broadcast together; others have one extent.
constexpr std::uint8_t first_broadcast = 128;
/// Labels of the axes of matrices.
constexpr std::uint8_t row = 1, summed = 2, column = 3, first_other = 4;

[[noreturn]] void refuse(const std::string& function, const std::source_location& at,
                         const std::string& reason) {
  throw shape_error(function + describe(at) + ": " + reason);
}

element_type common_type(std::span<const graph_value> operands) {
  operand_type common = operands[0].type;
  for (const graph_value& each : operands.subspan(1)) common = promote(common, each.type);
  return settled_elements(common, 1).type;
}

/// An operand whose axes have labels.
struct labelled {
  graph_value value;
  labels axes;

  std::size_t position(std::uint8_t label) const {
    return static_cast<std::size_t>(std::ranges::find(axes, label) - axes.begin());
  }
  bool has(std::uint8_t label) const { return position(label) < axes.size(); }
};

struct product_composer : detail::graph_operations {
  product_function function{};
  labels result{};
  labels all{};  ///< the axes of the products: those of the result, then those that are summed

  /// An operand, one of whose axes has as many elements as an axis of another one: calls are refused where
  /// it has not.
  graph_value with_equal_extent(graph_value x, std::size_t axis, graph_value other, std::size_t other_axis,
                                std::uint8_t label) const {
    const graph_value wanted = extent(other, static_cast<unsigned>(other_axis));
    const graph_value own = extent(x, static_cast<unsigned>(axis));
    const char named = function == product_function::einsum ? static_cast<char>(label) : '\0';
    const graph_value refused = number(refused_extent({function, named}));
    return into.split(x, static_cast<unsigned>(axis), where(equal(wanted, own), wanted, refused), true, at);
  }

  /// The diagonals of labels that stand twice.
  labelled with_diagonals(labelled x) const {
    for (std::size_t first = 0; first < x.axes.size(); ++first) {
      const auto again =
          std::find(x.axes.begin() + static_cast<std::ptrdiff_t>(first) + 1, x.axes.end(), x.axes[first]);
      if (again == x.axes.end()) continue;
      const std::uint8_t label = x.axes[first];
      const auto second = static_cast<std::size_t>(again - x.axes.begin());
      x.value = with_equal_extent(x.value, second, x.value, first, label);
      x.value =
          into.diagonal(x.value, static_cast<unsigned>(first), static_cast<unsigned>(second), number(0), at);
      x.axes.erase(again);
      x.axes.erase(x.axes.begin() + static_cast<std::ptrdiff_t>(first));
      x.axes.push_back(label);
      --first;  // another axis stands there now
    }
    return x;
  }

  /// Axes of one label have one extent, which is that of the first operand with it.
  void check_extents(std::vector<labelled>& operands) const {
    for (const std::uint8_t label : all) {
      if (label >= first_broadcast) continue;
      const auto first =
          std::ranges::find_if(operands, [&](const labelled& each) { return each.has(label); });
      const graph_value holder = first->value;
      for (auto each = first + 1; each != operands.end(); ++each)
        if (each->has(label))
          each->value =
              with_equal_extent(each->value, each->position(label), holder, first->position(label), label);
    }
  }

  /// The axes in the order of the products', with new ones for labels that an operand does not have.
  graph_value aligned(const labelled& x) const {
    std::vector<view_item> order, added;
    for (const std::uint8_t label : all) {
      view_item& next = added.emplace_back();
      if (!x.has(label)) {
        next.what = view_item::kind::newaxis;
        continue;
      }
      view_item& moved = order.emplace_back();
      moved.what = view_item::kind::permute;
      moved.start = literal_bound(static_cast<std::int64_t>(x.position(label)));
    }
    const bool is_in_order =
        std::ranges::is_sorted(order, {}, [](const view_item& item) { return item.start.value; });
    graph_value made = is_in_order ? x.value : into.view(x.value, order, at);
    if (order.size() != all.size()) made = into.view(made, added, at);
    return made;
  }

  graph_value sum_of_products(std::vector<labelled> operands, element_type type) {
    all = result;
    for (labelled& each : operands) {
      each.value = cast(each.value, type);
      each = with_diagonals(each);
      for (const std::uint8_t label : each.axes)
        if (std::ranges::find(all, label) == all.end()) all.push_back(label);
    }
    if (all.size() > max_rank)
      refuse("a product", at,
             "its operands have " + std::to_string(all.size()) +
                 " different axes together, and an array has " + std::to_string(max_rank) + " at most");
    check_extents(operands);
    graph_value made = aligned(operands[0]);
    for (const labelled& each : std::span(operands).subspan(1)) made = multiply(made, aligned(each));
    std::uint32_t axes = 0;
    for (std::size_t i = result.size(); i < all.size(); ++i) axes |= std::uint32_t{1} << i;
    return axes == 0 ? made : cast(into.reduce(operation::sum, made, axes, false, at), type);
  }
};

/// Labels of `count` axes that are broadcast, counted from the last one.
labels broadcast_axes(std::size_t count) {
  labels made;
  for (std::size_t i = count; i-- > 0;) made.push_back(static_cast<std::uint8_t>(first_broadcast + i));
  return made;
}
std::string describe_fault(const detail::einsum_form& form) {
  const std::string named = std::string("'") + form.culprit + "'";
  switch (form.fault) {
    case detail::subscript_fault::character:
      return named + " is no label: labels are letters, as in \"ij,jk->ik\"; there is no ellipsis";
    case detail::subscript_fault::arrow:
      return "one \"->\" stands behind the last operand";
    case detail::subscript_fault::operands:
      return "a product has " + std::to_string(detail::max_einsum_operands) + " operands at most";
    case detail::subscript_fault::axes:
      return "an array has " + std::to_string(max_rank) + " axes at most";
    case detail::subscript_fault::result_repeats:
      return "the label " + named + " stands twice behind \"->\"";
    case detail::subscript_fault::result_only:
      return "the label " + named + " behind \"->\" is that of no operand";
    default:
      return {};
  }
}

labels labels_of(const detail::axis_labels& axes) {
  const std::string_view text = axes.text();
  return {text.begin(), text.end()};
}

}  // namespace

graph_value matmul(graph_builder& into, graph_value a, graph_value b, const std::source_location& at) {
  if (a.rank == 0 || b.rank == 0)
    refuse("matmul", at, "an operand has rank 0: multiply elements by a number with a * b");
  const std::size_t before_a = a.rank < 2 ? 0 : a.rank - 2u, before_b = b.rank < 2 ? 0 : b.rank - 2u;
  product_composer of{{into, at}, product_function::matmul, broadcast_axes(std::max(before_a, before_b))};
  labelled left{a, broadcast_axes(before_a)}, right{b, broadcast_axes(before_b)};
  if (a.rank > 1) {
    left.axes.push_back(row);
    of.result.push_back(row);
  }
  left.axes.push_back(summed);
  right.axes.push_back(summed);
  if (b.rank > 1) {
    right.axes.push_back(column);
    of.result.push_back(column);
  }
  return of.sum_of_products({left, right}, common_type(std::array{a, b}));
}

graph_value dot(graph_builder& into, graph_value a, graph_value b, const std::source_location& at) {
  product_composer of{{into, at}, product_function::dot};
  if (a.rank == 0 || b.rank == 0) return of.multiply(a, b);
  labelled left{a, {}}, right{b, {}};
  std::uint8_t next = first_other;
  for (unsigned axis = 0; axis < a.rank; ++axis) {
    const std::uint8_t label = axis + 1 == a.rank ? summed : next++;
    left.axes.push_back(label);
    if (label != summed) of.result.push_back(label);
  }
  const unsigned along = b.rank == 1 ? 0 : b.rank - 2u;
  for (unsigned axis = 0; axis < b.rank; ++axis) {
    const std::uint8_t label = axis == along ? summed : next++;
    right.axes.push_back(label);
    if (label != summed) of.result.push_back(label);
  }
  return of.sum_of_products({left, right}, common_type(std::array{a, b}));
}

graph_value vecdot(graph_builder& into, graph_value a, graph_value b, int axis,
                   const std::source_location& at) {
  product_composer of{{into, at}, product_function::vecdot};
  std::vector<labelled> both{{a, {}}, {b, {}}};
  for (labelled& each : both) {
    const int rank = each.value.rank, from_front = axis < 0 ? axis + rank : axis;
    if (from_front < 0 || from_front >= rank)
      refuse("vecdot", at, "there is no axis " + std::to_string(axis) + " of " + std::to_string(rank));
    each.axes = broadcast_axes(static_cast<std::size_t>(rank - 1));
    if (each.axes.size() > of.result.size()) of.result = each.axes;
    each.axes.insert(each.axes.begin() + from_front, summed);
  }
  if (is_complex(a.type.type)) both[0].value = of.apply(operation::conj, a);
  return of.sum_of_products(both, common_type(std::array{a, b}));
}

graph_value outer(graph_builder& into, graph_value a, graph_value b, const std::source_location& at) {
  product_composer of{{into, at}, product_function::dot, {row, column}};
  return of.sum_of_products({{of.flat(a), {row}}, {of.flat(b), {column}}}, common_type(std::array{a, b}));
}

graph_value einsum(graph_builder& into, std::string_view subscripts, std::span<const graph_value> operands,
                   const std::source_location& at) {
  const std::string function = "einsum \"" + std::string(subscripts) + "\"";
  const detail::einsum_form form = detail::parse_einsum(subscripts);
  if (form.fault != detail::subscript_fault::none) refuse(function, at, describe_fault(form));
  if (form.operand_count != operands.size())
    refuse(function, at,
           "the subscripts are those of " + std::to_string(form.operand_count) + " operands, and there are " +
               std::to_string(operands.size()));
  product_composer of{{into, at}, product_function::einsum, labels_of(form.result)};
  std::vector<labelled> all;
  for (std::size_t i = 0; i < operands.size(); ++i) {
    if (operands[i].rank != form.operands[i].count)
      refuse(function, at,
             "operand " + std::to_string(i) + " has rank " + std::to_string(operands[i].rank) + ", and " +
                 std::to_string(form.operands[i].count) + " labels: \"" +
                 std::string(form.operands[i].text()) + "\"");
    all.push_back({operands[i], labels_of(form.operands[i])});
  }
  return of.sum_of_products(std::move(all), common_type(operands));
}

}  // namespace sinter::inline v0
