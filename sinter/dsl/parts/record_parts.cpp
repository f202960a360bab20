#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/parts/record_parts.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0::detail {

namespace {
constexpr const char* part_names[] = {"concatenate",
                                      "stack",
                                      "pad",
                                      "pad",
                                      "roll",
                                      "repeat_elements",
                                      "tile",
                                      "tril",
                                      "triu",
                                      "diag",
                                      "sliding_window",
                                      "reshape",
                                      "broadcast_to",
                                      "squeeze",
                                      "iota",
                                      "take",
                                      "take_along_axis",
                                      "element",
                                      "searchsorted",
                                      "interp",
                                      "random",
                                      "scatter",
                                      "bincount",
                                      "histogram",
                                      "histogram2d",
                                      "segment",
                                      "nonzero",
                                      "compress",
                                      "x(i) = v",
                                      "x(mask) = v",
                                      "diff",
                                      "gradient",
                                      "trapezoid",
                                      "convolve",
                                      "correlate",
                                      "argsort",
                                      "sort",
                                      "top_k",
                                      "top_k",
                                      "median",
                                      "quantile",
                                      "unique",
                                      "matmul",
                                      "dot",
                                      "vecdot",
                                      "outer",
                                      "einsum"};

/// Whether a body takes an element: with an index for each axis of an array around it. In the body of a
/// reduction or scan, which captures scalars alone, only if it computes an index.
bool takes_element(const recording& into, const part_request& request, const typed_value* operands,
                   unsigned count) {
  if (into.depth == 0 || request.what != composed_part::take || count != operands[0].rank + 1u) return false;
  const auto is_of_body = [&](const typed_value& index) {
    return index.value.recording != into.function_number;
  };
  return !combines_by_body(into.bodies[0].owner) || std::any_of(operands + 1, operands + count, is_of_body);
}

recorded_value record_element(recording& into, const part_request& request, const typed_value* operands,
                              unsigned count, const location& at) {
  std::uint64_t taken[max_rank + 1];
  taken[0] = captured_whole(into, operands[0], "take", at);
  for (unsigned i = 1; i < count; ++i) taken[i] = checked(into, operands[i]);
  return into.made(
      {.what = packed({.kind = step_kind::part}),
       .payload = packed_part({.what = composed_part::element,
                               .number = static_cast<std::uint64_t>(rule_of_take(request.number))}),
       .at = at},
      std::span(taken).first(count));
}

}  // namespace

recorded_value record_part(const part_request& request, const typed_value* operands, unsigned count,
                           const location& at) {
  recording& into = current_recording();
  if (takes_element(into, request, operands, count))
    return record_element(into, request, operands, count, at);
  const char* const name = part_names[static_cast<std::size_t>(request.what)];
  std::vector<std::uint64_t>& taken = into.node_operands;
  taken.clear();
  for (unsigned i = 0; i < count; ++i) taken.push_back(checked_in_function(into, operands[i], name, at));
  return into.made_in_function(
      {.what = packed({.kind = step_kind::part}), .payload = packed_part(request), .at = at}, taken);
}

std::size_t unknown_extent(std::span<const scalar_source> extents) {
  std::size_t found = extents.size();
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const scalar_source& extent = extents[i];
    if (extent.own.type != element_type::int64 || extent.bits != ~std::uint64_t{0}) continue;
    if (found != extents.size()) throw shape_error("reshape: two extents are -1; one can be found");
    found = i;
  }
  return found;
}

}  // namespace sinter::inline v0::detail
