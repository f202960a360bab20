#include <sinter/codegen/loops/statements/cpu_pieces.hpp>

#include <sinter/codegen/target/cpu_piece.hpp>

namespace sinter::inline v0::codegen {

statement& cpu_pieces::open(expression at, expression begin, expression end) {
  statement& loop = out_.open_range(at, begin, end);
  loop.step_by = loop_step::by_variable;
  loop.step = count_;
  return loop;
}

void cpu_pieces::declare_from(expression row_end) {
  const expression to = out_.name("to");
  out_.let(index_type, from_,
           choose(row_end < elements_ || to + elements_ <= row_end, to, row_end - elements_));
}

void cpu_pieces::declare_results(std::span<const piece_result> results, expression left) {
  expression longest;
  for (const piece_result& at : results) {
    out_.let(pointer_to(storage_of(at.type)), result(at.access), at.begin);
    const auto size = static_cast<int>(size_of(at.type));
    const int in_a_line = cpu_cache_line_bytes / size;
    if (!at.is_contiguous || longest.is_set() || in_a_line > elements_) continue;
    const expression beyond_line = convert(index_type, result(at.access)) / size & (in_a_line - 1);
    longest = out_.integer(elements_) - choose(out_.name("a.streaming") != 0, beyond_line, 0);
  }
  out_.assign(count_, longest.is_set() ? longest : out_.integer(elements_));
  out_.assign_if(count_ > left, count_, left);
}

void cpu_pieces::declare_place(std::uint32_t access, value_type type, expression is_direct) {
  out_.let(pointer_to(type), place(access), choose(is_direct, result(access), buffer(access)));
}

void cpu_pieces::store(std::uint32_t access, expression helper) {
  out_.perform_if(place(access) == buffer(access),
                  out_.call(helper, {result(access), own(buffer(access)), count_, out_.name("a.streaming")}));
}

}  // namespace sinter::inline v0::codegen
