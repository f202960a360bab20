// Pointwise kernels for NVIDIA GPUs over consecutive elements of the whole space, for short rows.

#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/loops/build/cuda/cuda_elements.hpp>

namespace sinter::inline v0::codegen {
namespace {

/// Accesses that are linear are vectors; the others' indices are decoded once a vector and stepped from lane
/// to lane.
class cuda_flat final : public cuda_elements {
 public:
  cuda_flat(const kernel_description& described, loop_tree& tree) : cuda_elements(described, tree) {}

  void open_tiles() override {
    open_threads();
    declare_start();
    declare_registers();
  }

  void open_elements(unsigned, unsigned) override {
    open_unrolled("s", chosen().steps);
    let_x();
    out_.open_guard(x() < name("left")).of_elements = true;
  }
  void close_elements(unsigned) override {
    out_.close();
    out_.close();
  }

  void load(unsigned) override {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i) && is_linear(i))
        out_.load_vector(vector_type(i, vector()), name("in", i)[step()],
                         sum_of(tree_.expressions, std::array{pointer(i), name("start"), x()}), left());
    decode_position();
    if (chosen().whole_rows)
      load_from_whole_rows();
    else
      load_lane_by_lane();
  }

 private:
  bool is_linear(std::uint32_t i) const { return at(i).is_linear; }
  expression x() { return name("x"); }
  expression lane() { return name("e"); }
  expression step() { return name("s"); }
  expression left() { return name("left") - x(); }
  expression digit(unsigned axis) { return name("t", axis); }
  expression last_digit() { return digit(digits_ - 1); }
  /// Lanes that a thread keeps of a read.
  int kept_lanes(std::uint32_t i) const { return chosen().whole_rows && !is_linear(i) ? lanes(i) : vector(); }

  void declare_start() {
    const std::int64_t along = gpu_tile(body(), chosen()).along;
    const expression start = name("start"), rest = name("a.size") - start;
    out_.let(index_type, start, convert(index_type, block()) * integer(along));
    out_.let(narrow_index_type, name("left"), choose(rest < along, convert(narrow_index_type, rest), along));
    split_kept_digits(start, 0, digits_, {.position = "b"});
    out_.let(narrow_index_type, name("x0"), thread_along() * vector());
  }

