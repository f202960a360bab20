// The kernels that sort rows, as NVRTC compiles them for one width of keys (SINTER_SORT_KEY) and one
// architecture. The host dispatch is in row_sorter.cpp. This file and the headers that it includes are packed
// into the library.

// Types that no key here has: without them no header outside of CCCL is included.
#define CCCL_DISABLE_FP16_SUPPORT
#define CCCL_DISABLE_BF16_SUPPORT
#define CCCL_DISABLE_FP8_SUPPORT
#include <cub/block/block_load.cuh>
#include <cub/block/block_radix_sort.cuh>
#include <cub/device/dispatch/kernels/radix_sort.cuh>
#include <cub/device/dispatch/tuning/tuning_radix_sort.cuh>

namespace sinter_sort {

using key = SINTER_SORT_KEY;
using position = unsigned;
// CUB's own choices: unsigned offsets in one array of up to 2^32 - 1 elements, int in an array of segments.
using array_offset = unsigned;
using segment_offset = int;

using array_policies = cub::detail::radix::policy_hub<key, position, array_offset>::MaxPolicy;
using row_policies = cub::detail::radix::policy_hub<key, position, segment_offset>::MaxPolicy;
// The policies for the architecture that this text is compiled for.
using array_policy = array_policies::ActivePolicy;
using row_policy = row_policies::ActivePolicy;
using tile_policy = array_policy::SingleTilePolicy;

using decomposer = cub::detail::identity_decomposer_t;
constexpr cub::SortOrder ascending = cub::SortOrder::Ascending;

// Where rows begin, or end (first = 1), as the iterator that the segmented kernel reads.
struct row_bounds {
  int length, first;
  __device__ int operator[](int row) const { return (row + first) * length; }
};

// Sorts a row in each block, in registers and shared memory: cub's single-tile kernel for many rows, with
// positions instead of loaded values. The keys stay as they are.
template <int threads, int items, int radix_bits, bool memoize, cub::BlockScanAlgorithm scan,
          cub::BlockLoadAlgorithm loading>
__device__ void sort_row_of_block(const key* keys, position* positions, unsigned length, int bits) {
  using sorter = cub::BlockRadixSort<key, threads, items, position, radix_bits, memoize, scan>;
  using loader = cub::BlockLoad<key, threads, items, loading>;
  __shared__ union {
    typename sorter::TempStorage sort;
    typename loader::TempStorage load;
  } storage;
  const unsigned long long row = static_cast<unsigned long long>(blockIdx.x) * length;
  key row_keys[items];
  position row_positions[items];
  // Elements beyond the row have the largest key and come after it, so that a stable sort leaves them there.
  loader(storage.load).Load(keys + row, row_keys, static_cast<int>(length), ~key(0));
  for (int i = 0; i < items; ++i) row_positions[i] = threadIdx.x * items + i;
  __syncthreads();
  sorter(storage.sort).SortBlockedToStriped(row_keys, row_positions, 0, bits);
  for (int i = 0; i < items; ++i) {
    const unsigned at = i * threads + threadIdx.x;
    if (at < length) positions[row + at] = row_positions[i];
  }
}

// A warp for a short row. Four bits a pass: with six a warp would scan more counters than the row has
// elements.
constexpr int short_row_threads = 32, short_row_items = 4, short_row_radix_bits = 4;

// What the host reads in the name of this kernel, in the order of sort_numbers (sort_kernels.hpp).
template <int... numbers>
__global__ void numbers_of_policies() {}
template __global__ void numbers_of_policies<
    short_row_threads, short_row_items, tile_policy::BLOCK_THREADS, tile_policy::ITEMS_PER_THREAD,
    array_policy::ONESWEEP_RADIX_BITS, array_policy::HistogramPolicy::BLOCK_THREADS,
    array_policy::ExclusiveSumPolicy::BLOCK_THREADS, array_policy::OnesweepPolicy::BLOCK_THREADS,
    array_policy::OnesweepPolicy::ITEMS_PER_THREAD, row_policy::SegmentedPolicy::BLOCK_THREADS,
    row_policy::SegmentedPolicy::RADIX_BITS, row_policy::AltSegmentedPolicy::BLOCK_THREADS,
    row_policy::AltSegmentedPolicy::RADIX_BITS>();

}  // namespace sinter_sort

