#pragma once
// What kernels that reduce or scan have in common on both targets. A row is the elements that one position of
// the kept axes is made of, a lane one of the consecutive elements that are evaluated side by side. In the
// order of rows lanes lie along the reduced axes, in that of columns along axis 0, which is kept. Sums are
// combined in an order that depends on the schedule and the extents alone: steps of a lane, lanes, threads,
// blocks.
//
// Names of variables: q pointers of a row, t positions along kept axes, r and x along reduced ones, v values
// of an element, k values of a row, s a thread's step, e a lane, u a thread's row.

#include <sinter/codegen/loops/kernel_builder.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>

#include <limits>
#include <optional>

namespace sinter::inline v0::codegen {

/// The names of a row's variables in a tree whose threads have so many rows.
row_variables name_row_variables(loop_tree& tree, int rows_per_thread);

/// Names and loops of rows: for builders, and for passes that write statements of rows.
class row_statements : protected kernel_builder {
 protected:
  row_statements(const kernel_description& described, loop_tree& tree);

  bool columns() const { return reduces_columns(chosen().order); }
  int rows_per_thread() const { return chosen().rows_per_thread; }
  /// The type that holds the lanes of a read.
  value_type vector_of_read(std::uint32_t i) const { return vector_of(storage_of(at(i).type), lanes(i)); }
  /// Types of positions along reduced axes, and along kept ones.
  value_type reduced_type() const { return described_.narrow_reduced ? narrow_index_type : index_type; }
  value_type kept_type() const { return described_.narrow_kept ? narrow_index_type : index_type; }
  loop_kind lanes_kind() const { return is_on_gpu() ? loop_kind::unrolled : loop_kind::vector; }

  /// Where a lane lies from a thread's first one. Lanes of columns that are loaded one by one lie as far
  /// apart as a strip has threads, so that neighbouring threads load neighbouring elements.
  bool has_spread_lanes() const { return columns() && chosen().scalar_loads; }
  expression lane_offset(expression e) { return has_spread_lanes() ? e * chosen().threads_along : e; }

  /// Whether an access, or a value of a row, differs from row to row.
  bool access_varies(std::uint32_t i) const;
  bool value_varies(std::uint32_t i) const { return varying_[i]; }

  // Variables that the tree names.
  expression length() const { return tree_.row.length; }
  expression position() const { return tree_.row.position; }
  expression lanes_left() const { return tree_.row.lanes_left; }
  expression chunk_start() const { return tree_.row.chunk; }
  expression step() const { return tree_.row.step; }
  expression lane() const { return tree_.row.lane; }
  /// What a read is loaded into.
  expression loaded_read(std::uint32_t access) { return name("in", access); }

  /// `of` for the row u where a thread has several.
  expression of_row(expression of) { return rows_per_thread() > 1 ? of[name("u")] : of; }
  /// A declared name with an extent for the rows of a thread.
  expression with_rows(expression of) { return rows_per_thread() > 1 ? of[rows_per_thread()] : of; }
  expression sum(std::uint32_t reduction, expression lane) { return of_row(name("sum", reduction))[lane]; }
  expression where(std::uint32_t reduction, expression lane) {
    return of_row(name("where", reduction))[lane];
  }
  expression result_of(std::uint32_t reduction, expression lane);
  expression row_result(std::uint32_t reduction, expression lane);
  expression pointer_of_row(std::uint32_t i);
  /// Whether a lane meets elements in the order of their positions, and counts them from the row's first: an
  /// equal one that comes later is never preferred.
  bool meets_in_order(const instruction& made) const;

  /// Whether what the lanes of a chunk come to is added up by itself: chains of additions are shorter so.
  bool adds_by_chunks(const instruction& made) const {
    return is_on_gpu() && !chosen().resident && chosen().steps > 1 &&
           facts(made.op).combine == operation::add && is_inexact(made.compute);
  }

  digit_names digit_names_of(std::string_view position, value_type type) const;