  void declare_registers() {
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_read(i))
        out_.variable(vector_type(i, kept_lanes(i)), name("in", i)[chosen().steps]).zeroed = true;
    const int indices = chosen().whole_rows ? 1 : vector();
    for (unsigned group = 0; group < groups(); ++group)
      if (!group_is_linear(group)) out_.variable(index_type, name("i", group)[chosen().steps][indices]);
  }

  /// The position along each digit, from the block's and the place in the block. The first axis is short: its
  /// digit takes 32-bit arithmetic, whatever the size of the whole.
  void decode_position() {
    const unsigned digits = digits_;
    if (digits == 1) {
      out_.variable(index_type, digit(0), name("b0") + x());
    } else {
      const expression in_row = convert(unsigned_index_type, name("b0")) + x(), carry = name("c0");
      out_.let(unsigned_index_type, carry, quotient(in_row, name("a.row"), row_divisor_bits));
      out_.variable(unsigned_index_type, digit(0),
                    in_row - carry * convert(unsigned_index_type, name("a.row.value")));
    }
    for (unsigned at = 1; at < digits; ++at) {
      const expression position = name("b", at) + name("c", at - 1), carry = name("c", at);
      const bool is_last = at + 1 == digits;
      if (!is_last)
        out_.let(index_type, carry, quotient(position, name("a.d", at), divisor_bits(described_, at)));
      out_.variable(index_type, digit(at), is_last ? position : position - carry * name("a.d", at, ".value"));
    }
    declare_shared_offsets(false, last_digit(), false, true);
  }
  expression quotient(expression number, expression by, int bits) {
    return tree_.expressions.make(expression_kind::quotient_by, {number, by}, bits);
  }

  void assign_indices(operand lane) {
    std::vector<expression> positions(rank());
    for (unsigned axis = 0; axis < std::min(rank(), digits_); ++axis) positions[axis] = digit(axis);
    for (unsigned group = 0; group < groups(); ++group)
      if (!group_is_linear(group)) out_.assign(index_at(group, lane), index(group, positions));
  }
  expression index_at(unsigned group, operand lane) { return name("i", group)[step()][lane]; }

  /// A vector lies in one row: one index a group, and what is contiguous or constant in the row is one load.
  void load_from_whole_rows() {
    assign_indices(0);
    for (std::uint32_t i = 0; i < count(); ++i) {
      if (!is_read(i) || is_linear(i)) continue;
      const expression held = name("in", i)[step()], begin = index_at(at(i).group, 0);
      switch (at(i).pattern(0)) {
        case step_pattern::none:
          out_.load_element(lane_of(held, 0), element_of(i, begin));
          break;
        case step_pattern::unit:
          out_.load_vector(vector_type(i, vector()), held,
                           sum_of(tree_.expressions, std::array{pointer(i), in_terms(i, begin)}),
                           integer(vector()));
          break;
        case step_pattern::strided:
          each_lane([&] { out_.load_element(lane_of(held, lane()), element_of(i, lane_index(i))); });
          break;
      }
    }
  }

  void load_lane_by_lane() {
    each_lane([&] {
      assign_indices(lane());
      for (std::uint32_t i = 0; i < count(); ++i)
        if (is_read(i) && !is_linear(i))
          out_.load_element(lane_of(name("in", i)[step()], lane()), element_of(i, lane_index(i)),
                            x() + lane() < name("left"));
      if (vector() > 1) advance_position();
    });
  }
  void advance_position() {
    std::vector<expression> digits;
    for (unsigned axis = 0; axis + 1 < digits_; ++axis) {
      digits.push_back(digit(axis));
      digits.push_back(extent(axis));
    }
    digits.push_back(last_digit());
    statement made{.kind = statement_kind::advance};
    made.value = tree_.expressions.make(expression_kind::sum, digits);
    out_.open(made);
    declare_shared_offsets(false, last_digit(), true);
    out_.close();
  }

  expression in_terms(std::uint32_t i, expression index) {
    return with_terms(i, index, [&](std::uint32_t position) {
      if (!is_memory(position)) return element(position);
      return is_linear(position) ? pointer(position) + name("start") + x() + lane()
                                 : pointer(position) + lane_index(position);
    });
  }
  expression element_of(std::uint32_t i, expression index) {
    return element_at(i, pointer(i), in_terms(i, index));
  }

  /// Index of lane e of an access that is not linear.
  expression lane_index(std::uint32_t i) {
    if (!chosen().whole_rows) return index_at(at(i).group, lane());
    const expression begin = index_at(at(i).group, 0);
    switch (at(i).pattern(0)) {
      case step_pattern::none:
        break;
      case step_pattern::unit:
        return begin + lane();
      case step_pattern::strided:
        return begin + lane() * stride(i, 0);
    }
    return begin;
  }

  expression lane_guard() override { return vector() > 1 ? x() + lane() < name("left") : expression(); }
  expression element(std::uint32_t i) override {
    if (is_memory(i)) return lane_of(name("in", i)[step()], kept_lanes(i) > 1 ? operand(lane()) : operand(0));
    if (is_linear(i)) return offset_argument(i) + name("start") + x() + lane();
    const expression index = lane_index(i);
    return tree_.expressions[index.id].kind == expression_kind::sum ? moved(offset_argument(i), index)
                                                                    : offset_argument(i) + index;
  }

  void store_result(std::uint32_t i) override {
    lanes_in_memory to{.vector = vector_type(i, vector()), .is_one_move = is_linear(i), .lane = lane()};
    if (to.is_one_move) {
      to.address = base_pointer(i) + name("start") + x();
      to.left = left();
    } else {
      to.element = base_pointer(i)[lane_index(i)];
      to.guard = x() + lane() < name("left");
    }
    store_lanes(out_, to, name("out", i));
  }
};

}  // namespace

std::unique_ptr<tile_steps> make_cuda_flat(const kernel_description& described, loop_tree& tree) {
  return std::make_unique<cuda_flat>(described, tree);
}

}  // namespace sinter::inline v0::codegen
