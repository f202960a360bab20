#pragma once
// Builder steps for reductions and scans that both targets share: a row's phases, and its values that are
// computed once. Sums are combined in an order that depends on the schedule and the extents alone: steps
// of a lane, lanes, threads, blocks.

#include <sinter/codegen/loops/build/build_kernel.hpp>
#include <sinter/codegen/loops/statements/row_statements.hpp>

#include <optional>

namespace sinter::inline v0::codegen {

class row_steps : public tile_steps, protected row_statements {
 public:
  unsigned phases() const final { return body().phases; }
  bool has_loop(unsigned phase) const final { return plan_.has_loop(phase); }
  unsigned levels(unsigned phase) const override { return plan_.levels(phase); }

  /// Values that are the same along the row, as soon as what they need is there.
  void evaluate_once(unsigned phase) final;
  void open_chunks(unsigned phase) final;
  void close_chunks(unsigned phase) final;
  void open_elements(unsigned phase, unsigned level) final;
  /// Of one lane: the values of a level; its sums; its results.
  void evaluate_lane(unsigned phase) final;
  void combine_lane(unsigned phase) final;
  void store_lane(unsigned phase) final;

 protected:
  row_steps(const kernel_description& described, loop_tree& tree);

  /// The loop over the reduced axes of one phase, and that of a step of it.
  virtual void open_loop(unsigned phase) = 0;
  virtual void close_loop(unsigned phase) = 0;
  virtual void open_step() {}
  /// Where a lane is in the row; not set where there is nothing to ask.
  virtual expression lane_guard() { return {}; }
  /// The element of a read in a loop.
  virtual expression element(std::uint32_t access) = 0;
  virtual void store_element(std::uint32_t access, expression value) = 0;
  /// Where a lane's value of an instruction lies from one phase to later ones.
  virtual expression held(std::uint32_t instruction) = 0;
  /// The place of a lane's value among those of a whole chunk; not set where lanes, and scans along them,
  /// advance one after the other.
  virtual std::optional<expression> of_chunk(expression values) = 0;
  /// Of a thread: the number of its step, in 32 bits, and the number in the row of what a lane has there.
  /// Only for argmax and argmin that visit elements in order.
  virtual expression step_number() = 0;
  virtual expression number_of_step(expression step, expression lane) = 0;
  /// Whether a lane takes its first element of the row in this step, if it has any: the same for all lanes.
  virtual expression is_first_step() = 0;
  /// Takes the next element of a scan.
  virtual void scan_element(std::uint32_t instruction, const partial_values& from) = 0;
  /// Where a lane's elements are combined.
  virtual expression accumulator(std::uint32_t reduction, expression lane) { return sum(reduction, lane); }

  expression value(std::uint32_t i);
  /// The value of an instruction that is evaluated for each element, where a lane needs it.
  expression element_value(std::uint32_t i);
  /// After an instruction was evaluated: keeps its value where a later phase needs it.
  void keep_value(std::uint32_t i);
  /// An element that is the same along the whole row. Lanes past the end of axis 0 take the last one's.
  expression row_element(std::uint32_t i);
  expression evaluate_in_row(std::uint32_t i);
  expression evaluate_in_loop(std::uint32_t i);
  /// Declares what a chunk's lanes have of an instruction's value, or of those of a scan by a body.
  void declare_arrays_of_chunk(std::uint32_t i, std::initializer_list<int> shape);
  void combine_element(std::uint32_t i, const partial_values& to, const partial_values& from);
  /// A result of a scan by a body, where lanes have it.
  expression scanned_value(std::uint32_t scan, std::size_t number);

  /// t of every kept axis from the number of the row, and where each access begins there; of columns the
  /// first digit is a strip of axis 0.
  void decode_rows(expression number);

  template <typename Visit>
  void each_element_store(unsigned phase, Visit visit) {
    for (const store& made : body().stores)
      if (stores_elements(body(), made) && phase_of_store(body(), made) == phase &&
          is_due(phase, std::span(&made.value, 1)))
        visit(made);
  }
  template <typename Visit>
  void each_scan(unsigned phase, Visit visit) {
    for (const std::uint32_t i : plan_.evaluated(phase))
      if (needs_chunk(code(i).op)) visit(i);
  }
  template <typename Visit>
  void each_last(unsigned phase, Visit visit) {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (code(i).op == operation::last && code(i).phase == phase) visit(i, code(i).arguments[0]);
  }
  bool scans_in(unsigned phase);
  /// Before the loop of a phase: what its scans go on from. Sorts have their whole row at once.
  void begin_scans(unsigned phase);
  /// Around that loop: a variable for what each scan comes to that is wanted, and its last value.
  void declare_last(unsigned phase);
  void set_last(unsigned phase);
  /// Whether the values of a whole chunk are side by side: those of scans, and what waits for one.
  bool is_array(std::uint32_t i);
  /// Whether this is the level at which there are all of an instruction's arguments, or the value of a store.
  bool is_due(unsigned phase, std::span<const std::uint32_t> values) const;
  bool is_due(unsigned phase, const instruction& made) const {
    const auto arguments = body().arguments_of(made);
    return is_due(phase, has_body(made.op) ? body().arguments_of_combining(made).values : arguments);
  }

  phase_plan plan_;
  unsigned phase_ = 0;  ///< the one whose loop is being built
  static constexpr unsigned all_levels = ~0u;
  unsigned level_ = all_levels;  ///< of that phase, if not all of them at once

 private:
  expression array_begin(std::uint32_t access);
  value_type type_of_begin(std::uint32_t access) const;
  void declare_begins();
  void begin_strip(std::vector<expression>& starts);
  void begin_register_tile(std::vector<expression>& starts);
  void declare_length();
  void evaluate_bodies_once(std::uint32_t owner);
  void report_once(std::uint32_t i);
  void write_report(std::uint32_t i, const lanes_with_elements& lanes);
  lanes_with_elements columns_with_elements();
  /// Whether there is an element at a lane; not set where lanes always have one.
  expression element_guard();
  void begin_sums(unsigned phase);
  partial_values values_combined(std::uint32_t i);
  void steps_to_positions(unsigned phase);
  expression stored_value(const store& made, unsigned phase);
};

}  // namespace sinter::inline v0::codegen
