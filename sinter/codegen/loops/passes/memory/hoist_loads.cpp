#include <sinter/codegen/loops/passes/memory/hoist_loads.hpp>

#include <sinter/codegen/loops/statements/replace_statements.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// A set of a nest's loops, by bits: the outermost is the highest, so that numbers go up as more of the outer
/// loops are in it.
using loop_set = unsigned;

class hoisting {
 public:
  explicit hoisting(loop_tree& tree) : tree_(tree) {}

  void run() {
    statement_id loaded = no_statement;  // the last statement that hoisted loads stand behind
    for (statement_id id = first_of_thread(tree_); id != no_statement; id = tree_[id].next)
      if (find_nest(id))
        hoist(loaded);
      else if (is_declaration(tree_[id]) || loads(id))
        loaded = id;
  }

 private:
  static bool is_declaration(const statement& at) {
    return at.kind == statement_kind::let || at.kind == statement_kind::variable;
  }
  bool loads(statement_id id) const { return contains(tree_, id, statement_kind::load); }
  /// What a loop of a nest is around: the next loop, or the guard of the elements.
  statement_id inner_of(statement_id list) const {
    statement_id at = list;
    while (at != no_statement && tree_[at].kind != statement_kind::loop && !tree_[at].of_elements)
      at = tree_[at].next;
    return at;
  }
  /// Whether a statement is a nest that evaluates: finds its loops, its guard, and what stands in the guard
  /// in front of the evaluation and of the registers that this declares.
  bool find_nest(statement_id id) {
    loops_.clear();
    while (id != no_statement && tree_[id].kind == statement_kind::loop) {
      loops_.push_back(id);
      id = inner_of(tree_[id].body);
    }
    if (loops_.empty() || id == no_statement || tree_[id].kind != statement_kind::guard) return false;
    guard_ = id;
    before_.clear();
    bool evaluates = false;
    each_in_list(tree_, tree_[guard_].body, [&](statement_id at) {
      evaluates |= tree_[at].speculative;
      if (!evaluates) before_.push_back(at);
    });
    const auto is_result = [&](statement_id at) {
      return tree_[at].kind == statement_kind::variable && !tree_[at].value.is_set();
    };
    while (!before_.empty() && is_result(before_.back())) before_.pop_back();
    return evaluates;
  }

  void hoist(statement_id behind) {
    if (before_.empty()) return;
    const statement_id rest = tree_[before_.back()].next;
    for (loop_set changing = 0; changing <= all_loops(); ++changing) {
      statement_id first = no_statement, last = no_statement;
      for (const statement_id id : before_) {
        if (loops_of(id) != changing) continue;
        (last == no_statement ? first : tree_[last].next) = id;
        last = id;
      }
      if (first == no_statement) continue;
      tree_[last].next = no_statement;
      const statement_id nest = nest_around(first, changing, 0);
      tree_[nest].next = behind == no_statement ? first_of_thread(tree_) : tree_[behind].next;
      if (behind == no_statement)
        set_first_of_thread(tree_, nest);
      else
        tree_[behind].next = nest;
      behind = nest;
    }
    tree_[guard_].body = rest;
  }

  /// The loops that change what a statement loads; all of them, if it does something else.
  loop_set loops_of(statement_id id) const {
    const statement& at = tree_[id];
    loop_set found = 0;
    if (at.kind == statement_kind::load)
      for (const statement_id loop : loops_)
        found = 2 * found + mentions(tree_.expressions, at.target, tree_[loop].target);
    else if (at.kind != statement_kind::loop || at.body == no_statement)
      found = all_loops();
    each_in_list(tree_, at.body, [&](statement_id inside) { found |= loops_of(inside); });
    return found;
  }
  loop_set all_loops() const { return (1u << loops_.size()) - 1; }

