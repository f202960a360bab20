#include <sinter/codegen/loops/build/cpu/cpu_elements.hpp>

#include <sinter/codegen/math/instruction_function.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {

cpu_elements::cpu_elements(const kernel_description& described, loop_tree& tree)
    : kernel_statements(described, tree), has_fast_paths_(has_fast_paths(described)) {}

/// Whether neighbouring pieces may be computed by one loop: nothing is in a buffer of one piece, no element
/// takes a slow path, on which the whole loop would follow it, and the loop is written as vectors
/// (choose_vectors()), so that an unknown number of them adds no code.
bool cpu_elements::can_run() const {
  bool stores_in_place = false;
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (!is_write(i) || is_buffered(i)) continue;
    if (pattern(i) != step_pattern::unit) return false;
    stores_in_place = true;
  }
  return stores_in_place && !has_fast_paths_ &&
         std::ranges::none_of(body().body, [](const instruction& made) {
           return made.op == operation::external || is_complex(made.type) || is_complex(made.compute);
         });
}

void cpu_elements::begin_kernel() {
  if (can_run()) pieces_.join_to_runs();
  declare_arrays();
  declare_streaming();
  declare_buffers();
}

void cpu_elements::close_tiles() {
  out_.close();
  out_.perform_if(name("streaming") != 0, out_.call("streaming_fence", {}));
}

/// Buffers reach a piece beyond both ends: a piece is always read whole.
void cpu_elements::declare_buffers() {
  for (std::uint32_t i = 0; i < count(); ++i) {
    if (!is_value(i)) continue;
    if (is_transposed(i)) declare_buffer(i, "stage", chosen().tile * chosen().tile);
    if (is_buffered(i) || is_bordered(i))
      declare_buffer(i, buffer_name(i), cpu_chunk);
    else if (is_memory(i) && (is_write(i) || pattern(i) != step_pattern::none))
      cpu_pieces::declare_buffer(out_, type_of(i), buffer(i), cpu_step);
  }
}
void cpu_elements::declare_buffer(std::uint32_t i, std::string_view named, int elements) {
  const expression whole = name(named, i, "_whole");
  cpu_pieces::declare_buffer(out_, type_of(i), whole, elements + 2 * cpu_step);
  out_.let(pointer_to(type_of(i)), name(named, i), whole + cpu_step);
}

void cpu_elements::declare_bounds(std::string_view axis, expression begin, expression end) {
  out_.let(index_type, name(axis, "0"), begin);
  out_.let(index_type, name(axis, "1"), end);
}

expression cpu_elements::position_index(std::uint32_t i, expression x, expression y) {
  std::vector<expression> positions(rank());
  if (rank() > 0) positions[0] = x;
  if (rank() > 1) positions[1] = y;
  for (unsigned axis = 2; axis < std::min(rank(), digits_); ++axis) positions[axis] = name("t", axis);
  return index(at(i).group, positions);
}

void cpu_elements::gather(std::uint32_t i, expression to, expression x, expression y, expression count) {
  const expression element = name("element");
  out_.open_range(element, integer(0), count);
  const auto number = [&](std::uint32_t position) {
    return moved(begin_of(position), position_index(position, x + element, y));
  };
  out_.assign(to[element],
              element_at(i, pointer(i), with_terms(i, position_index(i, x + element, y), number)));
  out_.close();
}

void cpu_elements::open_chunk_range() {
  statement& chunks = out_.open_range(name("x"), name("x0"), name("x1"));
  chunks.step_by = loop_step::by_variable;
  chunks.step = name("chunk");
}
void cpu_elements::assign_chunk() {
  const expression left = name("x1") - name("x");
  out_.assign(name("chunk"), choose(left < cpu_chunk, left, cpu_chunk));
}

void cpu_elements::surround(const choice_of_accesses& chosen_ones) {
  out_.open_guard(name("chunk") % cpu_step != 0 || name("streaming") != 0);
  for (std::uint32_t i = 0; i < count(); ++i)
    if (chosen_ones(i)) out_.perform(out_.call("surround", {buffer(i), name("chunk")}));
  out_.close();
}

