// What threads count on of a cache that they share.

#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/target/cpu_cache_share.hpp>

namespace sinter::test {

constexpr std::uint64_t MiB = std::uint64_t{1} << 20;

TEST_CASE("threads count on their share of a cache") {
  CHECK(cpu_cache_share({.bytes = 32 * MiB, .sharers = 16}, 16) == 32 * MiB);
  CHECK(cpu_cache_share({.bytes = 32 * MiB, .sharers = 16}, 4) == 8 * MiB);
  CHECK(cpu_cache_share({.bytes = 32 * MiB, .sharers = 16}, 1) == 2 * MiB);
}

TEST_CASE("more threads than share one cache have several") {
  CHECK(cpu_cache_share({.bytes = 32 * MiB, .sharers = 16}, 64) == 128 * MiB);
}

TEST_CASE("a thread counts on no more than a bound of a cache that a whole host may share") {
  CHECK(cpu_cache_share({.bytes = 480 * MiB, .sharers = 2}, 2) == 2 * max_thread_cache_bytes);
  CHECK(cpu_cache_share({.bytes = 480 * MiB, .sharers = 1}, 1) == max_thread_cache_bytes);
}

TEST_CASE("the processors that share a cache are counted from the list that Linux writes") {
  CHECK(count_listed("") == 0);
  CHECK(count_listed("0") == 1);
  CHECK(count_listed("0-1") == 2);
  CHECK(count_listed("0-3,8,10-11") == 7);
}

}  // namespace sinter::test
