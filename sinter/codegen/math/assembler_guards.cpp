#include <sinter/codegen/math/assembler_guards.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0::codegen {
namespace {

constexpr std::array comparisons{operation::less, operation::less_equal, operation::greater,
                                 operation::greater_equal};
constexpr std::array extremes{operation::minimum, operation::maximum, operation::fmin,  operation::fmax,
                              operation::clip,    operation::argmax,  operation::argmin};
// Their functions of narrow types widen the first operand.
constexpr std::array narrow_extremes{operation::minimum, operation::maximum, operation::fmin, operation::fmax,
                                     operation::clip};
// A sum that is compared with 0 is compared with a negation. Functions narrow their own results.
constexpr std::array sums{operation::add, operation::subtract, operation::multiply, operation::square};

// Of integers that become wider.
constexpr std::array widenings{operation::cast};

constexpr std::array magnitudes{operation::absolute};

// Comparisons are guarded because the compiler makes minima of choices: where(x < y, x, y).
constexpr assembler_guard guards[] = {
    {assembler_guard::place::result, "i16 u16", sums, "narrow", false},
    // The assembler takes abs.s32 and abs.s64 for never negative, which the least integer's is.
    {assembler_guard::place::result, "i32 i64", magnitudes, "held", false},
    {assembler_guard::place::operands, "i8 i16 u8 u16", comparisons, "widened", true},
    {assembler_guard::place::computed_operands, "i32 u32 i64 u64", comparisons, "held", true},
    {assembler_guard::place::computed_operands, "i32 u32 i64 u64", extremes, "held", false},
    {assembler_guard::place::later_computed_operands, "i8 i16 u8 u16", narrow_extremes, "held", false},
    // NVRTC 13.0 takes a wide x for a wide x + 255 less 255 where running sums need both, as if x + 255 did
    // not wrap around.
    {assembler_guard::place::computed_operands, "i8 i16 i32 u8 u16 u32", widenings, "held", false},
};

// Measured on an H200 with ptxas 13.0.88 for sm_90 at -O1 and above, by trees of integer operations of depth
// 3 and 4 in plain CUDA (bench/results/2026-11-25-nvidia-h200-integer-trees.md). Only sm_90 was measured, so
// every architecture is guarded.
constexpr assembler_fault faults[] = {
    {R"((min|max)\.[su]16)", "", "",
     "max.s16 and a comparison with 0 become VIMNMX.S16x2, whose predicate is taken for the comparison: "
     "where(maximum(y, x - x), z, 0) is wrong wherever the maximum is 0. Minima of wider numbers become "
     "these where the compiler knows that 16 bits hold them"},
    {R"((neg|abs)\.s16)", "", "i16 u16",
     "neg.s16 of -32768 is 32768 where the result is widened: x == -y of int16, x + y == 0 of uint16"},
    {R"(min\.s64|max\.s64)", R"(abs\.s64)", "",
     "min.s64 of abs.s64 and 0 becomes 0, but the least int64 is its own absolute value"},
    {R"((min|max)\.[su]32)", R"((neg|abs)\.s32)", "",
     "a minimum of a minimum becomes VIMNMX3, which loses the negation of an operand: "
     "minimum(maximum(x, y), minimum(z > 0, -y)) of int32 is wrong in 2,962 of 4,096 elements"},
};

bool names(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1))
    if ((at == 0 || list[at - 1] == ' ') &&
        (at + word.size() == list.size() || list[at + word.size()] == ' '))
      return true;
  return false;
}

bool is_for(const assembler_guard& guard, operation op, std::string_view suffix) {
  return names(guard.types, suffix) && std::ranges::find(guard.operations, op) != guard.operations.end();
}

}  // namespace

bool assembler_fault::concerns(std::string_view suffix) const {
  return types.empty() || names(types, suffix);
}

std::span<const assembler_guard> assembler_guards() { return guards; }
std::span<const assembler_fault> assembler_faults() { return faults; }

bool is_loaded(operation op) {
  switch (op) {
    case operation::input:
    case operation::literal:
    case operation::parameter:
    case operation::extent:
    case operation::coordinate:
      return true;
    default:
      return false;
  }
}

bool is_computed(const nest_body& body, std::uint32_t i) {
  const operation op = body.body[i].op;
  if (is_loaded(op)) return false;
  switch (op) {
    case operation::minimum:
    case operation::maximum:
    case operation::fmin:
    case operation::fmax:
    case operation::clip:
      return false;
    default:
      return true;
  }
}

std::string_view operand_guard_of(operation op, std::string_view suffix, const guarded_operand& operand) {
  const auto guards_place = [&](assembler_guard::place at) {
    switch (at) {
      case assembler_guard::place::operands:
        return true;
      case assembler_guard::place::computed_operands:
        return operand.computed;
      case assembler_guard::place::later_computed_operands:
        return operand.computed && operand.index != 0;
      default:
        return false;
    }
  };
  for (const assembler_guard& guard : guards)
    if (guards_place(guard.guarded) && is_for(guard, op, suffix) &&
        (operand.beside_choice || !guard.beside_choice))
      return guard.function;
  return {};
}

std::string_view result_guard_of(operation op, std::string_view suffix) {
  for (const assembler_guard& guard : guards)
    if (guard.guarded == assembler_guard::place::result && is_for(guard, op, suffix)) return guard.function;
  return {};
}

}  // namespace sinter::inline v0::codegen
