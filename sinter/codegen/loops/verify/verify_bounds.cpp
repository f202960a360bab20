#include <sinter/codegen/loops/verify/verify_bounds.hpp>

#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/verify/verify_scopes.hpp>

#include <algorithm>
#include <limits>
#include <optional>

namespace sinter::inline v0::codegen {
namespace {

/// Numbers between two that are included. Bounds beyond 2^40 say nothing.
struct interval {
  static constexpr std::int64_t unbounded = std::int64_t{1} << 40;
  std::int64_t min = -unbounded, max = unbounded;
  bool has_both() const { return min > -unbounded && max < unbounded; }
};
interval between(std::int64_t min, std::int64_t max) {
  return {std::clamp(min, -interval::unbounded, interval::unbounded),
          std::clamp(max, -interval::unbounded, interval::unbounded)};
}

/// What is known of a variable. Only those that do not change have bounds.
struct name_facts {
  interval bounds;
  bool is_fixed = false;
  std::vector<std::int64_t> extents;  ///< of a buffer, for each subscript
  std::int64_t lanes = 0;             ///< of its elements; 0 if they are no vectors
};

class bounds_check {
 public:
  bounds_check(const kernel_description& kernel, const loop_tree& tree) : kernel_(kernel), tree_(tree) {}

  std::string run() {
    list(tree_.first);
    return fault_;
  }

 private:
  std::span<const std::uint32_t> operands(std::uint32_t id) const {
    return tree_.expressions.operands_of(id);
  }
  const expression_node& node(std::uint32_t id) const { return tree_.expressions[id]; }

  // What an expression may be.

  interval bounds_of(std::uint32_t id) const {
    const interval known = computed_bounds(id);
    interval narrowed = known;
    for (const auto& [of, by] : narrowed_)
      if (are_same(tree_.expressions, {nullptr, of}, {nullptr, id}))
        narrowed = {std::max(narrowed.min, by.min), std::min(narrowed.max, by.max)};
    return narrowed;
  }
  interval computed_bounds(std::uint32_t id) const {
    const expression_node& at = node(id);
    switch (at.kind) {
      case expression_kind::integer:
        return between(at.value, at.value);
      case expression_kind::name: {
        const name_facts* found = names_.find(id);
        return found != nullptr && found->is_fixed ? found->bounds : interval{};
      }
      case expression_kind::thread:
        if (!is_gpu(kernel_.target)) return {};
        return between(0, (at.value == 0 ? kernel_.chosen.threads_along : kernel_.chosen.threads_across) - 1);
      case expression_kind::conversion:
        return bounds_of(operands(id)[0]);
      case expression_kind::sum: {
        interval whole{0, 0};
        for (const std::uint32_t term : operands(id)) whole = added(whole, bounds_of(term));
        return whole;
      }
      case expression_kind::difference: {
        const interval minus = bounds_of(operands(id)[1]);
        return added(bounds_of(operands(id)[0]), {-minus.max, -minus.min});
      }
      case expression_kind::product:
        return multiplied(bounds_of(operands(id)[0]), bounds_of(operands(id)[1]));
      case expression_kind::quotient:
      case expression_kind::remainder:
        return divided(at.kind, bounds_of(operands(id)[0]), bounds_of(operands(id)[1]));
      default:
        return {};
    }
  }
  static interval added(interval a, interval b) {
    return {
        a.min <= -interval::unbounded || b.min <= -interval::unbounded ? -interval::unbounded : a.min + b.min,
        a.max >= interval::unbounded || b.max >= interval::unbounded ? interval::unbounded : a.max + b.max};
  }
  static interval multiplied(interval a, interval b) {
    constexpr std::int64_t small = std::int64_t{1} << 20;
    for (const std::int64_t bound : {a.min, a.max, b.min, b.max})
      if (bound < -small || bound > small) return {};
    const auto all = {a.min * b.min, a.min * b.max, a.max * b.min, a.max * b.max};
    return between(std::min(all), std::max(all));
  }
  /// Of numbers that are not negative, by a constant.
  static interval divided(expression_kind kind, interval a, interval by) {
    if (a.min < 0 || by.min != by.max || by.min <= 0) return {};
    if (kind == expression_kind::quotient)
      return {a.min / by.min, a.max >= interval::unbounded ? interval::unbounded : a.max / by.min};
    return a.max < by.min ? a : between(0, by.min - 1);
  }

  // What conditions say.

