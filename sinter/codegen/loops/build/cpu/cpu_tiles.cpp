// Tiles of axis 0 by axis 1, row by row, on the CPU. What is strided along a row is packed in chunks of it;
// transposed operands go through a tile that the first-level cache holds. Operands that go on past the ends
// of their array by a rule (position_rule.hpp) are packed in the chunks at the ends alone.

#include <sinter/codegen/loops/build/cpu/cpu_elements.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

class cpu_tiles final : public cpu_elements {
 public:
  cpu_tiles(const kernel_description& described, loop_tree& tree) : cpu_elements(described, tree) {
    for (std::uint32_t i = 0; i < count(); ++i) {
      packs_ |= is_packed(i);
      has_borders_ |= is_bordered(i);
    }
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

  /// One row from x0 to x1, in chunks where an operand has to be packed, or lies partly outside of its array.
  void open_chunks(unsigned) override {
    if (rank() > 1) out_.open_range(name("y"), name("y0"), name("y1"));
    if (!packs_ && !has_borders_) {
      out_.let(index_type, name("x"), name("x0"));
      out_.let(index_type, name("chunk"), name("x1") - name("x0"));
      return;
    }
    if (has_borders_) declare_inside();
    open_chunk_range();
    assign_chunk();
    if (has_borders_) end_chunk_at_border();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_packed(i)) pack(i);
    surround([&](std::uint32_t i) { return is_packed(i); });
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_bordered(i)) pack_outside(i);
  }
  void close_chunks(unsigned) override {
    if (packs_ || has_borders_) out_.close();
    if (rank() > 1) out_.close();
  }

 private:
  bool is_packed(std::uint32_t i) const {
    return is_read(i) && !is_transposed(i) && !is_bordered(i) && pattern(i) == step_pattern::strided;
  }
  bool is_buffered(std::uint32_t i) const override { return is_packed(i); }
  bool is_bordered(std::uint32_t i) const override {
    return !is_transposed(i) && kernel_statements::is_bordered(i, 0);
  }

  /// The positions of a row from which on, and up to which, a read lies inside of its array.
  expression first_inside(std::uint32_t i) { return name("first_inside", i); }
  expression last_inside(std::uint32_t i) { return name("last_inside", i); }
  expression is_inside(std::uint32_t i) override { return name("is_inside", i); }

  void declare_inside() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_bordered(i)) continue;
      out_.variable(index_type, first_inside(i), name("x0"));
      out_.variable(index_type, last_inside(i), name("x1"));
      each_term_along(i, 0, [&](std::uint32_t term, std::uint32_t position) {
        const expression number = start(position, integer(0)), begin = integer(0) - number,
                         last = name("a.t", term, "_extent") - number;
        out_.assign_if(first_inside(i) < begin, first_inside(i), begin);
        out_.assign_if(last < last_inside(i), last_inside(i), last);
      });
    }
  }
  /// No chunk lies on both sides of a border. Chunks inside are read from memory as they are, if elements lie
  /// side by side there and the chunk is as long as a piece.
  void end_chunk_at_border() {
    const expression x = name("x"), chunk = name("chunk");
    expression all_inside, any_inside;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_bordered(i)) continue;
      expression begins_inside = lies_side_by_side(i);
      if (!is_wrapped(i)) begins_inside = begins_inside && first_inside(i) <= x && x < last_inside(i);
      all_inside = all_inside.is_set() ? all_inside && begins_inside : begins_inside;
    }
    // what is inside and lies side by side needs no buffer
    if (!packs_) out_.assign_if(all_inside, chunk, name("x1") - x);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_bordered(i))
        for (const expression border : {first_inside(i), last_inside(i)})
          out_.assign_if(x < border && border - x < chunk, chunk, border - x);
    // what is not read as it lies there fits its buffer
    expression all_in_place;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_bordered(i)) continue;
      const expression in_place = lies_side_by_side(i) && has_one_step(i);
      all_in_place = all_in_place.is_set() ? all_in_place && in_place : in_place;
    }
    out_.assign_if(!all_in_place && chunk > cpu_chunk, chunk, integer(cpu_chunk));
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_bordered(i)) continue;
      out_.let(truth_type, is_inside(i), lies_side_by_side(i) && chunk >= cpu_step && has_one_step(i));
      any_inside = any_inside.is_set() ? any_inside || is_inside(i) : is_inside(i);
    }
    out_.let(index_type, name("end_of_reads"), choose(any_inside, x + chunk, name("x1")));
  }
  expression lies_side_by_side(std::uint32_t i) { return name("a.s", at(i).group, "_0") == 1; }
  /// Whether a chunk, which has no border in it, is read in steps of one element: inside of the array, and of
  /// an array that is wrapped also in the turns before and behind that.
  expression has_one_step(std::uint32_t i) {
    const expression x = name("x"), behind = x + name("chunk");
    if (!is_wrapped(i)) return first_inside(i) <= x && behind <= last_inside(i);
    expression turn;
    each_term_along(i, 0, [&](std::uint32_t term, std::uint32_t) { turn = name("a.t", term, "_extent"); });
    return first_inside(i) - turn <= x && behind <= last_inside(i) + turn;
  }
  /// Whether a clipped read steps along the axis that is clipped alone: not that of a diagonal.
  expression stays_beyond_ends(std::uint32_t i) {
    expression stays;
    each_term_along(i, 0, [&](std::uint32_t term, std::uint32_t) {
      stays = name("a.s", at(i).group, "_0") == name("a.t", term, "_stride");
    });
    return stays;
  }
  bool is_clipped(std::uint32_t i) const { return is_bordered_by(i, 0, is_clip); }
  bool is_wrapped(std::uint32_t i) const { return is_bordered_by(i, 0, wraps); }
  expression end_of_reads() override {
    return has_borders_ ? name("end_of_reads") : cpu_elements::end_of_reads();
  }

  void pack_outside(std::uint32_t i) {
    const expression x = name("x"), chunk = name("chunk");
    out_.open_guard(!is_inside(i));
    if (is_clipped(i)) {
      out_.open_guard((x + chunk <= first_inside(i) || last_inside(i) <= x) && stays_beyond_ends(i));
      out_.perform(
          out_.call("repeat_rows", {buffer(i), start(i, x), integer(0), integer(0), integer(1), chunk}));
      out_.reopen();
    }
    gather(i, buffer(i), x, name("y"), chunk);
    if (is_clipped(i)) out_.close();
    surround([&](std::uint32_t each) { return each == i; });
    out_.close();
  }

  void pack(std::uint32_t i) {
    if (is_scattered(i, 0))
      gather(i, buffer(i), name("x"), name("y"), name("chunk"));
    else
      out_.perform(out_.call("pack_row", {buffer(i), start(i, name("x")), stride(i, 0), name("chunk")}));
  }

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

  bool packs_ = false, has_borders_ = false;
};

}  // namespace

std::unique_ptr<tile_steps> make_cpu_tiles(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cpu_tiles>(described, tree);
}

}  // namespace sinter::inline v0::codegen
