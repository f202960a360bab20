#pragma once
// Names, values and places of rows: what builders and passes share that write statements of kernels that
// reduce or scan. A row is the elements that one position of the kept axes is made of, a lane one of the
// consecutive elements that are evaluated side by side. In the order of rows lanes lie along the reduced
// axes, in that of columns along axis 0, which is kept.
//
// Names of variables: q pointers of a row, t positions along kept axes, r and x along reduced ones, v values
// of an element, k values of a row, s a thread's step, e a lane, u a thread's row.

#include <sinter/codegen/loops/statements/kernel_statements.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>

#include <limits>
#include <vector>

namespace sinter::inline v0::codegen {

/// The names of a row's variables in a tree whose threads have so many rows.
row_variables name_row_variables(loop_tree& tree, int rows_per_thread);

/// The threads that share a row: on the CPU each row has one.
thread_scope scope_of_row(const kernel_description& kernel);

/// Names and loops of rows: for builders, and for passes that write statements of rows.
class row_statements : protected kernel_statements {
 protected:
  row_statements(const kernel_description& described, loop_tree& tree);

  bool columns() const { return reduces_columns(chosen().order); }
  /// Whether a value of a row is an array, with one for each of the lanes that columns are. Constants of the
  /// kernel need none on the CPU.
  bool has_lanes(std::uint32_t i) const {
    const bool is_constant = code(i).op == operation::literal || code(i).op == operation::extent;
    return columns() && (is_on_gpu() || !is_constant);
  }
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

  using partial_values = std::vector<expression>;
  /// Partial values, and whether there are any.
  struct optional_values {
    partial_values values;
    expression present{};
  };

  /// Whether an access, or a value of a row, differs from row to row.
  bool access_varies(std::uint32_t i) const;
  bool value_varies(std::uint32_t i) const { return varying_[i]; }

  /// Where the part of a row's elements begins that a unit of threads has, which has elements if this is less
  /// than length(): of a lane, of threads along a row or across columns.
  expression first_element_of_lane(expression lane);
  expression first_element_of(expression number);

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
  /// Whether a thread has a value of an instruction for each of several rows.
  bool has_rows(std::uint32_t i) const { return rows_per_thread() > 1 && value_varies(i); }
  /// Whether strips of columns have several rows: a register tile, whose rows share the reads that do not
  /// move along their axis.
  bool has_register_tiles() const { return columns() && rows_per_thread() > 1; }
  // Partial values of reductions and scans; see partial_types().
  std::vector<value_type> types_of_partials(std::uint32_t combining) const;
  /// Their names: of a prefix, the instruction, and from the second one on a number.
  expression partial_name(std::string_view prefix, std::uint32_t combining, std::size_t number) {
    return number == 0 ? name(prefix, combining)
                       : name(prefix, combining, "_", static_cast<std::int64_t>(number));
  }
  partial_values partial_names(std::string_view prefix, std::uint32_t combining);
  /// The elements of a chunk that a scan or sort takes. A scan leaves its values there; of a sort they are
  /// keys.
  partial_values elements_of_chunk(std::uint32_t combining) {
    return partial_names(code(combining).op == operation::argsort ? "key" : "v", combining);
  }
  /// What they begin with: a reduction of no elements is that, and an absent key comes last.
  partial_values starts_of(std::uint32_t combining);
  /// What a lane has.
  partial_values sums(std::uint32_t reduction, expression lane);
  expression sum(std::uint32_t reduction, expression lane) { return sums(reduction, lane)[0]; }
  expression where(std::uint32_t reduction, expression lane) { return sums(reduction, lane).back(); }
  /// The step of a thread that has a lane's best element, where it visits elements in order: the first is
  /// 0. Steps are counted in 32 bits, and are the same for all lanes and threads.
  expression best_step(std::uint32_t reduction, expression lane) {
    return of_row(name("best_step", reduction))[lane];
  }
  /// What a row's sums are, and of argmax and argmin the position.
  expression row_result(std::uint32_t reduction, std::size_t number, expression lane);
  void set_row_result(std::uint32_t reduction, std::size_t number, expression to, expression lane);
  expression pointer_of_row(std::uint32_t i);
  /// Whether a lane visits elements in the order of their positions: an equal one that comes later is never
  /// preferred. Its `where` is then the number of an element in the row, for which row_result() has the
  /// position.
  bool visits_in_order(const instruction& made) const { return made.ascending; }

  /// Whether a chunk has a partial sum of its own, which shortens the chains of additions.
  bool adds_by_chunks(const instruction& made) const {
    return is_on_gpu() && !chosen().resident && chosen().steps > 1 &&
           facts_of(made.op).combine == operation::add && is_inexact(made.compute);
  }

  digit_names digit_names_of(std::string_view position, value_type type) const;

  void open_lanes() { out_.open_count(lanes_kind(), lane(), vector()); }
  void open_rows();
  void close_rows();

  /// Combines `from` into `to`, of an operation of the table.
  statement& combine(std::uint32_t reduction, const partial_values& to, const partial_values& from);
  /// `to` becomes `left` and `right` combined; where there is only one of them, that one. A condition that is
  /// not set holds. Of an operation of the table both are always there: start values change nothing.
  void combine(std::uint32_t combining, const partial_values& to, const optional_values& left,
               const optional_values& right);
  void assign_all(const partial_values& to, const partial_values& from);
  /// Of a scan in a piece of a row: whether earlier pieces come before it. Not set where nothing does.
  expression has_earlier_pieces(std::uint32_t scan);
  /// Whether a column has a lane, in kernels that reduce columns.
  expression is_in_columns(expression lane);
  /// Whether both hold; not set: it holds.
  static expression both(expression a, expression b) { return !a.is_set() ? b : !b.is_set() ? a : a && b; }
  /// A lane's partial values and another lane's, until the first has all of them.
  void combine_lanes(std::uint32_t reduction);
  /// Declares the row's value or values and sets them from its sums; of columns for each lane.
  void set_row_values(std::uint32_t reduction);
  /// A value that is the same for all elements and rows.
  expression constant_value(std::uint32_t i);
  /// Declares the positions along the reduced axes, from the number of an element in the row, where there
  /// are several.
  void reduced_positions(expression number);
  /// Positions along every axis, relative to where an access' pointer is in this row; with the lane, if there
  /// is one.
  std::vector<expression> positions(expression lane);
  expression index_in_row(std::uint32_t i, expression lane);
  /// The same with the access' terms.
  expression place_in_row(std::uint32_t i, expression lane);
  expression last_position() { return integer(std::numeric_limits<std::int64_t>::max()); }

  /// Visits the reductions of a phase whose elements are combined: not what a scan comes to.
  template <typename Visit>
  void each_reduction(unsigned phase, Visit visit) {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (is_reduction(code(i).op) && code(i).op != operation::last && code(i).phase == phase)
        visit(i, code(i));
  }

  std::vector<unsigned> reduced_axes_, kept_axes_;  ///< innermost first
  /// Those that have a digit of their own, then the first of those that share one.
  std::vector<unsigned> reduced_digits_, kept_digits_;

 private:
  std::vector<bool> varying_;
};

}  // namespace sinter::inline v0::codegen
