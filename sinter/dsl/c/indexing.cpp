// Builders: views, permutations, coordinates and extents.
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>

#include <string>
#include <vector>

using namespace sinter;
using c::checked;
using c::guarded;

namespace {

static_assert(sinter_slice == static_cast<int>(view_item::kind::slice));
static_assert(sinter_index == static_cast<int>(view_item::kind::index));
static_assert(sinter_newaxis == static_cast<int>(view_item::kind::newaxis));

/// Runs a function that adds a value which is made of one operand: `add` returns it.
template <class Add>
sinter_status added(const char* function, sinter_builder* builder, sinter_value operand, sinter_value* result,
                    const Add& add) {
  return guarded(function, [&] {
    sinter_builder& at = checked(builder, "the builder");
    sinter_value& number = checked(result, "the pointer for the result");
    number = c::number_of(at, add(at.graph, c::value_of(at, operand)));
  });
}

bound bound_of(int64_t number) { return number == SINTER_ABSENT ? bound{} : literal_bound(number); }

}  // namespace

sinter_status sinter_builder_coordinate(sinter_builder* builder, sinter_value operand, int32_t axis,
                                        sinter_value* result) {
  return added("sinter_builder_coordinate", builder, operand, result,
               [&](graph_builder& graph, const graph_value& value) {
                 return graph.coordinate(value, c::axis_of(axis, value.rank), c::no_place);
               });
}

sinter_status sinter_builder_extent(sinter_builder* builder, sinter_value operand, int32_t axis,
                                    sinter_value* result) {
  return added("sinter_builder_extent", builder, operand, result,
               [&](graph_builder& graph, const graph_value& value) {
                 return graph.extent(value, c::axis_of(axis, value.rank), c::no_place);
               });
}

sinter_status sinter_builder_permute(sinter_builder* builder, sinter_value operand, const int32_t* axes,
                                     size_t axis_count, sinter_value* result) {
  return added("sinter_builder_permute", builder, operand, result,
               [&](graph_builder& graph, const graph_value& value) {
                 if (axis_count != value.rank)
                   throw shape_error("the permutation lists " + std::to_string(axis_count) +
                                     " axes: the operand has " + std::to_string(value.rank));
                 std::vector<view_item> items(axis_count);
                 for (size_t i = 0; i < axis_count; ++i) {
                   items[i].what = view_item::kind::permute;
                   items[i].start =
                       literal_bound(c::axis_of((&checked(axes, "the list of axes"))[i], value.rank));
                 }
                 return graph.view(value, items, c::no_place);
               });
}

sinter_status sinter_builder_view(sinter_builder* builder, sinter_value operand,
                                  const sinter_index_item* items, size_t item_count, sinter_value* result) {
  return added("sinter_builder_view", builder, operand, result,
               [&](graph_builder& graph, const graph_value& value) {
                 std::vector<view_item> listed;
                 for (size_t i = 0; i < item_count; ++i) {
                   const sinter_index_item& item = (&checked(items, "the list of items"))[i];
                   if (item.kind < sinter_slice || item.kind > sinter_newaxis)
                     throw c::invalid_argument("item " + std::to_string(i) + " is of kind " +
                                               std::to_string(item.kind) + ": they are numbered from 0 to 2");
                   const auto kind = static_cast<view_item::kind>(item.kind);
                   if (kind == view_item::kind::slice)
                     listed.push_back({kind, bound_of(item.start), bound_of(item.stop), bound_of(item.step)});
                   else if (kind == view_item::kind::index)
                     listed.push_back({kind, bound_of(item.start), {}, {}});
                   else
                     listed.push_back({kind, {}, {}, {}});
                 }
                 return graph.view(value, listed, c::no_place);
               });
}
