#include <sinter/codegen/loops/verify/verify_loops.hpp>

#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/verify/verify_bounds.hpp>
#include <sinter/codegen/loops/verify/verify_scopes.hpp>
#include <sinter/codegen/loops/verify/verify_threads.hpp>

#include <algorithm>
#include <set>

namespace sinter::inline v0::codegen {
namespace {

/// The names of the fields of a kernel's argument block.
std::set<std::string> argument_names(const kernel_description& kernel) {
  std::vector<argument_field> fields;
  list_arguments(kernel, fields);
  std::set<std::string> names;
  for (const argument_field& field : fields) {
    using enum argument_field::kind;
    // trees have expressions of their own for these
    if (field.what == pointer || field.what == parameter || field.what == constant || field.what == function)
      continue;
    const std::string name = "a." + name_of(field);
    names.insert(name);
    if (field.what == divisor || field.what == row) names.insert(name + ".value");
  }
  return names;
}

class verification {
 public:
  verification(const kernel_description& kernel, const loop_tree& tree)
      : kernel_(kernel), tree_(tree), arguments_(argument_names(kernel)) {
    // What a CPU kernel is given, and constants.
    scopes_.push_back({"first", "last", "true", "return"});
  }

  std::string run() {
    list(tree_.first);
    return fault_;
  }

 private:
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }

  void list(statement_id first) {
    scopes_.emplace_back();
    each_in_list(tree_, first, [&](statement_id id) { check(tree_[id]); });
    scopes_.pop_back();
  }

  void declare(expression declared) {
    std::string name(tree_.expressions.name_of(base_variable(tree_.expressions, declared).id));
    if (!scopes_.back().insert(name).second) fail(name + " is declared twice in one scope");
  }
  void declare_array(expression pointer) { arrays_.insert(tree_.expressions[pointer.id].value); }
  bool is_declared(const std::string& name) const {
    return std::ranges::any_of(scopes_, [&](const auto& scope) { return scope.contains(name); });
  }

  void use(expression at) {
    if (at.is_set()) use(at.id);
  }
  void use(std::uint32_t id) {
    const expression_node& at = tree_.expressions[id];
    if (at.kind == expression_kind::name) {
      const std::string name(tree_.expressions.name_of(id));
      if (name.starts_with("a.")) {
        if (!arguments_.contains(name)) fail(name + " is no field of the argument block");
      } else if (!is_declared(name)) {
        fail(name + " is used where it is not declared");
      }
    }
    if (at.kind == expression_kind::array_pointer && !arrays_.contains(at.value))
      fail("array " + std::to_string(at.value) + " is used where it is not declared");
    if (at.kind == expression_kind::evaluate || at.kind == expression_kind::evaluate_fast) check_arity(at);
    const auto operands = tree_.expressions.operands_of(id);
    const bool is_called = at.kind == expression_kind::call || at.kind == expression_kind::instance;
    for (std::size_t i = is_called ? 1 : 0; i < operands.size(); ++i) use(operands[i]);
  }
  void check_arity(const expression_node& at) {
    const instruction& made = kernel_.body.body[static_cast<std::size_t>(at.value)];
    const bool reads = made.op == operation::input || made.op == operation::coordinate;
    if (at.operand_count != (reads ? 1u : made.arity))
      fail("%" + std::to_string(at.value) + " has " + std::to_string(at.operand_count) + " operands");
  }

