#include <memory>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/order/captured_memory.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {
namespace {

CUgraph graph_of(const driver_api& api, const stream& capturing) {
  if (api.cuStreamGetCaptureInfo_v3 == nullptr || api.cuUserObjectCreate == nullptr ||
      api.cuGraphRetainUserObject == nullptr)
    throw device_error(
        "memory cannot be kept for a CUDA graph: the driver is older than CUDA 12.3; install a newer driver, "
        "or supply results and a workspace with into() and workspace()");
  CUstreamCaptureStatus status = CUstreamCaptureStatus::none;
  unsigned long long number = 0;
  CUgraph graph = nullptr;
  check(api.cuStreamGetCaptureInfo_v3(static_cast<CUstream>(capturing.native()), &status, &number, &graph,
                                      nullptr, nullptr, nullptr),
        "asking for the graph that a stream is captured into");
  if (status != CUstreamCaptureStatus::active || graph == nullptr)
    throw device_error("memory was to be kept for a CUDA graph, and the stream is not being captured");
  return graph;
}

}  // namespace

buffer memory_for_call(device where, std::size_t bytes, const stream& on, const memory_resource* from) {
  // The legacy default stream is never captured.
  const CUstream native = static_cast<CUstream>(on.native());
  if (where.is_cpu() || bytes == 0 || native == nullptr || native == legacy_default_stream() ||
      timeline_of(on).capture() == 0)
    return from != nullptr ? buffer(where, bytes, on, *from) : buffer(where, bytes, on);
  const relaxed_capture while_others_capture;
  const stream& own = own_stream_of(where.index());
  buffer made = from != nullptr ? buffer(where, bytes, own, *from) : buffer(where, bytes, own);
  own.synchronize();
  keep_for_graph(on, *made.record());
  return made;
}

void keep_for_graph(const stream& capturing, allocation_record& memory) {
  const driver_api& api = require_driver();
  const CUgraph graph = graph_of(api, capturing);
  const context_guard current(timeline_of(capturing).context());
  auto owner = std::make_unique<waiting_owner>(waiting_owner{&memory, nullptr, wait_reason::graph});
  // CUDA calls this when the last graph is gone, where CUDA may not be called.
  const auto let_go = [](void* gone) { drop_later(*static_cast<waiting_owner*>(gone)); };
  CUuserObject object = nullptr;
  check(api.cuUserObjectCreate(&object, owner.get(), let_go, 1, user_object_no_destructor_sync),
        "making an object that keeps memory for a CUDA graph");
  memory.add_owner();
  owner.release();  // NOLINT(bugprone-unused-return-value): the object has it
  if (const CUresult answer = api.cuGraphRetainUserObject(graph, object, 1, graph_user_object_move);
      answer != CUresult::success) {
    if (api.cuUserObjectRelease != nullptr) api.cuUserObjectRelease(object, 1);
    throw_driver_error(answer, "keeping memory for a CUDA graph");
  }
}

}  // namespace sinter::inline v0::runtime
