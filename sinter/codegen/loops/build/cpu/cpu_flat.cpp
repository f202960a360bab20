// Consecutive elements of the whole space on the CPU, in chunks of whole rows (of one row's part where there
// is one axis alone). Operands that are not linear are packed for a chunk, and such results scattered behind
// it.

#include <sinter/codegen/loops/build/cpu/cpu_elements.hpp>

namespace sinter::inline v0::codegen {
namespace {

class cpu_flat final : public cpu_elements {
 public:
  cpu_flat(const kernel_description& described, loop_tree& tree) : cpu_elements(described, tree) {
    for (std::uint32_t i = 0; i < count(); ++i) {
      scatters_ |= is_scattered(i);
      packs_ |= is_packed(i);
    }
  }

  void open_tiles() override {
    begin_kernel();
    pack_constant_rows();
    open_tile_range();
    const expression end = name("x0") + name("a.along");
    declare_bounds("x", name("tile") * name("a.along"), choose(end < name("a.size"), end, name("a.size")));
    if (rank() > 1) split_kept_digits(name("x0") / extent(0), 1, digits_, {.changes = true});
  }

  void open_chunks(unsigned) override {
    open_chunk_range();
    if (rank() > 1) {
      const expression rows_left = (name("x1") - name("x")) / extent(0), most = name("a.across");
      out_.let(index_type, name("height"), choose(rows_left < most, rows_left, most));
      out_.assign(name("chunk"), name("height") * extent(0));
    } else {
      assign_chunk();
    }
    if (!packs_) return;
    if (scatters_)  // from where the rows begin again
      for (unsigned axis = 1; axis < digits_; ++axis)
        out_.let(index_type, name("t", axis, "_0"), name("t", axis));
    const auto packed = [&](std::uint32_t i) { return is_packed(i); };
    move_rows(packed);
    surround(packed);
  }
  void close_chunks(unsigned) override {
    if (scatters_) {
      if (packs_)
        for (unsigned axis = 1; axis < digits_; ++axis) out_.assign(name("t", axis), name("t", axis, "_0"));
      move_rows([&](std::uint32_t i) { return is_scattered(i); });
    }
    out_.close();
  }

 private:
  bool is_buffered(std::uint32_t i) const override { return !at(i).is_linear; }
  bool is_packed(std::uint32_t i) const {
    return is_value(i) && !is_write(i) && is_buffered(i) && !is_constant_row(i);
  }
  bool is_scattered(std::uint32_t i) const { return is_write(i) && is_buffered(i); }

  expression start(std::uint32_t i, expression x) override { return begin_of(i) + x; }

  /// Whether all rows of the flat order see the same elements.
  bool is_constant_row(std::uint32_t i) const {
    if (is_write(i) || rank() < 2) return false;
    for (unsigned axis = 1; axis < rank(); ++axis)
      if (at(i).moves_along(axis)) return false;
    return true;
  }
  void pack_constant_rows() {
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_value(i) || !is_buffered(i) || !is_constant_row(i)) continue;
      if (has_terms(i))
        gather_rows(i, buffer(i), {}, name("a.across"));
      else
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

  /// The rows of a read with terms, element by element; `first` is the position of the first row.
  void gather_rows(std::uint32_t i, expression place, std::vector<expression> first, expression height) {
    const expression row = name("row"), element = name("element");
    std::vector<expression> here = std::move(first);
    here.resize(rank());
    out_.open_range(row, integer(0), height);
    if (here[1].is_set()) here[1] = here[1] + row;
    const auto number = [&](std::uint32_t position) {
      return moved(begin_of(position), index(at(position).group, here));
    };
    const expression to = place + row * extent(0);
    if (!kernel_statements::is_scattered(i, 0) && !may_be_empty(i)) {  // the terms are those of the row
      const expression from = with_terms(i, moved(begin_of(i), index(at(i).group, here)), number);
      out_.perform(out_.call("pack_row", {to, from, stride(i, 0), extent(0)}));
    } else {
      out_.open_range(element, integer(0), extent(0));
      here[0] = element;
      out_.assign(to[element], element_at(i, pointer(i), with_terms(i, index(at(i).group, here), number)));
      out_.close();
    }
    out_.close();
  }

  /// Packs (or scatters) accesses for a chunk, by runs of rows along axis 1.
  void move_rows(const choice_of_accesses& chosen_ones) {
    if (rank() == 1) {
      for (std::uint32_t i = 0; i < count(); ++i)
        if (!chosen_ones(i))
          continue;
        else if (has_terms(i))
          gather(i, buffer(i), name("x"), {}, name("chunk"));
        else  // one row alone is a column
          move_elements(i, buffer(i), position_index(i, name("x"), {}),
                        {integer(0), stride(i, 0), name("chunk"), integer(1)});
      return;
    }
    const unsigned digits = digits_;
    std::vector<expression> positions(rank());
    for (unsigned axis = 1; axis < digits; ++axis) positions[axis] = name("t", axis);
    out_.open_range(name("done"), integer(0), name("height")).step_by = loop_step::in_body;
    const expression rows_left = extent(1) - name("t1"), wanted = name("height") - name("done");
    out_.let(index_type, name("run"), choose(rows_left < wanted, rows_left, wanted));
    declare_shared_offsets(false, last_digit());
    for (std::uint32_t i = 0; i < count(); ++i)
      if (!chosen_ones(i))
        continue;
      else if (has_terms(i))
        gather_rows(i, buffer(i) + name("done") * extent(0), positions, name("run"));
      else
        move_rows_of(i, buffer(i) + name("done") * extent(0), index(at(i).group, positions), name("run"));
    out_.increase(name("done"), name("run"));
    advance_rows();
    out_.close();
  }
  void advance_rows() {
    std::vector<expression> digits;
    for (unsigned axis = 1; axis < digits_; ++axis) {
      digits.push_back(name("t", axis));
      if (axis == 1 || axis + 1 < digits_) digits.push_back(extent(axis));
    }
    statement made{.kind = statement_kind::advance};
    made.value = tree_.expressions.make(expression_kind::sum, digits);
    made.step = name("run");
    out_.add(made);
  }

  bool scatters_ = false, packs_ = false;
};

}  // namespace

std::unique_ptr<tile_steps> make_cpu_flat(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cpu_flat>(described, tree);
}

}  // namespace sinter::inline v0::codegen
