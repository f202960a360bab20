#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/detail/storage.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <atomic>
#include <new>
#include <string>

namespace sinter::inline v0::detail {

// ---- state of a thread ----

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

void recording::restart(const call_site& site, std::uint64_t fresh_number, bool write_literals) {
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

std::size_t recording::capture(const runtime::operand& captured) {
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

std::uint64_t thread_state::fresh_number() {
  static std::atomic<std::uint64_t> handed_out{1};
  constexpr std::uint64_t block = std::uint64_t{1} << 20;
  if (next_number == last_number) {
    next_number = handed_out.fetch_add(block, std::memory_order_relaxed);
    last_number = next_number + block;
  }
  return next_number++;
}

namespace {

void check_owner(const recording& at, const recorded_value& value) {
  if (value.recording == at.number) return;
  throw error(
      "a value was used in another recording than the one that made it: values do not outlive the call of "
      "the function that made them; pass them to other functions as arguments");
}

}  // namespace

scratch_scope::scratch_scope() : state_(thread_memory<thread_state>::get()) {
  if (state_.scratches.size() == state_.scratch_depth)
    state_.scratches.push_back(std::make_unique<call_scratch>());
  scratch_ = state_.scratches[state_.scratch_depth++].get();
}

scratch_scope::~scratch_scope() { --state_.scratch_depth; }

recording& current_recording() {
  recording* const current = current_or_null();
  if (current == nullptr)
    throw error("a value was used outside of the function that was being recorded when it was made");
  return *current;
}

graph_value checked(const recording& at, const typed_value& operand) {
  check_owner(at, operand.value);
  return {operand.value.id, operand.type, operand.rank, at.builder.number()};
}

recording* current_or_null() {
  const thread_state* const state = thread_memory<thread_state>::find();
  return state != nullptr ? state->current : nullptr;
}

// ---- recording ----

namespace {
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

/// A scalar's part as a literal or as the next run-time parameter.
graph_value appended_part(recording& into, const scalar_source& scalar, element_type type, bool weak,
                          std::uint64_t bits) {
  if (into.literals || scalar.literal) return into.builder.literal(type, bits, weak);
  into.scalars.push_back(bits);
  return into.builder.parameter(type, weak);
}
graph_value appended(recording& into, const scalar_source& scalar) {
  const element_type part = component_of(scalar.own.type);
  const bool whole = scalar.parts() == 1;
  const graph_value real = appended_part(into, scalar, part, whole && scalar.own.weak, scalar.bits);
  if (whole) return real;
  return into.builder.apply(operation::make_complex,
                            {real, appended_part(into, scalar, part, false, scalar.imaginary)});
}
}  // namespace

scalar_source converted_scalar(const scalar_source& scalar, element_type to, const location& at) {
  scalar_source made{{to}, scalar.literal};
  const element_type from = scalar.own.type, part = component_of(to);
  if (!is_complex(from)) {
    made.own.type = part;
    made.bits = scalar_bits(scalar, part, at);
  } else if (is_boolean(to)) {
    made.bits = convert_bits(component_of(from), scalar.bits, to) |
                convert_bits(component_of(from), scalar.imaginary, to);
  } else if (is_complex(to)) {
    made.bits = convert_bits(component_of(from), scalar.bits, part);
    made.imaginary = convert_bits(component_of(from), scalar.imaginary, part);
  } else {
    throw type_error("a complex scalar meets " + std::string(facts(to).name) + describe(at) +
                     ": take its real or imaginary part");
  }
  return made;
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

recorded_value record_external(const external_function& called, const typed_value* operands, unsigned count,
                               const location& at) {
  recording& into = current_recording();
  std::array<graph_value, most_external_arguments> taken;
  for (unsigned i = 0; i < count; ++i) taken[i] = checked(into, operands[i]);
  return {into.builder.call(called, std::span(taken).first(count), at).id, into.number};
}

recorded_value record_scalar(const scalar_source& scalar, element_type met, const location& at) {
  recording& into = current_recording();
  const graph_value made = appended(into, converted_scalar(scalar, met, at));
  return {into.builder.cast(made, met, at).id, into.number};
}

recorded_value record_argument(const scalar_source& scalar) {
  recording& into = current_recording();
  return {appended(into, scalar).id, into.number};
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
  if (!is_complex(type.type)) return {into.builder.parameter(type.type, type.weak).id, into.number};
  const element_type part = component_of(type.type);
  const graph_value real = into.builder.parameter(part), imaginary = into.builder.parameter(part);
  return {into.builder.apply(operation::make_complex, {real, imaginary}).id, into.number};
}

void record_output(const typed_value& result) {
  recording& into = current_recording();
  into.builder.output(checked(into, result));
}

inlined_call::inlined_call(bool stateless) {
  recording& into = current_recording();
  recording_ = into.number;
  literals_ = into.literals;
  if (!stateless) into.stateful = true;
  into.literals = stateless;
}

inlined_call::~inlined_call() {
  recording* into = current_or_null();
  if (into != nullptr && into->number == recording_) into->literals = literals_;
}

void retire(buffer& storage) noexcept {
  thread_state* const state = thread_memory<thread_state>::find();
  if (state != nullptr && state->depth != 0 && storage.data() != nullptr) {
    try {
      state->retired.push_back(std::move(storage));
      return;
    } catch (const std::bad_alloc&) {
      // out of memory: frees the storage now, although a kernel that is being recorded may still read it
    }
  }
  storage.release();
}

}  // namespace sinter::inline v0::detail