  void check(const statement& at) {
    switch (at.kind) {
      case statement_kind::let:
      case statement_kind::variable:
        use(at.value);
        if (at.space == memory_space::global) return declare_array(at.target);
        return declare(at.target);
      case statement_kind::loop:
        return check_loop(at);
      case statement_kind::guard:
      case statement_kind::choice:
        return check_guard(at);
      case statement_kind::scope:
        return list(at.body);
      case statement_kind::speculate:
        list(at.body);
        return list(at.otherwise);
      case statement_kind::advance:
        for (const std::uint32_t operand : tree_.expressions.operands_of(at.value.id)) use(operand);
        use(at.step);
        return list(at.body);
      case statement_kind::finish:
        check_meeting(at);
        return declare_row_values(at.instruction);
      default:
        break;
    }
    each_expression(at, [&](std::uint32_t id) { use(id); });
    if (at.kind == statement_kind::barrier || at.kind == statement_kind::scan) check_meeting(at);
  }
  /// Threads that wait for each other all get there.
  void check_meeting(const statement& at) {
    if (guards_ == 0 || at.scope < thread_scope::block) return;
    fail(at.kind == statement_kind::barrier
             ? "a barrier stands in a guard: threads may not reach it"
             : "threads of a block are combined in a guard: some may not reach it");
  }
  /// What lower_combines() makes of a `finish`.
  void declare_row_values(unsigned phase) {
    for (std::size_t i = 0; i < kernel_.body.body.size(); ++i)
      if (is_reduction(kernel_.body.body[i].op) && kernel_.body.body[i].phase == phase)
        declare_row_values_of(static_cast<std::uint32_t>(i));
  }
  void declare_row_values_of(std::uint32_t reduction) {
    const instruction& made = kernel_.body.body[reduction];
    if (made.op == operation::last) return;
    if (!has_body(made.op)) scopes_.back().insert(row_value_name(reduction));
    const std::size_t results = has_body(made.op) ? kernel_.body.arguments_of_combining(made).count() : 0;
    for (std::size_t k = 0; k < results; ++k) scopes_.back().insert(row_value_name(reduction, k));
  }
  void check_loop(const statement& at) {
    const bool declares = at.begin.is_set() || at.value.is_set();
    use(at.value);
    use(at.begin);
    scopes_.emplace_back();
    if (declares) declare(at.target);
    if (at.step_by == loop_step::by_variable) declare(at.step);
    for (const expression& used : {at.target, at.end, at.step, at.states, at.toggled}) use(used);
    scopes_.emplace_back();
    each_in_list(tree_, at.body, [&](statement_id id) { check(tree_[id]); });
    use(at.next_states);
    check_next_states(at);
    scopes_.pop_back();
    scopes_.pop_back();
  }
  /// States change one after the other: none becomes what an earlier one was.
  void check_next_states(const statement& loop) {
    if (!loop.states.is_set()) return;
    const auto states = tree_.expressions.operands_of(loop.states.id),
               next = tree_.expressions.operands_of(loop.next_states.id);
    if (states.size() != next.size()) return fail("a carried loop has other states than it sets");
    for (std::size_t k = 0; k < states.size(); ++k)
      for (std::size_t earlier = 0; earlier < k; ++earlier)
        if (states[earlier] != next[earlier] &&
            mentions(tree_.expressions, {nullptr, next[k]}, {nullptr, states[earlier]}))
          fail(std::string(tree_.expressions.name_of(states[k])) + " becomes what " +
               std::string(tree_.expressions.name_of(states[earlier])) + " was, which has changed by then");
  }
  void check_guard(const statement& at) {
    scopes_.emplace_back();
    use(at.value);
    if (at.value.is_set()) declare(at.target);
    use(at.condition);
    ++guards_;
    list(at.body);
    list(at.otherwise);
    --guards_;
    scopes_.pop_back();
  }

  const kernel_description& kernel_;
  const loop_tree& tree_;
  std::set<std::string> arguments_;
  std::set<std::int64_t> arrays_;
  std::vector<std::set<std::string>> scopes_;
  unsigned guards_ = 0;
  std::string fault_;
};

std::string fault_of_names(const kernel_description& kernel, const loop_tree& tree) {
  return verification(kernel, tree).run();
}

}  // namespace

std::string fault_of(const kernel_description& kernel, const loop_tree& tree) {
  for (const auto fault_of_kind : {fault_of_names, fault_of_bounds, fault_of_threads})
    if (std::string fault = fault_of_kind(kernel, tree); !fault.empty()) return fault;
  return {};
}

}  // namespace sinter::inline v0::codegen
