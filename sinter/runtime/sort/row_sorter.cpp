#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/sort/row_sorter.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Onesweep sorts a row with the whole device, and the rows one after another; in segments each row has a
// block, and all rows run at once. An estimate that is not measured: with 64-bit keys the launches of a row
// of onesweep take about 45 us, in which a block of the segmented kernels sorts some hundreds of elements, so
// onesweep pays from about that many elements for each row on. Where rows fill the device several times, its
// throughput per element is the better one only for rows of some 10^5 elements, which the same ratio gives.
constexpr std::int64_t onesweep_length_for_each_row = 512;

void check_numbers(const sort_numbers& numbers) {
  const std::int64_t tile = std::int64_t{numbers.tile_threads} * numbers.tile_items;
  const std::int64_t onesweep_tile = std::int64_t{numbers.onesweep_threads} * numbers.onesweep_items;
  if (tile < min_sort_tile || onesweep_tile < min_sort_tile || onesweep_tile > max_sort_tile ||
      numbers.onesweep_radix_bits < min_onesweep_radix_bits ||
      numbers.onesweep_radix_bits > max_sort_radix_bits)
    throw refused_code(
        fmt::format("the code that sorts rows has tiles of {} and {} elements and passes of {} bits, for "
                    "which the workspaces "
                    "of this library do not suffice: build the library with the CCCL of the CUDA toolkit 13",
                    tile, onesweep_tile, numbers.onesweep_radix_bits));
}

CUdeviceptr address_of(const void* pointer) { return reinterpret_cast<CUdeviceptr>(pointer); }

CUdeviceptr bytes_of(std::int64_t elements, std::size_t size) {
  return static_cast<CUdeviceptr>(elements) * size;
}

/// The digits of the passes over a key.
struct digit_pass {
  int begin = 0, bits = 0;
  bool other = false;  ///< by the kernel for fewer bits
};
struct digit_passes {
  std::array<digit_pass, 64> passes;
  std::size_t count = 0;
  void add(digit_pass pass) { passes[count++] = pass; }
};

// CUB's plan: passes of fewer bits first, as many as the bits that whole passes would have too many.
digit_passes segmented_passes(int bits, const sort_numbers& numbers) {
  const int most = numbers.segmented_radix_bits, fewer = numbers.other_segmented_radix_bits;
  const int fewer_end = std::min(bits, (divide_up(bits, most) * most - bits) * fewer);
  digit_passes all;
  for (int at = 0; at < bits;) {
    const bool other = at < fewer_end;
    const int taken = std::min(bits - at, other ? fewer : most);
    all.add({at, taken, other});
    at += taken;
  }
  return all;
}

/// Two arrays between which passes go.
struct array_pair {
  CUdeviceptr from = 0, to = 0;
  void swap() { std::swap(from, to); }
};

// The positions begin where the last of the passes leaves them in the results.
array_pair positions_before(std::size_t passes, CUdeviceptr results, CUdeviceptr copies) {
  return passes % 2 == 0 ? array_pair{results, copies} : array_pair{copies, results};
}

void clear(CUdeviceptr words, std::int64_t count, CUstream stream) {
  check(require_driver().cuMemsetD32Async(words, 0, static_cast<std::size_t>(count), stream),
        "clearing the counters of a sort");
}

template <class... Arguments>
void launch(CUkernel kernel, std::int64_t blocks, int threads, CUstream stream, const char* name,
            Arguments... arguments) {
  void* addresses[] = {&arguments...};
  launch_kernel(*driver(), kernel,
                {.grid_x = static_cast<unsigned>(blocks), .block_x = static_cast<unsigned>(threads)}, stream,
                addresses, name);
}

// The same as in sort_kernels.cuh.
struct row_bounds {
  int length, first;
};
struct identity_decomposer {};  // CUB's, which is as empty

}  // namespace

/// One call.
struct row_sorter::work {
  sorted_rows request;
  CUdeviceptr keys, positions, workspace;
  sort_scratch layout;
  CUstream stream;

  CUdeviceptr copied_keys() const { return workspace + layout.keys; }
  CUdeviceptr copied_positions() const { return workspace + layout.positions; }
};

void check_sorted_rows(const sorted_rows& request) {
  if (request.key_bytes != 4 && request.key_bytes != 8)
    throw type_error(fmt::format("sort: keys of {} bytes, and the kernels sort those of 4 and 8: widen them",
                                 request.key_bytes));
  if (request.key_bits == 0 || request.key_bits > 8 * request.key_bytes)
    throw type_error(fmt::format("sort: {} bits of keys of {} bytes: give 1 to {}", request.key_bits,
                                 request.key_bytes, 8 * request.key_bytes));
  constexpr std::int64_t max_length = std::numeric_limits<std::uint32_t>::max();
  // 16 bytes for each element and its copies.
  constexpr std::int64_t max_elements = std::numeric_limits<std::int64_t>::max() / 32;
  if (request.rows < 0 || request.length < 0 || request.length > max_length ||
      (request.length > 0 && request.rows > max_elements / request.length))
    throw shape_error(fmt::format(
        "sort: {} rows of {} elements, and a GPU sorts rows of at most {}: sort pieces and merge them",
        request.rows, request.length, max_length));
}

