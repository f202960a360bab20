#include <sinter/codegen/loops/build/cuda/cuda_row_lanes.hpp>

namespace sinter::inline v0::codegen {

expression cuda_row_lanes::lanes_in_row() {
  if (columns()) return lanes_left() - position();
  const expression left = length() - position();
  return choose(left < vector(), convert(narrow_index_type, left), vector());
}

expression cuda_row_lanes::is_in_row() {
  return position() + lane_offset(lane()) < (columns() ? lanes_left() : length());
}

expression cuda_row_lanes::lane_guard() { return columns() || vector() == 1 ? expression() : is_in_row(); }

expression cuda_row_lanes::element(std::uint32_t i) {
  return lane_of(loaded(i), lanes(i) > 1 ? lane() : integer(0));
}

void cuda_row_lanes::store_element(std::uint32_t i, expression value) {
  out_.assign(lane_of(name("out", i), lane()), value);
}

void cuda_row_lanes::load_lanes(std::uint32_t i) {
  const expression to = loaded(i);
  if (lanes(i) == 1) {
    out_.load_element(lane_of(to, integer(0)), element_at(i, pointer_of_row(i), place_in_row(i, {}))).access =
        i;
    return;
  }
  lanes_in_memory from = lanes_at(i);
  if (vector() == 1) from.guard = {};
  codegen::load_lanes(out_, to, from, i);
}

lanes_in_memory cuda_row_lanes::lanes_at(std::uint32_t i) {
  lanes_in_memory made{.vector = vector_of_write(i), .is_one_move = is_wide(i), .lane = lane()};
  if (made.is_one_move) {
    made.address = pointer_of_row(i) + place_in_row(i, {});
    made.left = lanes_in_row();
  } else {
    made.element = element_at(i, pointer_of_row(i), place_in_row(i, lane()));
    made.guard = is_in_row();
  }
  return made;
}

void cuda_row_lanes::open_lane(unsigned phase) {
  open_rows();
  each_element_store(phase, [&](const store& made) {
    out_.variable(vector_of_write(made.target), name("out", made.target));
  });
  out_.open_count(loop_kind::unrolled, lane(), vector()).speculative = true;
}

void cuda_row_lanes::close_lane(unsigned phase) {
  out_.close();
  each_element_store(phase, [&](const store& made) { store_vector(made.target); });
  close_rows();
}

void cuda_row_lanes::store_vector(std::uint32_t i) {
  if (!columns()) out_.open_guard(of_row(name("active")));
  store_lanes(out_, lanes_at(i), name("out", i));
  if (!columns()) out_.close();
}

void cuda_row_lanes::store_once() {
  for (const store& made : body().stores) {
    if (stores_elements(body(), made)) continue;
    const std::uint32_t i = made.target;
    const expression result = stored(at(i).type, value(made.value));
    if (columns()) {
      store_strip(i, result);
      continue;
    }
    open_rows();
    out_.assign_if(of_row(name("active")) && tree_.row.thread == 0, content_of(pointer_of_row(i)), result);
    close_rows();
  }
}

/// Of columns a thread has a row's value for each lane.
void cuda_row_lanes::store_strip(std::uint32_t i, expression value) {
  const expression x = position(), e = lane(), lane = x + lane_offset(e), out = name("out", i),
                   to = pointer_of_row(i), left = lanes_left();
  const expression is_first =
      has_register_tiles() ? thread_across() == 0 && of_row(name("active")) : thread_across() == 0;
  open_rows();
  if (is_wide(i)) {
    out_.open_guard(is_first && x < left);
    out_.variable(vector_of_write(i), out);
    open_lanes();
    out_.assign(lane_of(out, e), value);
    out_.close();
    out_.store_vector(vector_of_write(i), to + index(at(i).group, {x}), out, left - x);
    out_.close();
    return close_rows();
  }
  open_lanes();
  out_.assign_if(is_first && lane < left, to[index(at(i).group, {lane})], value);
  out_.close();
  close_rows();
}

}  // namespace sinter::inline v0::codegen