  std::string text_of(std::uint32_t id) const { return text_of_expression(tree_, id); }
  /// Whether an expression keeps its value: it is made of constants, threads and fixed names.
  bool is_fixed(std::uint32_t id) const {
    if (node(id).kind == expression_kind::call || node(id).kind == expression_kind::incremented) return false;
    if (node(id).kind == expression_kind::name) {
      const name_facts* found = names_.find(id);
      return found != nullptr && found->is_fixed;
    }
    return std::ranges::all_of(operands(id), [&](std::uint32_t each) { return is_fixed(each); });
  }
  /// Adds what follows where a condition holds, or where it does not.
  void narrow(std::uint32_t condition, bool holds) {
    const expression_kind kind = node(condition).kind;
    const auto of = operands(condition);
    if (kind == expression_kind::negation) return narrow(of[0], !holds);
    if (kind == (holds ? expression_kind::both : expression_kind::either)) {
      for (const std::uint32_t each : of) narrow(each, holds);
      return;
    }
    using enum expression_kind;
    if (kind == equal && holds) {
      narrow_to(of[0], bounds_of(of[1]));
      return narrow_to(of[1], bounds_of(of[0]));
    }
    const bool is_less = kind == less || kind == less_equal,
               is_greater = kind == greater || kind == greater_equal;
    if (!is_less && !is_greater) return;
    const bool is_strict = (kind == less || kind == greater) == holds;
    const bool is_first_less = is_less == holds;
    narrow_order(of[is_first_less ? 0 : 1], of[is_first_less ? 1 : 0], is_strict ? 1 : 0);
  }
  /// Adds what follows from low + apart <= high.
  void narrow_order(std::uint32_t low, std::uint32_t high, std::int64_t apart) {
    const interval below = bounds_of(low), above = bounds_of(high);
    if (above.max < interval::unbounded) narrow_to(low, {-interval::unbounded, above.max - apart});
    if (below.min > -interval::unbounded) narrow_to(high, {below.min + apart, interval::unbounded});
  }
  void narrow_to(std::uint32_t id, interval by) {
    if (is_fixed(id)) narrowed_.emplace_back(id, by);
  }

  // Subscripts.

  void check_place(std::uint32_t id) {
    const buffer_place place = place_of(tree_, id);
    const name_facts* buffer = place.buffer == buffer_place::none ? nullptr : names_.find(place.buffer);
    if (buffer == nullptr) return;
    if (node(id).kind == expression_kind::lane) {
      if (buffer->lanes != 0) check_index(id, operands(id)[1], buffer->lanes, "lanes");
      return;
    }
    const std::size_t last = place.subscripts.size() - 1;
    if (last < buffer->extents.size())
      check_index(id, place.subscripts[last], buffer->extents[last], "elements");
  }
  void check_index(std::uint32_t place, std::uint32_t index, std::int64_t extent, std::string_view what) {
    const interval range = bounds_of(index);
    if (range.min > range.max || !range.has_both() || (range.min >= 0 && range.max < extent)) return;
    const std::int64_t wrong = range.min < 0 ? range.min : range.max;
    fail(text_of(place) + " reaches " + std::to_string(wrong) + " of " + std::to_string(extent) + " " +
         std::string(what));
  }
  void fail(std::string why) {
    if (fault_.empty()) fault_ = std::move(why);
  }
  void use(std::uint32_t id) {
    const expression_kind kind = node(id).kind;
    if (kind == expression_kind::subscript || kind == expression_kind::lane) check_place(id);
    const auto of = operands(id);
    const std::size_t known = narrowed_.size();
    for (std::size_t i = 0; i < of.size(); ++i) {
      const bool decides = i == 1 && (kind == expression_kind::both || kind == expression_kind::either);
      if (decides) narrow(of[0], kind == expression_kind::both);
      if (kind == expression_kind::choice && i > 0) {
        narrowed_.resize(known);
        narrow(of[0], i == 1);
      }
      use(of[i]);
    }
    narrowed_.resize(known);
  }

  // Statements.

