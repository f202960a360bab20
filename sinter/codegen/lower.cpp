#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/fill_argument_block.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/nest/build_nest.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/nest/shape_generic.hpp>
#include <sinter/codegen/schedule/choose_reduction.hpp>
#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/schedule/choose_shape_generic.hpp>
#include <sinter/codegen/schedule/eviction.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/segment/choose_pieces.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>
#include <sinter/codegen/segment/split_rows.hpp>
#include <sinter/codegen/segment/split_scans.hpp>
#include <sinter/codegen/shape/shape_bytes.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>

#include <algorithm>
#include <bit>
#include <functional>
#include <limits>
#include <numeric>

namespace sinter {
namespace {

/// A part of the workspace that is free again.
struct spare_room {
  std::size_t offset = 0, bytes = 0;
};

/// Working memory of one thread; content never outlives a call of lower().
struct lowering_scratch {
  shape_table shapes;
  bind_scratch bind;
  std::vector<stored_node> wanted;
  std::vector<std::uint8_t> placed;
  std::vector<stored_node> stored;       ///< temporaries that earlier stages make
  std::vector<std::size_t> temporaries;  ///< where each begins in the workspace
  std::vector<spare_room> spare;         ///< of temporaries that nothing reads any more
  cut_scratch cuts;
  nest parts, before, rest;
  std::vector<std::uint8_t> dependent, reductions;  ///< of each node: see find_dependent()
  std::vector<std::uint8_t> needed;                 ///< of each node: see makes_all_of()
  kernel_description described;
  std::vector<argument_field> fields;
};
thread_local lowering_scratch scratch;

void check_externals(const graph& recorded, const target_facts& target) {
  const bool cuda = target.kind == target_kind::cuda;
  for (const external_function* called : recorded.externals)
    if ((cuda ? called->cuda : called->host) == external_form::none)
      throw compile_error("the external function '" + called->name + "' has no form for " +
                              (cuda ? "CUDA" : "the CPU") + ": there is " + called->forms + "; " +
                              (cuda ? "make it of CUDA C++ text or object code"
                                    : "add C++ text, LLVM bitcode or a function pointer with on_cpu()"),
                          {}, {});
}

/// Elements along an axis: of a reduced one that is walked in pieces, those of all pieces.
std::int64_t walked_along(const nest& body, unsigned axis) {
  return body.split >= 0 && axis == split_axis(body) ? body.whole : body.extents[axis];
}

/// Bytes of the widest value that a piece may leave: of positions 8, of some complex numbers more.
std::size_t widest_value(const nest& body) {
  std::size_t widest = sizeof(std::int64_t);
  for (const instruction& at : body.body) widest = std::max<std::size_t>(widest, size_of(at.type));
  return widest;
}

/// Saturates: views that repeat their elements may have more bytes than there are addresses.
std::int64_t bytes_moved(const nest& body) {
  constexpr std::int64_t most = std::numeric_limits<std::int64_t>::max();
  std::int64_t total = 0;
  for (const access& at : body.accesses) {
    if (at.what == access::kind::position) continue;
    auto bytes = static_cast<std::int64_t>(size_of(at.type));
    for (unsigned axis = 0; axis < body.rank; ++axis)
      if (at.strides[axis] != 0 && __builtin_mul_overflow(bytes, walked_along(body, axis), &bytes))
        bytes = most;
    if (__builtin_add_overflow(total, bytes, &total)) total = most;
  }
  return total;
}

/// Whether there is nothing to store. Of no elements a reduction still has its result.
bool is_empty(const nest& body) {
  const bool scans = has_scans(body);
  for (unsigned axis = 0; axis < body.rank; ++axis)
    if (body.extents[axis] == 0 && (scans || !body.is_reduced(axis))) return true;
  return false;
}

/// Nothing is walked, and no product of what is left of the shape overflows. Of no elements to reduce the
/// innermost axis counts as one element, as kernels divide by it; where it is the only one they do not.
void settle_empty(nest& body) {
  if (is_empty(body)) {
    std::fill_n(body.extents.begin(), body.rank, 0);
    return;
  }
  bool none = false;
  for (unsigned axis = 0; axis < body.rank; ++axis) none |= body.is_reduced(axis) && body.extents[axis] == 0;
  for (unsigned axis = 0; none && axis < body.rank; ++axis)
    if (body.is_reduced(axis)) body.extents[axis] = 0;
  if (none && std::popcount(body.reduced) > 1)
    body.extents[static_cast<unsigned>(std::countr_zero(body.reduced))] = 1;
}

/// Whether every read of `input` is of the element that the stage's single store then writes. A later phase
/// may read a row again, so elements are to be stored in the last.
bool reads_only_what_it_writes(const stage& made, std::uint32_t input) {
  for (const store& at : made.body.stores)
    if (phase_of_store(made.body, at) + 1 < made.body.phases && stores_elements(made.body, at)) return false;
  const access* write = nullptr;
  for (const access& at : made.body.accesses) {
    if (at.what != access::kind::write) continue;
    if (write != nullptr && at.strides != write->strides) return false;
    write = &at;
  }
  return std::all_of(made.body.accesses.begin(), made.body.accesses.end(), [&](const access& at) {
    return at.what != access::kind::read || at.array != input ||
           (at.strides == write->strides && at.offset == write->offset);
  });
}

void list_results(const graph& recorded, const shape_table& shapes, std::vector<result_layout>& results) {
  results.resize(recorded.outputs.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const node& at = recorded.nodes[recorded.outputs[i]];
    const auto extents = shapes.of(recorded.outputs[i]);
    results[i].type = at.type;
    results[i].rank = at.rank;
    results[i].extents.assign(extents.begin(), extents.end());
  }
}

std::string shape_text(std::span<const std::int64_t> extents) {
  std::string text = "[";
  for (std::size_t i = 0; i < extents.size(); ++i) text += (i == 0 ? "" : ", ") + std::to_string(extents[i]);
  return text + "]";
}

/// Everything after this counts elements in 64 bits.
void check_counts(const std::vector<result_layout>& results) {
  for (const result_layout& result : results) {
    std::int64_t count = 1;
    bool too_many = false, empty = false;
    for (const std::int64_t extent : result.extents) {
      too_many |= __builtin_mul_overflow(count, extent, &count);
      empty |= extent == 0;
    }
    if (too_many && !empty)
      throw out_of_memory("a result of shape " + shape_text(result.extents) +
                              " has more elements than memory has addresses: split it",
                          std::numeric_limits<std::size_t>::max(), 0);
  }
}

void check_outputs(const std::vector<result_layout>& results, std::span<const array_layout> outputs) {
  if (outputs.empty()) return;
  if (outputs.size() != results.size())
    throw shape_error("into() was given " + std::to_string(outputs.size()) + " arrays for " +
                      std::to_string(results.size()) + " results");
  for (std::size_t i = 0; i < results.size(); ++i) {
    const std::span given(outputs[i].extents, outputs[i].rank);
    if (outputs[i].type != results[i].type)
      throw type_error("into(): result " + std::to_string(i) + " is " +
                       std::string(facts(results[i].type).name) + " but the array is " +
                       std::string(facts(outputs[i].type).name) + ": use astype<>");
    if (!std::ranges::equal(given, results[i].extents))
      throw shape_error("into(): result " + std::to_string(i) + " has shape " +
                        shape_text(results[i].extents) + " but the array has shape " + shape_text(given));
    const bool empty = std::ranges::find(given, 0) != given.end();  // no elements, so none that share memory
    for (unsigned axis = 0; axis < outputs[i].rank; ++axis)
      if (!empty && outputs[i].strides[axis] == 0 && given[axis] > 1)
        throw shape_error("into(): axis " + std::to_string(axis) + " of result " + std::to_string(i) +
                          " has stride 0, so its elements share memory: write into an array of its own");
  }
}

}  // namespace

void infer_results(const graph& recorded, std::span<const array_layout> inputs,
                   std::span<const std::uint64_t> scalars, std::vector<result_layout>& results) {
  infer_shapes(recorded, inputs, scalars, scratch.shapes);
  list_results(recorded, scratch.shapes, results);
}

namespace {

/// One call on its way to being stages.
class lowering {
 public:
  lowering(const graph& recorded, std::span<const array_layout> inputs, std::span<const array_layout> outputs,
           std::span<const std::uint64_t> scalars, const target_facts& target,
           std::span<const std::uint8_t> attempts, const schedule* forced, lowered_call& lowered,
           lowering_variant variant)
      : recorded_(recorded),
        inputs_(inputs),
        outputs_(outputs),
        scalars_(scalars),
        target_(target),
        attempts_(attempts),
        forced_(forced),
        lowered_(lowered),
        variant_(variant) {
    scratch.stored.clear();
    scratch.temporaries.clear();
    scratch.spare.clear();
    lowered.stage_count = 0;
    lowered.workspace_bytes = 0;
  }

