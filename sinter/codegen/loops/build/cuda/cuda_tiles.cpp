// Pointwise kernels for NVIDIA GPUs over tiles of axis 0 by axis 1, one a block: where the tile lies is
// worked out once a block in 64 bits, positions inside it are 32-bit.

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/loops/build/cuda/cuda_elements.hpp>

namespace sinter::inline v0::codegen {
namespace {

class cuda_tiles final : public cuda_elements {
 public:
  cuda_tiles(const kernel_description& described, loop_tree& tree) : cuda_elements(described, tree) {}

  void open_tiles() override {
    open_threads();
    declare_stages();
    decode_tile();
    out_.let(narrow_index_type, name("x0"), thread_along() * vector());
    // rows of a thread are consecutive, except in transposed tiles, where they match the other direction's
    const expression row = thread_across();
    out_.let(narrow_index_type, name("y0"), is_tiled() ? row : row * chosen().rows_per_thread);
    declare_reads();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_in_window(i) && at(i).base == i) load_window(i);
    if (is_tiled()) stage_transposed();
  }

  void open_elements(unsigned, unsigned) override { open_positions(chosen().rows_per_thread, 0, false); }
  void close_elements(unsigned) override { close_positions(); }

  /// In the loops over positions; hoist_loads() takes the loads out.
  void load(unsigned) override {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && !is_transposed(i) && !is_in_window(i)) load_resident(i);
  }

 private:
  bool is_tiled() const { return chosen().order == loop_order::tiled; }
  bool is_transposed(std::uint32_t i) const { return is_tiled() && is_transposed_access(at(i)); }
  bool has_rows() const { return rank() > 1; }
  expression x() { return name("x"); }
  expression y() { return name("y"); }
  expression lane() { return name("e"); }
  /// The sum of a pointer and an index, as two terms.
  expression address(std::uint32_t i, expression index) {
    return sum_of(tree_.expressions, std::array{name("q", at(i).base), index});
  }

