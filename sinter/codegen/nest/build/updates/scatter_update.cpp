#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/updates/scatter_update.hpp>

#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/nest/build/indices/report_indices.hpp>
#include <sinter/codegen/nest/build/nest_accesses.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

namespace sinter::inline v0 {
namespace {

constexpr auto i64 = element_type::int64, u64 = element_type::uint64, truth = element_type::boolean;

/// Strides of the array that is updated, along the axes of the node.
std::array<std::int64_t, max_rank> strides_of(const call_facts& call, const stored_node& scatter) {
  const bool given = scatter.place == access::where::argument && !call.outputs.empty();
  const auto whole = call.shapes.of(scatter.whole == no_node ? scatter.node : scatter.whole);
  std::array<std::int64_t, max_rank> strides{};
  std::uint64_t contiguous = 1;
  for (std::size_t axis = whole.size(); axis-- > 0;) {
    strides[axis] = given ? call.outputs[scatter.index].strides[axis] : static_cast<std::int64_t>(contiguous);
    contiguous *= static_cast<std::uint64_t>(whole[axis]);
  }
  return strides;
}

std::int64_t elements_of(std::span<const std::int64_t> extents) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}
/// Whether elements lie row-major, one next to the other.
bool lie_together(std::span<const std::int64_t> extents, std::span<const std::int64_t> strides) {
  std::int64_t distance = 1;
  for (std::size_t axis = extents.size(); axis-- > 0; distance *= extents[axis])
    if (extents[axis] != 1 && strides[axis] != distance) return false;
  return true;
}

/// Where the row of an update lies: a sum along all axes but the one that is indexed.
std::uint32_t add_row(const call_facts& call, const node& scatter, std::span<const std::int64_t> strides,
                      nest& built) {
  access row;
  row.what = access::kind::position;
  row.type = i64;
  const auto space = call.shapes.of(scatter.inputs[2]);
  std::uint32_t axes = 0;
  unsigned to = 0;
  for (unsigned axis = 0; axis < scatter.rank; ++axis) {
    const unsigned from = scatter.rank - 1u - axis;
    if (space[from] == 1 && !built.shape_generic) continue;
    to = built.shape_generic ? axis : call_facts::next_long_axis(space, to);
    if (from != form_of_scatter(scatter).axis) {
      row.strides[to] = strides[from];
      axes |= 1u << to;
    }
    ++to;
  }
  return add_access(built, row, axes);
}

}  // namespace

bool is_scatter(const call_facts& call, std::span<const stored_node> stored,
                std::span<const stored_node> wanted) {
  const node_id id = wanted.front().node;
  return call.recorded.nodes[id].op == operation::scatter && find_stored(stored, id) == nullptr;
}

std::array<stored_node, 2> operands_of_scatter(const call_facts& call, const stored_node& scatter) {
  const node& at = call.recorded.nodes[scatter.node];
  return {stored_node{at.inputs[2], access::where::temporary},
          stored_node{at.inputs[1], access::where::temporary}};
}

void add_update(const call_facts& call, const stored_node& scatter, nest& built) {
  const node& at = call.recorded.nodes[scatter.node];
  const std::uint32_t value = built.stores[0].value, index = built.stores[1].value;
  const auto strides = strides_of(call, scatter);
  const scatter_form form = form_of_scatter(at);
  const unsigned axis = form.axis;
  nest_writer out(built);
  const std::uint32_t extent = out.constant(call.shapes.of(scatter.node)[axis]);
  std::uint32_t counted = index;
  if (form.rule == scatter_rule::reported) {
    const std::uint32_t is_negative = out.apply(operation::less, truth, {index, out.literal(i64, 0)});
    counted = out.apply(operation::where, i64,
                        {is_negative, out.apply(operation::add, i64, {index, extent}), index});
  }
  // negative numbers are great ones; a base without elements has none in range
  const std::uint32_t in_range =
      out.apply(operation::less, truth,
                {out.apply(operation::cast, u64, {counted}), out.apply(operation::cast, u64, {extent})});
  const bool is_unit = strides[axis] == 1 && !built.shape_generic;
  std::uint32_t place =
      is_unit ? counted : out.apply(operation::multiply, i64, {counted, out.constant(strides[axis])});
  if (at.rank > 1)
    place = out.apply(operation::add, i64, {place, out.coordinate(add_row(call, at, strides, built))});
  if (form.rule != scatter_rule::dropped)
    append_report(out.apply(operation::logical_not, truth, {in_range}), index, extent,
                  {scatter.node, at.inputs[0], form.named_axis}, built);
  access target;
  target.what = access::kind::updated;
  target.place = scatter.place;
  target.type = at.type;
  target.array = scatter.index;
  target.offset = scatter.offset;
  const std::uint32_t number = add_access(built, target, 0);
  store& update = built.stores.front();
  update = {value, number, place, in_range};
  update.combine = form.combine;
  if (lie_together(call.shapes.of(scatter.node), strides))
    update.elements = out.constant(elements_of(call.shapes.of(scatter.node)));
  built.stores.resize(1);
}

}  // namespace sinter::inline v0