  /// Appends the stages that compute nodes of one shape. A reduction that their nest cannot hold, or that is
  /// better split over the device, is made before by stages of its own: of fewer nodes (makes_all_of()), so
  /// that this ends.
  void add(std::span<const stored_node> wanted, const stage_purpose& purpose = {}) {
    while (true) {
      const std::size_t number = lowered_.stage_count;
      stage_purpose ahead;
      const node_id first = bind(wanted, stage_at(number).body, ahead);
      if (first == no_node) {
        ++lowered_.stage_count;
        return finish(number, purpose);
      }
      make_ahead(first, wanted, stage_at(number).body, ahead);
    }
  }

  /// Appends the stages that store the nodes of a cut, and gives back the room of what nothing reads after.
  void add_cut(const graph_cut& cut) {
    const auto is_stored = [](node_id id) {
      return std::ranges::find(scratch.stored, id, &stored_node::node) != scratch.stored.end();
    };
    for (const node_id id : cut.nodes) {
      if (is_stored(id)) continue;
      std::vector<stored_node> group;
      for (const node_id other : cut.nodes)
        if (other == id || (!is_general() && !is_stored(other) &&
                            std::ranges::equal(scratch.shapes.of(other), scratch.shapes.of(id))))
          group.push_back({other, access::where::temporary, add_temporary(bytes_of(other))});
      add(group, {.reason = stage_reason::too_long});
      scratch.stored.insert(scratch.stored.end(), group.begin(), group.end());
    }
    for (const node_id id : cut.done) drop(id);
  }

