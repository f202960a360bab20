#include <sinter/codegen/describe.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/scalar.hpp>
#include <sinter/dsl/recording.hpp>
#include <sinter/dsl/storage.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace sinter::detail {
namespace {

bool same_operand(const runtime::operand& a, const runtime::operand& b) {
  if (a.data != b.data || a.type != b.type || a.rank != b.rank || a.where != b.where) return false;
  return std::equal(a.extents, a.extents + a.rank, b.extents) &&
         std::equal(a.strides, a.strides + a.rank, b.strides);
}

std::size_t index_of(std::span<const runtime::operand> operands, const runtime::operand& wanted) {
  std::size_t index = 0;
  while (index < operands.size() && !same_operand(operands[index], wanted)) ++index;
  return index;
}

/// One graph being built. Kept by its thread and used again, so that recording settles to no allocation.
struct recording {
  std::uint64_t number = 0;
  bool literals = false;  ///< C++ scalars are written into the graph
  bool stateful = false;  ///< met an array, a stateful function or a launch
  graph_builder builder;
  std::vector<runtime::operand> operands;
  std::vector<runtime::scalar> scalars;
  std::size_t arguments = 0;          ///< operands before this one are borrowed from the caller
  std::vector<std::int64_t> layouts;  ///< extents and strides of the others: arrays may die before the launch

  void restart(const call_site& site, std::uint64_t fresh_number, bool write_literals) {
    number = fresh_number;
    literals = write_literals;
    stateful = false;
    builder.restart(site.mode);
    builder.recorded().name = site.name != nullptr ? site.name : "";
    builder.recorded().defined_at = site.defined_at;
    operands.clear();
    scalars.clear();
    layouts.clear();
    arguments = 0;
    if (site.kind != recorded_as::expression) {
      operands.assign(site.operands.begin(), site.operands.end());
      scalars.assign(site.scalars.begin(), site.scalars.end());
      arguments = operands.size();
    }
  }

  std::size_t capture(const runtime::operand& captured) {
    for (std::size_t i = arguments; i < operands.size(); ++i)
      if (same_operand(operands[i], captured)) return i;
    const std::int64_t* before = layouts.data();
    layouts.insert(layouts.end(), captured.extents, captured.extents + captured.rank);
    layouts.insert(layouts.end(), captured.strides, captured.strides + captured.rank);
    operands.push_back(captured);
    const std::size_t first = before == layouts.data() ? operands.size() - 1 : arguments;
    std::size_t offset = 0;
    for (std::size_t i = arguments; i < operands.size(); ++i) {
      if (i >= first) {
        operands[i].extents = layouts.data() + offset;
        operands[i].strides = layouts.data() + offset + operands[i].rank;
      }
      offset += std::size_t{2} * operands[i].rank;
    }
    return operands.size() - 1;
  }
};

struct thread_state {
  std::vector<std::unique_ptr<recording>> kept;  ///< by depth
  std::size_t depth = 0;  ///< recordings in use: being recorded, or waiting for their launch
  recording* current = nullptr;
  std::vector<buffer> retired;
  std::uint64_t next_number = 0, last_number = 0;

  std::uint64_t fresh_number() {
    static std::atomic<std::uint64_t> handed_out{1};
    constexpr std::uint64_t block = std::uint64_t{1} << 20;
    if (next_number == last_number) {
      next_number = handed_out.fetch_add(block, std::memory_order_relaxed);
      last_number = next_number + block;
    }
    return next_number++;
  }
};

// The pointer is what is read on hot paths: no guard, and null again once the thread's objects are gone.
thread_local constinit thread_state* this_thread = nullptr;
struct thread_owner {
  thread_state state;
  thread_owner() { this_thread = &state; }
  ~thread_owner() { this_thread = nullptr; }
};

thread_state& state_of_thread() {
  if (this_thread == nullptr) {
    thread_local thread_owner owner;
    this_thread = &owner.state;
  }
  return *this_thread;
}

recording& current_recording() {
  if (this_thread == nullptr || this_thread->current == nullptr)
    throw error("a value was used outside of the function that was being recorded when it was made");
  return *this_thread->current;
}

void check_owner(const recording& at, const recorded_value& value) {
  if (value.recording == at.number) return;
  throw error(
      "a value was used in another recording than the one that made it: values do not outlive the call of "
      "the "
      "function that made them, and are handed to other functions as arguments");
}

graph_value checked(const recording& at, const typed_value& operand) {
  check_owner(at, operand.value);
  return {operand.value.id, operand.type, operand.rank};
}

/// One recording on the thread's stack. After leave() nothing records into it, but what it holds stays.
class frame {
 public:
  frame(const call_site& site, bool literals) : state_(state_of_thread()), parent_(state_.current) {
    if (state_.kept.size() == state_.depth) state_.kept.push_back(std::make_unique<recording>());
    recording_ = state_.kept[state_.depth].get();
    recording_->restart(site, state_.fresh_number(), literals);
    ++state_.depth;
    state_.current = recording_;
  }
  frame(const frame&) = delete;
  frame& operator=(const frame&) = delete;
  ~frame() {
    leave();
    // storage released while recording was kept for this launch
    if (--state_.depth == 0) state_.retired.clear();
  }
  void leave() { state_.current = parent_; }
  recording& operator*() const { return *recording_; }
  recording* operator->() const { return recording_; }

