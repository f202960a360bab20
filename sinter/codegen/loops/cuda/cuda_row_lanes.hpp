#pragma once
// What the lanes of one step do in kernels that reduce on NVIDIA GPUs: they load their elements, evaluate
// them, add them to their sums and store them. Loop orders, chunks and what stays on the chip are in
// build_cuda_reduction.cpp.

#include <sinter/codegen/loops/row_builder.hpp>

namespace sinter::inline v0::codegen {

class cuda_row_lanes : public row_builder {
 protected:
  using row_builder::row_builder;

  /// Where what a read loads is held.
  virtual expression loaded(std::uint32_t read) = 0;

  void load(std::uint32_t i);
  /// Values, sums and results of a step's lanes.
  void elements(unsigned phase);
  /// Where a lane of a step lies in the row; not set where there is nothing to ask.
  expression lane_guard();

  expression element(std::uint32_t i) final;
  void store_element(std::uint32_t i, expression value) final;
  void store_row() final;

 private:
  value_type vector_of_write(std::uint32_t i) const { return vector_of(storage_of(at(i).type), vector()); }
  expression lanes_in_row();
  expression is_in_row();
  void store_vector(std::uint32_t i);
  void store_strip(std::uint32_t i, expression value);
};

}  // namespace sinter::inline v0::codegen