  bool used_forced() const { return used_forced_; }

 private:
  /// Nothing reads a temporary any more: stages run one after the other, so a later one may write there.
  void drop(node_id id) {
    const auto found = std::ranges::find(scratch.stored, id, &stored_node::node);
    if (found == scratch.stored.end()) return;
    scratch.spare.push_back({scratch.temporaries[found->index], bytes_of(id)});
    scratch.stored.erase(found);
  }

  /// The nest of those nodes, or the reduction that has to be made before it, and why.
  node_id bind(std::span<const stored_node> wanted, nest& body, stage_purpose& ahead) {
    const node_id misfit = bind_nest(recorded_, scratch.shapes, inputs_, outputs_, scalars_, scratch.stored,
                                     wanted, scratch.bind, body, variant_);
    ahead.reason = scratch.bind.has_too_many_values ? stage_reason::too_long
                   : is_general()                   ? stage_reason::any_layout
                                                    : stage_reason::another_walk;
    if (misfit != no_node) return makes_all_of(wanted, misfit) ? first_reduction() : misfit;
    settle_empty(body);
    if (is_general()) {
      keep_as_bound(body);
      return no_node;
    }
    normalise(body);
    if (body.reduced == 0) return no_node;
    const schedule together = choose(body, inputs_, outputs_, target_, 0);
    if (!is_better_ahead(body, together, target_)) return no_node;
    const node_id first = first_reduction();
    if (makes_all_of(wanted, first)) return no_node;
    ahead =
        cut_for(has_too_few_rows(body, together, target_) ? stage_reason::few_rows : stage_reason::rereading,
                body, together);
    return first;
  }

  bool makes_all_of(std::span<const stored_node> wanted, node_id made) const {
    const stored_node alone{made, access::where::temporary, 0};
    return makes_all_of(wanted, {&alone, 1});
  }
  /// Whether nodes that are to be made for others need all of those, so that nothing would be left to make
  /// but the same again. What is made ahead never does: it is a part of what has not been made. There is
  /// always such a part, as the first of a nest's reductions needs no other one: where it needs everything
  /// that is wanted, it is wanted itself, and the nest holds it, being the only one.
  bool makes_all_of(std::span<const stored_node> wanted, std::span<const stored_node> made) const {
    std::vector<std::uint8_t>& needed = scratch.needed;
    needed.assign(recorded_.nodes.size(), 0);
    for (const stored_node& at : made) needed[at.node] = 1;
    for (const stored_node& at : scratch.stored) needed[at.node] = 2;
    for (node_id id = static_cast<node_id>(recorded_.nodes.size()); id-- > 0;)
      for (unsigned i = 0; i < recorded_.nodes[id].arity && needed[id] == 1; ++i)
        needed[recorded_.nodes[id].inputs[i]] |= 1;
    return std::ranges::all_of(wanted, [&](const stored_node& at) { return (needed[at.node] & 1) != 0; });
  }

