#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/dsl/detail/listed_functions.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/sequence/sequence_step.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/tuning/tune.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <optional>
#include <set>
#include <string>

namespace sinter::inline v0::detail {

struct slot_entry {
  std::vector<std::uint64_t> key;
  arithmetic_mode mode;
  const char* name;
  bool broadcasts;
  runtime::function_handle handle;  ///< nullptr: the recording turned out to be stateful
  const slot_entry* next;
  std::size_t count;  ///< entries from here on
};

namespace {

bool checking() {
  static const bool wanted = [] {
    const std::string value = runtime::environment_value("SINTER_CHECK");
    return !value.empty() && value != "0";
  }();
  return wanted;
}

const slot_entry* find(const call_site& site, bool broadcasts) {
  const slot_entry* entry = std::atomic_ref(site.known->first).load(std::memory_order_acquire);
  for (; entry != nullptr; entry = entry->next) {
    const bool same = entry->mode == site.mode && entry->name == site.name &&
                      entry->broadcasts == broadcasts &&
                      std::equal(entry->key.begin(), entry->key.end(), site.key.begin(), site.key.end());
    if (same) return entry;
  }
  return nullptr;
}

void remember(const call_site& site, bool broadcasts, const runtime::function_handle& handle) {
  // Bounds the list for an expression whose literals change at each evaluation.
  constexpr std::size_t most = 256;
  std::atomic_ref first(site.known->first);
  const slot_entry* head = first.load(std::memory_order_acquire);
  if (head != nullptr && head->count >= most) return;
  auto* entry =
      new slot_entry{{site.key.begin(), site.key.end()},   site.mode, site.name, broadcasts, handle, head,
                     head != nullptr ? head->count + 1 : 1};
  while (!first.compare_exchange_weak(entry->next, entry, std::memory_order_acq_rel)) {
    entry->count = entry->next != nullptr ? entry->next->count + 1 : 1;
  }
}

/// Shapes of the results of a call.
const std::vector<result_layout>& infer(const scratch_scope& scratch, const graph& recorded,
                                        std::span<const runtime::operand> operands,
                                        std::span<const runtime::scalar> scalars) {
  scratch->layouts.clear();
  for (const runtime::operand& operand : operands)
    scratch->layouts.push_back({operand.type, operand.rank, operand.extents, operand.strides});
  infer_results(recorded, scratch->layouts, scalars, scratch->results);
  return scratch->results;
}

/// Ends a recording whose single result is broadcast over `into`: a `where` that never chooses `into`'s
/// elements, so that `into` only gives the shape.
void broadcast_output(recording& at, const runtime::operand& into) {
  graph_builder& builder = at.steps.builder();
  graph& recorded = builder.recorded();
  const node_id result = recorded.outputs.back();
  recorded.outputs.pop_back();
  const node& made = recorded.nodes[result];
  const graph_value value =
      builder.cast({result, {made.type}, made.rank, builder.number()}, into.type, recorded.defined_at);
  const recorded_value shape = record_operand(into);
  builder.output(builder.apply(operation::where,
                               {builder.literal(element_type::boolean, 1),
                                value,
                                {shape.id, {into.type}, into.rank, builder.number()}},
                               recorded.defined_at));
}

/// The function that a call runs, with its operands and scalars. Holds a stateful recording until the launch.
class resolved_call {
 public:
  explicit resolved_call(const call_site& site, const runtime::operand* broadcast_into = nullptr)
      : operands(site.operands), scalars(site.scalars), site_(site), broadcast_into_(broadcast_into) {
    if (recording* outer = current_or_null()) outer->stateful = true;
    if (site.known != nullptr) {
      if (const slot_entry* entry = find(site, broadcast_into != nullptr)) {
        handle_ = &entry->handle;
        if (entry->handle != nullptr) {
          if (site.kind == recorded_as::stateless && checking()) compare(site);
          return;
        }
      } else if (site.kind == recorded_as::stateless && record_stateless(site)) {
        return;
      }
    }
    // The graph of an expression is remembered by its key.
    held_.emplace(site, false, site.kind != recorded_as::expression);
    recording& at = **held_;
    site.body(site.context);
    if (broadcast_into != nullptr) broadcast_output(at, *broadcast_into);
    held_->leave();
    handle_ = &at.steps.finish();
    operands = at.operands;
    scalars = at.scalars;
    if (site.kind == recorded_as::expression) remember(site, broadcast_into != nullptr, *handle_);
  }

