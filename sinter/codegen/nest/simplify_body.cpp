#include <sinter/codegen/nest/simplify_body.hpp>

namespace sinter::inline v0 {
namespace {

/// Calls visit(number) for the instructions that a store takes.
template <typename Store, typename Visit>
void each_value(Store& at, Visit visit) {
  visit(at.value);
  if (!at.is_update()) return;
  visit(at.place);
  visit(at.condition);
  if (at.has_elements()) visit(at.elements);
}

}  // namespace

void merge_equal_reads(nest& loop_nest, std::vector<std::uint32_t>& renumbered) {
  renumbered.resize(loop_nest.body.size());
  for (std::uint32_t i = 0; i < loop_nest.body.size(); ++i) {
    instruction& at = loop_nest.body[i];
    for (std::uint32_t& argument : loop_nest.arguments_of(at)) argument = renumbered[argument];
    renumbered[i] = i;
    if (at.op != operation::input && at.op != operation::coordinate) continue;
    for (std::uint32_t j = 0; j < i; ++j)
      if (loop_nest.body[j].op == at.op && loop_nest.body[j].payload == at.payload &&
          loop_nest.body[j].arity == at.arity && loop_nest.body[j].arguments == at.arguments &&
          loop_nest.body[j].owner == at.owner && loop_nest.body[j].otherwise == at.otherwise) {
        renumbered[i] = j;
        break;
      }
  }
  for (store& at : loop_nest.stores) each_value(at, [&](std::uint32_t& i) { i = renumbered[i]; });
}

void fuse_multiply_add(nest& loop_nest, std::vector<std::uint32_t>& uses) {
  uses.assign(loop_nest.body.size(), 0);
  for (const instruction& at : loop_nest.body)
    for (const std::uint32_t argument : loop_nest.arguments_of(at)) ++uses[argument];
  for (const store& at : loop_nest.stores) each_value(at, [&](std::uint32_t i) { ++uses[i]; });
  // nothing is contracted across the border of a body
  const auto is_product = [&](std::uint32_t i, const instruction& user) {
    const instruction& at = loop_nest.body[i];
    return at.op == operation::multiply && uses[i] == 1 && at.owner == user.owner &&
           at.otherwise == user.otherwise;
  };
  for (instruction& at : loop_nest.body) {
    if (!is_floating(at.type) || (at.op != operation::add && at.op != operation::subtract)) continue;
    const auto [left, right, third] = at.arguments;
    if (is_product(left, at)) {
      at.arguments = {loop_nest.body[left].arguments[0], loop_nest.body[left].arguments[1], right};
    } else if (is_product(right, at)) {
      at.arguments = {loop_nest.body[right].arguments[0], loop_nest.body[right].arguments[1], left};
      at.negated = at.op == operation::subtract;
    } else {
      continue;
    }
    at.fused = true;
    at.arity = 3;
  }
}

void remove_unused(nest& loop_nest, std::vector<std::uint32_t>& uses,
                   std::vector<std::uint32_t>& renumbered) {
  uses.assign(loop_nest.body.size(), 0);
  for (const store& at : loop_nest.stores) each_value(at, [&](std::uint32_t i) { uses[i] = 1; });
  for (std::size_t i = loop_nest.body.size(); i-- > 0;) {
    const instruction& made = loop_nest.body[i];
    const bool is_run = made.owner == instruction::no_owner || uses[made.owner] != 0;
    if (made.op == operation::report && is_run) uses[i] = 1;
    if (uses[i] != 0)
      for (const std::uint32_t argument : loop_nest.arguments_of(made)) uses[argument] = 1;
  }
  renumbered.resize(loop_nest.body.size());
  std::uint32_t kept = 0;
  std::vector<std::uint32_t> arguments;
  for (std::uint32_t i = 0; i < loop_nest.body.size(); ++i) {
    if (uses[i] == 0) continue;
    instruction at = loop_nest.body[i];
    const auto of_at = loop_nest.arguments_of(at);
    if (has_body(at.op)) at.payload = arguments.size();
    for (std::size_t a = 0; a < of_at.size(); ++a) {
      if (has_body(at.op))
        arguments.push_back(renumbered[of_at[a]]);
      else
        at.arguments[a] = renumbered[at.arguments[a]];
    }
    renumbered[i] = kept;
    loop_nest.body[kept++] = at;
  }
  loop_nest.body.resize(kept);
  loop_nest.arguments = std::move(arguments);
  for (instruction& at : loop_nest.body)
    if (at.owner != instruction::no_owner) at.owner = renumbered[at.owner];
  for (store& at : loop_nest.stores) each_value(at, [&](std::uint32_t& i) { i = renumbered[i]; });
  remove_unused_constants(loop_nest);
}

void remove_unused_constants(nest& loop_nest) {
  if (loop_nest.constants.empty()) return;
  std::vector<std::int64_t> kept;
  for (instruction& at : loop_nest.body) {
    if (at.op != operation::extent) continue;
    kept.push_back(loop_nest.constants[at.payload]);
    at.payload = kept.size() - 1;
  }
  loop_nest.constants.swap(kept);
}

}  // namespace sinter::inline v0
