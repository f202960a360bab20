#pragma once
// A call on the fake driver, which checks that work on several streams that shares memory is ordered.

#include <doctest/doctest.h>

#include <utility>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/host_array.hpp"

namespace sinter::test {

inline const device cuda = device::cuda(0);

/// Two inputs, a result, and the function.
struct ordered_call {
  runtime::function_handle called;
  device_array x{1024}, y{1024}, out{1024};
  runtime::operand inputs[2] = {x.view(), y.view()}, into[1] = {out.view()};
  runtime::scalar a = bits_of(2.0f);
  bool assume_ordered = false;

  ordered_call(fake_cuda& fake, const char* name) : called(axpy_function(name)) { fake.set_arrays(2, 1); }
  void operator()(const stream& on) { runtime::call(called, inputs, {&a, 1}, into, {}, options(on)); }
  void prepare_on(const stream& on) { runtime::prepare(called, inputs, {&a, 1}, options(on), into); }
  runtime::result fresh(const stream& on) {
    runtime::result made;
    runtime::call(called, inputs, {&a, 1}, {}, {&made, 1}, options(on));
    return made;
  }
  void read(const runtime::result& made) {
    inputs[0].data = made.storage.data();
    inputs[0].record = made.storage.record();
  }
  void read_own() { inputs[0] = x.view(); }

 private:
  runtime::call_options options(const stream& on) const {
    runtime::call_options how;
    how.on = &on;
    how.assume_ordered = assume_ordered;
    return how;
  }
};

/// A stream created by another library.
struct foreign_stream {
  runtime::CUstream handle = nullptr;
  explicit foreign_stream(const fake_cuda& fake) : api_(fake.api()) {
    const runtime::context_guard current(runtime::primary_context(0));
    api_.cuStreamCreate(&handle, 0);
  }
  foreign_stream(const foreign_stream&) = delete;
  foreign_stream& operator=(const foreign_stream&) = delete;
  ~foreign_stream() { destroy(); }
  stream borrowed() const { return stream::from_native(cuda, handle); }
  void destroy() {
    if (handle != nullptr) api_.cuStreamDestroy_v2(std::exchange(handle, nullptr));
  }

 private:
  const runtime::driver_api& api_;
};

/// A capture for a scope; its graph lives until this object does not.
class capture_scope {
 public:
  capture_scope(const fake_cuda& fake, const stream& at)
      : api_(fake.api()), on_(static_cast<runtime::CUstream>(at.native())) {
    REQUIRE(api_.cuStreamBeginCapture_v2(on_, runtime::CUstreamCaptureMode::global) ==
            runtime::CUresult::success);
  }
  capture_scope(const capture_scope&) = delete;
  capture_scope& operator=(const capture_scope&) = delete;
  ~capture_scope() {
    end();
    api_.cuGraphDestroy(graph_);
  }
  void end() {
    if (graph_ == nullptr) api_.cuStreamEndCapture(on_, &graph_);
  }

 private:
  const runtime::driver_api& api_;
  runtime::CUstream on_;
  runtime::CUgraph graph_ = nullptr;
};

}  // namespace sinter::test

#define CHECK_IN_ORDER(fake) CHECK_MESSAGE((fake).faults() == 0, (fake).latest_fault())
