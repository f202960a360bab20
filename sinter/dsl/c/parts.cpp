// Builders: arrays that are put together or taken apart.
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/parts/compose_search.hpp>

#include <string>

using namespace sinter;
using c::added;
using c::checked;

namespace {

static_assert(sinter_extend_broadcast == static_cast<int>(extension::broadcast));
static_assert(sinter_extend_edge == static_cast<int>(extension::edge));
static_assert(sinter_extend_reflect == static_cast<int>(extension::reflect));
static_assert(sinter_extend_wrap == static_cast<int>(extension::wrap));
static_assert(sinter_extend_repeat == static_cast<int>(extension::repeat));

static_assert(sinter_search_left == static_cast<int>(search_side::left));
static_assert(sinter_search_right == static_cast<int>(search_side::right));

static_assert(sinter_index_checked == static_cast<int>(index_rule::checked));
static_assert(sinter_index_wrap == static_cast<int>(index_rule::wrap));
static_assert(sinter_index_clip == static_cast<int>(index_rule::clip));

extension extension_of(sinter_extension rule) {
  if (rule >= sinter_extend_broadcast && rule <= sinter_extend_repeat) return static_cast<extension>(rule);
  throw c::invalid_argument("there is no extension " + std::to_string(rule) +
                            ": they are numbered from 0 to 4");
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_extended(sinter_builder* builder, sinter_value operand, int32_t axis,
                                      sinter_extension rule, sinter_value first, sinter_value extent,
                                      sinter_value* result) {
  return added("sinter_builder_extended", builder, result, [&](sinter_builder& at) {
    const graph_value value = c::value_of(at, operand);
    const extension wanted = extension_of(rule);
    const bool reads_first = rule != sinter_extend_broadcast && rule != sinter_extend_repeat;
    const graph_value begin = reads_first ? c::value_of(at, first, 1) : graph_value{};
    return at.graph.extended(value, c::axis_of(axis, value.rank), wanted, begin, c::value_of(at, extent, 2),
                             c::no_place);
  });
}

sinter_status sinter_builder_concatenate(sinter_builder* builder, const sinter_value* operands,
                                         size_t operand_count, int32_t axis, sinter_value* result) {
  return added("sinter_builder_concatenate", builder, result, [&](sinter_builder& at) {
    if (operand_count == 0) throw c::invalid_argument("the list of operands is empty");
    graph_value whole = c::value_of(at, checked(operands, "the list of operands"));
    const unsigned along = c::axis_of(axis, whole.rank);
    for (size_t i = 1; i < operand_count; ++i)
      whole = at.graph.concatenate(whole, c::value_of(at, operands[i], i), along, c::no_place);
    return whole;
  });
}

sinter_status sinter_builder_gather(sinter_builder* builder, sinter_value operand, sinter_value index,
                                    int32_t axis, sinter_index_rule rule, sinter_value* result) {
  return added("sinter_builder_gather", builder, result, [&](sinter_builder& at) {
    if (rule < sinter_index_checked || rule > sinter_index_clip)
      throw c::invalid_argument("there is no rule " + std::to_string(rule) +
                                " for indices: they are numbered "
                                "from 0 to 2");
    const graph_value value = c::value_of(at, operand);
    const unsigned along = c::axis_of(axis, value.rank);
    return at.graph.gather(value, c::value_of(at, index, 1), along, static_cast<index_rule>(rule), along,
                           c::no_place);
  });
}

sinter_status sinter_builder_searchsorted(sinter_builder* builder, sinter_value sorted, sinter_value values,
                                          sinter_search_side side, sinter_value* result) {
  return added("sinter_builder_searchsorted", builder, result, [&](sinter_builder& at) {
    if (side != sinter_search_left && side != sinter_search_right)
      throw c::invalid_argument("there is no side " + std::to_string(side) + ": they are 0 and 1");
    return searchsorted(at.graph, c::value_of(at, sorted), c::value_of(at, values, 1),
                        static_cast<search_side>(side), c::no_place);
  });
}

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_interp(sinter_builder* builder, sinter_value x, sinter_value points,
                                    sinter_value values, const sinter_value* left, const sinter_value* right,
                                    sinter_value* result) {
  return added("sinter_builder_interp", builder, result, [&](sinter_builder& at) {
    beyond_points beyond;
    if (left != nullptr) beyond.left = c::value_of(at, *left, 3);
    if (right != nullptr) beyond.right = c::value_of(at, *right, 4);
    return interp(at.graph, c::value_of(at, x), c::value_of(at, points, 1), c::value_of(at, values, 2),
                  beyond, c::no_place);
  });
}

sinter_status sinter_builder_window(sinter_builder* builder, sinter_value operand, int32_t axis,
                                    sinter_value extent, sinter_value* result) {
  return added("sinter_builder_window", builder, result, [&](sinter_builder& at) {
    const graph_value value = c::value_of(at, operand);
    return at.graph.window(value, c::axis_of(axis, value.rank), c::value_of(at, extent, 1), c::no_place);
  });
}

sinter_status sinter_builder_diagonal(sinter_builder* builder, sinter_value operand, int32_t row_axis,
                                      int32_t column_axis, sinter_value offset, sinter_value* result) {
  return added("sinter_builder_diagonal", builder, result, [&](sinter_builder& at) {
    const graph_value value = c::value_of(at, operand);
    return at.graph.diagonal(value, c::axis_of(row_axis, value.rank), c::axis_of(column_axis, value.rank),
                             c::value_of(at, offset, 1), c::no_place);
  });
}

sinter_status sinter_builder_merged(sinter_builder* builder, sinter_value operand, int32_t axis,
                                    sinter_value* result) {
  return added("sinter_builder_merged", builder, result, [&](sinter_builder& at) {
    const graph_value value = c::value_of(at, operand);
    return at.graph.merged(value, c::axis_of(axis, value.rank), c::no_place);
  });
}

sinter_status sinter_builder_split(sinter_builder* builder, sinter_value operand, int32_t axis,
                                   sinter_value extent, int32_t whole, sinter_value* result) {
  return added("sinter_builder_split", builder, result, [&](sinter_builder& at) {
    const graph_value value = c::value_of(at, operand);
    return at.graph.split(value, c::axis_of(axis, value.rank), c::value_of(at, extent, 1), whole != 0,
                          c::no_place);
  });
}