  const runtime::function_handle& handle() const { return *handle_; }
  std::span<const runtime::operand> operands;
  std::span<const runtime::scalar> scalars;

  /// Runs `work`. Expressions of one type and key share a function, which has the source locations of the
  /// first of them. So if shapes or types do not fit, this records the call again, and the error names its
  /// own locations. The graph as it was recorded also knows which composed function a node belongs to, which
  /// the simplified one that is lowered does not.
  template <class Work>
  auto with_own_places(const Work& work) const {
    try {
      return work();
    } catch (const shape_error&) {
      throw_with_own_places();
      throw;
    } catch (const type_error&) {
      throw_with_own_places();
      throw;
    }
  }

 private:
  void throw_with_own_places() const {
    const scratch_scope scratch;
    if (held_) {  // as recorded, where the nodes know which composed function they belong to
      infer(scratch, runtime::recorded_graph(handle()), operands, scalars);
      return;
    }
    const frame again(site_, site_.kind == recorded_as::stateless);
    site_.body(site_.context);
    if (broadcast_into_ != nullptr) broadcast_output(*again, *broadcast_into_);
    infer(scratch, again->steps.builder().recorded(), again->operands, again->scalars);
  }

  /// False if the function turned out to be stateful.
  bool record_stateless(const call_site& site) {
    frame at(site, true);
    site.body(site.context);
    const bool stateless = !at->stateful;
    if (stateless) own_ = at->steps.finish();
    handle_ = &own_;
    remember(site, false, own_);
    return stateless;
  }

  void compare(const call_site& site) const {
    frame again(site, true);
    site.body(site.context);
    if (!again->stateful && again->steps.builder().recorded().same_content(runtime::recorded_graph(handle())))
      return;
    throw error(
        "SINTER_CHECK: the function of " + std::string(site.defined_at.file_name()) + ":" +
        std::to_string(site.defined_at.line()) +
        " recorded another graph the second time: it reads state that changes (a global, rand()). Capture "
        "that state, so that it becomes a run-time parameter.\nfirst:\n" +
        to_string(runtime::recorded_graph(handle())) + "\nnow:\n" +
        to_string(again->steps.builder().recorded()));
  }