  void list(statement_id first) {
    names_.open();
    each_in_list(tree_, first, [&](statement_id id) { check(tree_[id]); });
    names_.close();
  }
  void check(const statement& at) {
    if (at.kind == statement_kind::loop) return check_loop(at);
    if (at.kind == statement_kind::guard || at.kind == statement_kind::choice) return check_guard(at);
    const std::size_t known = narrowed_.size();
    if (at.space == memory_space::global) return;
    if (at.kind == statement_kind::variable || at.kind == statement_kind::let) {
      if (at.value.is_set()) use(at.value.id);
      return declare(at);
    }
    if (at.kind == statement_kind::load && at.condition.is_set()) narrow(at.condition.id, true);
    each_expression(at, [&](std::uint32_t id) { use(id); });
    narrowed_.resize(known);
    if (at.body != no_statement) list(at.body);
    if (at.otherwise != no_statement) list(at.otherwise);
  }
  void declare(const statement& at) {
    const buffer_place place = place_of(tree_, at.target.id);
    name_facts made;
    made.is_fixed = at.kind == statement_kind::let;
    if (made.is_fixed && at.type.pointer == 0 && at.value.is_set()) made.bounds = bounds_of(at.value.id);
    for (const std::uint32_t extent : place.subscripts)
      if (node(extent).kind == expression_kind::integer) made.extents.push_back(node(extent).value);
    if (made.extents.size() != place.subscripts.size()) made.extents.clear();
    using form = value_type::form;
    if (at.type.pointer == 0 &&
        (at.type.as == form::vector_of_storage || at.type.as == form::vector_of_values))
      made.lanes = at.type.lanes;
    forget(place.buffer);
    names_.declare(place.buffer) = std::move(made);
  }
  /// Drops what is known of expressions with an outer variable of this number.
  void forget(std::uint32_t variable) {
    if (names_.find(variable) == nullptr) return;
    std::erase_if(narrowed_, [&](const auto& of) {
      return mentions(tree_.expressions, {nullptr, of.first}, {nullptr, variable});
    });
  }

  void check_guard(const statement& at) {
    const std::vector<std::pair<std::uint32_t, interval>> known = narrowed_;
    names_.open();
    if (at.value.is_set()) declare(at);
    use(at.condition.id);
    narrow(at.condition.id, true);
    list(at.body);
    narrowed_ = known;
    narrow(at.condition.id, false);
    list(at.otherwise);
    names_.close();
    narrowed_ = known;
  }

  void check_loop(const statement& at) {
    const std::vector<std::pair<std::uint32_t, interval>> known = narrowed_;
    names_.open();
    for (const expression& used : {at.value, at.begin})
      if (used.is_set()) use(used.id);
    if (at.target.is_set() && place_of(tree_, at.target.id).buffer != buffer_place::none) {
      const std::uint32_t variable = place_of(tree_, at.target.id).buffer;
      forget(variable);
      name_facts& made = names_.declare(variable);
      if (at.begin.is_set())
        made = {.bounds = bounds_of_loop(at), .is_fixed = is_stepped(at.step_by), .extents = {}};
    }
    if (at.end.is_set()) {
      use(at.end.id);
      if (goes_down(at.step_by))
        narrow_order(at.end.id, at.target.id, 0);
      else
        narrow_order(at.target.id, at.end.id,
                     at.is_whole ? std::max<std::int64_t>(bounds_of(at.step.id).min, 1) : 1);
      limit_steps(at);
    }
    names_.open();
    each_in_list(tree_, at.body, [&](statement_id id) { check(tree_[id]); });
    if (at.next_states.is_set()) use(at.next_states.id);
    names_.close();
    names_.close();
    narrowed_ = known;
  }
  /// Whether the loop alone changes its variable.
  static bool is_stepped(loop_step step) {
    return step != loop_step::in_body && step != loop_step::by_variable;
  }
  interval bounds_of_loop(const statement& at) const {
    const interval from = bounds_of(at.begin.id);
    return goes_down(at.step_by) ? interval{-interval::unbounded, from.max}
                                 : interval{from.min, interval::unbounded};
  }
  /// A loop by a constant amount ends at its last step, which may lie before its end.
  void limit_steps(const statement& at) {
    if (!at.begin.is_set() || (at.step_by != loop_step::by_amount && at.step_by != loop_step::doubled))
      return;
    const interval from = bounds_of(at.begin.id), all = bounds_of(at.target.id);
    if (from.min != from.max || !all.has_both() || all.max < from.min) return;
    std::int64_t last = from.min;
    if (at.step_by == loop_step::by_amount) {
      const interval step = bounds_of(at.step.id);
      if (step.min != step.max || step.min <= 0) return;
      last += (all.max - last) / step.min * step.min;
    } else {
      while (last > 0 && 2 * last <= all.max) last *= 2;
    }
    narrow_to(at.target.id, {from.min, last});
  }

  const kernel_description& kernel_;
  const loop_tree& tree_;
  scoped_variables<name_facts> names_;
  std::vector<std::pair<std::uint32_t, interval>> narrowed_;  ///< expressions
  std::string fault_;
};

}  // namespace

std::string fault_of_bounds(const kernel_description& kernel, const loop_tree& tree) {
  return bounds_check(kernel, tree).run();
}

}  // namespace sinter::inline v0::codegen