  /// The purpose of what is made of a nest that could be one stage and is not.
  stage_purpose cut_for(stage_reason reason, const nest& body, const schedule& chosen) const {
    return {.reason = reason,
            .columns = chosen.order == walk::column_reduction,
            .rows = count_rows(body, false),
            .length = count_rows(body, true),
            .blocks = count_tiles(body, chosen, tile_of(body, chosen, target_.kind))};
  }

  /// Makes a reduction by stages of its own, and by the same stages whatever else of the nest that is to
  /// follow they can: what has that reduction's shape and axes and is there as soon, so that nothing is read
  /// once for each of them; then what needs those, as long as everything is still read once.
  void make_ahead(node_id first, std::span<const stored_node> wanted, nest& trial,
                  const stage_purpose& purpose) {
    std::vector<stored_node> group{{first, access::where::temporary, 0}};
    if (!is_general() && purpose.reason != stage_reason::too_long) add_alike(group, wanted, trial);
    for (stored_node& made : group) made.index = add_temporary(bytes_of(made.node));
    add(group, purpose);
    scratch.stored.insert(scratch.stored.end(), group.begin(), group.end());
  }

  void add_alike(std::vector<stored_node>& group, std::span<const stored_node> wanted, nest& trial) {
    const node_id first = group.front().node;
    const auto push = [&](node_id next) {
      group.push_back({next, access::where::temporary, 0});
      if (!makes_all_of(wanted, group)) return true;
      group.pop_back();
      return false;
    };
    std::vector<node_id> later;
    find_dependent();
    for (const bind_scratch::reduction_axes& at : scratch.bind.reductions) {
      if (at.node == first || !is_alike(at.node, first)) continue;
      if (scratch.dependent[at.node] != 0)
        later.push_back(at.node);
      else if (std::none_of(group.begin(), group.end(),
                            [&](const stored_node& have) { return have.node == at.node; }))
        push(at.node);
    }
    std::sort(later.begin(), later.end());
    later.erase(std::unique(later.begin(), later.end()), later.end());
    for (const node_id next : later) {
      if (!push(next)) continue;
      const node_id misfit = bind_nest(recorded_, scratch.shapes, inputs_, outputs_, scalars_, scratch.stored,
                                       group, scratch.bind, trial);
      if (misfit == no_node) normalise(trial);
      if (misfit != no_node || !reads_once(trial, choose(trial, inputs_, outputs_, target_, 0), target_))
        group.pop_back();
    }
  }

  /// Whether two reductions have one shape and walk the same axes of operands of one shape.
  bool is_alike(node_id a, node_id b) const {
    const node &left = recorded_.nodes[a], &right = recorded_.nodes[b];
    return left.payload == right.payload && std::ranges::equal(scratch.shapes.of(a), scratch.shapes.of(b)) &&
           std::ranges::equal(scratch.shapes.of(left.inputs[0]), scratch.shapes.of(right.inputs[0]));
  }

  /// Which nodes need a reduction of the nest.
  void find_dependent() {
    std::vector<std::uint8_t>&dependent = scratch.dependent, &reductions = scratch.reductions;
    dependent.assign(recorded_.nodes.size(), 0);
    reductions.assign(recorded_.nodes.size(), 0);
    for (const bind_scratch::reduction_axes& at : scratch.bind.reductions) reductions[at.node] = 1;
    for (const stored_node& at : scratch.stored) reductions[at.node] = 2;
    for (node_id id = 0; id < recorded_.nodes.size(); ++id) {
      const node& at = recorded_.nodes[id];
      const bool reads_elements = at.op != operation::coordinate && at.op != operation::extent;
      for (unsigned i = 0; i < at.arity && reads_elements && reductions[id] != 2; ++i)
        if (dependent[at.inputs[i]] != 0 || reductions[at.inputs[i]] == 1) dependent[id] = 1;
    }
  }

  stage& stage_at(std::size_t number) {
    if (lowered_.stages.size() <= number) lowered_.stages.resize(number + 1);
    return lowered_.stages[number];
  }

  static node_id first_reduction() {
    node_id first = no_node;
    for (const bind_scratch::reduction_axes& at : scratch.bind.reductions) first = std::min(first, at.node);
    return first;
  }

  std::size_t bytes_of(node_id id) const {
    return bytes_of_array(recorded_.nodes[id].type, scratch.shapes.of(id));
  }

