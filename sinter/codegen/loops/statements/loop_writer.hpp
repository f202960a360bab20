#pragma once
// Writes the loop IR in the order in which a kernel runs.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

namespace sinter::inline v0::codegen {

/// Which lanes of a vector have an element; all of them if nothing is set.
struct lanes_with_elements {
  expression active;     ///< for each lane
  expression lane, end;  ///< or those of a piece before its end
};

/// Appends statements to a tree, into the loop, guard or scope that is open.
class loop_writer {
 public:
  explicit loop_writer(loop_tree& tree) : tree_(&tree), lists_{{no_statement, false, no_statement}} {}
  /// Writes a list of its own, which a pass puts where it belongs.
  struct detached {};
  loop_writer(loop_tree& tree, detached) : loop_writer(tree) { is_detached_ = true; }

  /// The first statement that was written.
  statement_id first() const { return first_; }

  /// A name of parts, texts and numbers: name("t", axis).
  template <typename... Parts>
  expression name(const Parts&... parts) {
    return tree_->expressions.name(parts...);
  }
  expression integer(std::int64_t value) { return tree_->expressions.integer(value); }
  expression call(std::string_view function, std::initializer_list<expression> operands) {
    return tree_->expressions.call(function, operands);
  }
  expression call(expression function, std::initializer_list<expression> operands) {
    return tree_->expressions.call(function, operands);
  }
  /// A template for call(): instance("put_whole", {integer(16)}).
  expression instance(std::string_view function, std::initializer_list<expression> arguments) {
    std::vector<expression> operands{name(function)};
    operands.insert(operands.end(), arguments);
    return tree_->expressions.make(expression_kind::instance, operands);
  }
  expression_table& expressions() { return tree_->expressions; }

  statement& add(const statement& made);
  /// Of the statement that was added last.
  statement_id id_of(const statement& added) const {
    return static_cast<statement_id>(&added - tree_->statements.data());
  }
  statement& operator[](statement_id id) { return (*tree_)[id]; }
  /// Adds the statement and opens its body; reopen() its other one.
  statement& open(const statement& made);
  void reopen();
  void close();

  statement& let(value_type type, expression name, expression value);
  statement& variable(value_type type, expression target, expression value = {});
  statement& assign(expression target, expression value);
  void increase(expression target, expression by);
  /// A vector from memory: all of it, or the elements that are left.
  statement& load_vector(value_type vector, expression target, expression from, expression left = {});
  void store_vector(value_type vector, expression to, expression value, expression left = {});
  /// One element, always or where a condition holds.
  statement& load_element(expression target, expression element, expression condition = {});
  void store_element(expression element, expression value, expression condition = {});
  void perform(expression call);
  void barrier(thread_scope scope);
  /// Arrives at the barrier that the threads of `scope` wait at next.
  void arrive(thread_scope scope);
  void perform_if(expression condition, expression call);
  void assign_if(expression condition, expression target, expression value);

  /// for (int name = 0; name < count; ++name)
  statement& open_count(loop_kind kind, std::string_view variable, std::int64_t count) {
    return open_count(kind, name(variable), count);
  }
  statement& open_count(loop_kind kind, expression variable, std::int64_t count);
  /// A loop whose iterations a launch runs; `number` tells them apart. Without a count the launch decides.
  statement& open_launched(loop_kind kind, expression number, std::int64_t count = 0);
  /// for (long long name = from; name < end; ++name)
  statement& open_range(expression name, expression from, expression end);
  /// for (int name = from; name < end; ++name), or as `by` says.
  statement& open_steps(loop_kind kind, expression name, operand from, operand end,
                        loop_step by = loop_step::by_one);
  /// The same by an amount.
  statement& open_strided(loop_kind kind, expression name, operand from, operand end, std::int64_t by);
  /// Leaves the loop around it.
  void leave_unless(expression condition);
  /// Tells the call of an index that is out of range, where the condition holds.
  void report(std::uint32_t instruction, expression condition, expression index, expression extent,
              const lanes_with_elements& lanes);
  void update(std::uint32_t store, expression place, expression value, expression condition,
              const lanes_with_elements& lanes);
  statement& open_guard(expression condition);
  void open_scope();

 private:
  struct list {
    statement_id owner;
    bool otherwise;
    statement_id last;
  };
  loop_tree* tree_;
  std::vector<list> lists_;
  statement_id first_ = no_statement;
  bool is_detached_ = false;
};

}  // namespace sinter::inline v0::codegen
