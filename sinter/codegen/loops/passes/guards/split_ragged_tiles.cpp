#include <sinter/codegen/loops/passes/guards/split_ragged_tiles.hpp>

#include <sinter/codegen/loops/statements/rewrite_statements.hpp>

#include <algorithm>
#include <optional>

namespace sinter::inline v0::codegen {
namespace {

/// A constant and variables, by their numbers, each with a factor.
struct affine {
  std::int64_t constant = 0;
  std::vector<std::pair<std::uint32_t, std::int64_t>> terms{};

  void add(const affine& other, std::int64_t times) {
    constant += other.constant * times;
    for (const auto& [name, factor] : other.terms) {
      const auto found = std::ranges::find(terms, name, [](const auto& term) { return term.first; });
      if (found == terms.end())
        terms.emplace_back(name, factor * times);
      else
        found->second += factor * times;
    }
    std::erase_if(terms, [](const auto& term) { return term.second == 0; });
  }
};

/// How far a thread reaches: for each position that it begins at, the elements up to the last that it touches
/// have to lie below an end.
struct reach {
  std::uint32_t position = none, end = none;  ///< variables
  std::int64_t elements = 0;
  static constexpr std::uint32_t none = ~0u;
};

/// Whether the condition of a statement asks where the thread is: those of reports and updates ask about a
/// value.
bool asks_where(const statement& at) {
  return at.kind != statement_kind::loop && at.kind != statement_kind::report &&
         at.kind != statement_kind::update;
}

class reach_finder {
 public:
  explicit reach_finder(const loop_tree& tree) : tree_(tree) {}

  void visit(statement_id first) {
    each_in_list(tree_, first, [&](statement_id id) { visit_one(tree_[id]); });
  }
  /// Empty where a guard asks something else.
  std::vector<reach> found() const { return is_known_ ? found_ : std::vector<reach>(); }

 private:
  void visit_one(const statement& at) {
    if (!is_known_) return;
    const std::size_t names = names_.size();
    if (at.condition.is_set() && asks_where(at)) require(at.condition);
    const bool moves = at.kind == statement_kind::load || at.kind == statement_kind::store;
    if (moves && at.step.is_set()) require_at_most({}, at.type.lanes, at.step.id);
    if (at.kind == statement_kind::let && loop_depth_ != 0) {
      names_.push_back({at.target.id, affine_of(at.value)});
      return;
    }
    const bool is_loop = at.kind == statement_kind::loop;
    if (is_loop) names_.push_back({at.target.id, {}, iterations(at)});
    loop_depth_ += is_loop;
    visit(at.body);
    visit(at.otherwise);
    loop_depth_ -= is_loop;
    if (is_loop) names_.resize(names);
  }

  /// What a name stands for inside a loop: a constant of the loop, or its variable.
  struct known_name {
    std::uint32_t name;
    std::optional<affine> value{};  ///< of a constant
    std::int64_t iterations = 0;    ///< 0 for what is not known
  };
  const known_name* find(std::uint32_t name) const {
    const auto found =
        std::find_if(names_.rbegin(), names_.rend(), [&](const known_name& at) { return at.name == name; });
    return found == names_.rend() ? nullptr : &*found;
  }
  std::int64_t iterations(const statement& loop) const {
    const auto end = loop.end.is_set() ? affine_of(loop.end) : std::nullopt;
    return end.has_value() && end->terms.empty() ? end->constant : 0;
  }

  std::optional<affine> affine_of(expression at) const { return affine_of(at.id); }
  std::optional<affine> affine_of(std::uint32_t id) const {
    const expression_node& at = tree_.expressions[id];
    const auto operands = tree_.expressions.operands_of(id);
    affine made;
    switch (at.kind) {
      case expression_kind::integer:
        made.constant = at.value;
        return made;
      case expression_kind::name: {
        const known_name* known = find(id);
        if (known != nullptr && known->value.has_value()) return known->value;
        made.terms.emplace_back(id, 1);
        return made;
      }
      case expression_kind::sum:
      case expression_kind::difference:
        for (std::size_t i = 0; i < operands.size(); ++i) {
          const auto term = affine_of(operands[i]);
          if (!term.has_value()) return {};
          made.add(*term, at.kind == expression_kind::difference && i != 0 ? -1 : 1);
        }
        return made;
      case expression_kind::product: {
        const auto by = affine_of(operands[1]), term = affine_of(operands[0]);
        if (!by.has_value() || !term.has_value() || !by->terms.empty()) return {};
        made.add(*term, by->constant);
        return made;
      }
      default:
        return {};
    }
  }

