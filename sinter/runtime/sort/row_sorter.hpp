#pragma once
// Sorts rows of unsigned keys on an NVIDIA GPU, by CUB's kernels under a host dispatch without the CUDA
// runtime.

#include <sinter/codegen/segment/sorted_rows.hpp>
#include <sinter/runtime/cuda/driver_types.hpp>
#include <sinter/runtime/sort/sort_kernels.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>

namespace sinter::inline v0::runtime {

/// Throws shape_error for rows of 2^32 or more elements, which 32-bit positions cannot number, and type_error
/// for keys of other sizes.
void check_sorted_rows(const sorted_rows& request);

/// An upper bound of the bytes of device memory that sorting needs beside its arrays, for any device. Throws
/// what check_sorted_rows() throws.
std::size_t sort_workspace_bytes(const sorted_rows& request);

/// The device memory of a sort.
struct sort_arrays {
  void* keys = nullptr;                ///< rows * length keys; overwritten, with unspecified content
  std::uint32_t* positions = nullptr;  ///< rows * length results
  void* workspace = nullptr;           ///< sort_workspace_bytes(), aligned to 256 bytes; may be nullptr for 0
};

/// How a request is sorted.
enum class sort_method : std::uint8_t {
  nothing,     ///< there are no elements
  zeros,       ///< rows of one element
  short_rows,  ///< a warp for each row
  tile_rows,   ///< a block for each row, in registers and shared memory
  segmented,   ///< a block for each row, in passes over memory
  onesweep,    ///< the whole device for each row
};
/// The method for kernels of these numbers.
sort_method choose_sort_method(const sorted_rows& request, const sort_numbers& numbers);

/// Kernels that are loaded into a context. Sorting allocates nothing, waits for nothing, takes no lock and
/// can be captured into a CUDA graph. Safe from any thread.
class row_sorter {
 public:
  /// Finds or compiles the kernels for keys of `key_bytes` (4 or 8), and loads them. Throws what
  /// make_sort_kernels() throws, and device_error if the driver refuses the code.
  static std::shared_ptr<const row_sorter> make(unsigned key_bytes, CUcontext context);

  /// For every row, the positions in it in ascending order of their keys; equal keys keep their order. Queues
  /// the work on a stream of the sorter's context. Throws what check_sorted_rows() throws, and
  /// execution_error if a launch fails.
  void sort(const sorted_rows& request, const sort_arrays& arrays, CUstream stream) const;

  const sort_numbers& numbers() const noexcept { return numbers_; }
  /// Keeps the code loaded until the process ends, because it was captured into a CUDA graph.
  void keep_loaded() const { kernels_->code.keep_loaded(); }

 private:
  struct work;
  row_sorter(kernel_handle kernels, unsigned key_bytes, CUcontext context);
  void sort_in_blocks(const work& of, sort_method method) const;
  void sort_segments(const work& of) const;
  void sort_whole_rows(const work& of) const;
  void write_positions(const work& of, CUdeviceptr to, std::int64_t count) const;

  kernel_handle kernels_;  // keeps the code
  unsigned key_bytes_;
  int device_;
  sort_numbers numbers_;
  CUkernel short_rows_, tile_rows_, positions_, histogram_, exclusive_sum_, onesweep_, segmented_,
      other_segmented_;
  unsigned histogram_blocks_ = 1;  // as many as fit on the device at once
  unsigned position_blocks_ = 1;
};

}  // namespace sinter::inline v0::runtime
