// A call that gets no memory throws, and leaves everything as it was: at each allocation that it makes.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "limited_resource.hpp"

using namespace sinter;
using namespace sinter::test;

namespace {

/// Makes the call with memory for no allocation, for one, and so on, until it succeeds. Returns how many
/// times it was refused.
int refusals(device where, const auto& call, const auto& check_untouched) {
  limited_resource mine;
  const resource_scope scope(where, mine);
  for (int allowed = 0; allowed < 20; ++allowed) {
    CAPTURE(allowed);
    mine.allowed = allowed;
    const std::size_t in_use = memory_stats(where).in_use;
    const int live = mine.live;
    try {
      call();
      mine.allowed = -1;
      return allowed;
    } catch (const out_of_memory&) {
      CHECK(mine.live == live);
      CHECK(memory_stats(where).in_use == in_use);
      check_untouched();
    }
  }
  FAIL("the call never succeeds");
  return 0;
}

}  // namespace

TEST_CASE("on the CPU: results, a workspace between stages, and temporaries of into") {
  const device cpu = device::cpu();
  array<float, 1> x = ones<float>({1 << 16}, cpu);
  const auto x_is_untouched = [&] { CHECK(x.to_vector() == std::vector<float>(1 << 16, 1.0f)); };

  auto several = fuse([](auto v) { return std::tuple{v + 1, v * 2, v - 1}; });
  CHECK(refusals(
            cpu,
            [&] {
              const auto [more, twice, less] = several(x);
              CHECK(more.to_vector()[7] == 2);
              CHECK(less.to_vector()[7] == 0);
            },
            x_is_untouched) == 3);

  auto staged = fuse([](auto v) { return cumsum(v / sum(v), axis<0>) / sum(v * v); });
  REQUIRE(staged.workspace_bytes(x) > 0);
  CHECK(refusals(cpu, [&] { CHECK(staged(x).size() == 1 << 16); }, x_is_untouched) >= 2);

  array<float, 1> out = zeros<float>({1 << 16}, cpu);
  CHECK(refusals(
            cpu, [&] { staged.into(out)(x); },
            [&] {
              x_is_untouched();
              CHECK(out.to_vector() == std::vector<float>(1 << 16, 0.0f));
            }) >= 1);
  CHECK(out.to_vector()[0] != 0);

  array<float, 1> turned = arange<float>(1000, cpu);
  const std::vector<float> as_it_was = turned.to_vector();
  CHECK(refusals(
            cpu, [&] { fuse([](auto v) { return flip<0>(v); }).into(turned)(turned); },
            [&] { CHECK(turned.to_vector() == as_it_was); }) >= 1);
  CHECK(turned.to_vector()[0] == 999);
}

TEST_CASE("on a GPU: nothing is launched, and later calls work") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  array<float, 1> x({1 << 20}, cuda), out({1 << 20}, cuda);
  auto several = fuse([](auto v) { return std::tuple{v + 1, v * 2, v - 1}; });
  auto staged = fuse([](auto v) { return v / sum(v) + v / sum(v * v); });
  REQUIRE(staged.workspace_bytes(x) > 0);
  several.prepare(x);
  staged.prepare(x);
  int launched = fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx");
  const auto nothing_is_launched = [&] {
    CHECK(fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx") == launched);
  };
  CHECK(refusals(cuda, [&] { several(x); }, nothing_is_launched) == 3);
  launched = fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx");
  CHECK(refusals(cuda, [&] { staged(x); }, nothing_is_launched) >= 2);
  launched = fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx");
  CHECK(refusals(cuda, [&] { staged.into(out)(x); }, nothing_is_launched) >= 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("in a capture: the graph is as it was, and the call can be captured when there is memory") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "out_of_memory_captured");
  const stream own = stream::create(cuda);
  axpy.prepare_on(own);
  {
    const runtime::result warm = axpy.fresh(own);
  }
  own.synchronize();
  axpy.prepare_on(own);
  {
    const capture_scope capture(fake, own);
    CHECK(refusals(cuda, [&] { axpy.fresh(own); }, [] {}) == 1);
    axpy(own);
  }
  axpy(own);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a driver without memory: the pool is trimmed once, the error has numbers, and later calls work") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  ordered_call axpy(fake, "out_of_memory_driver");
  const stream own = stream::create(cuda);
  {
    const runtime::result warm = axpy.fresh(own);
  }
  const std::size_t in_use = memory_stats(cuda).in_use;
  fake.set_free_memory(100);
  const int trims = fake.calls("cuMemPoolTrimTo");
  try {
    axpy.fresh(own);
    FAIL("nothing was thrown");
  } catch (const out_of_memory& thrown) {
    CHECK(thrown.requested_bytes() == 4096);
    CHECK(thrown.free_bytes() == 100);
  }
  CHECK(fake.calls("cuMemPoolTrimTo") == trims + 1);
  CHECK(memory_stats(cuda).in_use == in_use);
  fake.set_free_memory(std::size_t{1} << 20);
  CHECK(axpy.fresh(own).storage.size() == 4096);
  CHECK_IN_ORDER(fake);
}
