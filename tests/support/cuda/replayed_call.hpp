#pragma once
// A call that is captured into a CUDA graph, then replayed.

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/sinter.hpp>

namespace sinter::test {

class replayed_call {
 public:
  /// Captures what `call` queues on a stream of CUDA device 0.
  template <class Call>
  replayed_call(const stream& queue, Call call) : native_(static_cast<runtime::CUstream>(queue.native())) {
    runtime::check(api_.cuStreamBeginCapture_v2(native_, runtime::CUstreamCaptureMode::relaxed), "capturing");
    call();
    runtime::check(api_.cuStreamEndCapture(native_, &graph_), "capturing");
    runtime::check(api_.cuGraphInstantiateWithFlags(&replay_, graph_, 0), "instantiating");
  }
  ~replayed_call() {
    api_.cuGraphExecDestroy(replay_);
    api_.cuGraphDestroy(graph_);
  }
  replayed_call(const replayed_call&) = delete;
  replayed_call& operator=(const replayed_call&) = delete;
  void run() const { runtime::check(api_.cuGraphLaunch(replay_, native_), "launching"); }

 private:
  const runtime::driver_api& api_ = runtime::require_driver();
  runtime::context_guard current_{runtime::primary_context(0)};
  runtime::CUstream native_;
  runtime::CUgraph graph_ = nullptr;
  runtime::CUgraphExec replay_ = nullptr;
};

}  // namespace sinter::test
