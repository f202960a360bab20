// The kernels that sort rows: what the library embeds compiles for every architecture, and says its policies.

#include <doctest/doctest.h>

#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"
#include "sorted_rows.hpp"

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/sort/packed_headers.hpp>
#include <sinter/runtime/sort/sort_kernels.hpp>

#include <set>
#include <string>

namespace sinter::test {
namespace {

using namespace runtime;

// Stores kernels in this folder, or nowhere, for a scope.
struct cache_in {
  explicit cache_in(const std::string& directory = {}) {
    cache_settings settings;
    settings.on_disk = !directory.empty();
    settings.directory = directory;
    set_cache(settings);
  }
  cache_in(const cache_in&) = delete;
  cache_in& operator=(const cache_in&) = delete;
  ~cache_in() { set_cache(cache_settings_from_environment()); }
};

void check_plausible(const sort_numbers& numbers) {
  for (const int threads : {numbers.short_row_threads, numbers.tile_threads, numbers.histogram_threads,
                            numbers.exclusive_sum_threads, numbers.onesweep_threads,
                            numbers.segmented_threads, numbers.other_segmented_threads}) {
    CHECK(threads % 32 == 0);
    CHECK(threads >= 32);
    CHECK(threads <= 1024);
  }
  CHECK(numbers.onesweep_radix_bits == 8);
  CHECK(numbers.segmented_radix_bits > numbers.other_segmented_radix_bits);
  CHECK(numbers.tile_threads * numbers.tile_items >= 2048);
  CHECK(numbers.onesweep_threads * numbers.onesweep_items >= 2048);
}

}  // namespace

TEST_SUITE("kernels that sort rows") {
  TEST_CASE("the embedded headers compile for each architecture, with no folder to search") {
    if (lacks_nvrtc() || lacks_sort_kernels()) return;
    const cache_in nowhere;
    const std::vector<int> known = supported_architectures();
    for (const unsigned key_bytes : {4u, 8u})
      for (const int architecture : {80, 90, 120}) {
        if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
        CAPTURE(key_bytes);
        CAPTURE(architecture);
        const made_kernel compiled = make_sort_kernels(key_bytes, architecture, 0);
        CHECK(compiled.found == cache_layer::compiled);
        const code_image& image = compiled.code.images().at(0);
        CHECK(image.architecture == architecture);
        CHECK(image.format == code_format::cubin);
        check_plausible(sort_numbers_of(image));
        const sort_kernel_names names = sort_kernel_names_of(image);
        CHECK(std::set<std::string>{names.short_rows, names.tile_rows, names.positions, names.histogram,
                                    names.exclusive_sum, names.onesweep, names.segmented,
                                    names.other_segmented}
                  .size() == 8);
      }
  }

  TEST_CASE("PTX names the same kernels and policies as machine code") {
    if (lacks_nvrtc() || lacks_sort_kernels()) return;
    unpacked_headers unpacked;
    unpack(packed_sort_headers(), unpacked);
    const cuda_source source{"#define SINTER_SORT_KEY unsigned\n#include <sort_kernels.cuh>\n", "sort.cu", "",
                             unpacked.headers};
    const auto image = [&](code_format format, cuda_code code) {
      return code_image{format, 90, compile_cuda(require_nvrtc(), source, {90, code}).code};
    };
    const code_image ptx = image(code_format::ptx, cuda_code::ptx),
                     cubin = image(code_format::cubin, cuda_code::cubin);
    CHECK(sort_numbers_of(ptx).onesweep_items == sort_numbers_of(cubin).onesweep_items);
    CHECK(sort_numbers_of(ptx).other_segmented_radix_bits ==
          sort_numbers_of(cubin).other_segmented_radix_bits);
    CHECK(sort_kernel_names_of(ptx).onesweep == sort_kernel_names_of(cubin).onesweep);
    CHECK(sort_kernel_names_of(ptx).segmented == sort_kernel_names_of(cubin).segmented);
    CHECK_THROWS_WITH_AS(sort_numbers_of({code_format::cubin, 90, "not code"}),
                         doctest::Contains("numbers_of_policies"), device_error);
  }

  TEST_CASE("a second process finds the kernels in the cache and starts no compiler") {
    if (lacks_nvrtc() || lacks_sort_kernels()) return;
    const temporary_folder folder;
    const cache_in directory(folder.path());
    const made_kernel first = make_sort_kernels(4, 90, 13000), second = make_sort_kernels(4, 90, 13000);
    CHECK(first.found == cache_layer::compiled);
    CHECK(second.found == cache_layer::directory);
    CHECK(first.code.images() == second.code.images());
    CHECK(first.key_content == second.key_content);
    CHECK(sort_key_content(4, 90) != sort_key_content(8, 90));
    CHECK(sort_key_content(4, 90) != sort_key_content(4, 80));
  }

  TEST_CASE("without CCCL the error says how to build with it") {
    if (has_sort_kernels()) return;
    CHECK_THROWS_WITH_AS(make_sort_kernels(4, 90, 0), doctest::Contains("-DSINTER_CCCL=ON"), device_error);
  }

  TEST_CASE("damaged headers are refused") {
    if (lacks_sort_kernels()) return;
    const packed_headers packed = packed_sort_headers();
    unpacked_headers unpacked;
    const auto refuses = [&](const packed_headers& damaged) {
      CHECK_THROWS_WITH_AS(unpack(damaged, unpacked), doctest::Contains("damaged"), device_error);
    };
    refuses({packed.bytes, packed.size - 1, packed.unpacked_size});
    refuses({packed.bytes, packed.size, packed.unpacked_size + 1});
    refuses({packed.bytes + 1, packed.size - 1, packed.unpacked_size});
    unpack(packed, unpacked);
    CHECK(std::string(unpacked.headers.at(0).name) == "sort_kernels.cuh");
    for (const nvrtc_header& each : unpacked.headers) REQUIRE(each.name[0] != '/');
  }
}

}  // namespace sinter::test
