// On a GPU, with the driver of the tests: a call whose host memory is refused, at each of its allocations in
// turn, launches nothing or keeps the order of streams, and later calls work.
#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include "../order/ordered_call.hpp"
#include "../support/cuda/around_driver_calls.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "refuse_each_allocation.hpp"

#include <optional>
#include <utility>
#include <vector>

using namespace sinter;
using namespace sinter::test;

namespace {

/// The driver's own memory is not refused: a driver without memory says so by its result.
struct unrefused_driver : surrounded_fake_cuda {
  unrefused_driver() : surrounded_fake_cuda(&begin_unrefused, &end_unrefused) {}
  int launches() { return calls("cuLaunchKernel") + calls("cuLaunchKernelEx"); }
};

std::vector<stream> made_streams(int count) {
  std::vector<stream> made;
  for (int i = 0; i < count; ++i) made.push_back(stream::create(cuda));
  return made;
}

/// Runs the body for each refusal; after each, no memory is in use that was not before.
template <class Body>
std::size_t refuse_on_gpu(fake_cuda& fake, const Body& body) {
  const std::size_t refusals = refuse_each_allocation(
      [&](auto& call) {
        const std::size_t in_use = memory_stats(cuda).in_use;
        body(call);
        synchronize(cuda);  // also gives back what waits
        CHECK(memory_stats(cuda).in_use == in_use);
        CHECK(memory_stats(cuda).waiting == 0);
        CHECK_IN_ORDER(fake);
      },
      false);
  return refusals;
}

}  // namespace

TEST_CASE("a first call on a GPU, and one on a stream that waits for others") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  for (const bool is_first : {true, false}) {
    CAPTURE(is_first);
    CHECK(refuse_on_gpu(fake, [&](auto& call) {
            ordered_call axpy(fake, "refused_on_gpu");
            const std::vector<stream> on = made_streams(4);
            if (!is_first)
              for (int i = 1; i < 4; ++i) axpy(on[static_cast<std::size_t>(i)]);
            const int launched = fake.launches();
            call([&] { axpy(on[0]); });
            CHECK(fake.launches() == launched + (call.has_thrown ? 0 : 1));
            for (const stream& each : on) axpy(each);
          }) >= 4);
  }
}

TEST_CASE("more streams read one array than its record has room for: the writer waits for all of them") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  const std::vector<stream> on = made_streams(9);
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          ordered_call axpy(fake, "refused_on_gpu");
          std::vector<device_array> out;
          for (int i = 0; i < 8; ++i) out.emplace_back(1024);
          for (std::size_t i = 0; i < 8; ++i) {
            axpy.into[0] = out[i].view();
            if (i == 3 || i == 6)
              i == 3 ? call([&] { axpy(on[i]); }) : axpy(on[i]);
            else
              axpy(on[i]);
          }
          axpy.into[0] = axpy.x.view();  // written, once all have read
          axpy.inputs[0] = out[0].view();
          axpy(on[8]);
        }) >= 2);
}

TEST_CASE("memory goes back after its last user, whatever is refused then") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  const std::vector<stream> on = made_streams(4);
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          ordered_call axpy(fake, "refused_on_gpu");
          std::optional<runtime::result> made(axpy.fresh(on[0]));
          axpy.read(*made);
          for (std::size_t i = 1; i < 4; ++i) {
            axpy.into[0] = axpy.out.view();
            axpy(on[i]);
          }
          axpy.read_own();
          call([&] { made.reset(); });
          CHECK(!call.has_thrown);
          const runtime::result next = axpy.fresh(on[1]);
        }) >= 1);
}

TEST_CASE("a call that makes its results on one stream, of what another has written") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  const std::vector<stream> on = made_streams(3);
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          ordered_call axpy(fake, "refused_on_gpu");
          const runtime::result read = axpy.fresh(on[0]);
          axpy.read(read);
          runtime::result made;
          const int launched = fake.launches();
          call([&] { made = axpy.fresh(on[1]); });
          if (call.has_thrown) {
            CHECK(fake.launches() == launched);
            CHECK(made.storage.data() == nullptr);
          }
          axpy.fresh(on[2]);
        }) >= 3);
}

