// How rows are sorted on a GPU: methods, workspaces, and the launches as a fake driver counts them.

#include <doctest/doctest.h>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/needs.hpp"
#include "sorted_rows.hpp"

#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/sort/row_sorter.hpp>

namespace sinter::test {
namespace {

using namespace runtime;

// Those of 64-bit keys for compute capability 9.0.
constexpr sort_numbers numbers{.short_row_threads = 32,
                               .short_row_items = 4,
                               .tile_threads = 256,
                               .tile_items = 9,
                               .onesweep_radix_bits = 8,
                               .histogram_threads = 128,
                               .exclusive_sum_threads = 256,
                               .onesweep_threads = 384,
                               .onesweep_items = 15,
                               .segmented_threads = 192,
                               .segmented_radix_bits = 6,
                               .other_segmented_threads = 384,
                               .other_segmented_radix_bits = 5};

sort_method method_of(std::int64_t rows, std::int64_t length) {
  return choose_sort_method({8, 64, rows, length}, numbers);
}

std::size_t workspace(unsigned key_bytes, unsigned key_bits, std::int64_t rows, std::int64_t length) {
  return sort_workspace_bytes({key_bytes, key_bits, rows, length});
}

}  // namespace

TEST_SUITE("sorting rows on a GPU") {
  TEST_CASE("the method follows from rows and length") {
    CHECK(method_of(0, 10) == sort_method::nothing);
    CHECK(method_of(10, 0) == sort_method::nothing);
    CHECK(method_of(10, 1) == sort_method::zeros);
    CHECK(method_of(1, 128) == sort_method::short_rows);
    CHECK(method_of(1'000'000, 129) == sort_method::tile_rows);
    CHECK(method_of(1, 2304) == sort_method::tile_rows);
    CHECK(method_of(1, 2305) == sort_method::onesweep);
    CHECK(method_of(1000, 5000) == sort_method::segmented);
    CHECK(method_of(4, 1'000'000) == sort_method::onesweep);
    CHECK(method_of(1 << 20, (1 << 26) + 1) == sort_method::onesweep);
  }

  TEST_CASE("the workspace holds copies of a chunk of rows, and is bounded for many") {
    CHECK(workspace(8, 64, 0, 1'000'000) == 0);
    CHECK(workspace(8, 64, 1'000'000, 2048) == 0);
    CHECK(workspace(4, 32, 1, 1'000'000) > 8'000'000);
    CHECK(workspace(4, 32, 1, 1'000'000) < 9'000'000);
    CHECK(workspace(8, 64, 1000, 5000) > 60'000'000);
    CHECK(workspace(8, 64, 1'000'000, 5000) < std::size_t{900} << 20);
    CHECK(workspace(8, 64, 1, 0xffffffff) > std::size_t{12} * 0xffffffff);
    CHECK(workspace(8, 8, 1, 1'000'000) < workspace(8, 64, 1, 1'000'000));
  }

  TEST_CASE("rows that 32-bit positions cannot number are refused, and so are other keys") {
    CHECK_THROWS_WITH_AS(workspace(4, 32, 2, std::int64_t{1} << 32),
                         doctest::Contains("2 rows of 4294967296 elements"), shape_error);
    CHECK_THROWS_AS(workspace(4, 32, std::int64_t{1} << 62, 100), shape_error);
    CHECK_THROWS_AS(workspace(4, 32, -1, 100), shape_error);
    CHECK_THROWS_WITH_AS(workspace(2, 16, 1, 100), doctest::Contains("keys of 2 bytes"), type_error);
    CHECK_THROWS_WITH_AS(workspace(4, 33, 1, 100), doctest::Contains("give 1 to 32"), type_error);
    CHECK_THROWS_AS(workspace(4, 0, 1, 100), type_error);
  }

  TEST_CASE("a sort queues its launches and nothing else") {
    if (lacks_nvrtc() || lacks_sort_kernels()) return;
    fake_cuda fake;
    fake.set_architecture(0, 90);
    const auto sorter = row_sorter::make(8, primary_context(0));
    CHECK(sorter->numbers().onesweep_items == numbers.onesweep_items);
    constexpr std::size_t bytes = std::size_t{64} << 20;
    void* const memory = cuda_allocate(bytes, nullptr, 0);
    const auto launches = [&](unsigned bits, std::int64_t rows, std::int64_t length) {
      const sorted_rows request{8, bits, rows, length};
      REQUIRE(sort_workspace_bytes(request) <= bytes);
      fake.forget_calls();
      sorter->sort(request, {memory, static_cast<std::uint32_t*>(memory), memory}, nullptr);
      CHECK(fake.calls("cuStreamSynchronize") == 0);
      CHECK(fake.calls("cuMemAllocFromPoolAsync") == 0);
      CHECK(fake.calls("cuMemAlloc_v2") == 0);
      return std::pair(fake.calls("cuLaunchKernel"), fake.calls("cuMemsetD32Async"));
    };
    CHECK(launches(64, 1000, 1) == std::pair(0, 1));
    CHECK(launches(64, 1000, 100) == std::pair(1, 0));
    CHECK(launches(64, 1000, 2000) == std::pair(1, 0));
    // Positions, then passes of five and six bits: 64 = 2 * 5 + 9 * 6 and 8 = 5 + 3.
    CHECK(launches(64, 100, 3000) == std::pair(12, 0));
    CHECK(launches(8, 100, 3000) == std::pair(3, 0));
    // Positions, counts, sums, and a pass for each byte.
    CHECK(launches(64, 1, 100'000) == std::pair(11, 10));
    CHECK(launches(9, 1, 100'000) == std::pair(5, 4));
    CHECK(launches(8, 2, 100'000) == std::pair(8, 6));
    cuda_free(memory, nullptr, 0);
    CHECK_THROWS_WITH_AS(sorter->sort({4, 32, 1, 10}, {}, nullptr),
                         doctest::Contains("this sorter is for keys of 8"), type_error);
  }
}

}  // namespace sinter::test
