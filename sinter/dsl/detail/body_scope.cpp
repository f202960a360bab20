#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/detail/body_scope.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <string>

namespace sinter::inline v0::detail {
namespace {

[[noreturn]] void throw_foreign(const recording& at, const typed_value& operand) {
  if (std::ranges::find(at.ended, operand.value.recording) != at.ended.end())
    throw error(
        "a value was used that belongs to a body that has ended: return it from the body of repeat, "
        "repeat_while, when, reduce or scan instead, and use what these return");
  throw error(
      "a value was used in another recording than the one that made it: values do not outlive the call of "
      "the function that made them; pass them to other functions as arguments");
}

/// How deep the scope of a value is, 0 for the function itself; more than at.depth if it is none that is
/// open.
unsigned depth_of(const recording& at, recorded_value value) {
  if (value.recording == at.function_number) return 0;
  unsigned depth = 1;
  while (depth <= at.depth && at.bodies[depth - 1].number != value.recording) ++depth;
  return depth;
}

node_id declare_in_body(recording& at, unsigned scope, operand_type type, unsigned rank, bool whole) {
  return at.steps.take({.what = packed({.kind = step_kind::input, .type = type.type, .weak = type.weak}),
                        .payload = packed_input(rank, whole)},
                       {}, packed_scope(scope));
}

/// The input that stands for a value of the scope around the body.
node_id capture(recording& at, open_body& body, const typed_value& operand, bool whole) {
  for (const captured_value& known : body.captured)
    if (static_cast<node_id>(known.operand) == operand.value.id && known.whole == whole)
      return known.inputs[body.which];
  if (combines_by_body(body.owner) && operand.rank != 0)
    throw shape_error(std::string(facts_of(body.owner).name) + describe(body.at) + ": its combine captures " +
                      describe(operand.type.type, operand.rank) +
                      ". A combine captures values of rank 0: give arrays as values that are combined");
  captured_value& added = body.captured.emplace_back();
  try {
    added.operand = packed(operand.value.id, operand.type, operand.rank);
    added.whole = whole;
    added.inputs[body.which] = declare_in_body(at, body.scope, operand.type, operand.rank, whole);
  } catch (...) {
    body.captured.pop_back();
    throw;
  }
  if (body.which == 0) body.in_first = body.captured.size();
  return added.inputs[body.which];
}

void declare_captured(recording& at, unsigned scope, std::span<captured_value> captured, unsigned which) {
  for (captured_value& each : captured) {
    const operand_type type{static_cast<element_type>(each.operand >> 32 & 0xff),
                            (each.operand >> 40 & 1) != 0};
    each.inputs[which] =
        declare_in_body(at, scope, type, static_cast<unsigned>(each.operand >> 48), each.whole);
  }
}

}  // namespace

bool is_recording() { return current_or_null() != nullptr; }

bool is_usable(recorded_value recorded) {
  const recording* const at = current_or_null();
  return at != nullptr && depth_of(*at, recorded) <= at->depth;
}

std::uint64_t captured_operand(recording& at, const typed_value& operand) {
  const unsigned depth = depth_of(at, operand.value);
  if (depth > at.depth) throw_foreign(at, operand);
  typed_value inside = operand;
  for (unsigned d = depth; d < at.depth; ++d) inside.value.id = capture(at, at.bodies[d], inside, false);
  return packed(inside.value.id, inside.type, inside.rank);
}

std::uint64_t captured_whole(recording& at, const typed_value& operand, const char* operation,
                             const location& where) {
  const unsigned depth = depth_of(at, operand.value);
  if (depth != 0) throw_not_of_function(at, operand, operation, where);
  typed_value inside = operand;
  for (unsigned d = 0; d < at.depth; ++d) inside.value.id = capture(at, at.bodies[d], inside, true);
  return packed(inside.value.id, inside.type, inside.rank);
}

void throw_not_of_function(const recording& at, const typed_value& operand, const char* operation,
                           const location& where) {
  if (depth_of(at, operand.value) > at.depth) throw_foreign(at, operand);
  throw type_error(
      std::string(operation) + describe(where) +
      ": of a value computed in a body of repeat, repeat_while, when, reduce or scan. Bodies are "
      "elementwise: index or reduce what the body captures, or do so after the body");
}

body_scope::body_scope(operation owner, const location& at)
    : into_(current_recording()),
      owner_(owner),
      depth_(into_.depth),
      around_(into_.number),
      around_scope_(into_.scope) {
  if (depth_ == max_body_depth)
    throw type_error(std::string(facts_of(owner).name) + describe(at) + ": bodies lie in bodies more than " +
                     std::to_string(max_body_depth) + " deep");
  if (combines_by_body(owner) && depth_ != 0)
    throw type_error(std::string(facts_of(owner).name) + describe(at) +
                     ": in a body of repeat, repeat_while, when, reduce or scan. Bodies are elementwise: "
                     "combine the elements before that body, which then captures the result");
  if (into_.bodies.size() == depth_) into_.bodies.emplace_back();
  // so that leaving a scope allocates nothing
  const std::size_t numbers = into_.ended.size() + 2 * (std::size_t{depth_} + 1);
  if (into_.ended.capacity() < numbers) into_.ended.reserve(2 * numbers);
  open_body& body = into_.bodies[depth_];
  body.scope = scope_below(depth_ == 0 ? 0 : into_.bodies[depth_ - 1].scope);
  body.which = 0;
  body.owner = owner;
  body.at = at;
  body.captured.clear();
  body.in_first = 0;
  into_.steps.take({.what = packed({.kind = step_kind::open_body})}, {}, packed_scope(body.scope));
  body.number = into_.number = thread_memory<thread_state>::get().fresh_number();
  into_.scope = packed_scope(body.scope);
  ++into_.depth;
}

body_scope::~body_scope() {
  if (into_.depth > depth_) leave();
}

void body_scope::leave() {
  into_.ended.push_back(into_.number);
  into_.number = around_;
  into_.scope = around_scope_;
  into_.depth = depth_;
}

recorded_value body_scope::iteration() {
  return into_.made({.what = packed({.kind = step_kind::input, .type = element_type::int64, .weak = true})});
}

recorded_value body_scope::state(element_type type, unsigned rank) {
  return into_.made({.what = packed({.kind = step_kind::input, .type = type}), .payload = rank});
}

void body_scope::begin_otherwise() {
  open_body& body = into_.bodies[depth_];
  const unsigned scope = body.scope + 1;
  into_.steps.take({.what = packed({.kind = step_kind::open_body})}, {}, packed_scope(scope));
  declare_captured(into_, scope, body.captured, 1);
  into_.ended.push_back(into_.number);
  body.number = into_.number = thread_memory<thread_state>::get().fresh_number();
  body.scope = scope;
  body.which = 1;
  into_.scope = packed_scope(scope);
}

void body_scope::add_result(const typed_value& result, element_type type) {
  typed_value converted = result;
  if (result.type != operand_type{type, false}) {
    converted.value = record_cast(result, type, {});
    converted.type = {type};
  }
  record_output(converted);
}

recorded_value body_scope::finish(step_kind kind, std::uint64_t payload, const typed_value* operands,
                                  unsigned count, const location& at) {
  open_body& body = into_.bodies[depth_];
  const std::span captured(body.captured);
  if (owner_ == operation::when) {
    declare_captured(into_, body.scope - 1, captured.subspan(body.in_first), 0);
    body.in_first = captured.size();
  }
  leave();
  std::vector<std::uint64_t>& all = into_.node_operands;
  all.clear();
  for (unsigned i = 0; i < count; ++i) all.push_back(checked(into_, operands[i]));
  for (const captured_value& each : captured) all.push_back(each.operand);
  return into_.made({.what = packed({.kind = kind}), .payload = payload, .at = at}, all);
}

recorded_value body_scope::finish(const typed_value* operands, unsigned count, const location& at) {
  const step_kind kind = owner_ == operation::repeat         ? step_kind::repeat
                         : owner_ == operation::repeat_while ? step_kind::repeat_while
                                                             : step_kind::when;
  return finish(kind, count - layout_of(owner_).lead, operands, count, at);
}

recorded_value body_scope::finish(const combining_request& request, const typed_value* operands) {
  const step_kind kind = owner_ == operation::scan ? step_kind::scan : step_kind::reduce;
  const location at = into_.bodies[depth_].at;
  return finish(kind, packed(request), operands, 2 * request.count, at);
}

}  // namespace sinter::inline v0::detail
