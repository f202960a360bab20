// What one call costs on the host: 1,024 elements, five operations, beside the bare launch of the same
// kernel.

#include "allocations.hpp"
#include "benchmarks.hpp"
#include "comparison.hpp"
#include "limits/bare_kernel.hpp"
#include "limits/cpu_limits.hpp"
#include "limits/cuda_limits.hpp"
#include "random_data.hpp"

#include <sinter/sinter.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>

/// A tensor of another library: Sinter knows it only through as_view.
namespace foreign {
struct tensor {
  float* data;
  long long count;
  sinter::device where;
};
inline sinter::view<float, 1> as_view(const tensor& from) { return {from.data, {from.count}, from.where}; }
}  // namespace foreign

namespace sinter_bench {
namespace {

using namespace sinter;
using row = array<float, 1>;

constexpr std::int64_t elements = 1024;

struct arrays {
  explicit arrays(device on)
      : x(random_array<float, 1>({elements}, on)),
        y(random_array<float, 1>({elements}, on)),
        out({elements}, on) {}
  row x, y, out;
};

const auto five = fuse("five", [](auto x, auto y) { return where(x > 0, x * y + 1, y - x); });

/// A polynomial of 2 * Steps operations with captured scalars: recorded again at each call.
template <int Steps>
auto stateful_polynomial(const float& a, const float& b) {
  return fuse("polynomial", [&a, &b](auto x) {
    auto r = x;
    for (int i = 0; i < Steps; ++i) r = r * a + b;
    return r;
  });
}

/// How a call's cost is measured.
enum class queue { throughput, host };

side repeated(std::function<void()> call, device on, queue looked_at) {
  side made;
  made.call = std::move(call);
  made.wait = [on] { synchronize(on); };
  // A stream queues at most 1,024 launches; a burst of 200 never waits.
  made.calls = looked_at == queue::host ? 200 : 2000;
  made.host_time_only = looked_at == queue::host;
  return made;
}

void add_calls_on(device on, const std::string& prefix) {
  const bool cuda = on.is_cuda();
  const std::string bare = cuda ? "cuLaunchKernel of the same kernel" : "a call of the same compiled code";
  const auto beside_bare = [on](queue looked_at) {
    auto held = std::make_shared<arrays>(on);
    const runtime::operand operands[] = {held->x.erased(), held->y.erased()};
    auto kernel = std::make_shared<bare_kernel>(five_operations(), operands, held->out.erased());
    return sides{repeated([held] { five.into(held->out)(held->x, held->y); }, on, looked_at),
                 repeated([held, kernel] { kernel->launch(); }, on, looked_at)};
  };
  add({.name = prefix + "call_into_queued",
       .limit_name = bare,
       .judgement = judged_by::added_seconds,
       .goal = cuda ? 0.3e-6 : 0,
       .make = [beside_bare] { return beside_bare(queue::throughput); }});
  add({.name = prefix + "call_into_host_time",
       .limit_name = bare,
       .judgement = judged_by::added_seconds,
       .goal = cuda ? 0.3e-6 : 0,
       .make = [beside_bare] { return beside_bare(queue::host); }});
  if (cuda)
    add({.name = prefix + "call_into_without_context",
         .limit_name = bare + ", with a current context",
         .judgement = judged_by::added_seconds,
         .goal = 0.3e-6,
         .make = [beside_bare, on] {
           sides made = beside_bare(queue::host);
           // Runs before and after each batch.
           made.subject.wait = [on] {
             synchronize(on);
             cuda_choose_context(false);
           };
           made.limit.wait = [on] {
             cuda_choose_context(true);
             synchronize(on);
           };
           return made;
         }});
  add({.name = prefix + "call_with_result",
       .limit_name = "the same call with into",
       .judgement = judged_by::added_seconds,
       .make = [on] {
         auto held = std::make_shared<arrays>(on);
         return sides{repeated([held] { row made = five(held->x, held->y); }, on, queue::host),
                      repeated([held] { five.into(held->out)(held->x, held->y); }, on, queue::host)};
       }});
  add({.name = prefix + "foreign_tensor",
       .limit_name = "the same call with an array",
       .judgement = judged_by::added_seconds,
       .goal = 0.1e-6,
       .make = [on] {
         auto held = std::make_shared<arrays>(on);
         const foreign::tensor x{held->x.data(), elements, on};
         return sides{repeated([held, x] { five.into(held->out)(x, held->y); }, on, queue::host),
                      repeated([held] { five.into(held->out)(held->x, held->y); }, on, queue::host)};
       }});
}

template <int Steps>
void add_stateful_on(device on, const std::string& prefix) {
  const bool cuda = on.is_cuda();
  add({.name = prefix + "stateful_call_" + std::to_string(2 * Steps) + "_operations",
       .limit_name = cuda ? "cuLaunchKernel of such a kernel" : "a call of such compiled code",
       .judgement = judged_by::added_seconds,
       .goal = cuda ? 0.3e-6 + 0.02e-6 * 2 * Steps : 0,
       .make = [on] {
         auto held = std::make_shared<arrays>(on);
         const runtime::operand operands[] = {held->x.erased()};
         auto kernel = std::make_shared<bare_kernel>(polynomial(Steps), operands, held->out.erased());
         return sides{repeated(
                          [held] {
                            const float a = 0.5f, b = 0.25f;
                            stateful_polynomial<Steps>(a, b).into(held->out)(held->x);
                          },
                          on, queue::host),
                      repeated([held, kernel] { kernel->launch(); }, on, queue::host)};
       }});
}

/// On a stream that the program made, a call asks whether that is being captured, and then launches.
void add_given_stream(device on) {
  struct given {
    arrays held;
    stream order;
    bare_kernel kernel;
    explicit given(device where)
        : held(where),
          order(stream::create(where)),
          kernel(five_operations(), std::array{held.x.erased(), held.y.erased()}, held.out.erased()) {}
    runtime::CUstream native() const { return static_cast<runtime::CUstream>(order.native()); }
  };
  add({.name = "cuda/call_into_on_given_stream",
       .limit_name = "cuLaunchKernel of the same kernel on the same stream",
       .judgement = judged_by::added_seconds,
       .goal = 0.3e-6,
       .make = [on] {
         auto made = std::make_shared<given>(on);
         return sides{
             repeated([made] { five.on(made->order).into(made->held.out)(made->held.x, made->held.y); }, on,
                      queue::host),
             repeated([made] { made->kernel.launch(made->native()); }, on, queue::host)};
       }});
  add({.name = "cuda/question_of_capture",
       .limit_name = "cuLaunchKernel without cuStreamIsCapturing before it",
       .judgement = judged_by::added_seconds,
       .make = [on] {
         auto made = std::make_shared<given>(on);
         return sides{repeated(
                          [made] {
                            runtime::CUstreamCaptureStatus status{};
                            runtime::require_driver().cuStreamIsCapturing(made->native(), &status);
                            made->kernel.launch(made->native());
                          },
                          on, queue::host),
                      repeated([made] { made->kernel.launch(made->native()); }, on, queue::host)};
       }});
}

/// A prepared call with `into` allocates nothing.
void add_allocations_on(device on, const std::string& prefix) {
  benchmark::RegisterBenchmark((prefix + "call_into_allocations").c_str(), [on](benchmark::State& state) {
    try {
      arrays held(on);
      for (int i = 0; i < 3; ++i) five.into(held.out)(held.x, held.y);
      const std::size_t before = allocation_count();
      for ([[maybe_unused]] auto _ : state) five.into(held.out)(held.x, held.y);
      state.counters["allocations"] = static_cast<double>(allocation_count() - before);
      synchronize(on);
    } catch (const std::exception& failure) {
      state.SkipWithError(failure.what());
    }
  })->Iterations(1000);
}

void add_all_on(device on, const std::string& prefix) {
  add_calls_on(on, prefix);
  add_stateful_on<2>(on, prefix);
  add_stateful_on<8>(on, prefix);
  add_stateful_on<15>(on, prefix);
  if (on.is_cuda()) add_given_stream(on);
  add_allocations_on(on, prefix);
}

}  // namespace

void add_host_calls() {
  if (has_cuda()) add_all_on(device::cuda(0), "cuda/");
  if (has_cpu_compiler()) add_all_on(device::cpu(), "cpu/");
}

}  // namespace sinter_bench