 private:
  thread_state& state_;
  recording* parent_;
  recording* recording_;
};

bool checking() {
  static const bool wanted = [] {
    const char* value = std::getenv("SINTER_CHECK");
    return value != nullptr && *value != '\0' && std::strcmp(value, "0") != 0;
  }();
  return wanted;
}

}  // namespace

struct slot_entry {
  std::vector<std::uint64_t> key;
  arithmetic_mode mode;
  const char* name;
  bool broadcasts;
  runtime::function_handle handle;  ///< nullptr: found to be stateful
  const slot_entry* next;
  std::size_t count;  ///< entries from here on
};

namespace {

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

void remember(const call_site& site, bool broadcasts, runtime::function_handle handle) {
  // An expression whose literals change at each evaluation must not make a list without end.
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

/// Shapes of the results of a call; valid until the thread's next.
const std::vector<result_layout>& infer(const graph& recorded, std::span<const runtime::operand> operands,
                                        std::span<const runtime::scalar> scalars) {
  thread_local std::vector<array_layout> layouts;
  thread_local std::vector<result_layout> results;
  layouts.clear();
  for (const runtime::operand& operand : operands)
    layouts.push_back({operand.type, operand.rank, operand.extents, operand.strides});
  infer_results(recorded, layouts, scalars, results);
  return results;
}

/// Ends a recording whose single result is to be broadcast over `into`: the choice never falls on `into`'s
/// own elements, it only lends its shape.
void broadcast_output(recording& at, const runtime::operand& into) {
  graph_builder& builder = at.builder;
  graph& recorded = builder.recorded();
  const node_id result = recorded.outputs.back();
  recorded.outputs.pop_back();
  const node& made = recorded.nodes[result];
  const graph_value value = builder.cast({result, {made.type}, made.rank}, into.type, recorded.defined_at);
  const recorded_value shape = record_operand(into);
  builder.output(
      builder.apply(operation::where,
                    {builder.literal(element_type::boolean, 1), value, {shape.id, {into.type}, into.rank}},
                    recorded.defined_at));
}

/// The function that a call runs, with the operands and scalars it takes. Holds a stateful recording until
/// the launch is done.
class resolved_call {
 public:
  explicit resolved_call(const call_site& site, const runtime::operand* broadcast_into = nullptr)
      : operands(site.operands), scalars(site.scalars), site_(site), broadcast_into_(broadcast_into) {
    if (this_thread != nullptr && this_thread->current != nullptr) this_thread->current->stateful = true;
    if (site.known != nullptr) {
      if (const slot_entry* entry = find(site, broadcast_into != nullptr)) {
        handle = entry->handle;
        if (handle != nullptr) {
          if (site.kind == recorded_as::stateless && checking()) compare(site);
          return;
        }
      } else if (site.kind == recorded_as::stateless && record_stateless(site)) {
        return;
      }
    }
    held_.emplace(site, false);
    recording& at = **held_;
    site.body(site.context);
    if (broadcast_into != nullptr) broadcast_output(at, *broadcast_into);
    held_->leave();
    handle = runtime::intern(at.builder.recorded());
    operands = at.operands;
    scalars = at.scalars;
    if (site.kind == recorded_as::expression) remember(site, broadcast_into != nullptr, handle);
  }

  runtime::function_handle handle = nullptr;
  std::span<const runtime::operand> operands;
  std::span<const runtime::scalar> scalars;

  /// Runs `work`. Graphs of equal content are one function, whose places are those of the graph that was
  /// first: so if shapes or types do not fit, this call is recorded again and the error names its own places.
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
    if (held_) {
      const recording& own = **held_;
      infer(own.builder.recorded(), own.operands, own.scalars);
      return;
    }
    const frame again(site_, site_.kind == recorded_as::stateless);
    site_.body(site_.context);
    if (broadcast_into_ != nullptr) broadcast_output(*again, *broadcast_into_);
    infer(again->builder.recorded(), again->operands, again->scalars);
  }

  /// False if the function turned out to be stateful.
  bool record_stateless(const call_site& site) {
    frame at(site, true);
    site.body(site.context);
    const bool stateless = !at->stateful;
    if (stateless) handle = runtime::intern(at->builder.recorded());
    remember(site, false, handle);
    return stateless;
  }

  void compare(const call_site& site) const {
    frame again(site, true);
    site.body(site.context);
    if (!again->stateful && again->builder.recorded().same_content(runtime::recorded_graph(handle))) return;
    throw error(
        "SINTER_CHECK: the function of " + std::string(site.defined_at.file_name()) + ":" +
        std::to_string(site.defined_at.line()) +
        " records something else than the first time: it reads what may change (a global, rand()). Capture "
        "that, so that it becomes a run-time parameter.\nfirst:\n" +
        to_string(runtime::recorded_graph(handle)) + "\nnow:\n" + to_string(again->builder.recorded()));
  }

  const call_site& site_;
  const runtime::operand* broadcast_into_;
  std::optional<frame> held_;
};

}  // namespace

