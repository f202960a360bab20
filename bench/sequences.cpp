// What a sequence costs beside its calls: 100 small calls made one by one, captured by hand into a CUDA
// graph, and replayed as a sequence, without changes and with a number changed in one call or in all; on the
// CPU made one by one and replayed. Prints JSON, one line for each measure: the microseconds of all 100
// calls, the median and the least of several batches of replays, with the end of the work (`microseconds`)
// and until the host goes on
// (`host_microseconds`, of one replay alone).

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <vector>

namespace {

using namespace sinter;
using clock_type = std::chrono::steady_clock;

constexpr int calls = 100, batches = 50, replays = 20;

/// One kernel that a peer has too: y = x + a * y.
const auto step = fuse("sequences_step", [](auto x, auto y, auto a) { return x + a * y; });
using step_number = sequence_step<value<float, 1>, value<float, 1>, value<weak<float>, 0>>;

double microseconds_since(clock_type::time_point begin) {
  return std::chrono::duration<double, std::micro>(clock_type::now() - begin).count();
}

template <class Replay>
void measure(const char* what, device where, const Replay& replay) {
  std::vector<double> whole, on_host;
  replay();
  for (int batch = 0; batch < batches; ++batch) {
    synchronize(where);
    auto begin = clock_type::now();
    replay();
    on_host.push_back(microseconds_since(begin));
    synchronize(where);
    begin = clock_type::now();
    for (int i = 0; i < replays; ++i) replay();
    synchronize(where);
    whole.push_back(microseconds_since(begin) / replays);
  }
  std::sort(whole.begin(), whole.end());
  std::sort(on_host.begin(), on_host.end());
  std::printf(
      "{\"measure\": \"%s\", \"microseconds\": %.2f, \"least\": %.2f, \"host_microseconds\": %.2f, "
      "\"calls\": "
      "%d}\n",
      what, whole[batches / 2], whole[0], on_host[batches / 2], calls);
}

/// `chains` chains of calls that share nothing.
struct workload {
  device where;
  std::vector<array<float, 1>> x, y;
  workload(device on, std::size_t chains, std::int64_t elements) : where(on) {
    for (std::size_t i = 0; i < chains; ++i) {
      x.push_back(ones<float>(shape<1>(elements), on));
      y.push_back(ones<float>(shape<1>(elements), on));
    }
  }
  template <class Call>
  void each(const Call& call) {
    for (std::size_t i = 0; i < calls; ++i) call(x[i % x.size()], y[i % x.size()]);
  }
  std::vector<step_number> record(sequence& to) {
    std::vector<step_number> steps;
    each([&](auto& from, auto& in) { steps.push_back(to.add(step.into(in), from, in, 0.5f)); });
    return steps;
  }
};

/// The calls on a stream, captured once.
class captured_calls {
 public:
  captured_calls(workload& of, const stream& on) : on_(static_cast<runtime::CUstream>(on.native())) {
    of.each([&](auto& from, auto& in) { step.on(on).into(in).prepare(from, in, 0.5f); });
    runtime::check(api_.cuStreamBeginCapture_v2(on_, runtime::CUstreamCaptureMode::relaxed), "capturing");
    of.each([&](auto& from, auto& in) { step.on(on).into(in)(from, in, 0.5f); });
    runtime::check(api_.cuStreamEndCapture(on_, &graph_), "capturing");
    runtime::check(api_.cuGraphInstantiateWithFlags(&replay_, graph_, 0), "instantiating");
  }
  captured_calls(const captured_calls&) = delete;
  captured_calls& operator=(const captured_calls&) = delete;
  ~captured_calls() {
    api_.cuGraphExecDestroy(replay_);
    api_.cuGraphDestroy(graph_);
  }
  void launch() const { runtime::check(api_.cuGraphLaunch(replay_, on_), "launching"); }

 private:
  const runtime::driver_api& api_ = runtime::require_driver();
  runtime::context_guard current_{runtime::primary_context(0)};
  runtime::CUstream on_;
  runtime::CUgraph graph_ = nullptr;
  runtime::CUgraphExec replay_ = nullptr;
};

void measure_changes(workload& of, const char* one, const char* all, const stream& on) {
  sequence steps(of.where);
  const std::vector<step_number> numbers = of.record(steps);
  float a = 0.5f;
  measure(one, of.where, [&] {
    steps.change(numbers[0], of.x[0], of.y[0], a = 0.75f - a);
    steps.run(on);
  });
  measure(all, of.where, [&] {
    a = 0.75f - a;
    for (std::size_t i = 0; i < calls; ++i)
      steps.change(numbers[i], of.x[i % of.x.size()], of.y[i % of.x.size()], a);
    steps.run(on);
  });
}

void measure_gpu() {
  const device cuda = device::cuda(0);
  const stream on = stream::create(cuda);
  workload chain(cuda, 1, 1 << 12), four(cuda, 4, 1 << 12);
  measure("gpu, one by one", cuda,
          [&] { chain.each([&](auto& x, auto& y) { step.on(on).into(y)(x, y, 0.5f); }); });
  for (workload* of : {&chain, &four}) {
    const bool one = of == &chain;
    const captured_calls captured(*of, on);
    sequence steps(cuda);
    of->record(steps);
    // in turns, because clocks and neighbours change
    for (int turn = 0; turn < 3; ++turn) {
      measure(one ? "gpu, captured by hand" : "gpu, four chains captured by hand on one stream", cuda,
              [&] { captured.launch(); });
      measure(one ? "gpu, sequence" : "gpu, four chains as a sequence", cuda, [&] { steps.run(on); });
    }
  }
  measure_changes(chain, "gpu, sequence with a number changed", "gpu, sequence with 100 numbers changed", on);
}

void measure_cpu() {
  const device cpu = device::cpu();
  const stream on = stream::default_of(cpu);
  workload chain(cpu, 1, 1 << 10), four(cpu, 4, 1 << 16);
  for (workload* of : {&chain, &four}) {
    const bool one = of == &chain;
    sequence steps(cpu);
    of->record(steps);
    measure(one ? "cpu, one by one" : "cpu, four chains one by one", cpu,
            [&] { of->each([&](auto& x, auto& y) { step.into(y)(x, y, 0.5f); }); });
    measure(one ? "cpu, sequence" : "cpu, four chains as a sequence", cpu, [&] { steps.run(on); });
  }
  measure_changes(chain, "cpu, sequence with a number changed", "cpu, sequence with 100 numbers changed", on);
}

}  // namespace

int main() {
  if (const std::string why = cuda_absence_reason(); why.empty()) {
    std::printf("{\"device\": \"%s\"}\n", device::cuda(0).name().c_str());
    measure_gpu();
  } else {
    std::fprintf(stderr, "%s\n", why.c_str());
  }
  try {
    measure_cpu();
  } catch (const compile_error& missing) {  // a build without the CPU's compiler
    std::fprintf(stderr, "%s\n", missing.what());
  }
}