  std::size_t take_workspace(std::size_t bytes) {
    constexpr std::size_t alignment = 256;
    const std::size_t offset = lowered_.workspace_bytes;
    lowered_.workspace_bytes = sum_of_bytes(offset, round_up(bytes, alignment));
    return offset;
  }
  std::uint32_t add_temporary(std::size_t bytes) {
    const auto spare = std::ranges::find(scratch.spare, bytes, &spare_room::bytes);
    if (spare != scratch.spare.end()) {
      scratch.temporaries.push_back(spare->offset);
      scratch.spare.erase(spare);
    } else {
      scratch.temporaries.push_back(take_workspace(bytes));
    }
    return static_cast<std::uint32_t>(scratch.temporaries.size() - 1);
  }

  bool is_general() const { return variant_ == lowering_variant::general; }

  schedule choose_for(nest& body, unsigned attempt) {
    takes_forced_ = false;
    if (is_general()) return choose_general(body, target_, attempt);
    const schedule own =
        choose(body, inputs_, outputs_, target_, attempt);  // orders the axes as `tiled` needs
    if (forced_ == nullptr || is_reduction_walk(forced_->order) != (body.reduced != 0)) return own;
    check_schedule(*forced_, body, inputs_, outputs_, target_);
    used_forced_ = takes_forced_ = true;
    return *forced_;
  }

  /// Schedule, arguments and signature of a stage whose nest is there; splits its rows if they are too few
  /// and not made by splitting.
  void finish(std::size_t number, const stage_purpose& purpose, bool may_split = true) {
    stage& made = lowered_.stages[number];
    made.purpose = purpose;
    // splitting goes by the first schedule, so that another attempt changes nothing but its own stage
    made.chosen = choose_for(made.body, 0);
    // pieces are one axis more
    if (may_split && !is_general() && made.body.reduced != 0 && made.body.rank < max_rank &&
        !is_empty(made.body)) {
      using enum stage_reason;
      if (const row_cut cut = deviation_cut(made.body, made.chosen, target_); cut.cuts())
        return split(number, cut, has_too_few_rows(made.body, made.chosen, target_) ? few_rows : rereading);
      if (const row_cut cut = cut_of_rows(made.body, made.chosen, target_); cut.cuts())
        return split(number, cut, few_rows);
    }
    if (number < attempts_.size() && attempts_[number] != 0)
      made.chosen = choose_for(made.body, attempts_[number]);
    made.bytes_moved = bytes_moved(made.body);
    // what the cache does is data: the text serves all of it
    if (target_.kind == target_kind::cuda && !takes_forced_)
      made.chosen.reads = choose_eviction(made.body, made.chosen, made.bytes_moved, target_);
    const bool streaming_is_data = target_.kind == target_kind::host;
    if (streaming_is_data && forced_ == nullptr && !is_general())
      made.chosen.streaming = made.bytes_moved > static_cast<std::int64_t>(target_.cache_bytes) &&
                              (made.body.reduced == 0 || streams_results(made.body, made.chosen));
    made.externals = recorded_.externals;
    made.overlap = target_.overlaps_launches
                       ? launch_overlap{number > 0, purpose.reason != stage_reason::results}
                       : launch_overlap{};
    made.argument_block = false;
    kernel_description& described = scratch.described;
    describe_kernel(made, target_, recorded_.mode, recorded_.name, described);
    list_arguments(described, scratch.fields);
    fill_arguments(made, target_.kind, scratch.fields, scratch.temporaries);
    described.argument_block = made.argument_block = needs_argument_block(made.arguments.size(), target_);
    write_signature(described, made.signature);
    if (is_empty(made.body)) made.tiles = 0;
    if (made.argument_block && made.tiles != 0)
      made.block_offset = take_workspace(argument_bytes(made.arguments.size()));
    if (target_.kind == target_kind::cuda && made.tiles > std::numeric_limits<std::int32_t>::max())
      throw shape_error("a result of " + std::to_string(made.tiles) +
                        " tiles is more than one launch can hold: split it");
    made.threads_along = made.chosen.threads_along;
    made.threads_across = made.chosen.threads_across;
    made.cluster = made.chosen.cluster;
    made.shared_bytes = shared_bytes_of(made.body, made.chosen);
  }