// ---- recording
// -------------------------------------------------------------------------------------------------

std::uint64_t scalar_bits(const scalar_source& scalar, element_type to, const location& at) {
  const element_type from = scalar.own.type;
  if (from == to) return scalar.bits;
  if (scalar.own.weak && is_integer(from) && is_integer(to) && !fits(from, scalar.bits, to)) {
    const std::string value = describe_scalar(from, scalar.bits);
    throw type_error(value + " does not fit " + std::string(facts(to).name) + describe(at) +
                     ": convert the array with astype<T>(x), or say scalar<T>(" + value + ")");
  }
  return convert_bits(from, scalar.bits, to);
}

recorded_value record(operation op, const typed_value* operands, unsigned count, const location& at) {
  recording& into = current_recording();
  std::array<graph_value, 3> taken;
  for (unsigned i = 0; i < count; ++i) taken[i] = checked(into, operands[i]);
  return {into.builder.apply(op, std::span(taken).first(count), at).id, into.number};
}

recorded_value record_cast(const typed_value& operand, element_type type, const location& at) {
  recording& into = current_recording();
  return {into.builder.cast(checked(into, operand), type, at).id, into.number};
}

recorded_value record_view(const typed_value& operand, const index_item* items, unsigned count,
                           const location& at) {
  recording& into = current_recording();
  const graph_value viewed = checked(into, operand);
  std::array<view_item, 64> list;
  if (count > list.size()) throw shape_error("too many indices: " + std::to_string(count));
  const auto bound_of = [&into](const slice_bound& from) -> bound {
    if (from.open) return {};
    if (from.literal || into.literals) return literal_bound(from.value);
    const auto index = static_cast<std::uint32_t>(into.builder.recorded().parameters.size());
    into.builder.parameter(element_type::int64);
    into.scalars.push_back(static_cast<runtime::scalar>(from.value));
    return parameter_bound(index);
  };
  for (unsigned i = 0; i < count; ++i) {
    list[i].what = items[i].what;
    list[i].start = bound_of(items[i].start);
    list[i].stop = bound_of(items[i].stop);
    list[i].step = bound_of(items[i].step);
  }
  return {into.builder.view(viewed, std::span(list).first(count), at).id, into.number};
}

recorded_value record_coordinate(const typed_value& operand, unsigned axis, const location& at) {
  recording& into = current_recording();
  return {into.builder.coordinate(checked(into, operand), axis, at).id, into.number};
}

recorded_value record_extent(const typed_value& operand, unsigned axis, const location& at) {
  recording& into = current_recording();
  return {into.builder.extent(checked(into, operand), axis, at).id, into.number};
}

recorded_value record_scalar(const scalar_source& scalar, element_type met, const location& at) {
  recording& into = current_recording();
  const std::uint64_t bits = scalar_bits(scalar, met, at);
  if (into.literals || scalar.literal) return {into.builder.literal(met, bits).id, into.number};
  into.scalars.push_back(bits);
  return {into.builder.parameter(met).id, into.number};
}

recorded_value record_argument(const scalar_source& scalar) {
  recording& into = current_recording();
  if (into.literals || scalar.literal)
    return {into.builder.literal(scalar.own.type, scalar.bits, scalar.own.weak).id, into.number};
  into.scalars.push_back(scalar.bits);
  return {into.builder.parameter(scalar.own.type, scalar.own.weak).id, into.number};
}

recorded_value record_operand(const runtime::operand& captured) {
  recording& into = current_recording();
  into.stateful = true;
  const std::size_t known = into.operands.size();
  const std::size_t index = into.capture(captured);
  if (index == known) return {into.builder.input(captured.type, captured.rank).id, into.number};
  const std::vector<node>& nodes = into.builder.recorded().nodes;
  const auto is_input = [index](const node& at) { return at.op == operation::input && at.payload == index; };
  const auto found = std::find_if(nodes.begin(), nodes.end(), is_input);
  return {static_cast<node_id>(found - nodes.begin()), into.number};
}

