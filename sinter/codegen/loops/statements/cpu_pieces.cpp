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
  expression to_line, is_inside_line;
  for (const piece_result& at : results) {
    out_.let(pointer_to(storage_of(at.type)), result(at.access), at.begin);
    const auto size = static_cast<int>(size_of(at.type));
    if (!at.is_contiguous || cpu_cache_line_bytes / size > elements_) continue;
    const expression beyond_line = beyond_line_of(at.access);
    if (!to_line.is_set()) to_line = out_.integer(elements_) - beyond_line / size;
    is_inside_line = is_inside_line.is_set() ? is_inside_line || beyond_line != 0 : beyond_line != 0;
    ++contiguous_results_;
  }
  out_.assign(count_, choose(left < elements_, left, in_runs_ ? left & -elements_ : out_.integer(elements_)));
  // results of which one begins inside a line bypass the cache piece by piece
  if (to_line.is_set())
    out_.assign_if(out_.name("streaming") != 0 && is_inside_line && count_ > to_line, count_, to_line);
}

/// Bytes between the beginning of a cache line and that of a result.
expression cpu_pieces::beyond_line_of(std::uint32_t access) {
  return convert(index_type, result(access)) & (cpu_cache_line_bytes - 1);
}

/// A whole piece begins with a line if there is one result alone, see declare_results().
void cpu_pieces::declare_bypass(std::uint32_t access) {
  const expression is_whole = out_.name("streaming") != 0 && count_ >= elements_;
  out_.let(index_type, bypasses(access),
           contiguous_results_ == 1 ? is_whole : is_whole && beyond_line_of(access) == 0);
}

expression cpu_pieces::is_direct(std::uint32_t access) {
  if (!in_runs_) return out_.name("streaming") == 0 && count_ == elements_;
  if (contiguous_results_ == 1) return count_ >= elements_;
  return count_ >= elements_ && (out_.name("streaming") == 0 || bypasses(access) != 0);
}

void cpu_pieces::declare_place(std::uint32_t access, value_type type, expression is_direct) {
  out_.let(pointer_to(type), place(access), choose(is_direct, result(access), buffer(access)));
}

void cpu_pieces::store(std::uint32_t access, expression helper) {
  out_.perform_if(place(access) == buffer(access),
                  out_.call(helper, {result(access), own(buffer(access)), count_, out_.name("streaming")}));
}

}  // namespace sinter::inline v0::codegen