  const call_site& site_;
  const runtime::operand* broadcast_into_;
  runtime::function_handle own_;                      // the function of this recording
  const runtime::function_handle* handle_ = nullptr;  // points to own_, or to the remembered handle
  std::optional<frame> held_;
};

// With SINTER_LIST_FUNCTIONS set, lists the program's functions before main(). It is in this file because
// every program that has fused functions links it.
[[gnu::constructor]] void list_functions_if_asked() {
  try {
    const std::string path = runtime::environment_value("SINTER_LIST_FUNCTIONS");
    if (path.empty()) return;
    list_functions(path);
  } catch (const std::exception& refused) {
    std::fprintf(stderr, "sinter: %s\n", refused.what());
    std::_Exit(1);
  }
  std::_Exit(0);
}

}  // namespace

namespace {

const char* find_or_add_name(std::string_view name) {
  static auto& access = *new runtime::fork_mutex;
  // never destroyed: outlives every static function object
  static auto& names = *new std::set<std::string, std::less<>>;
  const std::scoped_lock lock(access);
  const auto known = names.find(name);
  return (known != names.end() ? known : names.emplace(name).first)->c_str();
}

// Names that a thread interned recently, by the address of their text, found without a lock: a function that
// is made at each call has a name that is interned at each call.
struct recent_names {
  std::array<std::string_view, 64> all;
};

}  // namespace

const char* intern_name(std::string_view name) {
  if (name.empty()) return nullptr;
  auto& recent = thread_memory<recent_names>::get().all;
  std::string_view& known = recent[(reinterpret_cast<std::uintptr_t>(name.data()) >> 2) % recent.size()];
  if (known != name) known = {find_or_add_name(name), name.size()};
  return known.data();
}

void run(const call_site& site, std::span<const runtime::operand> into, std::span<runtime::result> results) {
  const resolved_call call(site);
  call.with_own_places(
      [&] { runtime::call(call.handle(), call.operands, call.scalars, into, results, site.options); });
}

std::size_t add_step(runtime::call_sequence& to, const call_site& site,
                     std::span<const runtime::operand> into) {
  const resolved_call call(site);
  return call.with_own_places(
      [&] { return to.add(call.handle(), call.operands, call.scalars, into, site.options); });
}

void prepare(const call_site& site) {
  const resolved_call call(site);
  call.with_own_places(
      [&] { runtime::prepare(call.handle(), call.operands, call.scalars, site.options, site.into); });
}

tuning_report tune(const call_site& site, const tune_options& options) {
  const resolved_call call(site);
  return call.with_own_places([&] {
    return runtime::tune(call.handle(), call.operands, call.scalars, site.options, site.into, options);
  });
}

preparation prepare_async(const call_site& site) {
  const resolved_call call(site);
  return call.with_own_places([&] {
    return runtime::prepare_async(call.handle(), call.operands, call.scalars, site.options, site.into);
  });
}

namespace {

/// Ranges for all operands. Captured arrays come after the arguments and have none.
std::vector<std::span<const runtime::axis_range>> ranges_of_all(
    const resolved_call& call, std::span<const std::span<const runtime::axis_range>> ranges) {
  std::vector<std::span<const runtime::axis_range>> all(ranges.begin(), ranges.end());
  all.resize(call.operands.size());
  return all;
}

}  // namespace

void prepare_ranges(const call_site& site, std::span<const std::span<const runtime::axis_range>> ranges) {
  const resolved_call call(site);
  const auto all = ranges_of_all(call, ranges);
  call.with_own_places(
      [&] { runtime::prepare_ranges(call.handle(), call.operands, call.scalars, all, site.options); });
}

preparation prepare_ranges_async(const call_site& site,
                                 std::span<const std::span<const runtime::axis_range>> ranges) {
  const resolved_call call(site);
  const auto all = ranges_of_all(call, ranges);
  return call.with_own_places([&] {
    return runtime::prepare_ranges_async(call.handle(), call.operands, call.scalars, all, site.options);
  });
}

namespace {

/// The operands of a call, of which some are descriptions: these become arrays at addresses of their own,
/// aligned as buffers are, whose elements nobody reads.
std::vector<runtime::operand> imagined_operands(
    const resolved_call& call, std::span<const std::span<const runtime::axis_range>> ranges) {
  std::vector<runtime::operand> operands(call.operands.begin(), call.operands.end());
  for (std::size_t i = 0; i < ranges.size() && i < operands.size(); ++i) {
    if (ranges[i].empty()) continue;
    for (const runtime::axis_range& axis : ranges[i])
      if (axis.low != axis.high)
        throw shape_error(
            "explain(), source(), ptx(), assembly() and result_shapes() were given extent_range(" +
            std::to_string(axis.low) + ", " + std::to_string(axis.high) +
            ") and tell of one call: give described<T, Rank> numbers, and ranges to prepare()");
    // NOLINTNEXTLINE(performance-no-int-to-ptr): an address that is never read
    operands[i].data = reinterpret_cast<void*>((i + 1) << 12);
  }
  return operands;
}

}  // namespace

std::string explain(const call_site& site, const told_call& what) {
  const resolved_call call(site);
  const std::vector<runtime::operand> operands = imagined_operands(call, what.ranges);
  return call.with_own_places([&] {
    return what.model.empty()
               ? runtime::explain(call.handle(), operands, call.scalars, site.options, site.into, what.dump)
               : runtime::explain_for(what.model, call.handle(), operands, call.scalars, site.options);
  });
}

namespace {

std::string list_kernels(const call_site& site, const told_call& what, runtime::kernel_listing listing) {
  const resolved_call call(site);
  const std::vector<runtime::operand> operands = imagined_operands(call, what.ranges);
  return call.with_own_places([&] {
    return what.model.empty()
               ? runtime::source(call.handle(), operands, call.scalars, site.options, site.into, listing)
               : runtime::source_for(what.model, call.handle(), operands, call.scalars, site.options,
                                     listing);
  });
}

}  // namespace

std::string source(const call_site& site, const told_call& what) {
  return list_kernels(site, what, runtime::kernel_listing::source);
}

std::string ptx(const call_site& site, const told_call& what) {
  return list_kernels(site, what, runtime::kernel_listing::ptx);
}

std::string assembly(const call_site& site, const told_call& what) {
  return list_kernels(site, what, runtime::kernel_listing::assembly);
}

void result_extents(const call_site& site, std::span<const std::span<const runtime::axis_range>> ranges,
                    std::int64_t* extents) {
  const resolved_call call(site);
  const std::vector<runtime::operand> operands = imagined_operands(call, ranges);
  call.with_own_places([&] {
    const scratch_scope scratch;
    for (const result_layout& result :
         infer(scratch, runtime::recorded_graph(call.handle()), operands, call.scalars))
      extents = std::copy(result.extents.begin(), result.extents.end(), extents);
  });
}

std::size_t workspace_bytes(const call_site& site) {
  const resolved_call call(site);
  return call.with_own_places([&] {
    return runtime::workspace_bytes(call.handle(), call.operands, call.scalars, site.options, site.into);
  });
}

namespace {

bool has_extents_of(const resolved_call& call, const runtime::operand& into) {
  const scratch_scope scratch;
  const result_layout& result =
      infer(scratch, runtime::recorded_graph(call.handle()), call.operands, call.scalars).front();
  return result.type == into.type &&
         std::equal(result.extents.begin(), result.extents.end(), into.extents, into.extents + into.rank);
}

}  // namespace

bool run_into_or_fresh(const call_site& site, const runtime::operand& into, runtime::result& fresh) {
  const resolved_call call(site);
  return call.with_own_places([&] {
    const bool fits = into.data != nullptr && has_extents_of(call, into);
    if (fits)
      runtime::call(call.handle(), call.operands, call.scalars, std::span(&into, 1), {}, site.options);
    else
      runtime::call(call.handle(), call.operands, call.scalars, {}, std::span(&fresh, 1), site.options);
    return fits;
  });
}

void run_broadcast(const call_site& site, const runtime::operand& into) {
  {
    const resolved_call call(site);
    const auto run_plainly = [&] {
      if (!has_extents_of(call, into)) return false;
      runtime::call(call.handle(), call.operands, call.scalars, std::span(&into, 1), {}, site.options);
      return true;
    };
    if (call.with_own_places(run_plainly)) return;
  }
  // The expression's operands are gathered without `into`, which gives the shape. The pattern also holds
  // whether `into` is one of them, and its type and rank.
  const scratch_scope scratch;
  std::vector<std::uint64_t>& key = scratch->key;
  key.assign(site.key.begin(), site.key.end());
  key.push_back(index_of(site.operands, into));
  key.push_back(static_cast<std::uint64_t>(into.type) << 8 | into.rank);
  call_site broadcasting = site;
  broadcasting.key = key;
  const resolved_call call(broadcasting, &into);
  std::vector<runtime::operand>& operands = scratch->operands;
  operands.assign(call.operands.begin(), call.operands.end());
  const std::size_t inputs = runtime::recorded_graph(call.handle()).inputs.size();
  if (operands.size() < inputs) operands.push_back(into);
  call.with_own_places(
      [&] { runtime::call(call.handle(), operands, call.scalars, std::span(&into, 1), {}, site.options); });
}

void gatherer::add(const runtime::operand& operand) {
  const std::size_t index = index_of({operands, operand_count}, operand);
  if (index == operand_count) operands[operand_count++] = operand;
  add_key(index);
}

void gatherer::add(const index_item* items, unsigned count) {
  for (unsigned i = 0; i < count; ++i) {
    const slice_bound* bounds[] = {&items[i].start, &items[i].stop, &items[i].step};
    std::uint64_t pattern = static_cast<std::uint64_t>(items[i].what);
    for (const slice_bound* bound : bounds)
      pattern = pattern * 4 + (bound->open ? 0 : bound->literal ? 1 : 2);
    add_key(pattern);
    for (const slice_bound* bound : bounds) {
      if (bound->open) continue;
      if (bound->literal)
        add_key(static_cast<std::uint64_t>(bound->value));
      else
        add_scalar(static_cast<runtime::scalar>(bound->value));
    }
  }
}

}  // namespace sinter::inline v0::detail