recorded_value declare_input(element_type type, unsigned rank) {
  recording& into = current_recording();
  return {into.builder.input(type, rank).id, into.number};
}

recorded_value declare_parameter(operand_type type) {
  recording& into = current_recording();
  return {into.builder.parameter(type.type, type.weak).id, into.number};
}

void record_output(const typed_value& result) {
  recording& into = current_recording();
  graph_value value = checked(into, result);
  const operand_type settled_type = settled(value.type);
  if (settled_type.type != value.type.type) value = into.builder.cast(value, settled_type.type);
  into.builder.output(value);
}

inlined_call::inlined_call(bool stateless) {
  recording& into = current_recording();
  recording_ = into.number;
  literals_ = into.literals;
  if (!stateless) into.stateful = true;
  into.literals = stateless;
}

inlined_call::~inlined_call() {
  recording* into = this_thread->current;
  if (into != nullptr && into->number == recording_) into->literals = literals_;
}

void retire(buffer& storage) noexcept {
  if (this_thread != nullptr && this_thread->depth != 0 && storage.data() != nullptr) {
    try {
      this_thread->retired.push_back(std::move(storage));
      return;
    } catch (const std::bad_alloc&) {
      // no room to keep it: a kernel that is being recorded may lose an operand, but nothing better is left
    }
  }
  storage.release();
}

const char* intern_name(std::string_view name) {
  if (name.empty()) return nullptr;
  static std::mutex access;
  static auto& names = *new std::set<std::string, std::less<>>;  // outlives every static function object
  const std::scoped_lock lock(access);
  return names.emplace(name).first->c_str();
}

// ---- calls
// -----------------------------------------------------------------------------------------------------

void run(const call_site& site, std::span<const runtime::operand> into, std::span<runtime::result> results) {
  const resolved_call call(site);
  call.with_own_places(
      [&] { runtime::call(call.handle, call.operands, call.scalars, into, results, site.options); });
}

void prepare(const call_site& site) {
  const resolved_call call(site);
  call.with_own_places([&] { runtime::prepare(call.handle, call.operands, call.scalars, site.options); });
}

std::string explain(const call_site& site) {
  const resolved_call call(site);
  return call.with_own_places(
      [&] { return runtime::explain(call.handle, call.operands, call.scalars, site.options); });
}

std::string source(const call_site& site) {
  const resolved_call call(site);
  return call.with_own_places(
      [&] { return runtime::source(call.handle, call.operands, call.scalars, site.options); });
}

std::size_t workspace_bytes(const call_site& site) {
  const resolved_call call(site);
  return call.with_own_places(
      [&] { return runtime::workspace_bytes(call.handle, call.operands, call.scalars, site.options); });
}

namespace {

bool has_extents_of(const resolved_call& call, const runtime::operand& into) {
  const result_layout& result =
      infer(runtime::recorded_graph(call.handle), call.operands, call.scalars).front();
  return result.type == into.type &&
         std::equal(result.extents.begin(), result.extents.end(), into.extents, into.extents + into.rank);
}

}  // namespace

bool run_into_or_fresh(const call_site& site, const runtime::operand& into, runtime::result& fresh) {
  const resolved_call call(site);
  return call.with_own_places([&] {
    const bool fits = into.data != nullptr && has_extents_of(call, into);
    if (fits)
      runtime::call(call.handle, call.operands, call.scalars, std::span(&into, 1), {}, site.options);
    else
      runtime::call(call.handle, call.operands, call.scalars, {}, std::span(&fresh, 1), site.options);
    return fits;
  });
}

void run_broadcast(const call_site& site, const runtime::operand& into) {
  {
    const resolved_call call(site);
    const auto run_plainly = [&] {
      if (!has_extents_of(call, into)) return false;
      runtime::call(call.handle, call.operands, call.scalars, std::span(&into, 1), {}, site.options);
      return true;
    };
    if (call.with_own_places(run_plainly)) return;
  }
  // The expression's operands were gathered without `into`, which lends its shape. Whether it is one of them,
  // and its type and rank, belong to the pattern.
  thread_local std::vector<std::uint64_t> key;
  key.assign(site.key.begin(), site.key.end());
  key.push_back(index_of(site.operands, into));
  key.push_back(static_cast<std::uint64_t>(into.type) << 8 | into.rank);
  call_site broadcasting = site;
  broadcasting.key = key;
  const resolved_call call(broadcasting, &into);
  thread_local std::vector<runtime::operand> operands;
  operands.assign(call.operands.begin(), call.operands.end());
  const std::size_t inputs = runtime::recorded_graph(call.handle).inputs.size();
  if (operands.size() < inputs) operands.push_back(into);
  call.with_own_places(
      [&] { runtime::call(call.handle, operands, call.scalars, std::span(&into, 1), {}, site.options); });
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

}  // namespace sinter::detail