std::size_t sort_workspace_bytes(const sorted_rows& request) {
  check_sorted_rows(request);
  return scratch_of(request).bytes;
}

sort_method choose_sort_method(const sorted_rows& request, const sort_numbers& numbers) {
  if (request.rows == 0 || request.length == 0) return sort_method::nothing;
  if (request.length == 1) return sort_method::zeros;
  if (request.length <= numbers.short_row_threads * numbers.short_row_items) return sort_method::short_rows;
  if (request.length <= numbers.tile_threads * numbers.tile_items) return sort_method::tile_rows;
  if (request.rows == 1 || request.length > sort_chunk_elements ||
      request.length / request.rows >= onesweep_length_for_each_row)
    return sort_method::onesweep;
  return sort_method::segmented;
}

row_sorter::row_sorter(kernel_handle kernels, unsigned key_bytes, CUcontext context)
    : kernels_(std::move(kernels)), key_bytes_(key_bytes), device_(device_of(context)) {
  const object_code& code = kernels_->code;
  const code_image& image = code.image_for(device::cuda(device_));
  numbers_ = sort_numbers_of(image);
  check_numbers(numbers_);
  const sort_kernel_names names = sort_kernel_names_of(image);
  short_rows_ = code.cuda_entry(context, names.short_rows);
  tile_rows_ = code.cuda_entry(context, names.tile_rows);
  positions_ = code.cuda_entry(context, names.positions);
  histogram_ = code.cuda_entry(context, names.histogram);
  exclusive_sum_ = code.cuda_entry(context, names.exclusive_sum);
  onesweep_ = code.cuda_entry(context, names.onesweep);
  segmented_ = code.cuda_entry(context, names.segmented);
  other_segmented_ = code.cuda_entry(context, names.other_segmented);

  const context_guard current(context);
  const auto multiprocessors = static_cast<unsigned>(cuda_device(device_).multiprocessors);
  int blocks = 1;
  check(require_driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(
            &blocks, reinterpret_cast<CUfunction>(histogram_), numbers_.histogram_threads, 0),
        "asking how many blocks fit on a multiprocessor", names.histogram.c_str());
  histogram_blocks_ = multiprocessors * static_cast<unsigned>(std::max(blocks, 1));
  position_blocks_ = multiprocessors * 8;
}

std::shared_ptr<const row_sorter> row_sorter::make(unsigned key_bytes, CUcontext context) {
  const int architecture = cuda_device(device_of(context)).architecture();
  const std::string key = sort_key_content(key_bytes, architecture);
  for (bool again = false;; again = true) {
    const kernel_handle kernels = find_or_make_kernel(
        key, [&] { return make_sort_kernels(key_bytes, architecture, require_driver().version); });
    try {
      return std::shared_ptr<const row_sorter>(new row_sorter(kernels, key_bytes, context));
    } catch (const refused_code&) {
      // Code from a cache that cannot be loaded is compiled again, once.
      if (again || kernels->found == cache_layer::compiled) throw;
      distrust(*kernels);
      drop_kernel(kernels);
    }
  }
}

void row_sorter::sort(const sorted_rows& request, const sort_arrays& arrays, CUstream stream) const {
  check_sorted_rows(request);
  if (request.key_bytes != key_bytes_)
    throw type_error(fmt::format("sort: keys of {} bytes, and this sorter is for keys of {}",
                                 request.key_bytes, key_bytes_));
  const work of{request,
                address_of(arrays.keys),
                address_of(arrays.positions),
                address_of(arrays.workspace),
                scratch_of(request),
                stream};
  const sort_method method = choose_sort_method(request, numbers_);
  if (method == sort_method::nothing) return;
  const context_guard current(stream, device_);
  switch (method) {
    case sort_method::nothing:
      break;
    case sort_method::zeros:
      clear(of.positions, request.rows, stream);
      break;
    case sort_method::short_rows:
    case sort_method::tile_rows:
      sort_in_blocks(of, method);
      break;
    case sort_method::segmented:
      sort_segments(of);
      break;
    case sort_method::onesweep:
      sort_whole_rows(of);
      break;
  }
}

void row_sorter::sort_in_blocks(const work& of, sort_method method) const {
  const bool is_short = method == sort_method::short_rows;
  constexpr std::int64_t max_grid = std::numeric_limits<int>::max();
  for (std::int64_t row = 0; row < of.request.rows; row += max_grid) {
    const std::int64_t first = row * of.request.length;
    launch(is_short ? short_rows_ : tile_rows_, std::min(max_grid, of.request.rows - row),
           is_short ? numbers_.short_row_threads : numbers_.tile_threads, of.stream, "sort_rows",
           of.keys + bytes_of(first, key_bytes_), of.positions + bytes_of(first, sizeof(std::uint32_t)),
           static_cast<std::uint32_t>(of.request.length), static_cast<int>(of.request.key_bits));
  }
}