  void open_lanes() { out_.open_count(lanes_kind(), lane(), vector()); }
  void open_rows();
  void close_rows();

  /// Combines `from` into `to`; `position` and `from_position` count for argmax and argmin alone.
  statement& combine(std::uint32_t reduction, expression to, expression position, expression from,
                     expression from_position);
  /// A lane's partial values and another lane's, until the first has all of them.
  void combine_lanes(std::uint32_t reduction);
  /// Declares the row's value and sets it from its sums; of columns for each lane.
  void set_row_value(std::uint32_t reduction);
  /// Positions along every axis, relative to where an access' pointer is in this row; with the lane, if there
  /// is one.
  std::vector<expression> positions(expression lane);
  expression index_in_row(std::uint32_t i, expression lane);
  expression last_position() { return integer(std::numeric_limits<std::int64_t>::max()); }

  template <typename Visit>
  void each_reduction(unsigned phase, Visit visit) {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (is_reduction(code(i).op) && code(i).phase == phase) visit(i, code(i));
  }

  std::vector<unsigned> reduced_axes_, kept_axes_;  ///< innermost first
  /// Those that have a digit of their own, then the first of those that share one.
  std::vector<unsigned> reduced_digits_, kept_digits_;

 private:
  std::vector<bool> varying_;
};

/// Builds the phases of a row: for each phase its loop over the reduced axes, and what is there once for the
/// row.
class row_builder : protected row_statements {
 public:
  virtual ~row_builder() = default;
  row_builder(const row_builder&) = delete;
  row_builder& operator=(const row_builder&) = delete;

 protected:
  row_builder(const kernel_description& described, loop_tree& tree);

  /// The loop over the reduced axes of one phase.
  virtual void loop(unsigned phase) = 0;
  /// Stores of what is there once for a row.
  virtual void store_row() = 0;
  /// The element of a read in a loop.
  virtual expression element(std::uint32_t access) = 0;
  virtual void store_element(std::uint32_t access, expression value) = 0;
  /// Where a lane's value of an instruction lies from one phase to later ones.
  virtual expression held(std::uint32_t instruction) = 0;
  /// The place of a lane's value among those of a whole chunk; not set where lanes go on one after the other,
  /// and scans with them.
  virtual std::optional<expression> of_chunk(expression values) = 0;
  /// Takes the next element of a scan.
  virtual void scan_element(std::uint32_t instruction, expression from) = 0;
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

  /// t of every kept axis from the number of the row, and where each access begins there; of columns the
  /// first digit is a strip of axis 0.
  void decode_rows(expression number);
  void row();
  void reduced_positions(expression number);

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
      if (is_scan(code(i).op)) visit(i);
  }
  bool scans_in(unsigned phase);
  /// Before the loop of a phase: what its scans go on from.
  void begin_scans(unsigned phase);
  /// Whether the values of a whole chunk are side by side: those of scans, and what waits for one.
  bool is_array(std::uint32_t i);
  /// Whether this is the level at which there are all of an instruction's arguments, or the value of a store.
  bool is_due(unsigned phase, std::span<const std::uint32_t> values) const;
  bool is_due(unsigned phase, const instruction& made) const {
    return is_due(phase, std::span(made.arguments).first(made.arity));
  }

  /// Statements of one lane: the values of a level; its sums, where the guard holds if there is one; its
  /// results.
  void values(unsigned phase);
  void sums(unsigned phase, expression guard);
  void results(unsigned phase);

  phase_plan plan_;
  unsigned phase_ = 0;  ///< the one whose loop is being built
  static constexpr unsigned all_levels = ~0u;
  unsigned level_ = all_levels;  ///< of that phase, if not all of them at once

 private:
  expression array_begin(std::uint32_t access);
  value_type type_of_begin(std::uint32_t access) const;
  void declare_begins();
  void declare_length();
  void row_values(unsigned phase);
  void begin_sums(unsigned phase);
  expression stored_value(const store& made, unsigned phase);
};

}  // namespace sinter::inline v0::codegen
