#include <sinter/codegen/print/lane_printer.hpp>

#include <sinter/codegen/loops/ir/lane_stride.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/math/instruction_function.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/print/update_text.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <stdexcept>

namespace sinter::inline v0::codegen {
namespace {

/// Names of an instruction's operands in its formula.
constexpr std::array<std::string_view, 4> operand_names = {"o0", "o1", "o2", "o3"};

}  // namespace

lane_printer::lane_printer(const kernel_description& kernel, const loop_tree& tree,
                           expression_printer& scalars)
    : kernel_(kernel), tree_(tree), scalars_(scalars), translator_(text_mode_of(kernel)) {}

void lane_printer::open(const statement& loop) {
  if (!declared_.has_value()) declared_.emplace(tree_);
  lane_ = loop.target;
  translator_.set_lanes(static_cast<int>(loop.lanes), loop.is_doubled);
}

std::string lane_printer::line(const statement& at) {
  switch (at.kind) {
    case statement_kind::let: {
      const lane_type type = lane_type_of(facts_of(at.type.element).spelling);
      const std::string name(tree_.expressions.name_of(at.target.id));
      const lane_value made = value(at.value);
      if (!activities_.empty() && !made.is_vector) {  // what lanes share in a body is computed once
        translator_.declare(name, {name, type, false});
        return fmt::format("const {} {} = {};", facts_of(at.type.element).spelling, name, made.text);
      }
      std::string text = fmt::format("const {} {} = {};", translator_.use_type(type), name,
                                     translator_.vector_of(made, type));
      translator_.declare(name, {name, type, true});
      return text;
    }
    case statement_kind::variable: {
      const lane_type type = lane_type_of(facts_of(at.type.element).spelling);
      const std::string name(tree_.expressions.name_of(at.target.id));
      std::string text = translator_.use_type(type) + " " + name + " = " +
                         (at.value.is_set() ? translator_.vector_of(value(at.value), type) : "{}") + ";";
      translator_.declare(name, {name, type, true});
      return text;
    }
    case statement_kind::leave:
      return leave(at);
    case statement_kind::report:
      return report(at);
    case statement_kind::update:
      return update(at);
    case statement_kind::assign:
      if (tree_.expressions[at.target.id].kind == expression_kind::name) return assign_name(at);
      if (at.condition.is_set()) return put_past_the_cache(at);
      return put(at.target, value(at.value));
    case statement_kind::combine:
      return combine(at);
    default:
      throw std::logic_error("lanes: a statement that vectors do not have");
  }
}

/// Lanes are looked at one by one where one of them has something to tell.
std::string lane_printer::report(const statement& at) {
  scalars_.note_helper("report_index");
  const lane_type truth = {'b', 1}, number = lane_type_of("long long");
  lane_value condition = value(at.condition);
  if (!activities_.empty()) condition = translated("o0 & o1", std::array{condition, active()});
  const std::string has_element =
      at.begin.is_set()
          ? fmt::format(" && {} + l < {}", scalars_.text_of(at.target), scalars_.text_of(at.begin))
          : "";
  std::string left;
  for (const std::uint32_t loop : loops_left_by(kernel_.body, at.instruction))
    left += fmt::format(
        "active{} &= {}; ", loop,
        translator_.vector_of(translated("!o0", std::array{lane_value{"out", truth, true}}), mask_of(loop)));
  return fmt::format(
      "{{ const {} out = {}; if (__builtin_expect(__builtin_reduce_or(out) != 0, 0)) {{ const {} at = {}, "
      "all = {}; for (int l = 0; l < {}; ++l) if (out[l]{}) report_index(a.fault, a.site + {}, at[l], "
      "all[l]); "
      "{}}} }}",
      translator_.use_type(truth), translator_.vector_of(condition, truth), translator_.use_type(number),
      translator_.vector_of(value(at.value), number), translator_.vector_of(value(at.end), number),
      translator_.lanes(), has_element, code(at.instruction).payload, left);
}

/// Lanes are updated one after the other: several may be of one element. In a task's copy the last element
/// takes what is no update, so that nothing branches where all lanes have an element.
std::string lane_printer::update(const statement& at) {
  const store& made = kernel_.body.stores[at.instruction];
  const bool is_own = at.space == memory_space::stack;
  const std::string_view helper =
      update_helper(made.combine, kernel_.body.accesses[made.target].type, is_own);
  scalars_.note_helper(helper);
  const lane_type truth = {'b', 1}, number = lane_type_of("long long"),
                  type = lane_type_of(facts_of(kernel_.body.accesses[made.target].type).storage);
  const auto target = tree_.expressions.operands_of(at.target.id);
  const auto part = [&](std::size_t i) { return expression{at.target.table, target[i]}; };
  const std::string lanes = translator_.lanes();
  const std::string begin = scalars_.text_of(at.begin), end = scalars_.text_of(at.end);
  const std::string numbers = translator_.use_type(number);
  const std::string each = fmt::format("for (int l = 0; l < {}; ++l)", lanes),
                    combined = fmt::format("{}(&{}[at[l]], with[l]);", helper, scalars_.text_of(part(0)));
  const std::string operands =
      fmt::format("const {} on = {}; const {} place = {}; const {} with = {};", translator_.use_type(truth),
                  translator_.vector_of(value(at.condition), truth), numbers,
                  translator_.vector_of(value(part(1)), number), translator_.use_type(type),
                  translator_.vector_of(value(at.value), type));
  if (!is_own)
    return fmt::format(
        "{{ {} const {} at = place; {} if (on[l] && (unsigned long long)({} + l) < (unsigned long long){}) "
        "{} }}",
        operands, numbers, each, begin, end, combined);
  return fmt::format(
      "{{ {0} const {1} at = __builtin_convertvector(__builtin_convertvector(on, {2}) ? place : ({2}){{}} + "
      "{3}ll, {1}); const long long begin = {4}, end = {5}; if (begin >= 0 && begin + {6} <= end) {{ {7} {8} "
      "}} "
      "else {{ {7} if (begin + l >= 0 && begin + l < end) {8} }} }}",
      operands, translator_.use_type(lane_type_of("int")), numbers, kernel_.chosen.private_updates, begin,
      end, lanes, each, combined);
}

std::string lane_printer::combine(const statement& at) {
  const instruction& made = code(at.instruction);
  instruction_printer& formulas = scalars_.instructions();
  const std::string_view compute = facts_of(made.compute).spelling;
  const auto part = [&](expression list, std::size_t number) {
    return expression{list.table, tree_.expressions.operands_of(list.id)[number]};
  };
  const expression target = part(at.target, 0);
  const lane_value to = operand(target, compute), from = operand(part(at.value, 0), compute);
  if (!finds_position(made.op))
    return put(target, translated(formulas.combined(made, "o0", "o1"), std::array{to, from}));
  const std::string_view position_type = at.in_order ? "int" : "long long";
  const expression target_position = part(at.target, 1);
  const lane_value place = operand(target_position, position_type),
                   from_place = operand(part(at.value, 1), position_type);
  const std::string formula = at.in_order ? formulas.preferred_later(made, "o1", "o0")
                                          : formulas.preferred(made, "o1", "o3", "o0", "o2");
  const lane_value preferred = translated(formula, std::array{to, from, place, from_place});
  translator_.declare("is_preferred", {"is_preferred", preferred.type, true});
  return fmt::format(
      "{{ const {} is_preferred = {}; {} {} }}", translator_.use_type(preferred.type), preferred.text,
      put(target, translated("is_preferred ? o1 : o0", std::array{to, from})),
      put(target_position, translated("is_preferred ? o1 : o0", std::array{place, from_place})));
}

// Bodies.

/// A mask as wide as what the body computes with.
lane_type lane_printer::mask_of(std::uint32_t owner) const {
  return {'b', static_cast<std::uint8_t>(size_of(facts_of(code(owner).type).compute))};
}

std::vector<std::string> lane_printer::open_carried(const statement& loop) {
  const expression_table& table = tree_.expressions;
  const std::string variable(table.name_of(loop.target.id));
  std::vector<std::string> lines;
  activity of_loop{.lanes = active()};
  std::string condition;
  if (loop.end.is_set()) {
    // all lanes count to the same number
    const lane_value count = operand(loop.end, "long long");
    condition = fmt::format("{} < {}{}", variable, count.text, count.is_vector ? "[0]" : "");
  } else {
    const lane_type mask = mask_of(loop.instruction);
    const std::string name = fmt::format("active{}", loop.instruction);
    lines.push_back(
        fmt::format("{} {} = {};", translator_.use_type(mask), name, translator_.vector_of(active(), mask)));
    of_loop.lanes = {name, mask, true};
    of_loop.results = results_read(loop);
    for (const std::string& state : of_loop.results)
      lines.push_back(
          fmt::format("{} {}_left = {};", translator_.use_type(translator_.find(state)->type), state, state));
  }
  activities_.push_back(of_loop);
  translator_.declare(variable, {variable, lane_type_of("long long"), false});
  lines.push_back(fmt::format("for (long long {0} = 0; {1}; ++{0}) {{", variable, condition));
  return lines;
}

std::vector<std::string> lane_printer::open_side(const statement& choice, bool otherwise) {
  const std::string name = fmt::format("{}{}", otherwise ? "others" : "chosen", choice.instruction);
  const lane_value condition = value(choice.condition), outer = active();
  if (!condition.is_vector) {  // what all lanes share is a branch
    const bool masks = !activities_.empty() && activities_.back().masks_assignments;
    activities_.push_back({.lanes = outer, .masks_assignments = masks});
    return {fmt::format("if ({}({})) {{", otherwise ? "!" : "", condition.text)};
  }
  const lane_type mask = mask_of(choice.instruction);
  translator_.declare("o0", condition);
  translator_.declare("o1", outer);
  const lane_value lanes = translator_.translated(otherwise ? "!o0 & o1" : "o0 & o1");
  activities_.push_back({.lanes = {name, mask, true}, .masks_assignments = true});
  std::vector<std::string> lines{
      fmt::format("const {} {} = {};", translator_.use_type(mask), name, translator_.vector_of(lanes, mask))};
  lines.push_back(is_cheap_choice(kernel_.body, choice.instruction)
                      ? "{"
                      : fmt::format("if (__builtin_reduce_or({}) != 0) {{", name));
  return lines;
}

std::string lane_printer::leave(const statement& at) {
  const lane_value& lanes = activities_.back().lanes;
  return fmt::format("{0} &= {1}; if (__builtin_reduce_or({0}) == 0) break;", lanes.text,
                     translator_.vector_of(value(at.condition), lanes.type));
}

/// The states of a loop that are read behind it.
std::vector<std::string> lane_printer::results_read(const statement& loop) const {
  std::vector<std::string> results;
  const auto states = tree_.expressions.operands_of(loop.states.id);
  for (std::size_t k = 0; k < states.size(); ++k)
    if (std::ranges::any_of(kernel_.body.body, [&](const instruction& at) {
          return at.op == operation::component && at.arguments[0] == loop.instruction && at.payload == k;
        }))
      results.emplace_back(tree_.expressions.name_of(states[k]));
  return results;
}

std::vector<std::string> lane_printer::close_body() {
  std::vector<std::string> lines;
  for (const std::string& state : activities_.back().results)
    lines.push_back(fmt::format("{0} = {0}_left;", state));
  activities_.pop_back();
  return lines;
}

/// A state or a result of a body. Lanes that have left a loop go on with states that nothing reads, so that
/// no iteration waits for the mask of the one before; what they left with is beside them.
std::string lane_printer::assign_name(const statement& at) {
  const std::string name(tree_.expressions.name_of(at.target.id));
  const lane_value to = *translator_.find(name), from = value(at.value);
  if (activities_.empty()) return name + " = " + translator_.vector_of(from, to.type) + ";";
  const activity& within = activities_.back();
  const auto masked = [&](const lane_value& kept) {
    return translator_.vector_of(translated("o2 ? o1 : o0", std::array{kept, from, within.lanes}), to.type);
  };
  if (within.masks_assignments) return name + " = " + masked(to) + ";";
  std::string text;
  if (std::ranges::find(within.results, name) != within.results.end())
    text = fmt::format("{0}_left = {1}; ", name, masked({name + "_left", to.type, true}));
  return text + name + " = " + translator_.vector_of(from, to.type) + ";";
}

std::string lane_printer::holds_for_all(expression condition) { return holds_for_all(value(condition)); }

std::string lane_printer::holds_for_all(const lane_value& holds) {
  const std::string bytes = translator_.vector_of(holds, {'b', 1});
  return "(__builtin_reduce_and(" + bytes + ") != 0)";
}

// Values.

lane_value lane_printer::value(expression at) {
  const expression_node& node = tree_.expressions[at.id];
  switch (node.kind) {
    case expression_kind::evaluate:
    case expression_kind::evaluate_fast:
    case expression_kind::fast_test:
    case expression_kind::start:
    case expression_kind::combined:
    case expression_kind::stored:
      return of_instruction(node, at);
    default:
      return operand(at, {});
  }
}

lane_value lane_printer::of_instruction(const expression_node& at, expression node) {
  const auto given = tree_.expressions.operands_of(node.id);
  instruction_printer& formulas = scalars_.instructions();
  const auto operand_at = [&](std::size_t i) { return expression{node.table, given[i]}; };
  if (at.kind == expression_kind::stored) {
    const element_type_facts& element = facts_of(at.type.element);
    const lane_value stored = translated(formulas.stored(at.type.element, "o0"),
                                         std::array{operand(operand_at(0), element.spelling)});
    const lane_type type = lane_type_of(element.storage);
    return {translator_.vector_of(stored, type), type, true};
  }
  const instruction& made = code(static_cast<std::uint64_t>(at.value));
  std::array<lane_value, 4> operands;
  std::array<std::string, 4> names;
  for (std::size_t i = 0; i < given.size(); ++i) {
    names[i] = operand_names[i];
    std::string_view spelling = facts_of(made.compute).spelling;
    if (made.op == operation::input) spelling = facts_of(made.type).storage;
    if (made.op == operation::coordinate) spelling = "long long";
    if (made.op != operation::input && i < made.arity && at.kind != expression_kind::combined)
      spelling = facts_of(code(made.arguments[i]).type).spelling;
    operands[i] = operand(operand_at(i), spelling);
  }
  if (made.op == operation::parameter) {
    const std::string name = "a.q" + std::to_string(made.payload);
    translator_.declare(name, {name, lane_type_of(facts_of(made.type).storage), false});
  }
  if (made.op == operation::extent) {
    const std::string name = "a.c" + std::to_string(made.payload);
    translator_.declare(name, {name, lane_type_of("long long"), false});
  }
  switch (at.kind) {
    case expression_kind::evaluate:
      if (!activities_.empty() && has_fast_path(kernel_, made)) return in_body(made, names, operands);
      return translated(formulas.value(made, names), operands);
    case expression_kind::evaluate_fast:
      return translated(formulas.value_of_fast_path(made, names), operands);
    case expression_kind::fast_test:
      return translated(formulas.fast_path_test(made, names), operands);
    case expression_kind::start:
      return translated(formulas.start(made), operands);
    default:
      return translated(formulas.combined(made, names[0], names[1]), operands);
  }
}

/// A function in a body takes its fast path where all lanes may.
lane_value lane_printer::in_body(const instruction& made, std::span<const std::string> names,
                                 std::span<const lane_value> operands) {
  instruction_printer& formulas = scalars_.instructions();
  const lane_value slow = translated(formulas.value(made, names), operands),
                   fast = translated(formulas.value_of_fast_path(made, names), operands),
                   test = translated(formulas.fast_path_test(made, names), operands);
  const std::string type = translator_.use_type(slow.type);
  return {fmt::format("({{ {0} all; if ({1}) all = {2}; else all = {3}; all; }})", type, holds_for_all(test),
                      translator_.vector_of(fast, slow.type), translator_.vector_of(slow, slow.type)),
          slow.type, true};
}

lane_value lane_printer::translated(const std::string& formula, std::span<const lane_value> operands) {
  for (std::size_t i = 0; i < operands.size(); ++i)
    translator_.declare(std::string(operand_names[i]), operands[i]);
  return translator_.translated(formula);
}

/// A value that lanes have in a vector or in memory, or a scalar of the type `spelling`.
lane_value lane_printer::operand(expression at, std::string_view spelling) {
  const expression_node& node = tree_.expressions[at.id];
  if (node.kind == expression_kind::name)
    if (const lane_value* known = translator_.find(tree_.expressions.name_of(at.id))) return *known;
  if (node.kind == expression_kind::start || node.kind == expression_kind::evaluate) return value(at);
  if (node.kind == expression_kind::subscript && is_gathered(node, at)) return gathered(at);
  if (differs(at))
    return node.kind == expression_kind::subscript || node.kind == expression_kind::lane ? loaded(at)
                                                                                         : position(at);
  std::string_view type = spelling.empty() ? std::string_view("long long") : spelling;
  // a bool that all lanes share is not a number
  const value_type* declared = spelling.empty() ? declared_->find(tree_.expressions, at) : nullptr;
  if (declared != nullptr && declared->as == value_type::form::value)
    type = facts_of(declared->element).spelling;
  return {scalars_.text_of(at), lane_type_of(type), false};
}

/// A first lane, and how much each is beyond the one before.
lane_value lane_printer::position(expression at) {
  const lane_type type = lane_type_of("long long");
  const lane_stride growth = growth_along_lanes(*at.table, at, lane_).value();
  const std::string vector = translator_.use_type(type);
  std::string numbers = fmt::format("({{ {} all; for (int l = 0; l < {}; ++l) all[l] = l; all; }})", vector,
                                    translator_.lanes());
  if (growth.by.is_set())
    numbers += " * " + translator_.vector_of({scalars_.text_of(growth.by), type, false}, type);
  return {"(" + translator_.vector_of({scalars_.text_of(at), type, false}, type) + " + " + numbers + ")",
          type, true};
}

// Memory.

/// The element type of a place, as C++ spells it.
std::string lane_printer::type_in_memory(expression place) const {
  const value_type& type = *declared_->find(tree_.expressions, place);  // choose_vectors() found it
  if (type.as == value_type::form::value) return std::string(facts_of(type.element).spelling);
  if (type.as == value_type::form::storage) return std::string(facts_of(type.element).storage);
  return type.as == value_type::form::narrow_index ? "int" : "long long";
}

lane_value lane_printer::loaded(expression place) {
  const std::string spelling = type_in_memory(place), first = scalars_.text_of(place);
  const bool is_truth = spelling == "bool";
  const lane_type type = is_truth ? lane_type{'u', 1} : lane_type_of(spelling);
  const std::string vector = translator_.use_type(type);
  const lane_stride stride = stride_of_lanes(*place.table, place, lane_).value();
  std::string text = "*(const " + vector + "_at*)&" + first;
  if (stride.by.is_set())
    text = fmt::format("({{ {} all; for (int l = 0; l < {}; ++l) all[l] = (&{})[l * {}]; all; }})", vector,
                       translator_.lanes(), first, "(" + scalars_.text_of(stride.by) + ")");
  if (is_truth) return {"(" + translator_.use_type({'b', 1}) + ")(" + text + " != 0)", {'b', 1}, true};
  return {"(" + text + ")", type, true};
}

/// Whether lanes read an array where a vector says.
bool lane_printer::is_gathered(const expression_node& at, expression place) const {
  const expression index{place.table, tree_.expressions.operands_of(place.id)[1]};
  if (at.kind != expression_kind::subscript || tree_.expressions[index.id].kind != expression_kind::name)
    return false;
  const lane_value* known = translator_.find(tree_.expressions.name_of(index.id));
  return known != nullptr && known->is_vector;
}

lane_value lane_printer::gathered(expression place) {
  const auto operands = tree_.expressions.operands_of(place.id);
  // it is the pointer of an access
  const auto access = static_cast<std::size_t>(tree_.expressions[operands[0]].value);
  const std::string spelling(facts_of(kernel_.body.accesses[access].type).storage),
      from = scalars_.text_of({place.table, operands[0]}), at(tree_.expressions.name_of(operands[1]));
  const lane_type type = spelling == "bool" ? lane_type{'u', 1} : lane_type_of(spelling);
  const std::string vector = translator_.use_type(type),
                    text =
                        fmt::format("({{ {} all; for (int l = 0; l < {}; ++l) all[l] = ({})[{}[l]]; all; }})",
                                    vector, translator_.lanes(), from, at);
  if (spelling == "bool")
    return {"(" + translator_.use_type({'b', 1}) + ")(" + text + " != 0)", {'b', 1}, true};
  return {text, type, true};
}

/// A store that bypasses the cache where the condition of an assignment says so.
std::string lane_printer::put_past_the_cache(const statement& at) {
  const std::string spelling = type_in_memory(at.target);
  const lane_type type = spelling == "bool" ? lane_type{'u', 1} : lane_type_of(spelling);
  const std::string vector = translator_.use_type(type), text = translator_.vector_of(value(at.value), type);
  scalars_.note_helper("store_past");
  return fmt::format(
      "{{ const {0} all = {1}; if (__builtin_expect({2}, 0)) store_past(&{3}, all); else *({0}_at*)&{3} = "
      "all; }}",
      vector, text, scalars_.text_of(at.condition), scalars_.text_of(at.target));
}

std::string lane_printer::put(expression place, const lane_value& value) {
  const std::string spelling = type_in_memory(place), first = scalars_.text_of(place);
  const lane_type type = spelling == "bool" ? lane_type{'u', 1} : lane_type_of(spelling);
  const std::string vector = translator_.use_type(type), text = translator_.vector_of(value, type);
  const lane_stride stride = stride_of_lanes(*place.table, place, lane_).value();
  if (!stride.by.is_set()) return fmt::format("*({}_at*)&{} = {};", vector, first, text);
  return fmt::format("{{ const {} all = {}; for (int l = 0; l < {}; ++l) (&{})[l * ({})] = all[l]; }}",
                     vector, text, translator_.lanes(), first, scalars_.text_of(stride.by));
}

}  // namespace sinter::inline v0::codegen