extern "C" __global__ __launch_bounds__(sinter_sort::short_row_threads) void sinter_sort_short_rows(
    const sinter_sort::key* keys, sinter_sort::position* positions, unsigned length, int bits) {
  using namespace sinter_sort;
  sort_row_of_block<short_row_threads, short_row_items, short_row_radix_bits, true,
                    cub::BLOCK_SCAN_WARP_SCANS, cub::BLOCK_LOAD_WARP_TRANSPOSE>(keys, positions, length,
                                                                                bits);
}

extern "C" __global__ __launch_bounds__(sinter_sort::tile_policy::BLOCK_THREADS) void sinter_sort_tile_rows(
    const sinter_sort::key* keys, sinter_sort::position* positions, unsigned length, int bits) {
  using namespace sinter_sort;
  sort_row_of_block<tile_policy::BLOCK_THREADS, tile_policy::ITEMS_PER_THREAD, tile_policy::RADIX_BITS,
                    tile_policy::RANK_ALGORITHM == cub::RADIX_RANK_MEMOIZE, tile_policy::SCAN_ALGORITHM,
                    tile_policy::LOAD_ALGORITHM>(keys, positions, length, bits);
}

// The position of each element in its row. `count` is at most 2^32 - 1.
extern "C" __global__ void sinter_write_positions(sinter_sort::position* to, unsigned count,
                                                  unsigned length) {
  const unsigned long long step = static_cast<unsigned long long>(gridDim.x) * blockDim.x;
  for (unsigned long long i = static_cast<unsigned long long>(blockIdx.x) * blockDim.x + threadIdx.x;
       i < count; i += step)
    to[i] = static_cast<unsigned>(i) % length;
}

// CUB's kernels. The host finds them by the template's name in the mangled one.
template __global__ void cub::detail::radix_sort::DeviceRadixSortHistogramKernel<
    sinter_sort::array_policies, sinter_sort::ascending, sinter_sort::key, sinter_sort::array_offset>(
    sinter_sort::array_offset*, const sinter_sort::key*, sinter_sort::array_offset, int, int,
    sinter_sort::decomposer);

template __global__ void cub::detail::radix_sort::DeviceRadixSortExclusiveSumKernel<
    sinter_sort::array_policies, sinter_sort::array_offset>(sinter_sort::array_offset*);

template __global__ void cub::detail::radix_sort::DeviceRadixSortOnesweepKernel<
    sinter_sort::array_policies, sinter_sort::ascending, sinter_sort::key, sinter_sort::position,
    sinter_sort::array_offset, int, int>(int*, int*, sinter_sort::array_offset*,
                                         const sinter_sort::array_offset*, sinter_sort::key*,
                                         const sinter_sort::key*, sinter_sort::position*,
                                         const sinter_sort::position*, int, int, int,
                                         sinter_sort::decomposer);

template __global__ void cub::detail::radix_sort::DeviceSegmentedRadixSortKernel<
    sinter_sort::row_policies, false, sinter_sort::ascending, sinter_sort::key, sinter_sort::position,
    sinter_sort::row_bounds, sinter_sort::row_bounds, sinter_sort::segment_offset>(
    const sinter_sort::key*, sinter_sort::key*, const sinter_sort::position*, sinter_sort::position*,
    sinter_sort::row_bounds, sinter_sort::row_bounds, int, int, int, sinter_sort::decomposer);

template __global__ void cub::detail::radix_sort::DeviceSegmentedRadixSortKernel<
    sinter_sort::row_policies, true, sinter_sort::ascending, sinter_sort::key, sinter_sort::position,
    sinter_sort::row_bounds, sinter_sort::row_bounds, sinter_sort::segment_offset>(
    const sinter_sort::key*, sinter_sort::key*, const sinter_sort::position*, sinter_sort::position*,
    sinter_sort::row_bounds, sinter_sort::row_bounds, int, int, int, sinter_sort::decomposer);
