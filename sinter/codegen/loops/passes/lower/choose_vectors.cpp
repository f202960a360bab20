#include <sinter/codegen/loops/passes/lower/choose_vectors.hpp>

#include <sinter/codegen/loops/ir/declared_types.hpp>
#include <sinter/codegen/loops/ir/lane_stride.hpp>
#include <sinter/codegen/loops/statements/rewrite_statements.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// Whether a loop has vectors, and of how many lanes.
class lane_finder {
 public:
  lane_finder(const kernel_description& kernel, loop_tree& tree, const declared_types& declared,
              const statement& loop)
      : kernel_(kernel), tree_(tree), table_(tree.expressions), declared_(declared), loop_(loop) {}

  /// How many lanes a vector has, and whether it has twice as many on processors with wide registers: two
  /// registers for each value, whose operations do not wait for each other. 0: it has no vectors.
  struct vector_lanes {
    std::int64_t count = 0;
    bool doubled = false;
  };
  vector_lanes lanes() {
    const std::int64_t count = iterations();
    visit_list(loop_.body);
    if (!has_vectors_ || count == 0) return {};
    // where most is computed in 4 bytes, values of 8 take two registers
    const std::size_t bytes = widest_ == 8 && computes_in_less_ ? widest_ / 2 : widest_;
    const std::int64_t lanes =
        std::min<std::int64_t>(count, cpu_cache_line_bytes / static_cast<std::int64_t>(bytes));
    if (count % lanes != 0) return {};
    return {lanes, bytes == widest_ && count % (2 * lanes) == 0};
  }
  /// As the end says, or what they are a multiple of; 0 if neither is known.
  std::int64_t iterations() const {
    const expression_node& end = table_[loop_.end.id];
    return end.kind == expression_kind::integer ? end.value : loop_.multiple;
  }

 private:
  void visit(const statement& at) {
    switch (at.kind) {
      case statement_kind::let:
        has_vectors_ &= at.type.as == value_type::form::value;
        use(at.type.element);
        return value(at.value);
      case statement_kind::assign:
        place(at.target);
        return value(at.value);
      case statement_kind::combine:
        instruction_of(at.instruction);
        for (const std::uint32_t to : table_.operands_of(at.target.id)) place(table_.at(to));
        for (const std::uint32_t from : table_.operands_of(at.value.id)) value(table_.at(from));
        if (finds_position(kernel_.body.body[at.instruction].op))
          widest_ = std::max(widest_, sizeof(std::int64_t));
        return;
      case statement_kind::require:
      case statement_kind::leave:
        return value(at.condition);
      case statement_kind::report:
        value(at.condition);
        return value(at.value);
      case statement_kind::update:
        value(at.condition);
        widest_ = std::max(widest_, sizeof(std::int64_t));  // of where the element is
        return value(at.value);
      case statement_kind::variable:
        has_vectors_ &=
            at.type.as == value_type::form::value && table_[at.target.id].kind == expression_kind::name;
        use(at.type.element);
        return value(at.value);
      case statement_kind::loop:
        has_vectors_ &= is_carried(at);
        visit_list(at.body);
        if (at.next_states.is_set())
          for (const std::uint32_t next : table_.operands_of(at.next_states.id)) value(table_.at(next));
        return;
      case statement_kind::scope:
        return visit_list(at.body);
      case statement_kind::choice:
        condition(at.condition);
        visit_list(at.body);
        return visit_list(at.otherwise);
      default:
        has_vectors_ = false;
    }
  }
  void visit_list(statement_id first) {
    each_in_list(tree_, first, [&](statement_id id) { visit(tree_[id]); });
  }
  void use(element_type type) {
    has_vectors_ &= !is_complex(type);
    const std::size_t bytes = size_of(facts_of(type).compute);
    widest_ = std::max(widest_, bytes);
    computes_in_less_ |= bytes < 8 && !is_boolean(type);
  }
  void instruction_of(std::uint64_t i) {
    const instruction& made = kernel_.body.body[i];
    has_vectors_ &= made.op != operation::external;
    use(made.type);
    use(made.compute);
  }
  /// What all lanes share may be anything.
  void condition(expression from) {
    if (differs(from)) value(from);
  }
  bool differs(expression at) const { return at.is_set() && mentions(table_, at, loop_.target); }