  void split(std::size_t number, const row_cut& pieces, stage_reason reason) {
    const stage& whole = lowered_.stages[number];
    const stage_purpose cut = cut_for(reason, whole.body, whole.chosen), purpose = whole.purpose;
    const auto first = static_cast<std::uint32_t>(scratch.temporaries.size());
    if (has_scans(whole.body)) return split_scan(number, pieces.length, first, cut, purpose);
    const std::uint32_t count = split_rows(whole.body, pieces, first, scratch.parts, scratch.rest);
    const auto parts = static_cast<std::size_t>(count_rows(scratch.parts, false));
    for (std::uint32_t i = 0; i < count; ++i)
      add_temporary(bytes_of_elements(parts, widest_value(scratch.parts)));
    lowered_.stages[number].body = scratch.parts;
    // pieces that are still many are joined by fewer, which are joined then
    const bool again = purpose.part == stage_part::joined;
    finish(number, as(again ? stage_part::joined : stage_part::pieces, cut), false);
    ++lowered_.stage_count;
    stage_at(number + 1).body = scratch.rest;
    finish(number + 1, as(stage_part::joined, purpose));
  }

  void split_scan(std::size_t number, std::int64_t length, std::uint32_t first, const stage_purpose& cut,
                  const stage_purpose& purpose) {
    const std::uint32_t count =
        split_scans(lowered_.stages[number].body, length, first, scratch.parts, scratch.before, scratch.rest);
    const auto parts = static_cast<std::size_t>(count_rows(scratch.parts, false));
    for (std::uint32_t i = 0; i < count; ++i)
      add_temporary(bytes_of_elements(parts, widest_value(scratch.parts)));
    lowered_.stages[number].body = scratch.parts;
    finish(number, as(stage_part::totals, cut), false);
    ++lowered_.stage_count;
    stage_at(number + 1).body = scratch.before;
    finish(number + 1, as(stage_part::starts, cut), false);
    ++lowered_.stage_count;
    stage_at(number + 2).body = scratch.rest;
    finish(number + 2, as(stage_part::continued, purpose), false);
  }

  static stage_purpose as(stage_part part, stage_purpose purpose) {
    purpose.part = part;
    return purpose;
  }

  const graph& recorded_;
  std::span<const array_layout> inputs_, outputs_;
  std::span<const std::uint64_t> scalars_;
  const target_facts& target_;
  std::span<const std::uint8_t> attempts_;
  const schedule* forced_;
  lowered_call& lowered_;
  lowering_variant variant_;
  bool used_forced_ = false;   ///< by any stage
  bool takes_forced_ = false;  ///< the stage that was chosen for last does
};

}  // namespace

void lower(const graph& recorded, std::span<const array_layout> inputs, std::span<const array_layout> outputs,
           std::span<const std::uint64_t> scalars, const target_facts& target,
           std::span<const std::uint8_t> attempts, const schedule* forced, lowered_call& lowered,
           lowering_variant variant) {
  const bool general = variant == lowering_variant::general;
  if (general) forced = nullptr;
  check_externals(recorded, target);
  infer_shapes(recorded, inputs, scalars, scratch.shapes);
  check_parameter_limits(recorded, scalars);
  list_results(recorded, scratch.shapes, lowered.results);
  check_counts(lowered.results);
  check_outputs(lowered.results, outputs);

  lowering work(recorded, inputs, outputs, scalars, target, attempts, forced, lowered, variant);
  nest_cutter cutter(recorded, scratch.cuts);
  for (const graph_cut& cut : cutter.cuts()) work.add_cut(cut);
  scratch.placed.assign(recorded.outputs.size(), 0);
  for (std::uint32_t first = 0; first < recorded.outputs.size(); ++first) {
    if (scratch.placed[first] != 0) continue;
    // results of one shape share a nest; of the general variant, whose shapes differ from call to call, none
    scratch.wanted.clear();
    cutter.begin_nest();
    for (std::uint32_t other = first; other < (general ? first + 1 : recorded.outputs.size()); ++other)
      if (scratch.placed[other] == 0 &&
          std::ranges::equal(lowered.results[other].extents, lowered.results[first].extents) &&
          cutter.add_to_nest(recorded.outputs[other])) {
        scratch.wanted.push_back({recorded.outputs[other], access::where::argument, other});
        scratch.placed[other] = 1;
      }
    work.add(scratch.wanted);
  }
  if (forced != nullptr && !work.used_forced())
    check_schedule(*forced, lowered.stages[0].body, inputs, outputs, target);  // throws: it is for no stage
  lowered.overwritable.assign(inputs.size(), 0);
  for (std::uint32_t i = 0; i < inputs.size(); ++i)
    lowered.overwritable[i] = lowered.stage_count == 1 &&
                              reads_only_what_it_writes(lowered.stages[0], general ? i : inputs[i].identity);
}

}  // namespace sinter
