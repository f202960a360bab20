#include <sinter/codegen/loops/build/cuda/cuda_lanes.hpp>

namespace sinter::inline v0::codegen {

void load_lanes(loop_writer& out, expression to, const lanes_in_memory& from, std::uint32_t access) {
  if (from.is_one_move) {
    out.load_vector(from.vector, to, from.address, from.left).access = access;
    return;
  }
  out.open_count(loop_kind::unrolled, from.lane, from.vector.lanes);
  out.load_element(lane_of(to, from.lane), from.element, from.guard).access = access;
  out.close();
}

void store_lanes(loop_writer& out, const lanes_in_memory& to, expression from) {
  if (to.is_one_move) return out.store_vector(to.vector, to.address, from, to.left);
  out.open_count(loop_kind::unrolled, to.lane, to.vector.lanes);
  out.store_element(to.element, lane_of(from, to.lane), to.guard);
  out.close();
}

}  // namespace sinter::inline v0::codegen
