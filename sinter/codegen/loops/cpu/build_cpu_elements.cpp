// Pointwise kernels for the CPU: a range of tiles, each in pieces of a fixed number of elements. The loop
// over a piece is all that is vectorised: its length is a constant, every operand is contiguous in it, and it
// has no branch. What is strided, broadcast inside short rows, or shorter than a piece is packed into a
// buffer first; there is no scalar tail, so an element's bits cannot depend on where it stands. Lanes of a
// piece that belong to no element are elements near it again: nothing is evaluated that was never written.

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/cpu/cpu_pieces.hpp>
#include <sinter/codegen/loops/kernel_builder.hpp>
#include <sinter/codegen/loops/passes/speculate_fast_paths.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <functional>

namespace sinter::inline v0::codegen {
namespace {

class cpu_elements_builder : kernel_builder {
 public:
  cpu_elements_builder(const kernel_description& described, loop_tree& tree)
      : kernel_builder(described, tree), has_fast_paths_(has_fast_paths(described)) {}

  void build() {
    declare_arrays();
    declare_buffers();
    if (is_flat()) pack_constant_rows();
    out_.open_range(name("tile"), name("first"), name("last"));
    switch (chosen().order) {
      case loop_order::rows:
        rows();
        break;
      case loop_order::flat:
        flat();
        break;
      case loop_order::tiled:
        tiled();
        break;
      case loop_order::row_reduction:
      case loop_order::column_reduction:
        break;  // build_cpu_reduction.cpp
    }
    out_.close();
    out_.perform_if(name("a.streaming") != 0, out_.call("streaming_fence", {}));
  }

 private:
  using start_of_access = std::function<expression(std::uint32_t access, expression x)>;
  using choice_of_accesses = std::function<bool(std::uint32_t access)>;

  bool is_flat() const { return chosen().order == loop_order::flat; }
  bool is_transposed(std::uint32_t i) const {
    return chosen().order == loop_order::tiled && is_transposed_access(at(i));
  }
  bool is_linear(std::uint32_t i) const { return sinter::is_linear(at(i), body()); }
  /// In a buffer for a whole chunk, long before it is read: what was stored as elements a moment ago cannot
  /// be loaded as a vector yet. In the flat order that is whatever is not linear, in rows what is strided
  /// along them.
  bool is_buffered(std::uint32_t i) const { return is_flat() ? !is_linear(i) : is_packed(i); }
  bool is_packed(std::uint32_t i) const {
    return !is_flat() && is_read(i) && !is_transposed(i) && pattern(i) == step_pattern::strided;
  }
  step_pattern pattern(std::uint32_t i) const {
    if (is_transposed(i)) return step_pattern::unit;
    return rank() == 0 ? step_pattern::none : at(i).pattern(0);
  }
  value_type type_of(std::uint32_t i) const { return is_memory(i) ? storage(i) : index_type; }
  std::string_view buffer_name(std::uint32_t i) const { return is_write(i) ? "out" : "in"; }
  expression buffer(std::uint32_t i) { return name(buffer_name(i), i); }

  /// Buffers reach a piece beyond both ends: a piece is always read whole.
  void declare_buffers() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (is_transposed(i)) declare_buffer(i, "stage", chosen().tile * chosen().tile);
      if (is_buffered(i))
        declare_buffer(i, buffer_name(i), cpu_chunk);
      else if (is_memory(i) && (is_write(i) || pattern(i) != step_pattern::none))
        cpu_pieces::declare_buffer(out_, type_of(i), buffer(i), cpu_step);
    }
  }
  void declare_buffer(std::uint32_t i, std::string_view named, int elements) {
    const expression whole = name(named, i, "_whole");
    cpu_pieces::declare_buffer(out_, type_of(i), whole, elements + 2 * cpu_step);
    out_.let_too(pointer_to(type_of(i)), name(named, i), whole + cpu_step);
  }

  /// A tile of axis 0 by axis 1.
  void rows() {
    split_kept_digits(name("tile"), 0, cut_.digits, {});
    declare_shared_offsets(false, last_digit());
    if (rank() == 0) {
      declare_bounds("x", integer(0), integer(1));
    } else {
      const expression end = name("x0") + name("a.along");
      declare_bounds("x", name("t0") * name("a.along"), choose(end < extent(0), end, extent(0)));
    }
    if (rank() > 1) {
      const expression end = name("y0") + name("a.across");
      declare_bounds("y", name("t1") * name("a.across"), choose(end < extent(1), end, extent(1)));
      out_.open_range(name("y"), name("y0"), name("y1"));
    }
    one_row();
    if (rank() > 1) out_.close();
  }

