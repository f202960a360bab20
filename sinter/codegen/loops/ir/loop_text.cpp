#include <sinter/codegen/loops/ir/loop_text.hpp>

#include <sinter/codegen/loops/ir/operators.hpp>

#include <fmt/format.h>

#include <limits>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::string_view loop_kinds[] = {"grid",
                                           "cluster",
                                           "block",
                                           "",
                                           ", unrolled",
                                           ", unrolled twice",
                                           ", rows",
                                           ", vector",
                                           ", vector in pairs",
                                           ", vector by the compiler",
                                           ", lanes",
                                           ", rolled",
                                           ", carried",
                                           ", carried, rolled",
                                           ", chunks"};
constexpr std::string_view scopes[] = {"thread", "warp", "block", "cluster"};
constexpr std::string_view spaces[] = {
    "", "global ", "stack ", "shared ", "shared aligned ", "shared of the launch ", "resident "};

std::string type_text(const value_type& type) {
  using form = value_type::form;
  const std::string_view element = facts_of(type.element).name;
  const std::string base = [&]() -> std::string {
    switch (type.as) {
      case form::index:
        return "index";
      case form::narrow_index:
        return "int32";
      case form::unsigned_index:
        return "uint32";
      case form::address:
        return "address";
      case form::truth:
        return "truth";
      case form::value:
        return std::string(element) + " value";
      case form::storage:
        return std::string(element);
      case form::vector_of_storage:
        return fmt::format("{} x {}", type.lanes, element);
      case form::vector_of_values:
        return fmt::format("{} x {} value", type.lanes, element);
      case form::bytes:
        return "bytes";
      case form::octet:
        return "byte";
    }
    return {};
  }();
  constexpr std::string_view pointers[] = {"", "*", " const*", "&"};
  return base + std::string(pointers[type.pointer]);
}

std::string_view scope_of(const statement& at) { return scopes[static_cast<std::size_t>(at.scope)]; }

class tree_text {
 public:
  explicit tree_text(const loop_tree& tree) : tree_(tree) {}

  std::string of_list(statement_id first) {
    each_in_list(tree_, first, [&](statement_id id) { add(tree_[id]); });
    return std::move(text_);
  }

  std::string of(expression at) { return at.is_set() ? of(at.id, 0) : std::string(); }
  std::string of_number(std::uint32_t id) { return of(id, 0); }

 private:
  void line(std::string_view text) {
    text_.append(2 * depth_, ' ');
    text_ += text;
    text_ += '\n';
  }
  void inside(std::string_view header, statement_id list) {
    line(header);
    ++depth_;
    each_in_list(tree_, list, [&](statement_id id) { add(tree_[id]); });
    --depth_;
  }

  static std::string text_of_test(statement_kind kind, const std::string& target, const std::string& value,
                                  const std::string& condition) {
    if (kind == statement_kind::update) return "update " + target + " by " + value + ", if " + condition;
    if (kind == statement_kind::report) return "report " + value + ", if " + condition;
    return (kind == statement_kind::leave ? "leave unless " : "require ") + condition;
  }

