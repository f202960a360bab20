// Ten million calls, also of functions, streams and tensors that come and go, use no more memory at their end
// than after the first of them.
#include <doctest/doctest.h>

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <utility>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dlpack.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/sinter.hpp>

#include "../foreign/dlpack_structs.hpp"
#include "../order/ordered_call.hpp"
#include "../support/cuda/around_driver_calls.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/refuse_allocations.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

using row = array<std::int32_t, 1>;

std::int64_t resident_bytes() {
  long pages = 0, all = 0;
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  REQUIRE(file != nullptr);
  const int read = std::fscanf(file, "%ld %ld", &all, &pages);
  std::fclose(file);
  REQUIRE(read == 2);
  return std::int64_t{pages} * sysconf(_SC_PAGESIZE);
}

// Sanitizers keep freed memory, and count what was used: slower, and never flat.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int share = 100;
constexpr std::int64_t resident_bound = std::int64_t{1} << 40;
#else
constexpr int share = 1;
constexpr std::int64_t resident_bound = std::int64_t{1} << 20;
#endif

/// Makes a twentieth of the calls, and then all of them: these add at most 1 MiB of resident memory, and
/// `live_bound` allocations.
template <class Call>
void check_flat(int calls, const Call& call, std::int64_t live_bound = 0) {
  for (int i = 0; i < calls / share / 20; ++i) call(i);
  const std::int64_t resident = resident_bytes(), live = live_allocations();
  const std::size_t in_use = memory_stats(device::cpu()).in_use;
  for (int i = 0; i < calls / share; ++i) call(i);
  CHECK(live_allocations() <= live + live_bound);
  CHECK(resident_bytes() <= resident + resident_bound);
  CHECK(memory_stats(device::cpu()).in_use == in_use);
}

/// The function x + x, with a constant beside it that nothing uses: another graph for each number, and one
/// kernel for all of them.
runtime::function_handle doubling(std::int32_t number) {
  static graph_builder& builder = *new graph_builder;
  builder.restart();
  const graph_value x = builder.input(element_type::int32, 1);
  builder.literal(element_type::int32, static_cast<std::uint64_t>(number));
  builder.output(builder.apply(operation::add, {x, x}));
  builder.recorded().name = "flat_memory_doubling";
  return runtime::intern(builder.recorded());
}

row made_row() { return row::from({1, 2, 3, 4}, {4}, device::cpu()); }

}  // namespace

TEST_CASE("six million calls into an array") {
  const row x = made_row();
  row out = made_row();
  const auto scaled = fuse("flat_memory_into", [](auto v, auto factor) { return v * factor + 1; });
  check_flat(6'000'000, [&](int i) { scaled.into(out)(x, i); });
  CHECK(out.to_vector()[1] == 2 * (6'000'000 / share - 1) + 1);
}

TEST_CASE("sixteen hundred thousand calls with results") {
  const row x = made_row();
  const auto scaled = fuse("flat_memory_results", [](auto v, auto factor) { return v * factor; });
  std::int64_t sum = 0;
  check_flat(1'600'000, [&](int i) { sum += scaled(x, i & 1).data()[1]; });
  CHECK(sum == 2 * ((1'600'000 / share + 1'600'000 / share / 20) / 2));
}

TEST_CASE("two million stateful calls, of which each thousandth records something else") {
  const row x = made_row(), shift = made_row();
  row out = made_row();
  check_flat(2'000'000, [&](int i) {
    fuse("flat_memory_stateful", [&](auto v) {
      auto r = v + shift;
      return i % 1000 == 999 ? r - i : r * i;
    }).into(out)(x);
  });
  CHECK(out.to_vector()[0] == 2 - (2'000'000 / share - 1));
}

TEST_CASE("four hundred thousand expressions whose literals, numbers and slices change") {
  const row x = made_row();
  row out = made_row();
  check_flat(400'000, [&](int i) { out(slice(0, 3)) = x(slice(i % 2, i % 2 + 3)) * literal(i % 3 + 2) + i; });
  CHECK(out.to_vector()[3] == 4);
}

TEST_CASE("sixty thousand functions that come and go, of one kernel") {
  runtime::set_function_capacity(64);
  const row x = made_row();
  row out = made_row();
  const runtime::operand from[] = {x.erased()}, into[] = {out.erased()};
  runtime::call(doubling(-1), from, {}, into, {});
  const std::size_t compiled = runtime::kernel_table_statistics().compiled;
  // A thread remembers functions beside those that the process holds, more or fewer of them.
  check_flat(60'000, [&](int i) { runtime::call(doubling(i), from, {}, into, {}); }, 6000);
  CHECK(out.to_vector()[3] == 8);
  CHECK(runtime::kernel_table_statistics().compiled == compiled);
  CHECK(runtime::function_count() < 4096);
  runtime::set_function_capacity(4096);
}

TEST_CASE("two hundred thousand arrays that go out as DLPack tensors and come back") {
  const auto next = fuse("flat_memory_next", [](auto v) { return v + 1; });
  row x = made_row();
  check_flat(200'000, [&](int) {
    any_array back = from_dlpack(to_dlpack<mine::versioned>(next(x)));
    x = std::move(back).to<std::int32_t, 1>();
  });
  CHECK(x.to_vector()[0] == 1 + 200'000 / share + 200'000 / share / 20);
}

namespace {
std::int64_t live_before_driver = 0, live_of_driver = 0;
}

TEST_CASE("twenty-eight hundred streams that come and go, and whose results others read") {
  if (nvrtc_is_missing()) return;
  // The driver of the tests keeps what it knows of streams.
  live_of_driver = 0;
  surrounded_fake_cuda fake([] { live_before_driver = live_allocations(); },
                            [] { live_of_driver += live_allocations() - live_before_driver; });
  ordered_call axpy(fake, "flat_memory_streams");
  const stream last = stream::create(cuda);
  const auto run = [&](int calls) {
    for (int i = 0; i < calls; ++i) {
      const stream brief = stream::create(cuda);
      const runtime::result made = axpy.fresh(brief);
      axpy.read(made);
      axpy(i % 2 == 0 ? last : brief);
      axpy.read_own();
      if (i % 64 == 0) synchronize(cuda);
    }
    synchronize(cuda);
  };
  run(500);
  // A timeline of a stream that is gone serves later streams of its list, of which there are 1,024; this
  // driver repeats no handle, so each list gets one. A timeline keeps a list of what it has waited for.
  constexpr std::int64_t timelines = 2 * 1024;
  const std::int64_t live = live_allocations() - live_of_driver;
  const std::size_t in_use = memory_stats(cuda).in_use;
  run(2800 / share);
  CHECK(live_allocations() - live_of_driver <= live + timelines);
  CHECK(memory_stats(cuda).in_use == in_use);
  CHECK_IN_ORDER(fake);
}
