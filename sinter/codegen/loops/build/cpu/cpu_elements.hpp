#pragma once
// Pointwise kernels for the CPU: a range of tiles, each in pieces of a fixed number of elements. The loop
// over a piece is all that becomes vectors: its length is a constant, every operand is contiguous in it, and
// it has no branch. What is strided, broadcast inside short rows, or shorter than a piece is packed into a
// buffer first; there is no scalar tail, so an element's bits cannot depend on its position. Lanes of a piece
// that belong to no element repeat elements near it: nothing is evaluated that was never written.

#include <sinter/codegen/loops/build/build_kernel.hpp>
#include <sinter/codegen/loops/statements/cpu_pieces.hpp>
#include <sinter/codegen/loops/statements/kernel_statements.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <functional>

namespace sinter::inline v0::codegen {

class cpu_elements : public tile_steps, protected kernel_statements {
 public:
  void close_tiles() final;
  /// The chunk at x in pieces of n elements from `to` on, which are read where the row goes on, before them
  /// or behind.
  void open_elements(unsigned, unsigned) final;
  void close_elements(unsigned) final { out_.close(); }
  void load(unsigned) final;
  /// Functions with a fast path take it for a whole piece or not at all, so that the loop stays free of
  /// branches.
  void open_lane(unsigned) final;
  void evaluate_lane(unsigned) final {
    evaluate_element([&](std::uint32_t i) { return element(i); },
                     {{{}, name("i"), end_of_reads() - name("from")}, {}, {}});
  }
  void store_lane(unsigned) final;
  void close_lane(unsigned) final;

 protected:
  using choice_of_accesses = std::function<bool(std::uint32_t access)>;

  cpu_elements(const kernel_description& described, loop_tree& tree);

  /// Whether an access is in a buffer for a whole chunk, long before it is read: what was stored as elements
  /// a moment ago cannot be loaded as a vector yet.
  virtual bool is_buffered(std::uint32_t i) const = 0;
  /// Whether an access lies as it is in memory where terms leave it as it is, and else in a buffer of the
  /// chunk: see cpu_tiles.
  virtual bool is_bordered(std::uint32_t) const { return false; }
  /// Of such an access: whether the chunk at hand is read as it lies in memory.
  virtual expression is_inside(std::uint32_t) { return {}; }
  /// Where an access is at a position of the chunk.
  virtual expression start(std::uint32_t i, expression x) = 0;
  /// Where the elements end that a piece of the chunk may read.
  virtual expression end_of_reads() { return name("x1"); }

  /// The arrays, the buffers, and the loop over tiles.
  void begin_kernel();
  void open_tile_range() { out_.open_range(name("tile"), name("first"), name("last")); }

  bool is_transposed(std::uint32_t i) const {
    return chosen().order == loop_order::tiled && is_transposed_access(at(i));
  }
  step_pattern pattern(std::uint32_t i) const {
    if (is_transposed(i)) return step_pattern::unit;
    return rank() == 0 ? step_pattern::none : at(i).pattern(0);
  }
  value_type type_of(std::uint32_t i) const { return is_memory(i) ? storage(i) : index_type; }
  std::string_view buffer_name(std::uint32_t i) const { return is_write(i) ? "out" : "in"; }
  expression buffer(std::uint32_t i) { return name(buffer_name(i), i); }
  expression last_digit() { return name("t", digits_ - 1); }

  void declare_bounds(std::string_view axis, expression begin, expression end);
  expression position_index(std::uint32_t i, expression x, expression y);
  /// Whether an access has elements or positions that are values.
  bool is_value(std::uint32_t i) const { return is_memory(i) || is_coordinate(i); }
  /// Copies a read's elements along axis 0 to `to`, one by one: `count` of them from x on.
  void gather(std::uint32_t i, expression to, expression x, expression y, expression count);
  /// The loop over the chunks of a row, and how long one is.
  void open_chunk_range();
  void assign_chunk();
  /// Gives a chunk's last pieces, and a row's last one, something to read beyond the chunk.
  void surround(const choice_of_accesses& chosen_ones);

 private:
  void declare_buffers();
  void declare_buffer(std::uint32_t i, std::string_view named, int elements);
  void declare_results();
  void store_piece(std::uint32_t i);
  void begin_access(std::uint32_t i);
  expression stores_directly(std::uint32_t result);
  expression element(std::uint32_t i);

  bool can_run() const;

  bool has_fast_paths_;
  cpu_pieces pieces_{out_, cpu_step, name("from"), name("n")};
};

}  // namespace sinter::inline v0::codegen
