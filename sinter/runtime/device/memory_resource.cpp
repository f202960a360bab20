#include <fmt/format.h>

#include <array>
#include <atomic>
#include <new>
#include <optional>
#include <utility>

#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/memory_resource.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/stream.hpp>

namespace sinter::inline v0 {
namespace runtime {

/// What handles of one resource share. Nodes are used again but never freed: a thread may look at the count
/// of a node that another thread has just replaced.
struct resource_node {
  std::atomic<int> users{0};
  memory_functions functions;
  resource_node* next_unused = nullptr;

  /// Keeps the node unless nobody else does.
  bool try_keep() noexcept {
    int known = users.load(std::memory_order_relaxed);
    while (known != 0)
      if (users.compare_exchange_weak(known, known + 1, std::memory_order_acquire, std::memory_order_relaxed))
        return true;
    return false;
  }
};

namespace {

/// Never destroyed: memory may be freed while the process ends.
class resource_nodes {
 public:
  resource_node& take(const memory_functions& functions) {
    resource_node* node = nullptr;
    {
      const std::lock_guard lock(guard_);
      if (unused_ != nullptr) node = std::exchange(unused_, unused_->next_unused);
    }
    if (node == nullptr) node = new resource_node;
    node->functions = functions;
    node->users.store(1, std::memory_order_release);
    return *node;
  }
  void put_back(resource_node& node) noexcept {
    const std::lock_guard lock(guard_);
    node.next_unused = std::exchange(unused_, &node);
  }

 private:
  fork_mutex guard_;
  resource_node* unused_ = nullptr;
};

resource_nodes& nodes() {
  static auto& all = *new resource_nodes;
  return all;
}

std::atomic<resource_node*>& registered(device where) {
  static constinit std::array<std::atomic<resource_node*>, max_devices + 1> resources{};
  return resources[table_index(where)];
}

void* built_in_memory(std::size_t bytes, const stream& on) {
  if (on.where().is_cpu()) return host_allocate(bytes);
  return cuda_allocate(bytes, static_cast<CUstream>(on.native()), on.where().index());
}

/// What a program's resource may rely on while it is called for a GPU, as Sinter's own memory does: a context
/// of the stream's device is current, because a default stream belongs to the current one, and calls that
/// another thread's capture would forbid are allowed.
class device_scope {
 public:
  explicit device_scope(const stream& on) {
    if (on.where().is_cpu() || driver() == nullptr) return;  // or in the child of a fork
    while_others_capture_.emplace();
    current_.emplace(static_cast<CUstream>(on.native()), on.where().index());
  }

 private:
  std::optional<relaxed_capture> while_others_capture_;
  std::optional<context_guard> current_;
};

void check_place(const memory_functions& functions, device where) {
  if (where.is_cpu() ? functions.for_cpu : functions.for_gpu) return;
  throw device_error(
      where.is_cpu()
          ? "a memory resource was to give memory of the CPU, and its memory is a GPU's: supply one whose "
            "memory "
            "the host can use"
          : fmt::format(
                "a memory resource was to give memory of {}, and its memory is the CPU's alone (as that of "
                "std::pmr is): supply one that takes a stream and whose memory the device can use",
                where.to_string()));
}

}  // namespace
}  // namespace runtime

memory_resource::memory_resource(const memory_functions& functions) {
  try {
    if (functions.allocate == nullptr || functions.deallocate == nullptr)
      throw error("a memory resource needs two functions, allocate and deallocate, and one of them is null");
    node_ = &runtime::nodes().take(functions);
  } catch (...) {
    if (functions.release != nullptr) functions.release(functions.context);
    throw;
  }
}

void memory_resource::keep() const noexcept { node_->users.fetch_add(1, std::memory_order_relaxed); }

void memory_resource::let_go() noexcept {
  if (node_->users.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
  const memory_functions ended = std::exchange(node_->functions, {});
  runtime::nodes().put_back(*node_);
  if (ended.release != nullptr) ended.release(ended.context);
}

bool memory_resource::serves(device::kind which) const noexcept {
  if (node_ == nullptr) return true;
  return which == device::kind::cpu ? node_->functions.for_cpu : node_->functions.for_gpu;
}

void* memory_resource::allocate(std::size_t bytes, const stream& on) const {
  if (node_ == nullptr) return runtime::built_in_memory(bytes, on);
  const memory_functions& call = node_->functions;
  runtime::check_place(call, on.where());
  const char* why = "gave no memory";
  const runtime::device_scope current(on);
  try {
    if (void* const data = call.allocate(call.context, bytes, on)) return data;
  } catch (const std::bad_alloc&) {
    why = "threw std::bad_alloc";
  }
  throw out_of_memory(fmt::format("the memory resource of {} {} for {} bytes; free arrays, write into arrays "
                                  "that exist with .into(), or split the work",
                                  on.where().to_string(), why, bytes),
                      bytes, 0);
}

void memory_resource::deallocate(void* data, std::size_t bytes, const stream& on) const noexcept {
  if (node_ != nullptr) {
    std::optional<runtime::device_scope> current;
    try {
      current.emplace(on);
    } catch (...) {  // the context is lost: the resource gets its memory back all the same
      runtime::report_failure(runtime::CUresult::invalid_context, "giving memory back to its resource");
    }
    return node_->functions.deallocate(node_->functions.context, data, bytes, on);
  }
  if (on.where().is_cpu()) return runtime::host_free(data, bytes);
  runtime::cuda_free(data, static_cast<runtime::CUstream>(on.native()), on.where().index());
}

memory_resource current_memory_resource(device where) {
  if (const runtime::environment_state* const inside = runtime::current_environment()) {
    const std::optional<memory_resource>& own = where.is_cpu() ? inside->cpu_memory : inside->gpu_memory;
    if (own) return *own;
  }
  memory_resource found;
  const std::atomic<runtime::resource_node*>& slot = runtime::registered(where);
  while (runtime::resource_node* const node = slot.load(std::memory_order_acquire)) {
    if (!node->try_keep()) continue;  // it was replaced meanwhile
    found.node_ = node;
    if (slot.load(std::memory_order_acquire) == node) return found;
    found = {};  // it was replaced, and may by now be another resource's
  }
  return found;
}

void set_memory_resource(device where, memory_resource resource) {
  std::atomic<runtime::resource_node*>& slot = runtime::registered(where);
  if (resource.node_ != nullptr) runtime::check_place(resource.node_->functions, where);
  // The handle now holds what was set before, and lets it go.
  resource.node_ = slot.exchange(resource.node_, std::memory_order_acq_rel);
}

}  // namespace sinter::inline v0