  void place(expression to) {
    if (!to.is_set()) return;
    if (table_[to.id].kind == expression_kind::name) {  // of a body
      const value_type* declared = declared_.find(table_, to);
      has_vectors_ &= declared != nullptr && declared->as == value_type::form::value;
      if (declared != nullptr) use(declared->element);
      return;
    }
    has_vectors_ &= stride_of_lanes(table_, to, loop_.target).has_value();
    const value_type* declared = declared_.find(table_, to);
    if (declared == nullptr)
      has_vectors_ = false;
    else if (declared->as == value_type::form::value || declared->as == value_type::form::storage)
      use(declared->element);
    else
      widest_ = sizeof(std::int64_t);
  }
  void value(expression from) {
    if (!from.is_set()) return;
    const expression_node& at = table_[from.id];
    switch (at.kind) {
      case expression_kind::evaluate:
      case expression_kind::evaluate_fast:
      case expression_kind::fast_test:
      case expression_kind::start:
      case expression_kind::combined:
        instruction_of(static_cast<std::uint64_t>(at.value));
        break;
      case expression_kind::subscript:
      case expression_kind::lane:
        if (differs(from)) place(from);
        return;
      case expression_kind::stored:
        use(at.type.element);
        break;
      case expression_kind::integer:
      case expression_kind::name:
        return;
      case expression_kind::sum:
      case expression_kind::difference:
      case expression_kind::product:  // a position
        if (differs(from)) has_vectors_ &= growth_along_lanes(table_, from, loop_.target).has_value();
        return;
      default:
        has_vectors_ &= !differs(from);
        return;
    }
    for (const std::uint32_t operand : table_.operands_of(from.id)) value(table_.at(operand));
  }

  const kernel_description& kernel_;
  loop_tree& tree_;
  expression_table& table_;
  const declared_types& declared_;
  statement loop_;
  std::size_t widest_ = 1;  ///< bytes of what a lane is computed from
  bool computes_in_less_ = false;
  bool has_vectors_ = true;
};

/// Whether a statement declares an array of values. A vector that lies in two cache lines is forwarded late,
/// or not at all, from its store to the next load.
bool holds_lanes(const loop_tree& tree, const statement& at) {
  return at.kind == statement_kind::variable && at.space == memory_space::registers &&
         at.type.as == value_type::form::value &&
         tree.expressions[at.target.id].kind == expression_kind::subscript;
}

}  // namespace

void choose_vectors(const kernel_description& kernel, loop_tree& tree) {
  const declared_types declared(tree);
  for (statement_id id = 0; id < tree.statements.size(); ++id) {
    if (!is_vector(tree[id])) continue;
    lane_finder finder(kernel, tree, declared, tree[id]);
    const lane_finder::vector_lanes lanes = finder.lanes();
    if (finder.iterations() == 1) {
      tree[id].loop = loop_kind::serial;
    } else if (lanes.count == 0) {
      // compilers make no vectors of loops in loops, and updates of one element depend on each other
      const bool is_serial =
          contains_carried(tree, tree[id].body) || contains(tree, id, statement_kind::update);
      tree[id].loop = is_serial ? loop_kind::serial : loop_kind::compiler_vector;
    } else {
      const expression count = tree.expressions.integer(lanes.count);
      tree[id].lanes = lanes.count;
      tree[id].is_doubled = lanes.doubled;
      tree[id].step_by = loop_step::by_amount;
      tree[id].step = lanes.doubled ? tree.expressions.call("doubled_where_wide", {count}) : count;
    }
  }
  for (statement& at : tree.statements)
    if (holds_lanes(tree, at)) at.space = memory_space::stack;
}

}  // namespace sinter::inline v0::codegen
