#pragma once
// What the lanes of one step do in kernels that reduce on NVIDIA GPUs: they load their elements, evaluate
// them, add them to their sums and store them. Loop orders, chunks and what stays on the chip are in
// cuda_rows.cpp.

#include <sinter/codegen/loops/build/cuda/cuda_lanes.hpp>
#include <sinter/codegen/loops/build/row_steps.hpp>

namespace sinter::inline v0::codegen {

class cuda_row_lanes : public row_steps {
 public:
  void open_lane(unsigned phase) final;
  void close_lane(unsigned phase) final;
  void store_once() final;

 protected:
  using row_steps::row_steps;

  /// Where what a read loads is held.
  virtual expression loaded(std::uint32_t read) = 0;

  void load_lanes(std::uint32_t i);
  expression lane_guard() final;
  expression element(std::uint32_t i) final;
  void store_element(std::uint32_t i, expression value) final;

 private:
  value_type vector_of_write(std::uint32_t i) const { return vector_of(storage_of(at(i).type), vector()); }
  expression lanes_in_row();
  expression is_in_row();
  lanes_in_memory lanes_at(std::uint32_t i);
  void store_vector(std::uint32_t i);
  void store_strip(std::uint32_t i, expression value);
};

}  // namespace sinter::inline v0::codegen