  void add(const statement& at) {
    const std::string target = of(at.target), value = of(at.value), condition = of(at.condition),
                      step = of(at.step);
    switch (at.kind) {
      case statement_kind::scope:
        return inside("scope", at.body);
      case statement_kind::loop:
        return inside(header_of_loop(at), at.body);
      case statement_kind::guard:
      case statement_kind::choice:
        inside(value.empty() ? "if " + condition : fmt::format("if {} = {}; {}", target, value, condition),
               at.body);
        if (at.otherwise != no_statement) inside("else", at.otherwise);
        return;
      case statement_kind::let:
        return line(fmt::format("let {}: {} = {}", target, type_text(at.type), value));
      case statement_kind::variable:
        return line(fmt::format("{}var {}: {}{}{}", spaces[static_cast<std::size_t>(at.space)], target,
                                type_text(at.type), value.empty() ? "" : " = " + value,
                                at.zeroed ? " = 0" : ""));
      case statement_kind::assign:
        return line(target + " = " + value + (condition.empty() ? "" : ", past the cache if " + condition));
      case statement_kind::add:
        return line(target + " += " + value);
      case statement_kind::advance:
        inside(fmt::format("advance {}{}", value, step.empty() ? "" : " by " + step), at.body);
        return;
      case statement_kind::load:
      case statement_kind::store:
        return line(fmt::format("{} {} = {}{}{}", at.kind == statement_kind::load ? "load" : "store", target,
                                value, step.empty() ? "" : ", left " + step,
                                condition.empty() ? "" : ", if " + condition));
      case statement_kind::perform:
        return line(value);
      case statement_kind::update:
      case statement_kind::report:
      case statement_kind::leave:
      case statement_kind::require:
        return line(text_of_test(at.kind, target, value, condition));
      case statement_kind::barrier:
        return line(fmt::format("barrier of the {}", scope_of(at)));
      case statement_kind::arrive:
        return line(fmt::format("arrive at the barrier of the {}", scope_of(at)));
      case statement_kind::copy:
        return line(fmt::format("copy {} = {}, property {}", target, value, step));
      case statement_kind::wait_for_copies:
        return line("wait for copies");
      case statement_kind::combine:
        return line(text_of_combine(at));
      case statement_kind::grow:
        return line(fmt::format("grow the sums of phase {}", at.instruction));
      case statement_kind::finish:
        return line(fmt::format("finish the reductions of phase {} in a {}", at.instruction, scope_of(at)));
      case statement_kind::scan:
        return line(fmt::format("scan %{}{} in a {}", at.instruction,
                                value.empty() ? "" : " of " + value + " lanes", scope_of(at)));
      case statement_kind::speculate:
        inside("speculate", at.body);
        return inside("otherwise", at.otherwise);
    }
  }

  std::string header_of_loop(const statement& at) {
    if (is_launched(at)) return header_of_launched(at);
    if (is_chunks(at) && !at.end.is_set()) return "one chunk";
    std::string text = "for " + of(at.target);
    if (at.begin.is_set()) text += " from " + of(at.begin);
    if (at.end.is_set()) text += " while " + comparison_of(at);
    switch (at.step_by) {
      case loop_step::by_one:
        break;
      case loop_step::down_by_one:
        text += ", down";
        break;
      case loop_step::by_amount:
      case loop_step::by_variable:
        text += ", by " + of(at.step);
        break;
      case loop_step::doubled:
        text += ", doubled";
        break;
      case loop_step::halved:
        text += ", halved";
        break;
      case loop_step::in_body:
        text += ", by its body";
        break;
    }
    if (at.states.is_set()) text += fmt::format(", {} become {}", of(at.states), of(at.next_states));
    if (at.toggled.is_set()) text += ", toggling " + of(at.toggled);
    return text + std::string(loop_kinds[static_cast<std::size_t>(at.loop)]) +
           (at.speculative ? ", may speculate" : "");
  }

  std::string header_of_launched(const statement& at) {
    std::string text = fmt::format("{} {}", loop_kinds[static_cast<std::size_t>(at.loop)], of(at.target));
    if (at.value.is_set()) text += " = " + of(at.value);
    if (at.end.is_set()) text += " while " + comparison_of(at);
    return text;
  }

  std::string text_of_combine(const statement& at) {
    return fmt::format("combine %{} {} with {}{}", at.instruction, of(at.target), of(at.value),
                       at.in_order ? ", in order" : "");
  }
  /// Where a loop goes on: "e < 4".
  std::string comparison_of(const statement& loop) {
    std::string position = of(loop.target);
    if (loop.is_whole) position += " + " + of(loop.step);
    const std::string_view compared = goes_down(loop.step_by) ? ">=" : loop.is_whole ? "<=" : "<";
    return fmt::format("{} {} {}", position, compared, of(loop.end.id, sum_precedence));
  }

