#include <sinter/codegen/types/rank.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/scatters/compose_assignment.hpp>
#include <sinter/dsl/scatters/compose_scatter.hpp>
#include <sinter/dsl/scatters/named_call.hpp>

#include <algorithm>
#include <array>
#include <vector>

namespace sinter::inline v0::detail {
namespace {

class assignment : graph_operations {
 public:
  assignment(graph_builder& to, std::span<const graph_value> operands, std::uint64_t axes, unsigned place,
             const std::source_location& where)
      : graph_operations{to, where},
        x_(operands[0]),
        indices_(operands.begin() + 2, operands.end()),
        place_(place) {
    for (unsigned axis = 0; axis < x_.rank; ++axis)
      ((axes >> axis & 1) != 0 ? indexed_ : others_).push_back(axis);
    broadcast_indices();
    broadcast_values(operands[1]);
  }

  graph_value made() { return indexed_.size() == 1 ? along_one_axis() : along_several_axes(); }

 private:
  graph_value permuted(graph_value x, std::span<const unsigned> order) const {
    if (std::ranges::is_sorted(order)) return x;
    std::array<view_item, max_rank> items{};
    for (std::size_t i = 0; i < order.size(); ++i) {
      items[i].what = view_item::kind::permute;
      items[i].start = literal_bound(order[i]);
    }
    return into.view(x, std::span(items).first(order.size()), at);
  }

  void broadcast_indices() {
    for (const graph_value& index : indices_) rank_ = std::max<unsigned>(rank_, index.rank);
    for (graph_value& index : indices_) index = with_axes(index, 0, rank_ - index.rank);
    for (unsigned axis = 0; axis < rank_; ++axis) {
      graph_value wanted = extent(indices_[0], axis);
      for (const graph_value& index : std::span(indices_).subspan(1))
        wanted = where(equal(wanted, number(1)), extent(index, axis), wanted);
      for (graph_value& index : indices_) index = broadcast(index, axis, wanted);
    }
  }
  /// To the shape that reading x at the indices has; then the indices' axes are one, and come first.
  void broadcast_values(graph_value values) {
    const auto rank = static_cast<unsigned>(others_.size()) + rank_;
    values = with_axes(values, 0, rank - values.rank);
    for (unsigned axis = 0; axis < rank; ++axis) {
      const bool is_of_index = axis >= place_ && axis < place_ + rank_;
      const unsigned other = axis < place_ ? axis : axis - rank_;
      values = broadcast(values, axis,
                         is_of_index ? extent(indices_[0], axis - place_) : extent(x_, others_[other]));
    }
    std::vector<unsigned> order;
    for (unsigned i = 0; i < rank_; ++i) order.push_back(place_ + i);
    for (unsigned axis = 0; axis < rank; ++axis)
      if (axis < place_ || axis >= place_ + rank_) order.push_back(axis);
    values = permuted(values, order);
    if (rank_ == 0) values = with_axes(values, 0, 1);
    for (unsigned i = 1; i < rank_; ++i) values = into.merged(values, 0, at);
    values_ = values;
  }

  graph_value along_one_axis() {
    const unsigned axis = indexed_[0];
    std::vector<unsigned> order;
    for (unsigned i = 0; i < others_.size(); ++i) order.push_back(i + 1);
    order.insert(order.begin() + axis, 0);
    return scatter(into, x_, flat(indices_[0]), permuted(values_, order), {axis, scatter_combine::last}, at);
  }

  /// The axes that have an index become one, of whose positions the indices are computed.
  graph_value along_several_axes() {
    std::vector<unsigned> order = indexed_;
    order.insert(order.end(), others_.begin(), others_.end());
    graph_value rows = permuted(x_, order);
    for (std::size_t i = 1; i < indexed_.size(); ++i) rows = into.merged(rows, 0, at);
    graph_value made =
        scatter(into, rows, positions(), values_, {0, scatter_combine::last, scatter_rule::dropped}, at);
    for (std::size_t i = indexed_.size(); i-- > 1;)
      made = into.split(made, 0, extent(x_, indexed_[i]), false, at);
    std::vector<unsigned> back(order.size());
    for (unsigned i = 0; i < order.size(); ++i) back[order[i]] = i;
    return permuted(made, back);
  }

  /// The positions among all of the indexed axes, negative where one of the indices is out of range. There
  /// each index reads the number of its position, so that it is reported.
  graph_value positions() const {
    graph_value position, numbers, is_within;
    for (std::size_t i = 0; i < indexed_.size(); ++i) {
      const unsigned axis = indexed_[i];
      const graph_value index = whole(flat(indices_[i])), length = extent(x_, axis);
      const graph_value from_begin = where(less(index, number(0)), add(index, length), index);
      const graph_value fits = both(less(number(-1), from_begin), less(from_begin, length));
      const graph_value all = into.coordinate(broadcast(with_axes(number(0), 0, 1), 0, length), 0, at);
      const graph_value read = into.gather(all, index, 0, index_rule::checked, axis, at);
      position = i == 0 ? from_begin : add(multiply(position, length), from_begin);
      numbers = i == 0 ? read : minimum(numbers, read);
      is_within = i == 0 ? fits : both(is_within, fits);
    }
    return where(is_within, position, subtract(number(-1), numbers));
  }
  /// An index as int64; one beyond is beyond every axis.
  graph_value whole(graph_value index) const {
    if (index.type.type == element_type::uint64 && !index.type.weak)
      index = minimum(index, into.literal(element_type::uint64, INT64_MAX));
    return cast(index, element_type::int64);
  }

  graph_value x_, values_;
  std::vector<graph_value> indices_;
  std::vector<unsigned> indexed_, others_;  ///< axes of x
  const unsigned place_;
  unsigned rank_ = 0;  ///< of the indices
};

}  // namespace

graph_value assigned_at(graph_builder& into, std::span<const graph_value> operands, std::uint64_t axes,
                        unsigned place, const std::source_location& at) {
  return named_call(into, {scatter_function::assigned_at, 0, {}}, operands,
                    [&] { return assignment(into, operands, axes, place, at).made(); });
}

graph_value assigned_where(graph_builder& into, graph_value x, graph_value values, graph_value mask,
                           const std::source_location& at) {
  return named_call(into, {scatter_function::assigned_where, 0, {}}, std::array{x, values, mask}, [&] {
    for (unsigned axis = 0; axis < x.rank; ++axis)
      mask = into.split(mask, axis, into.extent(x, axis, at), true, at);
    return into.apply(operation::where, {mask, into.cast(values, x.type.type, at), x}, at);
  });
}

}  // namespace sinter::inline v0::detail