  void declare_bounds(std::string_view axis, expression begin, expression end) {
    out_.let(index_type, name(axis, "0"), begin);
    out_.let_too(index_type, name(axis, "1"), end);
  }

  expression last_digit() { return name("t", cut_.digits - 1); }

  expression position_index(std::uint32_t i, expression x, expression y) {
    std::vector<expression> positions(rank());
    if (rank() > 0) positions[0] = x;
    if (rank() > 1) positions[1] = y;
    for (unsigned axis = 2; axis < std::min(rank(), cut_.digits); ++axis) positions[axis] = name("t", axis);
    return index(at(i).group, positions);
  }

  /// One row from x0 to x1, where an operand has to be packed in chunks.
  void one_row() {
    bool packs = false;
    for (std::uint32_t i = 0; i < count(); ++i) packs |= is_packed(i);
    if (!packs) {
      out_.let(index_type, name("x"), name("x0"));
      out_.let_too(index_type, name("chunk"), name("x1") - name("x0"));
      pieces_of_row();
      return;
    }
    open_chunks();
    assign_chunk();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_packed(i))
        out_.perform(
            out_.call("pack_row", {buffer(i), moved(pointer(i), position_index(i, name("x"), name("y"))),
                                   stride(i, 0), name("chunk")}));
    surround([&](std::uint32_t i) { return is_packed(i); });
    pieces_of_row();
    out_.close();
  }
  void open_chunks() {
    statement& chunks = out_.open_range(name("x"), name("x0"), name("x1"));
    chunks.step_by = loop_step::by_variable;
    chunks.step = name("chunk");
  }
  void assign_chunk() {
    const expression left = name("x1") - name("x");
    out_.assign(name("chunk"), choose(left < cpu_chunk, left, cpu_chunk));
  }
  void pieces_of_row() {
    pieces([&](std::uint32_t i, expression x) {
      if (is_transposed(i))
        return name("stage", i) + (name("y") - name("y0")) * chosen().tile + (x - name("x0"));
      return moved(begin_of(i), position_index(i, x, name("y")));
    });
  }

  /// Gives a chunk's last pieces, and a row's last one, something to read beyond the chunk.
  void surround(const choice_of_accesses& chosen_ones) {
    out_.open_guard(name("chunk") % cpu_step != 0 || name("a.streaming") != 0);
    for (std::uint32_t i = 0; i < count(); ++i)
      if (chosen_ones(i)) out_.perform(out_.call("surround", {buffer(i), name("chunk")}));
    out_.close();
  }

  /// The chunk at x in pieces of n elements from `to` on, which are read where the row goes on, before them
  /// or behind. `start` tells where an access is at a position.
  void pieces(const start_of_access& start) {
    pieces_.open(name("j"), integer(0), name("chunk"));
    out_.let(index_type, name("to"), name("x") + name("j"));
    declare_results(start);
    pieces_.declare_from(name("x1"));
    for (const bool writes : {false, true})
      for (std::uint32_t i = 0; i < count(); ++i)
        if (is_write(i) == writes) begin_access(i, start);
    evaluate_piece();
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i) && !is_buffered(i)) store_piece(i);
    out_.close();
  }

  void declare_results(const start_of_access& start) {
    std::vector<piece_result> results;
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i) && !is_buffered(i))
        results.push_back({i, at(i).type, pattern(i) == step_pattern::unit, start(i, name("to"))});
    pieces_.declare_results(results, name("chunk") - name("j"));
  }

  void store_piece(std::uint32_t i) {
    if (pattern(i) == step_pattern::unit) return pieces_.store(i, name("put"));
    out_.perform(out_.call("scatter_rows", {pieces_.own(buffer(i)), pieces_.result(i), integer(0),
                                            stride(i, 0), name("n"), integer(1)}));
  }

  /// What the loop over a piece needs of an access.
  void begin_access(std::uint32_t i, const start_of_access& start) {
    const expression from = name("from", i), to = name("to", i);
    if (is_buffered(i)) {
      out_.let(pointer_to(type_of(i)), is_write(i) ? to : from, buffer(i) + (name("from") - name("x")));
    } else if (is_write(i) && pattern(i) == step_pattern::unit) {
      pieces_.declare_place(i, type_of(i), stores_directly(i));
    } else if (is_write(i)) {
      out_.let(pointer_to(type_of(i)), to, buffer(i));
    } else if (!is_memory(i)) {
      out_.let(index_type, from, start(i, name("from")));
    } else if (pattern(i) == step_pattern::none) {
      out_.let(type_of(i), from, content_of(start(i, name("from"))));
    } else {
      const expression direct = start(i, name("from"));
      out_.let(
          pointer_to(type_of(i), true), from,
          choose(name("x1") < cpu_step, out_.call("pack_elements", {buffer(i), direct, name("n")}), direct));
    }
  }
  /// Not straight to memory where lines bypass the cache, nor over arguments that may be needed again.
  expression stores_directly(std::uint32_t result) {
    const value_type any = pointer_to({value_type::form::bytes}, true);
    expression condition = pieces_.is_direct();
    for (std::uint32_t i = 0; has_fast_paths_ && i < count(); ++i)
      if (is_read(i) && !is_buffered(i) && pattern(i) == step_pattern::unit)
        condition = condition && convert(any, name("from", i)) != convert(any, name("result", result));
    return condition;
  }

  expression element(std::uint32_t i) {
    const expression from = name("from", i);
    if (is_buffered(i) || (is_memory(i) && pattern(i) != step_pattern::none)) return from[name("i")];
    if (is_memory(i) || pattern(i) == step_pattern::none) return from;
    return from + name("i") * stride(i, 0);
  }

  /// Functions with a fast path take it for a whole piece or not at all, so that the loop stays free of
  /// branches.
  void evaluate_piece() {
    out_.open_count(loop_kind::vector_pairs, "i", cpu_step).speculative = true;
    evaluate_element([&](std::uint32_t i) { return element(i); },
                     [&](std::uint32_t i) { return name("to", i)[name("i")]; });
    out_.close();
  }

  /// Consecutive elements of the whole space, in chunks of whole rows (of one row's part where there is one
  /// axis alone). Operands that are not linear are packed for a chunk.
  void flat() {
    const unsigned digits = cut_.digits;
    const expression end = name("x0") + name("a.along");
    declare_bounds("x", name("tile") * name("a.along"), choose(end < name("a.size"), end, name("a.size")));
    if (rank() > 1) split_kept_digits(name("x0") / extent(0), 1, digits, {.changes = true});
    open_chunks();
    if (rank() > 1) {
      const expression rows_left = (name("x1") - name("x")) / extent(0), most = name("a.across");
      out_.let(index_type, name("height"), choose(rows_left < most, rows_left, most));
      out_.assign(name("chunk"), name("height") * extent(0));
    } else {
      assign_chunk();
    }
    bool scatters = false, packs = false;
    for (std::uint32_t i = 0; i < count(); ++i) {
      scatters |= is_write(i) && is_buffered(i);
      packs |= is_packed_by_chunks(i);
    }
    if (scatters && packs)
      for (unsigned axis = 1; axis < digits; ++axis)
        out_.let(index_type, name("t", axis, "_0"), name("t", axis));
    if (packs) {
      const auto packed = [&](std::uint32_t i) { return is_packed_by_chunks(i); };
      move_rows(packed);
      surround(packed);
    }
    pieces([&](std::uint32_t i, expression x) { return begin_of(i) + x; });
    if (scatters) {
      if (packs)
        for (unsigned axis = 1; axis < digits; ++axis) out_.assign(name("t", axis), name("t", axis, "_0"));
      move_rows([&](std::uint32_t i) { return is_write(i) && is_buffered(i); });
    }
    out_.close();
  }
  bool is_packed_by_chunks(std::uint32_t i) const {
    return !is_write(i) && is_buffered(i) && !is_constant_row(i);
  }

  /// Whether all rows of the flat order see the same elements.
  bool is_constant_row(std::uint32_t i) const {
    if (is_write(i) || rank() < 2) return false;
    for (unsigned axis = 1; axis < rank(); ++axis)
      if (at(i).moves_along(axis)) return false;
    return true;
  }
  void pack_constant_rows() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_buffered(i) || !is_constant_row(i)) continue;
      move_rows_of(i, buffer(i), sum_of(tree_.expressions, {}), name("a.across"));
      out_.perform(out_.call("surround", {buffer(i), name("a.across") * extent(0)}));
    }
  }

  /// Rows of an access between memory at an index and a place in its buffer.
  void move_rows_of(std::uint32_t i, expression place, expression index, expression height) {
    move_elements(i, place, index, {stride(i, 0), stride(i, 1), height, extent(0)});
  }
  /// `shape`: strides along and across rows, height and width.
  void move_elements(std::uint32_t i, expression place, expression index,
                     const std::array<expression, 4>& shape) {
    const bool repeats = pattern(i) == step_pattern::none && rank() > 1;
    const std::string_view how = is_write(i)     ? "scatter_rows"
                                 : !is_memory(i) ? "count_rows"
                                 : repeats       ? "repeat_rows"
                                                 : "gather_rows";
    out_.perform(out_.call(how, {place, moved(begin_of(i), index), shape[0], shape[1], shape[2], shape[3]}));
  }

  /// Packs (or scatters) accesses for a chunk, by runs of rows along axis 1.
  void move_rows(const choice_of_accesses& chosen_ones) {
    if (rank() == 1) {
      for (std::uint32_t i = 0; i < count(); ++i)
        if (chosen_ones(i))  // one row alone is a column
          move_elements(i, buffer(i), position_index(i, name("x"), {}),
                        {integer(0), stride(i, 0), name("chunk"), integer(1)});
      return;
    }
    const unsigned digits = cut_.digits;
    std::vector<expression> positions(rank());
    for (unsigned axis = 1; axis < digits; ++axis) positions[axis] = name("t", axis);
    out_.open_range(name("done"), integer(0), name("height")).step_by = loop_step::in_body;
    const expression rows_left = extent(1) - name("t1"), wanted = name("height") - name("done");
    out_.let(index_type, name("run"), choose(rows_left < wanted, rows_left, wanted));
    declare_shared_offsets(false, last_digit());
    for (std::uint32_t i = 0; i < count(); ++i)
      if (chosen_ones(i))
        move_rows_of(i, buffer(i) + name("done") * extent(0), index(at(i).group, positions), name("run"));
    out_.increase(name("done"), name("run"));
    advance_rows();
    out_.close();
  }
  void advance_rows() {
    std::vector<expression> digits;
    for (unsigned axis = 1; axis < cut_.digits; ++axis) {
      digits.push_back(name("t", axis));
      if (axis == 1 || axis + 1 < cut_.digits) digits.push_back(extent(axis));
    }
    statement made{.kind = statement_kind::advance};
    made.value = tree_.expressions.make(expression_kind::sum, digits);
    made.step = name("run");
    out_.add(made);
  }

  /// Square tiles: transposed operands are copied along their contiguous axis into a tile that the
  /// first-level cache holds.
  void tiled() {
    split_kept_digits(name("tile"), 0, cut_.digits, {});
    declare_shared_offsets(false, last_digit());
    const int side = chosen().tile;
    for (const unsigned axis : {0u, 1u}) {
      const std::string_view named = axis == 0 ? "x" : "y";
      const expression end = name(named, "0") + side;
      declare_bounds(named, name("t", axis) * side, choose(end < extent(axis), end, extent(axis)));
    }
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_transposed(i)) transpose(i);
    out_.open_range(name("y"), name("y0"), name("y1"));
    one_row();
    out_.close();
  }
  void transpose(std::uint32_t i) {
    const int side = chosen().tile;
    const expression stage = name("stage", i), x = name("x"), y = name("y"), from = name("from");
    const expression height = name("y1") - name("y0"), width = name("x1") - name("x0");
    out_.open_range(x, name("x0"), name("x1"));
    out_.variable(pointer_to(storage(i), true), from, moved(pointer(i), position_index(i, x, name("y0"))));
    out_.open_range(y, integer(0), height).brief = true;
    out_.assign(stage[y * side + (x - name("x0"))], from[y]);
    out_.close();
    out_.close();
    out_.perform_if(width < side, out_.call("widen", {stage, height, width, integer(side)}));
  }

  bool has_fast_paths_;
  cpu_pieces pieces_{out_, cpu_step, name("from"), name("n")};
};

}  // namespace

void build_cpu_elements(const kernel_description& described, loop_tree& tree) {
  cpu_elements_builder(described, tree).build();
}

}  // namespace sinter::inline v0::codegen
