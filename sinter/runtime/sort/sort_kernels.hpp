#pragma once
// The compiled kernels that sort rows: CUB's, for one width of keys and one architecture (sort_kernels.cuh).

#include <sinter/runtime/cache/entry.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// What CUB's policies are for the architecture that the code was compiled for. Read from the code, so that
/// host and kernels cannot disagree; in the order of numbers_of_policies in sort_kernels.cuh.
struct sort_numbers {
  int short_row_threads = 0, short_row_items = 0;  ///< threads of a block, elements of a thread
  int tile_threads = 0, tile_items = 0;
  int onesweep_radix_bits = 0;  ///< bits of a pass
  int histogram_threads = 0, exclusive_sum_threads = 0;
  int onesweep_threads = 0, onesweep_items = 0;
  int segmented_threads = 0, segmented_radix_bits = 0;
  int other_segmented_threads = 0, other_segmented_radix_bits = 0;  ///< of passes with fewer bits
};

/// The names of the kernels in the code.
struct sort_kernel_names {
  std::string short_rows, tile_rows, positions, histogram, exclusive_sum, onesweep, segmented,
      other_segmented;
};

/// Reads them from a cubin or PTX. Throws refused_code if it is not code of sort_kernels.cuh.
sort_numbers sort_numbers_of(const code_image& image);
sort_kernel_names sort_kernel_names_of(const code_image& image);

/// Whether this library holds the headers that the kernels are compiled from.
bool has_sort_kernels();

/// Identifies the kernels in kernel_table.hpp's table and, as key content, in the layers of the cache.
/// `key_bytes` is 4 or 8, `architecture` 90 for compute capability 9.0. Calls no compiler.
std::string sort_key_content(unsigned key_bytes, int architecture);

/// Compiles them, for a pack. Throws what make_sort_kernels() throws.
cache_entry compile_sort_entry(unsigned key_bytes, int architecture);

/// Searches the layers of the cache, and compiles if none has the kernels. Needs no device. `cuda_version` is
/// the version that the driver runs (13000 is 13.0). Throws device_error if the library was built without
/// CCCL, no_compiler without NVRTC, compile_error.
made_kernel make_sort_kernels(unsigned key_bytes, int architecture, int cuda_version);

}  // namespace sinter::inline v0::runtime
