// Tiles of axis 0 by axis 1, row by row, on the CPU. What is strided along a row is packed in chunks of it;
// transposed operands go through a tile that the first-level cache holds.

#include <sinter/codegen/loops/build/cpu/cpu_elements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class cpu_tiles final : public cpu_elements {
 public:
  cpu_tiles(const kernel_description& described, loop_tree& tree) : cpu_elements(described, tree) {
    for (std::uint32_t i = 0; i < count(); ++i) packs_ |= is_packed(i);
  }

  void open_tiles() override {
    begin_kernel();
    open_tile_range();
    split_kept_digits(name("tile"), 0, digits_, {});
    declare_shared_offsets(false, last_digit());
    declare_sides();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i)) transpose(i);
  }

  /// One row from x0 to x1, where an operand has to be packed in chunks.
  void open_chunks(unsigned) override {
    if (rank() > 1) out_.open_range(name("y"), name("y0"), name("y1"));
    if (!packs_) {
      out_.let(index_type, name("x"), name("x0"));
      out_.let(index_type, name("chunk"), name("x1") - name("x0"));
      return;
    }
    open_chunk_range();
    assign_chunk();
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_packed(i)) continue;
      if (is_scattered(i, 0))
        gather(i, buffer(i), name("x"), name("y"), name("chunk"));
      else
        out_.perform(out_.call("pack_row", {buffer(i), start(i, name("x")), stride(i, 0), name("chunk")}));
    }
    surround([&](std::uint32_t i) { return is_packed(i); });
  }
  void close_chunks(unsigned) override {
    if (packs_) out_.close();
    if (rank() > 1) out_.close();
  }

 private:
  bool is_packed(std::uint32_t i) const {
    return is_read(i) && !is_transposed(i) && pattern(i) == step_pattern::strided;
  }
  bool is_buffered(std::uint32_t i) const override { return is_packed(i); }

  expression start(std::uint32_t i, expression x) override {
    if (is_transposed(i))
      return name("stage", i) + (name("y") - name("y0")) * chosen().tile + (x - name("x0"));
    const auto number = [&](std::uint32_t position) { return start(position, x); };
    return with_terms(i, moved(begin_of(i), position_index(i, x, name("y"))), number);
  }

  /// How much of the array lies in the tile: of a square tile its side is known.
  void declare_sides() {
    if (rank() == 0) return declare_bounds("x", integer(0), integer(1));
    const bool is_square = chosen().order == loop_order::tiled;
    for (unsigned axis = 0; axis < std::min(2u, rank()); ++axis) {
      const std::string_view named = axis == 0 ? "x" : "y";
      const expression side = is_square ? integer(chosen().tile) : name(axis == 0 ? "a.along" : "a.across");
      const expression end = name(named, "0") + side;
      declare_bounds(named, name("t", axis) * side, choose(end < extent(axis), end, extent(axis)));
    }
  }

  /// Copies an operand along its contiguous axis.
  void transpose(std::uint32_t i) {
    const int side = chosen().tile;
    const expression stage = name("stage", i);
    const expression height = name("y1") - name("y0"), width = name("x1") - name("x0");
    const expression from = moved(pointer(i), position_index(i, name("x0"), name("y0")));
    out_.perform(out_.call("transpose", {stage, from, stride(i, 0), height, width, integer(side)}));
    out_.perform_if(width < side, out_.call("widen", {stage, height, width, integer(side)}));
  }

  bool packs_ = false;
};

}  // namespace

std::unique_ptr<tile_steps> make_cpu_tiles(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cpu_tiles>(described, tree);
}

}  // namespace sinter::inline v0::codegen