  /// t0, t1, t2 … from the block's number; what is left of the array in this tile; where the tile starts in
  /// every array.
  void decode_tile() {
    const unsigned digits = digits_;
    split_kept_digits(block(), 0, digits, {.type = unsigned_index_type});
    declare_shared_offsets(false, name("t", digits - 1));
    std::vector<expression> starts(rank());
    for (unsigned axis = 0; axis < std::min(rank(), digits); ++axis) {
      const expression number = convert(index_type, name("t", axis));
      starts[axis] = axis > 1 ? number : declare_side(axis, number);
    }
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (at(i).base != i || is_gathered(i)) continue;
      const expression begin = is_memory(i) ? base_pointer(i) : offset_argument(i);
      out_.let(is_memory(i) ? pointer_to(storage(i), is_read(i)) : index_type, name("q", i),
               sum_of(tree_.expressions, std::array{begin, index(at(i).group, starts)}));
    }
  }
  /// Where the tile starts along an axis, and how much of it lies in the array.
  expression declare_side(unsigned axis, expression tile) {
    const tiling sides = gpu_tile(body(), chosen());
    const std::int64_t side = axis == 0 ? sides.along : sides.across;
    const expression start = name("start", axis), rest = extent(axis) - start;
    out_.let(index_type, start, tile * integer(side));
    out_.let(narrow_index_type, name("left", axis),
             choose(rest < side, convert(narrow_index_type, rest), side));
    return start;
  }

  /// Index of a position inside the tile, from the start of its access.
  expression local_index(std::uint32_t i, expression along) {
    return kernel_statements::in_window(i, corner_index(i, along));
  }
  expression corner_index(std::uint32_t i, expression along) {
    const expression positions[] = {along, y()};
    return index(at(i).group, std::span(positions).first(std::min(2u, rank())));
  }
  expression x_of_lane() { return x() + lane(); }
  /// Where a read is at a position along axis 0, with its terms.
  expression place(std::uint32_t i, expression along) {
    return with_terms(i, local_index(i, along), [&](std::uint32_t position) {
      return moved(name("q", at(position).base), local_index(position, along));
    });
  }

  /// What an access varies with decides how many vectors a thread keeps: rows, steps, lanes.
  bool varies_along(std::uint32_t i) const { return at(i).moves_along(0); }
  bool varies_across(std::uint32_t i) const { return has_rows() && at(i).moves_along(1); }
  expression resident(std::uint32_t i) {
    return name("in", i)[varies_across(i) ? operand(name("u")) : operand(0)]
                        [varies_along(i) ? operand(name("s")) : operand(0)];
  }

  /// A window is loaded by a thread of the rows loop order as a whole: its elements' neighbours, each once.
  /// The span is the distance of its farthest member along both axes.
  struct window_span {
    int elements = 0, rows = 0;
  };
  window_span span_of(std::uint32_t base) const {
    window_span span;
    for (std::uint32_t i = base; i < count(); ++i)
      if (at(i).base == base)
        span = {std::max<int>(span.elements, at(i).shift), std::max<int>(span.rows, at(i).row_shift)};
    return span;
  }
  bool is_in_window(std::uint32_t i) const {
    if (is_tiled() || !is_read(i)) return false;
    if (at(i).pattern(0) != step_pattern::unit && !at(i).contiguous_inside) return false;
    // lanes that a term moves are no vector
    if (vector() > 1 && has_scattered_window(body(), at(i).base)) return false;
    const window_span span = span_of(at(i).base);
    return span.elements != 0 || span.rows != 0;
  }
  /// Vectors of a window's row.
  int window_columns(std::uint32_t base) const {
    return divide_up(vector() + span_of(base).elements, vector());
  }
  void load_window(std::uint32_t base) {
    const window_span span = span_of(base);
    open_positions(chosen().rows_per_thread + span.rows, span.rows, true);
    open_unrolled("c", window_columns(base));
    const expression column = name("c") * vector(), row = has_rows() ? operand(name("u")).made : integer(0);
    out_.load_vector(vector_type(base, vector()), name("in", base)[row][name("s")][name("c")],
                     address(base, place_in_window(base, x() + column)),
                     name("left0") + span.elements - x() - column);
    out_.close();
    close_positions();
  }
  /// Where an element of a window is, by the terms that its reads have in common. Each is of a read of the
  /// window, whose position is some elements and rows from the corner's.
  expression place_in_window(std::uint32_t base, expression along) {
    expression place = corner_index(base, along);
    bool has_axis[2] = {};
    for (std::uint32_t i = base; i < count(); ++i) {
      if (at(i).base != base) continue;
      for (std::uint32_t term = at(i).first_term; term < at(i).first_term + at(i).term_count; ++term) {
        const std::uint32_t position = body().terms[term].position;
        bool& is_known = has_axis[at(position).moves_along(0) ? 0 : 1];
        if (is_known) continue;
        is_known = true;
        const expression positions[] = {along - at(i).shift, has_rows() ? y() - at(i).row_shift : y()};
        const expression number = index(at(position).group, std::span(positions).first(std::min(2u, rank())));
        place = place + term_offset(term, moved(name("q", position), number));
      }
    }
    return place;
  }
  expression window_element(std::uint32_t i) {
    const expression row = has_rows() ? name("u") + at(i).row_shift : integer(0);
    const expression held = name("in", at(i).base)[row][name("s")];
    if (vector() == 1) return lane_of(held[at(i).shift], 0);
    const expression column = lane() + at(i).shift;
    return lane_of(held[column / vector()], column % vector());
  }

  /// Lanes past the end are zero, not undefined: ptxas 13.0 was seen to exchange "and" with "or" of booleans
  /// made from undefined ones, in lanes that were stored.
  void declare_reads() {
    const int rows = chosen().rows_per_thread, steps = is_tiled() ? 1 : chosen().steps;
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_read(i) || is_transposed(i) || (is_in_window(i) && at(i).base != i)) continue;
      const expression held = name("in", i);
      const expression shape = is_in_window(i)
                                   ? held[rows + span_of(i).rows][steps][window_columns(i)]
                                   : held[varies_across(i) ? rows : 1][varies_along(i) ? steps : 1];
      out_.variable(vector_type(i, is_in_window(i) ? vector() : lanes(i)), shape).zeroed = true;
    }
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i))
        out_.variable(vector_type(i, vector()), name("transposed", i)[rows]).zeroed = true;
  }

  /// Loops over a thread's rows and steps, with the position x, y in the tile, guarded by the bounds of the
  /// array; windows may extend `beyond` rows past its end.
  void open_positions(int rows, int beyond, bool has_window) {
    if (has_rows()) {
      open_unrolled("u", rows);
      const expression row = name("u");
      out_.let(narrow_index_type, y(), name("y0") + (is_tiled() ? row * chosen().threads_across : row));
    }
    open_unrolled("s", chosen().steps);
    let_x();
    const expression along = x() < name("left0"), last = name("left1");
    out_.open_guard(has_rows() ? along && y() < (has_window ? last + beyond : last) : along).of_elements =
        true;
  }
  void close_positions() {
    for (int open = has_rows() ? 3 : 2; open != 0; --open) out_.close();
  }

  void load_resident(std::uint32_t i) {
    const expression held = resident(i), from = name("q", at(i).base);
    if (lanes(i) == 1)
      out_.load_element(lane_of(held, 0), element_at(i, from, place(i, x()))).access = i;
    else
      load_lanes(out_, held, lanes_at(i, from), i);
  }
  void store_result(std::uint32_t i) override {
    store_lanes(out_, lanes_at(i, name("q", i)), name("out", i));
  }
  lanes_in_memory lanes_at(std::uint32_t i, expression begin) {
    lanes_in_memory made{.vector = vector_type(i, vector()), .is_one_move = is_wide(i), .lane = lane()};
    if (made.is_one_move) {
      made.address = address(i, place(i, x()));
      made.left = name("left0") - x();
    } else {
      made.element = element_at(i, begin, place(i, x_of_lane()));
      made.guard = x_of_lane() < name("left0");
    }
    return made;
  }
  expression lane_guard() override { return vector() > 1 ? x_of_lane() < name("left0") : expression(); }
  expression element(std::uint32_t i) override {
    if (!is_memory(i)) return moved(name("q", at(i).base), local_index(i, x_of_lane()));
    if (is_in_window(i)) return window_element(i);
    if (is_transposed(i)) return name("stage", i)[x_of_lane()][y()];
    return lane_of(resident(i), lanes(i) > 1 ? operand(lane()) : operand(0));
  }

  /// Square tiles: transposed operands are read along axis 1, written to shared memory, and read back along
  /// axis 0. One column of padding keeps both directions to two-way bank conflicts.
  void declare_stages() {
    const int side = chosen().tile;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i))
        out_.variable(storage(i), name("stage", i)[side][side + 1]).space = memory_space::shared;
  }
  /// Here threadIdx.x counts along axis 1 and threadIdx.y along axis 0.
  void stage_transposed() {
    const expression row = name("u"), across = name("y0") + row * chosen().threads_across;
    open_unrolled("u", chosen().rows_per_thread);
    out_.let(narrow_index_type, x(), across);
    out_.let(narrow_index_type, y(), name("x0"));
    out_.open_guard(x() < name("left0") && y() < name("left1")).of_elements = true;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i))
        out_.load_vector(vector_type(i, vector()), name("transposed", i)[row],
                         address(i, local_index(i, x())), name("left1") - y());
    out_.close();
    out_.close();
    open_unrolled("u", chosen().rows_per_thread);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i))
        each_lane([&] {
          out_.assign(name("stage", i)[across][name("x0") + lane()],
                      lane_of(name("transposed", i)[row], lane()));
        });
    out_.close();
    out_.barrier(thread_scope::block);
  }
};

/// A space without axes: one thread has its one element.
class cuda_one_element final : public tile_steps, kernel_statements {
 public:
  cuda_one_element(const kernel_description& described, loop_tree& tree)
      : kernel_statements(described, tree) {}

  void open_tiles() override {
    open_threads();
    out_.perform_if(thread_along() != 0, name("return"));
  }
  void evaluate_lane(unsigned) override {
    const auto number = [&](std::uint32_t position) { return begin_of(position); };
    evaluate_element([&](std::uint32_t i) {
      if (!is_memory(i)) return offset_argument(i);
      return has_terms(i) ? element_at(i, pointer(i), with_terms(i, integer(0), number))
                          : content_of(pointer(i));
    });
  }
  void store_lane(unsigned) override {
    store_element([&](std::uint32_t i) { return content_of(base_pointer(i)); });
  }
};

}  // namespace

std::unique_ptr<tile_steps> make_cuda_tiles(const kernel_description& described, loop_tree& tree) {
  if (described.body.rank == 0) return std::make_unique<cuda_one_element>(described, tree);
  return std::make_unique<cuda_tiles>(described, tree);
}

}  // namespace sinter::inline v0::codegen