void cpu_elements::open_elements(unsigned, unsigned) {
  pieces_.open(name("j"), integer(0), name("chunk"));
  out_.let(index_type, name("to"), name("x") + name("j"));
}

void cpu_elements::load(unsigned) {
  declare_results();
  pieces_.declare_from(end_of_reads());
  for (const bool writes : {false, true})
    for (std::uint32_t i = 0; i < count(); ++i)
      if (is_write(i) == writes && is_value(i)) begin_access(i);
  if (pieces_.has_runs()) out_.let(index_type, name("computed"), pieces_.computed());
}

void cpu_elements::open_lane(unsigned) {
  statement& loop = out_.open_count(loop_kind::vector_pairs, "i", cpu_step);
  loop.speculative = true;
  if (!pieces_.has_runs()) return;
  loop.type = index_type;
  loop.end = name("computed");
  loop.multiple = cpu_step;
}

void cpu_elements::store_lane(unsigned) {
  for (std::uint32_t number = 0; number < body().stores.size(); ++number) {
    const store& made = body().stores[number];
    if (made.is_update()) {
      update(number, {{}, name("i") - (name("to") - name("from")), name("n")});
      continue;
    }
    statement stored_lane{.kind = statement_kind::assign};
    stored_lane.target = name("to", made.target)[name("i")];
    stored_lane.value = stored(at(made.target).type, name("v", made.value));
    if (pieces_.has_runs() && !is_buffered(made.target))
      stored_lane.condition = pieces_.bypasses(made.target) != 0;
    out_.add(stored_lane);
  }
}

void cpu_elements::close_lane(unsigned) {
  out_.close();
  for (std::uint32_t i = 0; i < count(); ++i)
    if (is_write(i) && !is_buffered(i)) store_piece(i);
}

void cpu_elements::declare_results() {
  std::vector<piece_result> results;
  for (std::uint32_t i = 0; i < count(); ++i)
    if (is_write(i) && !is_buffered(i))
      results.push_back({i, at(i).type, pattern(i) == step_pattern::unit, start(i, name("to"))});
  pieces_.declare_results(results, name("chunk") - name("j"));
}

void cpu_elements::store_piece(std::uint32_t i) {
  if (pattern(i) == step_pattern::unit) return pieces_.store(i, name("put"));
  out_.perform(out_.call("scatter_rows", {pieces_.own(buffer(i)), pieces_.result(i), integer(0), stride(i, 0),
                                          name("n"), integer(1)}));
}

/// What the loop over a piece needs of an access.
void cpu_elements::begin_access(std::uint32_t i) {
  const expression from = name("from", i), to = name("to", i);
  if (is_buffered(i)) {
    out_.let(pointer_to(type_of(i)), is_write(i) ? to : from, buffer(i) + (name("from") - name("x")));
  } else if (is_bordered(i)) {
    out_.let(pointer_to(type_of(i), true), from,
             choose(is_inside(i), start(i, name("from")), buffer(i) + (name("from") - name("x"))));
  } else if (is_write(i) && pattern(i) == step_pattern::unit) {
    if (pieces_.has_runs()) pieces_.declare_bypass(i);
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
expression cpu_elements::stores_directly(std::uint32_t result) {
  const value_type any = pointer_to({value_type::form::bytes}, true);
  expression condition = pieces_.is_direct(result);
  for (std::uint32_t i = 0; has_fast_paths_ && i < count(); ++i)
    if (is_read(i) && !is_buffered(i) && pattern(i) == step_pattern::unit)
      condition = condition && convert(any, name("from", i)) != convert(any, name("result", result));
  return condition;
}

expression cpu_elements::element(std::uint32_t i) {
  const expression from = name("from", i);
  if (is_buffered(i) || (is_memory(i) && pattern(i) != step_pattern::none)) return from[name("i")];
  if (is_memory(i) || pattern(i) == step_pattern::none) return from;
  return from + name("i") * stride(i, 0);
}

}  // namespace sinter::inline v0::codegen
