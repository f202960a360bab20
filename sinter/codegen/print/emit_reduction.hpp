#pragma once
// What kernels that reduce have in common on both targets. A row is the elements that one position of the
// kept axes is made of, a lane one of the consecutive elements that are evaluated side by side. In the row
// walk lanes lie along the reduced axes, in the column walk along axis 0, which is kept. Sums are joined in
// an order that depends on the schedule and the extents alone: steps of a lane, lanes, threads, blocks. What
// scans do is in emit_scan.cpp.
//
// Names in the text: a. arguments, q pointers of a row, t positions along kept axes, r and x along reduced
// ones, v values of an element, k values of a row, s a thread's step, e a lane, u a thread's row.

#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/print/emit_body.hpp>
#include <sinter/codegen/print/emit_scan.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::codegen {

class reduction_emitter {
 public:
  virtual ~reduction_emitter() = default;
  reduction_emitter(const reduction_emitter&) = delete;
  reduction_emitter& operator=(const reduction_emitter&) = delete;

  std::string run();

 protected:
  explicit reduction_emitter(emission& kernel);

  virtual std::string preamble() const = 0;
  virtual void kernel() = 0;
  /// The loop over the reduced axes of one phase.
  virtual void loop(unsigned phase) = 0;
  /// Sums of lanes, then of threads, become the row's value.
  virtual void join_sums(unsigned phase) = 0;
  virtual void store_row() = 0;
  /// The element of a read, or its position, in a loop.
  virtual std::string element(std::uint32_t access) const = 0;
  virtual void store_element(std::uint32_t access, const std::string& value) = 0;
  /// The value of an instruction that is evaluated for each element, where a lane needs it.
  virtual std::string element_value(std::uint32_t instruction) const = 0;
  /// Where a turn's values of an instruction are arrays: their elements that a lane has, as "[e]". Empty
  /// where lanes go on one after the other, and scans with them.
  virtual std::string_view of_turn() const = 0;
  /// Takes the next element of a scan; `from` is its argument.
  virtual void scan_element(std::uint32_t instruction, const std::string& from) = 0;
  /// Where a lane's elements are added up.
  virtual std::string accumulator(std::uint32_t reduction, std::string_view lane) const {
    return sum(reduction, lane);
  }
  /// The value of an instruction where sums are formed.
  virtual std::string term(std::uint32_t instruction) const { return value(instruction); }
  /// After an instruction was evaluated: keeps its value where a later phase needs it.
  virtual void keep_value(std::uint32_t /*instruction*/) {}
  virtual std::string quotient(std::string_view number, unsigned axis) const = 0;
  /// Where an access begins in a row, `offset` elements after where the array does.
  virtual std::string row_begin(std::uint32_t access, const std::string& offset) const;

  const nest& body() const { return kernel_.body; }
  const schedule& chosen() const { return kernel_.chosen; }
  const access& at(std::uint32_t i) const { return body().accesses[i]; }
  const instruction& code(std::uint32_t i) const { return body().body[i]; }
  bool columns() const { return chosen().order == walk::column_reduction; }
  int vector() const { return chosen().vector; }
  int rows_per_thread() const { return chosen().rows_per_thread; }
  std::uint32_t count() const { return static_cast<std::uint32_t>(body().accesses.size()); }
  std::uint32_t code_count() const { return static_cast<std::uint32_t>(body().body.size()); }
  std::string_view storage(std::uint32_t i) const { return facts(at(i).type).storage; }
  static std::string_view spelling(element_type type) { return facts(type).spelling; }
  unsigned lane_axis() const { return columns() ? 0 : reduced_[0]; }

  /// Whether an access, or a value of a row, differs from row to row.
  bool access_varies(std::uint32_t i) const;
  bool value_varies(std::uint32_t i) const { return varying_[i]; }
  /// "[u]" where a thread has several rows.
  std::string_view of_row() const { return rows_per_thread() > 1 ? "[u]" : ""; }
  std::string pointer(std::uint32_t i) const;
  std::string value(std::uint32_t i) const;
  /// Names of positions along every axis, relative to where an access' pointer is in this row; lanes
  /// included.
  std::vector<std::string> positions(std::string_view lane) const;
  std::string index(std::uint32_t i, std::string_view lane) const;
  /// An element that is the same along the whole row. Lanes past the end of axis 0 take the last one's.
  std::string row_element(std::uint32_t i) const;
  instruction_names names_in_row();
  instruction_names names_in_loop();

  void unroll(std::string_view loop);
  void open_lanes();
  void open_rows();
  void close_rows();

  /// t of every kept axis from the number of the row, and where each access begins there; the column walk's
  /// first digit is a strip of axis 0.
  void decode_rows(std::string_view number);
  void row();
  template <typename Visit>
  void each_reduction(unsigned phase, Visit visit) {
    for (std::uint32_t i = 0; i < code_count(); ++i)
      if (is_reduction(code(i).op) && code(i).phase == phase) visit(i, code(i));
  }
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
  /// Room for what levels of a turn hand on.
  void declare_arrays(unsigned phase, std::string_view extents);
  /// Whether the values of a whole turn are side by side: those of scans, and what waits for one.
  bool is_array(std::uint32_t i) const {
    return !of_turn().empty() && (plan_.crosses(phase_, i) || is_scan(code(i).op));
  }
  /// Whether this is the level at which there are all of an instruction's arguments, or the value of a store.
  bool is_due(unsigned phase, std::span<const std::uint32_t> values) const;
  bool is_due(unsigned phase, const instruction& made) const {
    return is_due(phase, std::span(made.arguments).first(made.arity));
  }

  /// Statements of one lane: the values of a level; its sums, where the guard holds; its results.
  void values(unsigned phase);
  void sums(unsigned phase, std::string_view guard);
  void results(unsigned phase);
  /// Joins `from` to `to`; of argmax and argmin the names are those of value and position.
  void join(const instruction& made, const std::string& to, const std::string& to_position,
            const std::string& from, const std::string& from_position);
  void join_lanes(std::uint32_t i, const instruction& made);
  std::string sum(std::uint32_t i, std::string_view lane) const;
  std::string where(std::uint32_t i, std::string_view lane) const;
  std::string result_of(std::uint32_t i, const instruction& made, std::string_view lane) const;
  /// Declares the row's value and sets it from its sums; in the column walk for each lane.
  void set_row_value(std::uint32_t i, const instruction& made);
  void reduced_positions(std::string_view linear);
  /// Positions along digits, innermost first, from a number that counts through all of them, to the last.
  void split_digits(std::string_view number, std::span<const unsigned> digits, std::string_view name);

  emission& kernel_;
  text_writer out_;
  std::vector<unsigned> reduced_, rows_;  ///< axes, innermost first
  /// Those that have a digit of their own, then the first of those that share one.
  std::vector<unsigned> reduced_digits_, row_digits_;
  phase_plan plan_;
  unsigned phase_ = 0;  ///< the one whose loop is being emitted
  static constexpr unsigned all_levels = ~0u;
  unsigned level_ = all_levels;  ///< of that phase, if not all of them at once
  scan_writer scans_{kernel_, out_};

 private:
  /// Whether a lane meets elements in the order of their positions, which are then what it counts: an equal
  /// one that comes later is never preferred.
  bool meets_in_order(const instruction& made) const;
  std::string array_begin(std::uint32_t access) const;
  void row_values(unsigned phase);
  void begin_sums(unsigned phase);
  std::string stored_value(const store& made, unsigned phase);

  std::vector<bool> varying_;
};

}  // namespace sinter::codegen
