#pragma once
// What the fake CUDA driver knows: its devices, memory, streams and objects, the failures that a test asked
// for, and how often each function was called.

#include "fake_cuda_order.hpp"

#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/driver_types.hpp>

using namespace sinter::runtime;

struct CUctx_st {
  int device;
};
struct CUstream_st {
  CUcontext context;
  int number = 0;
  bool alive = true;
  CUgraph captured_into = nullptr;  ///< nullptr: the stream is not being captured
  bool is_blocking = false;         ///< the legacy default stream waits for it, and it for that
};
struct CUevent_st {
  fake_time reached;
  CUgraph captured_into = nullptr;
};
struct CUuserObject_st {
  void* kept;
  CUhostFn destroy;
};
struct CUgraphNode_st {
  std::vector<fake_use> uses;  ///< of a kernel
  std::vector<CUgraphNode> after;
};
struct CUgraph_st {
  unsigned long long number = 0;
  CUstream origin = nullptr;
  std::vector<CUuserObject> keeps;
  std::vector<std::unique_ptr<CUgraphNode_st>> nodes{};
};
/// Changes of parameters are the executable graph's alone.
struct CUgraphExec_st {
  std::vector<CUgraphNode_st> nodes;
  std::vector<CUgraphNode> made_from;
};
struct CUlib_st {
  std::string code;
};
struct CUkern_st {
  CUlibrary library;
};
struct CUmemPoolHandle_st {
  unsigned long long threshold = 0;
  unsigned long long used = 0, reserved = 0,
                     peak_reserved = 0;  ///< keeps all that is freed until it is trimmed
};

namespace sinter::test {

struct failure {
  int nth;
  CUresult result;
};

// The number of calls of each function. Counting allocates nothing, because tests count the library's
// allocations.
class call_counts {
 public:
  void add(const char* function) { ++of(function); }
  int get(const char* function) { return of(function); }
  void clear() { used_ = 0; }
  // "cuCtxGetCurrent 1, cuLaunchKernel 2", in the order of the first calls.
  const char* text() {
    std::size_t length = 0;
    text_[0] = 0;
    for (std::size_t i = 0; i < used_ && length < sizeof text_; ++i)
      if (rows_[i].count != 0)
        length += static_cast<std::size_t>(std::snprintf(text_ + length, sizeof text_ - length, "%s%s %d",
                                                         length == 0 ? "" : ", ", rows_[i].function,
                                                         rows_[i].count));
    return text_;
  }

 private:
  struct row {
    char function[64];
    int count;
  };
  int& of(const char* function) {
    for (std::size_t i = 0; i < used_; ++i)
      if (std::strcmp(rows_[i].function, function) == 0) return rows_[i].count;
    if (used_ == std::size(rows_)) std::abort();
    row& fresh = rows_[used_++];
    std::snprintf(fresh.function, sizeof fresh.function, "%s", function);
    return fresh.count = 0;
  }
  row rows_[256];
  std::size_t used_ = 0;
  char text_[4096];
};

struct fake_state {
  std::mutex guard;
  int version = 13000;
  int devices = 1;
  int pools = 1;
  std::size_t free_bytes = std::size_t{1} << 30;
  float elapsed_milliseconds = 1.5f;  ///< between any two events
  call_counts calls;
  fake_order order;
  std::set<CUstream> streams;          // including destroyed ones, so that their use is recognised
  std::map<int, int> default_streams;  // by device
  // The leading words of a kernel's arguments that are addresses of arrays it reads, then of those it writes.
  int arrays_read = 0, arrays_written = 0;
  bool may_fork_captures = false;
  void (*begin_call)() = nullptr;
  void (*end_call)() = nullptr;
  unsigned long long graphs = 0;
  std::map<std::string, failure, std::less<>> failures;
  std::map<void*, std::size_t> allocations;
  std::map<void*, CUmemoryPool> pool_of;
  std::set<void*> pinned;
  int architectures[4] = {90, 90, 90, 90};
  CUresult refusals[4] = {};
  const void* loaded_from = nullptr;
  unsigned long long launched_with = 0;
  std::string launched_graph;
  std::set<void*> objects;  // so that objects that a test leaves alive on purpose do not count as leaks
};

/// The only one. It is never destroyed.
fake_state& fake();

/// The time of a driver function: a test may want to know what the driver itself does.
struct driver_call {
  driver_call() {
    if (fake().begin_call != nullptr) fake().begin_call();
  }
  driver_call(const driver_call&) = delete;
  driver_call& operator=(const driver_call&) = delete;
  ~driver_call() {
    if (fake().end_call != nullptr) fake().end_call();
  }
};

/// Counts a call of a function, and returns what the test wants this call to return.
CUresult enter(const char* function);

/// Queues work on a stream, which may be one that is being captured.
CUresult queue_work(CUstream on, const char* function, const std::vector<fake_use>& uses);
/// The memory that a kernel with these arguments uses.
std::vector<fake_use> uses_of(void** arguments);

CUresult allocate(CUdeviceptr* pointer, std::size_t bytes);
CUresult release(CUdeviceptr pointer);

template <class Object>
Object* make(Object made) {
  auto* const object = new Object(std::move(made));
  const std::lock_guard lock(fake().guard);
  fake().objects.insert(object);
  return object;
}

template <class Object>
void drop(Object* object) {
  const std::lock_guard lock(fake().guard);
  fake().objects.erase(object);
  delete object;
}

}  // namespace sinter::test
