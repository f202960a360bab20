#include <sinter/codegen/loops/statements/body_statements.hpp>

#include <sinter/codegen/nest/nest_bodies.hpp>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace sinter::inline v0::codegen {
namespace {

/// Whether the body of a loop multiplies integers that are computed in it. Unrolled, such iterations are a
/// polynomial to LLVM, which writes it out: forty squarings compile for ever.
bool multiplies_integers(const nest_body& body, std::uint32_t owner) {
  return std::ranges::any_of(body.body, [&](const instruction& at) {
    const bool is_product =
        at.op == operation::multiply || at.op == operation::square || at.op == operation::power;
    if (!is_product || !is_integer(at.type)) return false;
    for (std::uint32_t around = at.owner; around != instruction::no_owner; around = body.body[around].owner)
      if (around == owner) return true;
    return false;
  });
}

}  // namespace

expression body_statements::value(std::uint32_t i) {
  if (code(i).op == operation::component && code(i).owner != instruction::no_owner) return component(i);
  return code(i).owner == instruction::no_owner ? outer_value_(i) : out_.name("v", i);
}

expression body_statements::result_name(std::uint32_t owner, std::size_t result) {
  if (code(owner).op == operation::when) return out_.name("v", owner, "_", static_cast<std::int64_t>(result));
  return out_.name("v", body_.arguments_of_bodies(code(owner)).first(result));
}

expression body_statements::component(std::uint32_t i) {
  return result_name(code(i).arguments[0], static_cast<std::size_t>(code(i).payload));
}

expression body_statements::evaluated(std::uint32_t i) {
  const instruction& made = code(i);
  std::array<expression, 3> operands;
  for (unsigned a = 0; a < made.arity; ++a) operands[a] = value(made.arguments[a]);
  return out_.expressions().make(expression_kind::evaluate, std::span(operands).first(made.arity), i);
}

void body_statements::write(std::uint32_t owner) {
  if (code(owner).op == operation::when)
    write_choice(owner);
  else
    write_loop(owner);
}

void body_statements::write_inside(std::uint32_t i) {
  const operation op = code(i).op;
  if (op == operation::carried || op == operation::iteration || op == operation::component) return;
  if (has_body(op)) return write(i);
  if (op == operation::report) return write_report(i);
  out_.let(value_of(code(i).type), out_.name("v", i), op == operation::input ? element(i) : evaluated(i));
}

/// The element of an array at the position that the instruction's argument is.
expression body_statements::element(std::uint32_t i) {
  const expression from =
      out_.expressions().make(expression_kind::array_pointer, {}, static_cast<std::int64_t>(code(i).payload));
  return out_.expressions().make(expression_kind::evaluate, {from[value(code(i).arguments[0])]}, i);
}

void body_statements::write_report(std::uint32_t i) {
  const auto& arguments = code(i).arguments;
  out_.report(i, value(arguments[0]), value(arguments[1]), value(arguments[2]), reported_);
}

void body_statements::write_combined(std::uint32_t owner, std::span<const expression> left,
                                     std::span<const expression> right, std::span<const expression> to) {
  for (std::uint32_t i = 0; i < owner; ++i) {
    if (code(i).owner != owner) continue;
    const auto number = static_cast<std::size_t>(code(i).payload);
    if (code(i).op == operation::partial)
      out_.let(value_of(code(i).type), out_.name("v", i),
               number < left.size() ? left[number] : right[number - left.size()]);
    else
      write_inside(i);
  }
  const auto results = body_.arguments_of_combining(code(owner)).results;
  for (std::size_t k = 0; k < to.size(); ++k) out_.assign(to[k], value(results[k]));
}

/// The variable that counts a loop's iterations: its `iteration` instruction's, if it has one.
expression body_statements::iteration_of(std::uint32_t owner) {
  for (std::uint32_t i = 0; i < owner; ++i)
    if (code(i).op == operation::iteration && code(i).owner == owner) return out_.name("v", i);
  return out_.name("i", owner);
}

void body_statements::write_loop(std::uint32_t owner) {
  const body_arguments arguments = body_.arguments_of_bodies(code(owner));
  const bool has_condition = code(owner).op == operation::repeat_while;
  for (std::size_t k = 0; k < arguments.count(); ++k) {
    const instruction& state = code(arguments.first(k));
    out_.variable(value_of(state.type), result_name(owner, k), value(state.arguments[0]));
  }
  statement loop{.kind = statement_kind::loop,
                 .loop = multiplies_integers(body_, owner) ? loop_kind::carried_rolled : loop_kind::carried};
  loop.type = index_type;
  loop.instruction = owner;
  loop.target = iteration_of(owner);
  loop.begin = out_.integer(0);
  if (!has_condition) loop.end = value(arguments.lead);
  std::vector<expression> states(arguments.count());
  for (std::size_t k = 0; k < states.size(); ++k) states[k] = result_name(owner, k);
  loop.states = out_.expressions().list(states);
  const statement_id opened = out_.id_of(out_.open(loop));
  std::vector<bool> written(body_.body.size(), false);
  if (has_condition)
    for (const std::uint32_t condition : conditions_of(owner, written)) {
      write_once(owner, needed_before_leaving(owner, condition), written);
      out_.leave_unless(value(condition));
    }
  write_once(owner, std::vector<bool>(body_.body.size(), true), written);
  out_[opened].next_states = next_states(owner);
  out_.close();
}

