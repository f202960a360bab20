#include <sinter/codegen/graph/graph.hpp>
#include <sinter/dsl/composed/compose_reduction.hpp>
#include <sinter/dsl/detail/graph_steps.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>
#include <sinter/dsl/products/compose_products.hpp>
#include <sinter/dsl/products/packed_subscripts.hpp>

#include <algorithm>
#include <bit>

namespace sinter::inline v0::detail {
namespace {

bool is_same_place(const recording_place& a, const recording_place& b) {
  return a.body == b.body && a.name == b.name && a.mode == b.mode &&
         std::memcmp(&a.defined_at, &b.defined_at, sizeof a.defined_at) == 0;
}

std::size_t hash_of(const recording_place& place) {
  std::uintptr_t where = 0;
  std::memcpy(&where, &place.defined_at, std::min(sizeof where, sizeof place.defined_at));
  const std::uint64_t mixed =
      (reinterpret_cast<std::uintptr_t>(place.body) + 3 * where +
       5 * reinterpret_cast<std::uintptr_t>(place.name) + static_cast<std::uint64_t>(place.mode)) *
      0x9E3779B97F4A7C15u;
  return mixed >> 40;
}

graph_value unpacked_operand(std::uint64_t operand, std::uint32_t graph) {
  return {static_cast<node_id>(operand),
          {static_cast<element_type>(operand >> 32 & 0xff), (operand >> 40 & 1) != 0},
          static_cast<std::uint8_t>(operand >> 48),
          graph};
}

}  // namespace

step_sequence* known_sequences::find(const recording_place& place) {
  if (all_.empty()) all_.resize(sets * ways);
  step_sequence* const first = all_.data() + hash_of(place) % sets * ways;
  step_sequence* const last = first + ways;
  step_sequence* found =
      std::find_if(first, last, [&](const step_sequence& each) { return is_same_place(each.place, place); });
  if (found != last) return found->in_use ? nullptr : found;
  found = std::find_if(first, last, [](const step_sequence& each) { return each.place.body == nullptr; });
  for (std::size_t tried = 0; found == last && tried < ways; ++tried) {
    step_sequence* const oldest = first + next_++ % ways;
    if (!oldest->in_use) found = oldest;
  }
  if (found == last) return nullptr;
  *found = {};
  found->place = place;
  return found;
}

void step_writer::restart(step_sequence& along) {
  along_ = &along;
  next_ = along.steps.data();
  end_ = next_ + (along.made != nullptr ? along.steps.size() : 0);
  next_detail_ = 0;
  has_remains_ = false;
  if (along.made == nullptr || along.steps.empty()) leave_known_steps();
}

// Builds the graph of the first steps, and returns how many details these have.
std::size_t step_writer::build(std::size_t taken) {
  const step_sequence& along = *along_;
  builder_.restart(along.place.mode);
  builder_.recorded().name = along.place.name != nullptr ? along.place.name : "";
  builder_.recorded().defined_at = along.place.defined_at;
  const std::uint64_t* details = along.details.data();
  for (std::size_t i = 0; i < taken; ++i) {
    perform(along.steps[i], {details, along.steps[i].details});
    details += along.steps[i].details;
  }
  return static_cast<std::size_t>(details - along.details.data());
}

// Builds the graph of the steps before the cursor, and forgets those after it. Changes nothing if it throws.
void step_writer::leave_known_steps() {
  step_sequence& along = *along_;
  const auto taken = static_cast<std::size_t>(next_ - along.steps.data());
  build(taken);
  next_ = end_ = nullptr;
  along.made = nullptr;
  along.steps.resize(taken);
  along.details.resize(next_detail_);
}

// What is refused leaves parts of a step behind, and the function that is recorded may go on without it.
void step_writer::drop_remains() {
  along_->details.resize(build(along_->steps.size()));
  has_remains_ = false;
}

node_id step_writer::append(graph_step added, std::span<const std::uint64_t> details, std::uint64_t scope) {
  static_cast<void>(builder());
  added.details = static_cast<std::uint32_t>(details.size());
  added.what |= scope;
  has_remains_ = true;
  added.result = perform(added, details);
  along_->details.insert(along_->details.end(), details.begin(), details.end());
  along_->steps.push_back(added);
  has_remains_ = false;
  return added.result;
}

const runtime::function_handle& step_writer::finish() {
  if (is_matching() && next_ == end_) return along_->made;
  made_ = runtime::intern(builder().recorded());
  along_->made = made_;
  return made_;
}

graph_builder& step_writer::builder() {
  if (is_matching())
    leave_known_steps();
  else if (has_remains_)
    drop_remains();
  return builder_;
}

namespace {

using given_operands = std::array<graph_value, max_external_arguments>;

// A scalar as a literal or as the next parameter, in the type that it meets.
graph_value scalar_of(graph_builder& into, const step_subject& what, bool weak, const graph_step& step) {
  const element_type part = component_of(what.type);
  const auto made = [&](bool is_weak, std::uint64_t bits) {
    return what.literal ? into.literal(part, bits, is_weak) : into.parameter(part, is_weak);
  };
  if (!is_complex(what.type)) return into.cast(made(weak, step.payload), what.met, step.at);
  const graph_value real = made(false, step.payload), imaginary = made(false, step.operands[2]);
  return into.cast(into.apply(operation::make_complex, {real, imaginary}), what.met, step.at);
}

graph_value apply_with_scalar(graph_builder& into, const step_subject& what, graph_value operand,
                              const graph_step& step) {
  graph_value scalar = scalar_of(into, what, false, step);
  scalar.type.weak = what.weak;
  const bool scalar_first = step.operands[1] != 0;
  return scalar_first ? into.apply(what.op, {scalar, operand}, step.at)
                      : into.apply(what.op, {operand, scalar}, step.at);
}

graph_value view_of(graph_builder& into, graph_value operand, const graph_step& step,
                    std::span<const std::uint64_t> details) {
  std::array<view_item, max_view_items> items;
  std::memcpy(static_cast<void*>(items.data()), details.data(), details.size_bytes());
  return into.view(operand, std::span(items).first(details.size_bytes() / sizeof(view_item)), step.at);
}

graph_value call_of(graph_builder& into, const step_subject& what, const graph_step& step,
                    std::span<const std::uint64_t> details) {
  given_operands operands;
  for (unsigned i = 0; i < what.count; ++i) operands[i] = unpacked_operand(details[i], into.number());
  return into.call(*reinterpret_cast<const external_function*>(step.payload),
                   std::span(operands).first(what.count), step.at);
}

graph_value reduction_of(graph_builder& into, const step_subject& what, const given_operands& operands,
                         const graph_step& step, std::uint64_t order) {
  const reduction_request request{.what = static_cast<reduction>(step.payload & 0xff),
                                  .compute = what.type,
                                  .result = what.met,
                                  .keepdims = (step.payload >> 8 & 1) != 0,
                                  .masked = (step.payload >> 9 & 1) != 0,
                                  .corrected = (step.payload >> 10 & 1) != 0,
                                  .axes = static_cast<std::uint32_t>(step.payload >> 32),
                                  .order = order};
  return compose_reduction(into, request, operands.data(), step.at);
}

graph_value part_of(graph_builder& into, const graph_step& step, std::span<const std::uint64_t> details) {
  const part_request request = unpacked_part(step.payload);
  const bool is_einsum = request.what == composed_part::einsum;
  const std::size_t count = is_einsum ? request.number : details.size();
  std::vector<graph_value> operands;
  for (const std::uint64_t operand : details.first(count))
    operands.push_back(unpacked_operand(operand, into.number()));
  if (is_einsum) return einsum(into, unpacked_subscripts(details.subspan(count)), operands, step.at);
  return compose_part(into, request, operands, step.at);
}

// A reduction or scan by a body, of values, then identities, then what the body captures.
std::vector<graph_value> combined_by(graph_builder& into, const graph& body, step_kind kind,
                                     std::span<const graph_value> operands, const graph_step& step) {
  const combining_request request = unpacked_request(step.payload);
  const std::span identities = operands.subspan(request.count, request.count);
  const std::span captured = operands.subspan(std::size_t{2} * request.count);
  std::vector<graph_value> values(operands.begin(), operands.begin() + request.count);
  if (kind == step_kind::scan)
    return into.scan(identities, values, captured, body,
                     static_cast<unsigned>(std::countr_zero(request.axes)), step.at);
  const combining_order order = request.ordered ? combining_order::ascending : combining_order::any;
  if (request.axes != 0)
    return into.reduce(identities, values, captured, body, request.axes, request.keepdims, order, step.at);
  // scalars are the only elements along a new axis
  view_item added;
  added.what = view_item::kind::newaxis;
  values[0] = into.view(values[0], std::span(&added, 1), step.at);
  return into.reduce(identities, values, captured, body, 1, false, order, step.at);
}

}  // namespace

graph_builder& step_writer::builder_of(unsigned scope) {
  if (scope == 0) return builder_;
  while (bodies_.size() < scope) bodies_.emplace_back();
  return bodies_[scope - 1];
}

node_id step_writer::perform_with_bodies(const graph_step& step, std::span<const std::uint64_t> details) {
  const step_subject what = unpacked(step.what);
  graph_builder& into = builder_of(what.scope);
  const graph& body = builder_of(scope_below(what.scope)).recorded();
  std::vector<graph_value> operands;
  for (const std::uint64_t operand : details) operands.push_back(unpacked_operand(operand, into.number()));
  const std::span all(operands);
  if (what.kind == step_kind::when) {
    const graph& otherwise = builder_of(scope_below(what.scope, 1)).recorded();
    return into.when(all[0], all.subspan(1), body, otherwise, step.at).front().id;
  }
  if (what.kind == step_kind::reduce || what.kind == step_kind::scan)
    return combined_by(into, body, what.kind, all, step).front().id;
  const std::size_t states = step.payload;
  if (what.kind == step_kind::repeat_while)
    return into.repeat_while(all.first(states), all.subspan(states), body, step.at).front().id;
  return into.repeat(all[0], all.subspan(1, states), all.subspan(1 + states), body, step.at).front().id;
}

node_id step_writer::perform(const graph_step& step, std::span<const std::uint64_t> details) {
  const step_subject what = unpacked(step.what);
  graph_builder& into = builder_of(what.scope);
  given_operands operands;
  for (std::size_t i = 0; i < step.operands.size(); ++i)
    operands[i] = unpacked_operand(step.operands[i], into.number());
  const auto axis = static_cast<unsigned>(step.payload);
  switch (what.kind) {
    case step_kind::apply:
      return into.apply(what.op, std::span(operands).first(what.count), step.at).id;
    case step_kind::apply_with_scalar:
      return apply_with_scalar(into, what, operands[0], step).id;
    case step_kind::cast:
      return into.cast(operands[0], what.type, step.at).id;
    case step_kind::scalar:
      return scalar_of(into, what, what.weak, step).id;
    case step_kind::parameter:
      return into.parameter(what.type, what.weak).id;
    case step_kind::input:
      return (is_whole_input(step.payload) ? into.whole_input(what.type, rank_of_input(step.payload))
                                           : into.input(what.type, rank_of_input(step.payload), what.weak))
          .id;
    case step_kind::view:
      return view_of(into, operands[0], step, details).id;
    case step_kind::coordinate:
      return into.coordinate(operands[0], axis, step.at).id;
    case step_kind::extent:
      return into.extent(operands[0], axis, step.at).id;
    case step_kind::external:
      return call_of(into, what, step, details).id;
    case step_kind::reduction:
      return reduction_of(into, what, operands, step, details[0]).id;
    case step_kind::part:
      return part_of(into, step, details).id;
    case step_kind::output:
      into.output(operands[0]);
      return operands[0].id;
    case step_kind::open_body:
      into.restart(along_->place.mode);
      return 0;
    case step_kind::repeat:
    case step_kind::repeat_while:
    case step_kind::when:
    case step_kind::reduce:
    case step_kind::scan:
      return perform_with_bodies(step, details);
  }
  return 0;
}

}  // namespace sinter::inline v0::detail