  void require(expression condition) {
    const expression_node& at = tree_.expressions[condition.id];
    const auto operands = tree_.expressions.operands_of(condition.id);
    if (at.kind == expression_kind::both) {
      for (const std::uint32_t operand : operands) require({condition.table, operand});
      return;
    }
    const bool compares = at.kind == expression_kind::less;
    const auto position = compares ? affine_of(operands[0]) : std::nullopt;
    if (position.has_value())
      require_at_most(*position, 1, operands[1]);
    else
      is_known_ = false;
  }
  /// position + elements <= end, in the iterations of the loops where it is hardest.
  void require_at_most(affine position, std::int64_t elements, std::uint32_t end) {
    const auto last = affine_of(end);
    is_known_ &= last.has_value();
    if (!last.has_value()) return;
    position.add(*last, -1);
    reach made;
    made.elements = position.constant + elements;
    for (const auto& [name, factor] : position.terms) {
      const known_name* loop = find(name);
      if (loop != nullptr && loop->iterations > 0)
        made.elements += std::max<std::int64_t>(factor, 0) * (loop->iterations - 1);
      else if (loop == nullptr && factor == 1 && made.position == reach::none)
        made.position = name;
      else if (loop == nullptr && factor == -1 && made.end == reach::none)
        made.end = name;
      else
        is_known_ = false;
    }
    is_known_ &= made.position != reach::none && made.end != reach::none;
    const auto same = std::ranges::find_if(
        found_, [&](const reach& other) { return other.position == made.position && other.end == made.end; });
    if (same == found_.end())
      found_.push_back(made);
    else
      same->elements = std::max(same->elements, made.elements);
  }

  const loop_tree& tree_;
  std::vector<known_name> names_;
  unsigned loop_depth_ = 0;
  std::vector<reach> found_;
  bool is_known_ = true;
};

class splitting {
 public:
  explicit splitting(loop_tree& tree) : tree_(tree) {}

  void run() {
    reach_finder finder(tree_);
    finder.visit(first_of_thread(tree_));
    statement split{.kind = statement_kind::guard};
    for (const reach& at : finder.found()) {
      const expression inside =
          tree_.expressions.at(at.position) + at.elements <= tree_.expressions.at(at.end);
      split.condition = split.condition.is_set() ? split.condition && inside : inside;
    }
    if (split.condition.is_set()) place(split);
  }

 private:
  bool loads(statement_id id) const { return contains(tree_, id, statement_kind::load); }
  statement_id add(const statement& made) { return add_statement(tree_, made); }

  /// Puts the loads into both branches of the guard, and the guard where they stand. A thread that loads
  /// nothing has the guard in front of its loops: it is empty there.
  void place(statement split) {
    statement_id before = no_statement, first = first_of_thread(tree_);
    while (first != no_statement && tree_[first].kind != statement_kind::loop) {
      before = first;
      first = tree_[first].next;
    }
    statement_id last = no_statement, rest = first;
    while (rest != no_statement && loads(rest)) {
      last = rest;
      rest = tree_[rest].next;
    }
    if (last == no_statement) {
      split.otherwise = add({.kind = statement_kind::scope});
    } else {
      tree_[last].next = no_statement;
      split.body = whole(first);
      split.otherwise = first;
    }
    const statement_id made = add(split);
    tree_[made].next = rest;
    if (before == no_statement)
      set_first_of_thread(tree_, made);
    else
      tree_[before].next = made;
  }

  /// A copy of a list without its guards.
  statement_id whole(statement_id list) {
    return copy_list(tree_, list, [](statement& at) {
      if (at.kind == statement_kind::guard) at.kind = statement_kind::scope;
      if (asks_where(at)) at.condition = {};
      if (at.kind == statement_kind::load) at.step = {};
    });
  }

  loop_tree& tree_;
};

}  // namespace

void split_ragged_tiles(const kernel_description& kernel, loop_tree& tree) {
  const schedule& chosen = kernel.chosen;
  if (chosen.order == loop_order::rows && chosen.steps * chosen.rows_per_thread > 1) splitting(tree).run();
}

}  // namespace sinter::inline v0::codegen
