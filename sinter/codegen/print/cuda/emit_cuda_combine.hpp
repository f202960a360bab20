#pragma once
// How kernels that reduce on NVIDIA GPUs join partial sums: lanes of a thread, threads of a warp by butterfly
// exchange, then what is left of warps, or of a cluster's blocks, through shared memory.

#include <sinter/codegen/print/emit_reduction.hpp>

namespace sinter::codegen {

class cuda_joins : public reduction_emitter {
 protected:
  using reduction_emitter::reduction_emitter;

  bool clustered() const { return chosen().cluster > 1; }
  /// Threads along a row.
  int threads() const { return chosen().threads_along * chosen().cluster; }

  /// First inside warps, then, after one barrier for all of the phase's sums, those of warps.
  void join_sums(unsigned phase) final;

 private:
  /// Threads of a warp that have the same row and lanes; where they are not neighbours, how far apart they
  /// are.
  int joined_in_warp() const;
  int distance_in_warp() const { return columns() ? chosen().threads_along : 1; }
  /// What is left to be joined after that.
  int parts() const;

  /// Opens loops over the rows of a thread and, in the column walk, over its lanes.
  void open_sums() { columns() ? open_lanes() : open_rows(); }
  void close_sums() { columns() ? out_.close() : close_rows(); }
  std::string_view sum_lane() const { return columns() ? "e" : "0"; }

  void exchange_in_warp(std::uint32_t i, const instruction& made, int farthest, int nearest);
  void join_in_warp(std::uint32_t i, const instruction& made);
  /// The place of a part in shared memory.
  std::string part(std::uint32_t i, std::string_view kind, std::string_view number) const;
  void declare_parts(std::uint32_t i, const instruction& made);
  void write_part(std::uint32_t i, const instruction& made);
  void join_parts(std::uint32_t i, const instruction& made);
  /// A tree, so that no sum passes through more additions than it has to.
  void join_in_pairs(std::uint32_t i, const instruction& made);

  bool begun_ = false;  ///< all blocks of the cluster are known to have begun
};

}  // namespace sinter::codegen
