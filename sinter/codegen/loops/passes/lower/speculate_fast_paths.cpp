#include <sinter/codegen/loops/passes/lower/speculate_fast_paths.hpp>

#include <sinter/codegen/loops/statements/loop_writer.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/math/instruction_function.hpp>
#include <sinter/codegen/schedule/loop_thresholds.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class speculation {
 public:
  /// Of loops with at least so many functions that have a fast path.
  speculation(const kernel_description& kernel, loop_tree& tree, std::size_t min_count)
      : kernel_(kernel), tree_(tree), min_count_(min_count) {
    has_fast_path_.reserve(kernel.body.body.size());
    for (const instruction& at : kernel.body.body) has_fast_path_.push_back(has_fast_path(kernel, at));
  }
  bool finds_any() const { return std::ranges::find(has_fast_path_, true) != has_fast_path_.end(); }

  void visit(statement_id first) {
    for (statement_id id = first; id != no_statement; id = tree_[id].next) {
      if (tree_[id].speculative && count_fast_paths(tree_[id].body) >= min_count_) {
        id = speculate(id);
        continue;
      }
      if (tree_[id].body != no_statement) visit(tree_[id].body);
      if (tree_[id].otherwise != no_statement) visit(tree_[id].otherwise);
    }
  }

 private:
  /// Whether a statement evaluates an instruction that has a fast path.
  bool has_fast_value(const statement& at) const {
    if (at.kind != statement_kind::let && at.kind != statement_kind::assign) return false;
    const expression_node& value = tree_.expressions[at.value.id];
    return value.kind == expression_kind::evaluate && has_fast_path_[static_cast<std::size_t>(value.value)];
  }
  std::size_t count_fast_paths(statement_id first) const {
    std::size_t count = 0;
    each_in_list(tree_, first, [&](statement_id id) { count += has_fast_value(tree_[id]); });
    return count;
  }

  /// Whether a statement combines an element into what a lane has, which is done once.
  bool combines(statement_id id) const {
    const statement& at = tree_[id];
    if (at.kind == statement_kind::combine ||
        (at.kind == statement_kind::choice && combines_by_body(kernel_.body.body[at.instruction].op)))
      return true;
    bool found = false;
    for (const statement_id list : {at.body, at.otherwise})
      each_in_list(tree_, list, [&](statement_id inside) { found |= combines(inside); });
    return found;
  }

  /// Replaces a loop; returns the last statement of what replaces it.
  statement_id speculate(statement_id id) {
    const statement loop = tree_[id];
    terms_.clear();
    bool has_combines = false;
    each_in_list(tree_, loop.body, [&](statement_id at) {
      if (!combines(at)) return;
      has_combines = true;
      find_terms(at, loop.body);
    });
    statement_list made(tree_);
    for (const term& at : terms_) made.add(declared(at, loop));
    statement both{.kind = statement_kind::speculate};
    both.body = evaluated(loop, true);
    both.otherwise = evaluated(loop, false);
    made.add(both);
    if (has_combines) made.add(combined(loop));
    const statement_id first = made.first(), last = last_of(tree_, first);
    tree_[last].next = loop.next;
    // the first statement takes the loop's place in its list
    tree_[id] = tree_[first];
    return first == last ? id : last;
  }

  /// A value that waits in a temporary until it is combined.
  struct term {
    std::uint32_t instruction;
    element_type type;
    expression value;  ///< its variable
  };
  void find_terms(statement_id id, statement_id body) {
    const statement& at = tree_[id];
    each_part(at.value, [&](expression value) { add_term(value, body); });
    for (const statement_id list : {at.body, at.otherwise})
      each_in_list(tree_, list, [&](statement_id inside) { find_terms(inside, body); });
  }
  void add_term(expression value, statement_id body) {
    if (tree_.expressions[value.id].kind != expression_kind::name || find_term(value) != nullptr) return;
    each_in_list(tree_, body, [&](statement_id id) {
      const statement& at = tree_[id];
      if (at.kind != statement_kind::let || at.target.id != value.id ||
          tree_.expressions[at.value.id].kind != expression_kind::evaluate)
        return;
      terms_.push_back(
          {static_cast<std::uint32_t>(tree_.expressions[at.value.id].value), at.type.element, value});
    });
  }
  const term* find_term(expression value) const {
    const auto found = std::ranges::find(terms_, value.id, [](const term& at) { return at.value.id; });
    return found == terms_.end() ? nullptr : &*found;
  }
  /// Calls visit(expression) for the parts of a list, or for the expression itself where it is none.
  template <typename Visit>
  void each_part(expression of, Visit visit) {
    if (!of.is_set()) return;
    if (tree_.expressions[of.id].kind != expression_kind::list) return visit(of);
    for (const std::uint32_t part : tree_.expressions.operands_of(of.id)) visit(tree_.expressions.at(part));
  }
  expression temporary(const term& at) {
    return tree_.expressions.name("term" + std::to_string(at.instruction));
  }
  /// One for each iteration of the loop.
  statement declared(const term& at, const statement& loop) {
    statement made{.kind = statement_kind::variable};
    made.type = value_of(at.type);
    made.target = temporary(at)[loop.end];
    return made;
  }

  /// The loop without its combines, by fast paths with their tests at its end, or without.
  statement_id evaluated(const statement& loop, bool by_fast_paths) {
    statement_list body(tree_);
    bool terms_appended = false;
    std::vector<expression> tests;
    for (statement_id at = loop.body; at != no_statement; at = tree_[at].next) {
      statement next = tree_[at];
      if (combines(at)) {
        if (!terms_appended) add_terms(body, loop);
        terms_appended = true;
        continue;
      }
      if (by_fast_paths && has_fast_value(next)) {
        tests.push_back(changed(expression_kind::fast_test, next.value));
        next.value = changed(expression_kind::evaluate_fast, next.value);
      }
      // both forms have loops of bodies of their own
      next.body = copy_list(tree_, next.body, [](statement&) {});
      next.otherwise = copy_list(tree_, next.otherwise, [](statement&) {});
      body.add(next);
    }
    for (const expression& test : tests) {
      statement required{.kind = statement_kind::require};
      required.condition = test;
      body.add(required);
    }
    return add_statement(tree_, with_body(loop, body.first()));
  }
  /// A loop with another body, which is evaluated once.
  static statement with_body(statement loop, statement_id body) {
    loop.speculative = false;
    loop.body = body;
    loop.next = no_statement;
    return loop;
  }
  void add_terms(statement_list& to, const statement& loop) {
    for (const term& at : terms_) {
      statement waits{.kind = statement_kind::assign};
      waits.target = temporary(at)[loop.target];
      waits.value = at.value;
      to.add(waits);
    }
  }
  expression changed(expression_kind kind, expression from) {
    std::vector<expression> operands;
    for (const std::uint32_t id : tree_.expressions.operands_of(from.id))
      operands.push_back(tree_.expressions.at(id));
    return tree_.expressions.make(kind, operands, tree_.expressions[from.id].value);
  }

  /// The loop's combines alone, of temporaries.
  statement combined(const statement& loop) {
    statement_list body(tree_);
    each_in_list(tree_, loop.body, [&](statement_id at) {
      if (combines(at)) body.add(of_temporaries(at, loop));
    });
    return with_body(loop, body.first());
  }
  statement of_temporaries(statement_id id, const statement& loop) {
    statement made = tree_[id];
    const auto waiting = [&](expression value) {
      const term* at = find_term(value);
      return at == nullptr ? value : temporary(*at)[loop.target];
    };
    if (made.value.is_set() && tree_.expressions[made.value.id].kind == expression_kind::list) {
      std::vector<expression> parts;
      each_part(made.value, [&](expression part) { parts.push_back(part); });
      std::ranges::transform(parts, parts.begin(), waiting);
      made.value = tree_.expressions.list(parts);
    } else if (made.value.is_set()) {
      made.value = waiting(made.value);
    }
    for (statement_id* list : {&made.body, &made.otherwise}) {
      statement_list inside(tree_);
      for (statement_id at = *list; at != no_statement; at = tree_[at].next)
        inside.add(of_temporaries(at, loop));
      *list = inside.first();
    }
    made.next = no_statement;
    return made;
  }

  const kernel_description& kernel_;
  loop_tree& tree_;
  std::size_t min_count_;
  std::vector<bool> has_fast_path_;  ///< of each instruction
  std::vector<term> terms_;
};

}  // namespace

void speculate_fast_paths(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.has_updates()) return;  // what is evaluated twice is updated twice
  if (speculation pass(kernel, tree, 1); pass.finds_any()) pass.visit(tree.first);
}

void speculate_several_fast_paths(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.has_updates()) return;
  const bool has_several = kernel.chosen.rows_per_thread * kernel.chosen.steps > 1;
  const std::size_t min_count = kernel.body.reduced == 0 && has_several ? min_fast_paths : 1;
  if (speculation pass(kernel, tree, min_count); pass.finds_any()) pass.visit(tree.first);
}

}  // namespace sinter::inline v0::codegen