  std::string of(std::uint32_t id, int min_precedence) {
    std::string text = inner(id);
    return precedence_of(tree_.expressions[id].kind) < min_precedence ? "(" + text + ")" : text;
  }
  std::string listed(std::uint32_t id, std::string_view separator, std::size_t first, int min_precedence) {
    const auto operands = tree_.expressions.operands_of(id);
    std::string text;
    for (std::size_t i = first; i < operands.size(); ++i)
      text += (i == first ? "" : std::string(separator)) + of(operands[i], min_precedence);
    return text;
  }
  std::string inner(std::uint32_t id) {
    const expression_node& at = tree_.expressions[id];
    const auto operands = tree_.expressions.operands_of(id);
    if (const binary_operator* binary = binary_operator_of(at.kind))
      return of(operands[0], binary->left) + std::string(binary->sign) + of(operands[1], binary->right);
    switch (at.kind) {
      case expression_kind::integer:
        return at.value == std::numeric_limits<std::int64_t>::max() ? "last" : std::to_string(at.value);
      case expression_kind::name:
        return std::string(tree_.expressions.name_of(id));
      case expression_kind::sum:
        return listed(id, " + ", 0, sum_precedence + 1);
      case expression_kind::choice:
        return fmt::format("{} ? {} : {}", of(operands[0], choice_precedence + 1),
                           of(operands[1], choice_precedence), of(operands[2], choice_precedence));
      case expression_kind::negation:
        return "not " + of(operands[0], prefix_precedence);
      case expression_kind::incremented:
        return "++" + of(operands[0], prefix_precedence);
      case expression_kind::content:
        return "*" + of(operands[0], prefix_precedence);
      case expression_kind::address:
        return "&" + of(operands[0], prefix_precedence);
      case expression_kind::conversion:
        return type_text(at.type) + "(" + of(operands[0], 0) + ")";
      case expression_kind::subscript:
        return fmt::format("{}[{}]", of(operands[0], atom_precedence), of(operands[1], 0));
      case expression_kind::lane:
        return fmt::format("{}.{}", of(operands[0], atom_precedence), of(operands[1], atom_precedence));
      case expression_kind::call:
        return fmt::format("{}({})", of(operands[0], 0), listed(id, ", ", 1, 0));
      case expression_kind::instance:
        return fmt::format("{}<{}>", of(operands[0], 0), listed(id, ", ", 1, 0));
      case expression_kind::quotient_by:
        return fmt::format("{} / {}", of(operands[0], 13), of(operands[1], 14));
      case expression_kind::array_pointer:
        return fmt::format("a{}", at.value);
      case expression_kind::shared_of_launch:
        return fmt::format("shared of the launch at {}", at.value);
      case expression_kind::thread:
        return at.value == 0 ? "thread along" : "thread across";
      case expression_kind::block:
        return "block";
      case expression_kind::evaluate:
        return fmt::format("%{}({})", at.value, listed(id, ", ", 0, 0));
      case expression_kind::evaluate_fast:
        return fmt::format("fast %{}({})", at.value, listed(id, ", ", 0, 0));
      case expression_kind::fast_test:
        return fmt::format("fast path of %{} takes ({})", at.value, listed(id, ", ", 0, 0));
      case expression_kind::start:
        return fmt::format("start of %{}", at.value);
      case expression_kind::combined:
        return fmt::format("%{} of ({})", at.value, listed(id, ", ", 0, 0));
      case expression_kind::list:
        return listed(id, ", ", 0, 0);
      case expression_kind::stored:
        return fmt::format("as {}({})", facts_of(at.type.element).name, of(operands[0], 0));
      default:
        return {};
    }
  }

  const loop_tree& tree_;
  std::string text_;
  std::size_t depth_ = 0;
};

}  // namespace

std::string to_string(const loop_tree& tree) { return tree_text(tree).of_list(tree.first); }

std::string text_of_expression(const loop_tree& tree, std::uint32_t id) {
  return tree_text(tree).of_number(id);
}

}  // namespace sinter::inline v0::codegen