  statement_id add(const statement& made) { return add_statement(tree_, made); }
  /// The nest's loops from a depth on, with one iteration where they do not change anything, around a list.
  statement_id nest_around(statement_id list, loop_set changing, std::size_t depth) {
    if (depth == loops_.size()) {
      statement guard = tree_[guard_];
      guard.body = list;
      return add(guard);
    }
    statement loop = tree_[loops_[depth]];
    if ((changing >> (loops_.size() - 1 - depth) & 1) == 0) loop.end = tree_.expressions.integer(1);
    const statement_id inner = depth + 1 == loops_.size() ? guard_ : loops_[depth + 1];
    const statement_id original = loop.body;
    loop.body = no_statement;
    const statement_id made = add(loop);
    statement_id last = no_statement;
    for (statement_id id = original;; id = tree_[id].next) {
      const statement_id copied = id == inner ? nest_around(list, changing, depth + 1) : add(tree_[id]);
      (last == no_statement ? tree_[made].body : tree_[last].next) = copied;
      last = copied;
      if (id == inner) return made;
    }
  }

  loop_tree& tree_;
  std::vector<statement_id> loops_, before_;
  statement_id guard_ = no_statement;
};

/// Of chunks of reductions: a loop over steps that loads and evaluates becomes two.
class step_hoisting {
 public:
  explicit step_hoisting(loop_tree& tree) : tree_(tree) {}

  void run() {
    for (statement_id id = 0, end = static_cast<statement_id>(tree_.statements.size()); id < end; ++id)
      if (is_chunks(tree_[id])) hoist_in(id);
  }

 private:
  void hoist_in(statement_id chunk) {
    statement_id behind = no_statement;
    for (statement_id id = tree_[chunk].body; id != no_statement; id = tree_[id].next) {
      if (is_needed(tree_[id])) behind = id;
      if (tree_[id].kind != statement_kind::loop || !contains(tree_, id, statement_kind::load)) continue;
      const statement_id loading = loads_of(id);
      if (loading == no_statement) return;
      statement_id& place = behind == no_statement ? tree_[chunk].body : tree_[behind].next;
      tree_[loading].next = place;
      place = loading;
      return;
    }
  }
  /// Whether a statement declares what loads fill, or a position that they begin at.
  static bool is_needed(const statement& at) {
    return at.kind == statement_kind::let || (at.kind == statement_kind::variable && at.access != no_access);
  }

  /// Takes the loads out of a loop over steps; returns a loop that has them, or none. Both have the step's
  /// positions. Loads into a step's own variables stay.
  statement_id loads_of(statement_id steps) {
    const statement_id guard = guard_of_elements(tree_, tree_[steps].body);
    statement_list positions(tree_), loads(tree_), rest(tree_);
    for (statement_id id = tree_[guard].body, next = no_statement; id != no_statement; id = next) {
      next = tree_[id].next;
      if (tree_[id].kind == statement_kind::let && loads.first() == no_statement)
        positions.take(id);
      else if (rest.first() == no_statement && contains(tree_, id, statement_kind::load))
        loads.take(id);
      else
        rest.take(id);
    }
    const auto unchanged = [](statement&) {};
    statement_id loop = no_statement;
    if (loads.first() != no_statement) {
      tree_[guard].body = no_statement;
      statement made = tree_[steps];
      made.body = copy_list(tree_, made.body, unchanged);
      statement_list inside(tree_);
      inside.append(copy_list(tree_, positions.first(), unchanged));
      inside.append(loads.first());
      tree_[guard_of_elements(tree_, made.body)].body = inside.first();
      loop = add_statement(tree_, made);
    }
    positions.append(rest.first());
    tree_[guard].body = positions.first();
    return loop;
  }

  loop_tree& tree_;
};

}  // namespace

void hoist_loads(const kernel_description& kernel, loop_tree& tree) {
  if (kernel.body.reduced == 0)
    hoisting(tree).run();
  else if (has_statement(tree, statement_kind::load))
    step_hoisting(tree).run();
}

}  // namespace sinter::inline v0::codegen
