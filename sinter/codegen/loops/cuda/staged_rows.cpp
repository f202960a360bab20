#include <sinter/codegen/loops/cuda/staged_rows.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

namespace sinter::inline v0::codegen {

bool staged_rows::is_staged(std::uint32_t i) const {
  return chosen().staged && has_own_elements(body(), at(i));
}

expression staged_rows::row_begin(std::uint32_t i, expression row) {
  return name("staged", i) + convert(narrow_index_type, row - name("first")) * chosen().steps;
}

void staged_rows::move(loop_writer& out, std::uint32_t i, expression to, expression from) {
  const int threads = chosen().threads_along * chosen().threads_across;
  const auto bytes = static_cast<int>(size_of(at(i).type));
  const int vectors =
      divide_up(rows_of_block() * chosen().steps * bytes, static_cast<int>(access_bytes) * threads);
  out.perform(out.call(out.instance("move_rows", {integer(vectors), integer(threads)}),
                       {to, from, name("ahead", i), name("count"), thread_across()}));
}

void staged_rows::load(loop_writer& out) {
  const int rows = rows_of_block(), length = chosen().steps;
  const expression first = name("first"), left = name("a.rows") - first;
  out.let(index_type, first, convert(index_type, block()) * rows);
  out.let(narrow_index_type, name("count"),
          choose(left < rows, convert(narrow_index_type, left), rows) * length);
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (!is_staged(i)) continue;
    const int room = rows * length + static_cast<int>(access_bytes / size_of(at(i).type));
    const expression stage = name("stage", i), side = name("side", i), ahead = name("ahead", i);
    out.variable(storage(i), stage[room]).space = memory_space::shared_aligned;
    out.let(pointer_to(storage(i), is_read(i)), side, base_pointer(i) + first * length);
    out.let(narrow_index_type, ahead, out.call("elements_ahead", {side}));
    out.let(pointer_to(storage(i)), name("staged", i), stage + ahead);
    if (is_read(i)) move(out, i, name("staged", i), side);
  }
  out.barrier("barrier");
}

void staged_rows::store(loop_writer& out) {
  out.barrier("barrier");
  for (std::uint32_t i = 0; i < count(); ++i)
    if (is_staged(i) && is_write(i)) move(out, i, name("side", i), name("staged", i));
}

}  // namespace sinter::inline v0::codegen
