#pragma once
// Results of CPU kernels, stored in pieces of a fixed number of elements. A piece that is cut short, by the
// end of its row or to end with a cache line, is computed whole all the same: it begins at `from`, and its
// own elements, from `to` on, go from a buffer to memory. So do pieces that bypass the cache; others are
// computed where they belong, and several of those that follow each other may be one run.

#include <sinter/codegen/loops/statements/loop_writer.hpp>

#include <span>

namespace sinter::inline v0::codegen {

/// A result of which each piece has some elements.
struct piece_result {
  std::uint32_t access;
  element_type type;
  bool is_contiguous;
  expression begin;  ///< where the piece's own elements lie in memory
};

/// In kernels that have called kernel_statements::declare_streaming().
class cpu_pieces {
 public:
  /// Pieces of `elements`. `from` names where one is computed, `count` how many elements of it are stored: a
  /// multiple of `elements` where there are runs.
  cpu_pieces(loop_writer& out, int elements, expression from, expression count)
      : out_(out), elements_(elements), from_(from), count_(count) {}
  void join_to_runs() { in_runs_ = true; }
  bool has_runs() const { return in_runs_; }
  /// Declares whether a run's result bypasses the cache: if all of it does, from the registers.
  void declare_bypass(std::uint32_t access);
  expression bypasses(std::uint32_t access) { return out_.name("bypass", access); }

  /// Aligned to a cache line.
  static void declare_buffer(loop_writer& out, value_type type, expression buffer, int elements) {
    out.variable(type, buffer[elements]).space = memory_space::stack;
  }

  /// Opens the loop over pieces of a range; `at` is its variable, the position or one relative to it.
  statement& open(expression at, expression begin, expression end);
  /// Where the piece that stores from `to` on is computed: where it is, unless a row of elements would end
  /// before it does.
  void declare_from(expression row_end);
  /// Declares where the results lie, and sets how many elements are stored: those that are left, or as many
  /// as end with a cache line where lines bypass the cache.
  void declare_results(std::span<const piece_result> results, expression left);
  /// Whether a result is computed in memory: all of the piece is stored, and it does not bypass the cache
  /// through a buffer.
  expression is_direct(std::uint32_t access);
  /// How many elements are computed: a piece, or a run of them.
  expression computed() { return choose(count_ < elements_, elements_, count_); }
  /// Where a result is computed, its own place or its buffer.
  void declare_place(std::uint32_t access, value_type type, expression is_direct);
  /// Stores what lies in the buffer of a contiguous result, by a helper function.
  void store(std::uint32_t access, expression helper);

  expression result(std::uint32_t access) { return out_.name("result", access); }
  expression place(std::uint32_t access) { return out_.name("to", access); }
  expression buffer(std::uint32_t access) { return out_.name("out", access); }
  /// The piece's own elements in a buffer.
  expression own(expression buffer) { return buffer + (out_.name("to") - from_); }
  expression count() const { return count_; }

 private:
  loop_writer& out_;
  expression beyond_line_of(std::uint32_t access);

  int elements_;
  bool in_runs_ = false;
  unsigned contiguous_results_ = 0;
  expression from_, count_;
};

}  // namespace sinter::inline v0::codegen