/// What the condition of a loop needs, and the reports of the elements that it reads.
std::vector<bool> body_statements::needed_before_leaving(std::uint32_t owner, std::uint32_t condition) const {
  std::vector<bool> needed = needed_in_body(body_, owner, condition);
  const std::vector<bool> of_condition = needed;
  for (std::uint32_t i = 0; i < owner; ++i) {
    if (code(i).op != operation::report || code(i).owner != owner ||
        !of_condition[position_reported(body_, i)])
      continue;
    const std::vector<bool> of_report = needed_in_body(body_, owner, i);
    for (std::uint32_t k = 0; k < owner; ++k) needed[k] = needed[k] || of_report[k];
  }
  return needed;
}

/// Writes those instructions of a body that are wanted and not written yet.
void body_statements::write_once(std::uint32_t owner, const std::vector<bool>& wanted,
                                 std::vector<bool>& written) {
  for (std::uint32_t i = 0; i < owner; ++i) {
    if (code(i).owner != owner || !wanted[i] || written[i]) continue;
    written[i] = true;
    write_inside(i);
  }
}

/// The conditions of which a loop's is the conjunction, those that take least first. A GPU's compiler unrolls
/// a loop that leaves by a count on its own. Lanes of a vector leave by one mask. A
/// conjunction that nothing else reads counts as written.
std::vector<std::uint32_t> body_statements::conditions_of(std::uint32_t owner,
                                                          std::vector<bool>& written) const {
  const auto is_read_once = [&](std::uint32_t wanted) {
    std::size_t reads = 0;
    for (const instruction& at : body_.body)
      for (const std::uint32_t argument : body_.arguments_of(at)) reads += argument == wanted ? 1 : 0;
    return reads == 1;
  };
  std::vector<std::uint32_t> all{body_.arguments_of_bodies(code(owner)).lead};
  // what a conjunct guards is read behind it: those that read elements keep their order
  const bool reads_elements = needed_before_leaving(owner, all[0]) != needed_in_body(body_, owner, all[0]);
  if (lanes_ == lanes_of_bodies::one_vector || reads_elements) return all;
  std::vector<bool> is_left_out{true};  // whether nothing that is written reads the condition
  for (std::size_t next = 0; next < all.size();) {
    const instruction& at = code(all[next]);
    if (at.op != operation::logical_and || at.owner != owner) {
      ++next;
      continue;
    }
    is_left_out[next] = written[all[next]] = is_left_out[next] && is_read_once(all[next]);
    is_left_out.push_back(is_left_out[next]);
    all[next] = at.arguments[0];
    all.push_back(at.arguments[1]);
  }
  const auto needs = [&](std::uint32_t condition) {
    const std::vector<bool> needed = needed_in_body(body_, owner, condition);
    std::size_t count = 0;
    for (std::uint32_t i = 0; i < owner; ++i) count += needed[i] && code(i).owner == owner ? 1 : 0;
    return count;
  };
  std::ranges::sort(all, {}, [&](std::uint32_t condition) { return std::pair(needs(condition), condition); });
  return all;
}

/// What the states become. States change one after the other: one that becomes what another was is copied
/// first.
expression body_statements::next_states(std::uint32_t owner) {
  const body_arguments arguments = body_.arguments_of_bodies(code(owner));
  std::vector<expression> next(arguments.count());
  for (std::size_t k = 0; k < arguments.count(); ++k) {
    const std::uint32_t from = arguments.second(k);
    next[k] = value(from);
    if (from == arguments.first(k) || code(from).op != operation::carried || code(from).owner != owner)
      continue;
    const expression copied = out_.name("next", owner, "_", static_cast<std::int64_t>(k));
    out_.let(value_of(code(from).type), copied, next[k]);
    next[k] = copied;
  }
  return out_.expressions().list(next);
}

void body_statements::write_choice(std::uint32_t owner) {
  const body_arguments arguments = body_.arguments_of_bodies(code(owner));
  for (std::size_t k = 0; k < arguments.count(); ++k)
    out_.variable(value_of(code(arguments.first(k)).type), result_name(owner, k));
  statement choice{.kind = statement_kind::choice};
  choice.instruction = owner;
  choice.condition = value(arguments.lead);
  out_.open(choice);
  for (const bool otherwise : {false, true}) {
    if (otherwise) out_.reopen();
    for (std::uint32_t i = 0; i < owner; ++i)
      if (code(i).owner == owner && code(i).otherwise == otherwise) write_inside(i);
    for (std::size_t k = 0; k < arguments.count(); ++k)
      out_.assign(result_name(owner, k), value(otherwise ? arguments.second(k) : arguments.first(k)));
  }
  out_.close();
}

}  // namespace sinter::inline v0::codegen
