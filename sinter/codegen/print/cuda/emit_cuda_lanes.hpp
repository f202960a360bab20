#pragma once
// What the lanes of one step do in kernels that reduce on NVIDIA GPUs: they load their elements, evaluate
// them, add them to their sums and store them. Walks, turns and what stays on the chip are in
// emit_cuda_reduction.cpp.

#include <sinter/codegen/print/cuda/emit_cuda_combine.hpp>

namespace sinter::codegen {

class cuda_lanes : public cuda_joins {
 protected:
  using cuda_joins::cuda_joins;

  /// Where what a read loads is held.
  virtual std::string loaded(std::uint32_t read) const = 0;

  /// Lanes of a read that differ.
  int lanes(std::uint32_t i) const { return at(i).moves_along(lane_axis()) ? vector() : 1; }
  /// Whether a thread's elements are one load or store.
  bool is_wide(std::uint32_t i) const {
    return vector() > 1 && !chosen().scalar_loads && at(i).pattern(lane_axis()) == step_pattern::unit;
  }
  /// The type that holds what a thread loads of a read.
  std::string pack_of(std::uint32_t i) const;

  void load(std::uint32_t i);
  /// Values, sums and results of a step's lanes.
  void elements(unsigned phase);
  /// Lanes of a step that lie in the row, if not all of them do.
  std::string lane_guard() const {
    return columns() || chosen().whole_rows || vector() == 1 ? "" : "x + e < n";
  }
  void store_row() final;
  std::string term(std::uint32_t i) const final;

 private:
  std::string lanes_left() const;
  bool is_whole() const { return chosen().whole_rows && !columns(); }
  void store_pack(std::uint32_t i);
  /// Whether a phase calls functions that have a form without branches for most arguments.
  bool has_near_form(unsigned phase);
  /// That form is taken first; a thread that holds any other argument evaluates its lanes again. Sums are
  /// formed when that is decided, of terms that are set aside.
  void tested_lanes(unsigned phase);
  void lanes_in(unsigned phase, argument_range range);

  std::vector<std::uint32_t> terms_;  ///< instructions whose values are set aside until sums are formed
  bool are_aside_ = false;
};

}  // namespace sinter::codegen