void row_sorter::write_positions(const work& of, CUdeviceptr to, std::int64_t count) const {
  constexpr int threads = 256;
  launch(positions_, std::min<std::int64_t>(divide_up<std::int64_t>(count, threads), position_blocks_),
         threads, of.stream, "sort_rows", to, static_cast<std::uint32_t>(count),
         static_cast<std::uint32_t>(of.request.length));
}

void row_sorter::sort_segments(const work& of) const {
  const digit_passes passes = segmented_passes(static_cast<int>(of.request.key_bits), numbers_);
  const std::int64_t step = rows_of_sort_chunk(of.request);
  const int length = static_cast<int>(of.request.length);
  for (std::int64_t row = 0; row < of.request.rows; row += step) {
    const std::int64_t rows = std::min(step, of.request.rows - row);
    const std::int64_t first = row * of.request.length;
    array_pair keys{of.keys + bytes_of(first, key_bytes_), of.copied_keys()};
    array_pair positions = positions_before(
        passes.count, of.positions + bytes_of(first, sizeof(std::uint32_t)), of.copied_positions());
    write_positions(of, positions.from, rows * of.request.length);
    for (std::size_t i = 0; i < passes.count; ++i) {
      const digit_pass& pass = passes.passes[i];
      launch(pass.other ? other_segmented_ : segmented_, rows,
             pass.other ? numbers_.other_segmented_threads : numbers_.segmented_threads, of.stream,
             "sort_rows", keys.from, keys.to, positions.from, positions.to, row_bounds{length, 0},
             row_bounds{length, 1}, static_cast<int>(rows), pass.begin, pass.bits, identity_decomposer{});
      keys.swap();
      positions.swap();
    }
  }
}

void row_sorter::sort_whole_rows(const work& of) const {
  const std::int64_t length = of.request.length;
  const int bits = static_cast<int>(of.request.key_bits), radix_bits = numbers_.onesweep_radix_bits;
  const int passes = divide_up(bits, radix_bits);
  const std::int64_t radix_digits = std::int64_t{1} << radix_bits;
  const std::int64_t tile = std::int64_t{numbers_.onesweep_threads} * numbers_.onesweep_items;
  const std::int64_t portion_size = max_sort_portion / tile * tile;
  const std::int64_t portions = divide_up(length, portion_size);
  const CUdeviceptr counters = of.workspace + of.layout.counters, counts = of.workspace + of.layout.counts,
                    lookback = of.workspace + of.layout.lookback;
  const auto words = [](std::int64_t count) { return bytes_of(count, sizeof(std::uint32_t)); };
  for (std::int64_t row = 0; row < of.request.rows; ++row) {
    const std::int64_t first = row * length;
    array_pair keys{of.keys + bytes_of(first, key_bytes_), of.copied_keys()};
    array_pair positions =
        positions_before(static_cast<std::size_t>(passes),
                         of.positions + bytes_of(first, sizeof(std::uint32_t)), of.copied_positions());
    write_positions(of, positions.from, length);
    clear(counters, portions * passes, of.stream);
    clear(counts, passes * radix_digits, of.stream);  // of later portions they are written by earlier ones
    launch(histogram_, histogram_blocks_, numbers_.histogram_threads, of.stream, "sort_rows", counts,
           keys.from, static_cast<std::uint32_t>(length), 0, bits, identity_decomposer{});
    launch(exclusive_sum_, passes, numbers_.exclusive_sum_threads, of.stream, "sort_rows", counts);
    for (int pass = 0; pass < passes; ++pass) {
      const int begin = pass * radix_bits;
      for (std::int64_t portion = 0; portion < portions; ++portion) {
        const std::int64_t done = portion * portion_size, count = std::min(portion_size, length - done);
        const std::int64_t blocks = divide_up(count, tile);
        const auto counts_of = [&](std::int64_t which) {
          return counts + words((which * passes + pass) * radix_digits);
        };
        clear(lookback, blocks * radix_digits, of.stream);
        launch(onesweep_, blocks, numbers_.onesweep_threads, of.stream, "sort_rows", lookback,
               counters + words(portion * passes + pass),
               portion + 1 < portions ? counts_of(portion + 1) : CUdeviceptr{0}, counts_of(portion), keys.to,
               keys.from + bytes_of(done, key_bytes_), positions.to, positions.from + words(done),
               static_cast<int>(count), begin, std::min(radix_bits, bits - begin), identity_decomposer{});
      }
      keys.swap();
      positions.swap();
    }
  }
}

}  // namespace sinter::inline v0::runtime
