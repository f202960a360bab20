// What tensors of other libraries cost the host: DLPack's structs to a view, an array to DLPack and back, and
// a loop over frames of 1080 x 1920 x 3 bytes that converts in every turn, beside the same loop on Sinter's
// own arrays.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cuda_limits.hpp"

#include <sinter/dlpack.hpp>
#include <sinter/dsl/foreign/dlpack_abi.hpp>

#include <benchmark/benchmark.h>

#include <memory>
#include <string>
#include <utility>

namespace sinter_bench {
namespace {

using namespace sinter;
using managed = dlpack_abi::versioned_tensor;
using image = array<std::uint8_t, 3>;

/// The goal for a tensor that is handed over, and for a frame's tensors.
constexpr double per_tensor = 0.1e-6, per_frame = 1e-6;

const auto inverted = fuse("foreign_tensors_inverted", [](auto frame) { return 255 - frame; });

/// An array, and the tensor by which another library would lend it.
struct lent_image {
  explicit lent_image(device on, std::int64_t height, std::int64_t width)
      : elements(full<std::uint8_t>({height, width, 3}, 100, on)) {
    const any_view viewed(elements);
    sinter::detail::write_dlpack_fields(tensor.dl_tensor, sinter::detail::describe_for_dlpack(viewed));
    // The view's lists end with it.
    for (unsigned axis = 0; axis != 3; ++axis) {
      extents[axis] = elements.shape()[axis];
      strides[axis] = elements.strides()[axis];
    }
    tensor.dl_tensor.shape = extents;
    tensor.dl_tensor.strides = strides;
    tensor.version = {1, 3};
  }
  lent_image(const lent_image&) = delete;

  image elements;
  std::int64_t extents[3] = {}, strides[3] = {};
  managed tensor{};
};

struct loop_images {
  lent_image frame, out;
  loop_images(device on, std::int64_t height, std::int64_t width)
      : frame(on, height, width), out(on, height, width) {}
};

/// A side that needs no device.
side on_host(std::function<void()> call) {
  side made;
  made.call = std::move(call);
  return made;
}

void add_conversions(device on, const std::string& prefix) {
  add({.name = prefix + "dlpack_to_view",
       .limit_name = "a view of an array",
       .judgement = judged_by::added_seconds,
       .goal = per_tensor,
       .make = [on] {
         auto held = std::make_shared<lent_image>(on, 4, 8);
         return sides{on_host([held] {
                        auto viewed = as_view<std::uint8_t, 3>(&held->tensor);
                        benchmark::DoNotOptimize(viewed);
                      }),
                      on_host([held] {
                        view<std::uint8_t, 3> viewed = held->elements;
                        benchmark::DoNotOptimize(viewed);
                      })};
       }});
  // Takes a producer's tensor over, gives it away as a consumer would receive it, and lets that delete it.
  add({.name = prefix + "from_dlpack_and_to_dlpack",
       .limit_name = "an array moved there and back",
       .judgement = judged_by::added_seconds,
       .goal = 2 * per_tensor,
       .make = [on] {
         auto held = std::make_shared<lent_image>(on, 4, 8);
         auto moved = std::make_shared<any_array>(image({4, 8, 3}, on));
         return sides{on_host([held] {
                        managed* const given = to_dlpack<managed>(from_dlpack(&held->tensor));
                        given->deleter(given);
                      }),
                      on_host([moved] {
                        any_array there = std::move(*moved);
                        benchmark::DoNotOptimize(there);
                        *moved = std::move(there);
                      })};
       }});
}

/// Frames back to back until the device is done, or the host's time for a burst of them.
side frames(std::function<void()> call, device on, bool host_time_only) {
  side made;
  made.call = std::move(call);
  made.wait = [on] { synchronize(on); };
  made.calls = host_time_only ? 200 : 0;
  made.host_time_only = host_time_only;
  return made;
}

void add_loop(device on, const std::string& name, std::int64_t height, std::int64_t width,
              bool host_time_only) {
  add({.name = name,
       .limit_name = "the same loop on arrays",
       .judgement = judged_by::added_seconds,
       .goal = per_frame,
       .make = [=] {
         auto held = std::make_shared<loop_images>(on, height, width);
         return sides{
             frames(
                 [held] {
                   inverted.into(as_view<std::uint8_t, 3>(&held->out.tensor))(
                       as_view<std::uint8_t, 3>(&held->frame.tensor));
                 },
                 on, host_time_only),
             frames([held] { inverted.into(held->out.elements)(held->frame.elements); }, on, host_time_only)};
       }});
}

void add_all_on(device on, const std::string& prefix) {
  add_conversions(on, prefix);
  add_loop(on, prefix + "frame_loop_1080x1920x3", 1080, 1920, false);
  // The same calls where the work takes no time.
  add_loop(on, prefix + "frame_loop_host_time_4x8x3", 4, 8, true);
}

}  // namespace

void add_foreign_tensors() {
  if (has_cuda()) add_all_on(device::cuda(0), "cuda/foreign/");
  if (has_cpu_compiler()) add_all_on(device::cpu(), "cpu/foreign/");
}

}  // namespace sinter_bench
