#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/detail/layout.hpp>
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

void recording::restart(const call_site& site, std::uint64_t fresh_number, bool write_literals,
                        step_sequence* along) {
  number = function_number = fresh_number;
  scope = 0;
  depth = 0;
  ended.clear();
  literals = write_literals;
  stateful = false;
  if (along == nullptr) {
    along = &own_sequence;
    along->place = {site.body, site.name, site.defined_at, site.mode};
    along->made = nullptr;
  }
  steps.restart(*along);
  parameters = 0;
  captured.clear();
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

void recording::drop_latest_capture() {
  layouts.resize(layouts.size() - std::size_t{2} * operands.back().rank);
  operands.pop_back();
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

scratch_scope::scratch_scope() : state_(thread_memory<thread_state>::get()) {
  if (state_.scratches.size() == state_.scratch_depth)
    state_.scratches.push_back(std::make_unique<call_scratch>());
  scratch_ = state_.scratches[state_.scratch_depth++].get();
}

scratch_scope::~scratch_scope() { --state_.scratch_depth; }

void throw_no_recording() {
  throw error("a value was used outside of the function that was being recorded when it was made");
}

// ---- recording ----

namespace {
std::uint64_t scalar_bits(const scalar_source& scalar, element_type to, const location& at) {
  const element_type from = scalar.own.type;
  if (from == to) return scalar.bits;
  if (scalar.own.weak && is_integer(from) && is_integer(to) && !fits(from, scalar.bits, to)) {
    const std::string value = describe_scalar(from, scalar.bits);
    throw type_error(value + " does not fit " + std::string(facts_of(to).name) + describe(at) +
                     ": convert the array with astype<T>(x), or say scalar<T>(" + value + ")");
  }
  return convert_bits(from, scalar.bits, to);
}

/// A scalar as a literal or as the next run-time parameters, converted to the type that it meets.
inline recorded_value appended(recording& into, const scalar_source& scalar, element_type met,
                               const location& at) {
  const bool literal = into.literals || scalar.literal;
  const graph_step step{.what = packed({.kind = step_kind::scalar,
                                        .type = scalar.own.type,
                                        .met = met,
                                        .weak = scalar.own.weak,
                                        .literal = literal}),
                        .operands = {0, 0, literal ? scalar.imaginary : 0},
                        .payload = literal ? scalar.bits : 0,
                        .at = at};
  if (literal) return into.made(step);
  if (scalar.parts() == 2) return into.made_with(step, {scalar.bits, scalar.imaginary});
  return into.made_with(step, {scalar.bits});
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
    throw type_error("a complex scalar meets " + std::string(facts_of(to).name) + describe(at) +
                     ": take its real or imaginary part");
  }
  return made;
}

recorded_value record(operation op, const typed_value* operands, unsigned count, const location& at) {
  recording& into = current_recording();
  return into.made(
      {.what = packed({.kind = step_kind::apply, .op = op, .count = static_cast<std::uint8_t>(count)}),
       .operands = {checked(into, operands[0]), count > 1 ? checked(into, operands[1]) : 0,
                    count > 2 ? checked(into, operands[2]) : 0},
       .at = at});
}

namespace {
recorded_value record_unary(step_subject what, const typed_value& operand, const location& at) {
  recording& into = current_recording();
  what.count = 1;
  return into.made({.what = packed(what), .operands = {checked(into, operand)}, .at = at});
}

recorded_value record_of_whole(step_kind kind, const char* name, const typed_value& operand,
                               std::uint64_t payload, const location& at,
                               std::span<const std::uint64_t> details = {}) {
  recording& into = current_recording();
  return into.made_in_function({.what = packed({.kind = kind, .count = 1}),
                                .operands = {checked_in_function(into, operand, name, at)},
                                .payload = payload,
                                .at = at},
                               details);
}
}  // namespace

recorded_value record_cast(const typed_value& operand, element_type type, const location& at) {
  return record_unary({.kind = step_kind::cast, .type = type}, operand, at);
}

recorded_value record_view(const typed_value& operand, const index_item* items, unsigned count,
                           const location& at) {
  recording& into = current_recording();
  // As words: a list of items is compared as bytes, and has no padding.
  constexpr std::size_t words = sizeof(view_item) / sizeof(std::uint64_t);
  static_assert(sizeof(view_item) == 7 * sizeof(std::uint64_t));
  std::array<std::uint64_t, max_view_items * words> list;
  if (count > max_view_items) throw shape_error("too many indices: " + std::to_string(count));
  constexpr const char* view_name = "indexing";
  // before the bounds become parameters
  static_cast<void>(checked_in_function(into, operand, view_name, at));
  const auto bound_of = [&into](const slice_bound& from) -> bound {
    if (from.open) return {};
    if (from.literal || into.literals) return literal_bound(from.value);
    const std::uint32_t index = into.parameters;
    into.made_with({.what = packed({.kind = step_kind::parameter, .type = element_type::int64})},
                   {static_cast<runtime::scalar>(from.value)});
    return parameter_bound(index);
  };
  for (unsigned i = 0; i < count; ++i) {
    const view_item item{items[i].what, bound_of(items[i].start), bound_of(items[i].stop),
                         bound_of(items[i].step)};
    std::memcpy(list.data() + i * words, &item, sizeof item);
  }
  return record_of_whole(step_kind::view, view_name, operand, 0, at, std::span(list).first(count * words));
}

recorded_value record_coordinate(const typed_value& operand, unsigned axis, const location& at) {
  return record_of_whole(step_kind::coordinate, "coordinate", operand, axis, at);
}

recorded_value record_extent(const typed_value& operand, unsigned axis, const location& at) {
  return record_of_whole(step_kind::extent, "extent", operand, axis, at);
}

recorded_value record_external(const external_function& called, const typed_value* operands, unsigned count,
                               const location& at) {
  recording& into = current_recording();
  std::array<std::uint64_t, max_external_arguments> taken;
  for (unsigned i = 0; i < count; ++i) taken[i] = checked(into, operands[i]);
  return into.made({.what = packed({.kind = step_kind::external, .count = static_cast<std::uint8_t>(count)}),
                    .payload = reinterpret_cast<std::uintptr_t>(&called),
                    .at = at},
                   std::span(taken).first(count));
}

namespace {
inline scalar_source met_by(const scalar_source& scalar, element_type met, const location& at) {
  if (scalar.own.type == met && !is_complex(met)) return {{met}, scalar.literal, scalar.bits};
  return converted_scalar(scalar, met, at);
}
}  // namespace

recorded_value record_scalar(const scalar_source& scalar, element_type met, const location& at) {
  return appended(current_recording(), met_by(scalar, met, at), met, at);
}

recorded_value record_with_scalar(operation op, const typed_value& operand, const scalar_source& scalar,
                                  operand_type met, bool scalar_first, const location& at) {
  recording& into = current_recording();
  const scalar_source converted = met_by(scalar, met.type, at);
  const bool literal = into.literals || converted.literal;
  // a run-time scalar is a parameter of the function, which a body captures
  if (converted.parts() == 2 || (!literal && into.scope != 0)) [[unlikely]] {
    const typed_value number{appended(into, converted, met.type, at), met, 0};
    const typed_value both[] = {scalar_first ? number : operand, scalar_first ? operand : number};
    return record(op, both, 2, at);
  }
  const graph_step step{.what = packed({.kind = step_kind::apply_with_scalar,
                                        .op = op,
                                        .type = converted.own.type,
                                        .met = met.type,
                                        .weak = met.weak,
                                        .literal = literal,
                                        .count = 1}),
                        .operands = {checked(into, operand), scalar_first},
                        .payload = literal ? converted.bits : 0,
                        .at = at};
  return literal ? into.made(step) : into.made_with(step, {converted.bits});
}

recorded_value record_argument(const scalar_source& scalar) {
  return appended(current_recording(), scalar, scalar.own.type, {});
}

recorded_value record_operand(const runtime::operand& captured) {
  if (captured.where == of_destroyed_array)
    throw error(
        "a function refers to an array that was destroyed: it captured a local one by reference, and "
        "outlived it; "
        "let it capture a std::shared_ptr of the array, or keep the array as long as the function");
  recording& into = current_recording();
  into.stateful = true;
  const std::size_t index = into.capture(captured) - into.arguments;
  if (index == into.captured.size()) {
    try {
      into.captured.push_back(
          into.made_in_function({.what = packed({.kind = step_kind::input, .type = captured.type}),
                                 .payload = captured.rank})
              .id);
    } catch (...) {
      into.drop_latest_capture();
      throw;
    }
  }
  return {into.captured[index], into.function_number};
}

recorded_value declare_input(element_type type, unsigned rank) {
  return current_recording().made(
      {.what = packed({.kind = step_kind::input, .type = type}), .payload = rank});
}

recorded_value declare_parameter(operand_type type) {
  recording& into = current_recording();
  const element_type part = component_of(type.type);
  const auto declared = [&](bool weak) {
    ++into.parameters;
    return into.made({.what = packed({.kind = step_kind::parameter, .type = part, .weak = weak})});
  };
  if (!is_complex(type.type)) return declared(type.weak);
  const recorded_value real = declared(false), imaginary = declared(false);
  const typed_value parts[] = {{real, {part}, 0}, {imaginary, {part}, 0}};
  return record(operation::make_complex, parts, 2, {});
}

void record_output(const typed_value& result) { record_unary({.kind = step_kind::output}, result, {}); }

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