TEST_CASE("in a capture: what is refused leaves a capture that goes on and takes the call") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  const std::vector<stream> on = made_streams(6);
  fake.allow_forks(true);
  for (const bool makes_result : {true, false}) {
    CAPTURE(makes_result);
    CHECK(refuse_on_gpu(fake, [&](auto& call) {
            ordered_call axpy(fake, "refused_on_gpu");
            for (const stream& each : on) axpy.prepare_on(each);
            {
              const runtime::result warm = axpy.fresh(on[0]);
            }
            synchronize(cuda);
            std::vector<device_array> out;
            for (int i = 0; i < 6; ++i) out.emplace_back(1024);
            synchronize(cuda);
            {
              const capture_scope capture(fake, on[0]);
              const event forked(on[0]);
              for (std::size_t i = 1; i < on.size(); ++i) forked.wait_on(on[i]);
              const auto run = [&](std::size_t i) {
                axpy.into[0] = out[i].view();
                makes_result ? static_cast<void>(axpy.fresh(on[i])) : axpy(on[i]);
              };
              for (std::size_t i = 0; i < on.size(); ++i) i == 3 ? call([&] { run(i); }) : run(i);
              const int launched = fake.launches();
              run(3);
              CHECK(fake.launches() == launched + 1);
              for (std::size_t i = 1; i < on.size(); ++i) event(on[i]).wait_on(on[0]);
            }
            axpy(on[1]);
          }) >= 1);
  }
}

TEST_CASE("on a GPU stages, operands that are overwritten, and copies on streams") {
  if (nvrtc_is_missing()) return;
  unrefused_driver fake;
  const std::vector<stream> on = made_streams(2);
  fake.set_arrays(0, 0);
  const auto staged = fuse("refused_staged_on_gpu", [](auto v) { return v / sum(v) + v / sum(v * v); });
  const auto turned = fuse("refused_turned_on_gpu", [](auto v) { return flip<0>(v); });
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          array<float, 1> x({1 << 14}, cuda), out({1 << 14}, cuda);
          turned.on(on[1]).into(out)(x);
          const int launched = fake.launches();
          call([&] { staged.on(on[0]).into(out)(x); });
          if (call.has_thrown) CHECK(fake.launches() == launched);
          staged.on(on[0]).into(out)(x);
        }) >= 3);
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          array<float, 1> x({1 << 14}, cuda);
          staged.on(on[1])(x);
          fake.forget_calls();
          call([&] { turned.on(on[0]).into(x)(x); });
          if (call.has_thrown) CHECK(fake.launches() == 0);
          turned.on(on[0]).into(x)(x);
        }) >= 3);
  CHECK(refuse_on_gpu(fake, [&](auto& call) {
          const auto x = array<float, 1>::from({1, 2, 3, 4}, {4}, device::cpu());
          array<float, 1> y({4}, cuda);
          const buffer made(cuda, 16, on[1]);
          const auto copy = [&](const stream& at) {
            copy_bytes({made.data(), cuda, made.record()}, {x.data(), device::cpu()}, 16, at);
            copy_bytes({y.data(), cuda, y.erased().record}, {made.data(), cuda, made.record()}, 16, at);
          };
          copy(on[1]);
          call([&] { copy(on[0]); });
          copy(on[1]);
          CHECK(y.to_vector()[3] == 4);
        }) >= 1);
}

TEST_CASE("streams and events that are refused leave none behind") {
  unrefused_driver fake;
  refuse_on_gpu(fake, [&](auto& call) {
    fake.forget_calls();
    call([&] {
      const stream made = stream::create(cuda), other = stream::create(cuda);
      event(made).wait_on(other);
      array<float, 1> x({4}, cuda);
      static_cast<void>(x.copy());
    });
    CHECK(fake.calls("cuStreamCreate") == fake.calls("cuStreamDestroy_v2"));
  });
}
