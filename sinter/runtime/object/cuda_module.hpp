#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/driver_types.hpp>
#include <sinter/runtime/object/object_code.hpp>

namespace sinter::inline v0::runtime {

struct driver_api;

/// Compiled code (a cubin or PTX), loaded into the driver once, on first use, for all contexts. The
/// constructor calls no driver. Safe from any thread.
class cuda_module {
 public:
  explicit cuda_module(std::string code) : own_(std::move(code)), code_(own_) {}
  /// Bytes that outlive the module.
  struct borrowed {
    const std::string& code;
  };
  explicit cuda_module(borrowed from) : code_(from.code) {}
  cuda_module(const cuda_module&) = delete;
  cuda_module& operator=(const cuda_module&) = delete;

  /// Unloads, after waiting for queued work of this code; see cuda_module.cpp. Its kernels must not be
  /// launched any more.
  ~cuda_module();

  const std::string& code() const noexcept { return code_; }

  /// Loads now instead of on first use. Throws device_error if the driver rejects the code; may be called
  /// again.
  void load();
  bool loaded() const noexcept { return loaded_.load(std::memory_order_acquire); }

  /// A kernel that is loaded into a context, so that launches, including captured ones, load nothing. Takes a
  /// lock: call it once per context and store the result, which is valid as long as the module. It can be
  /// launched as a CUfunction on any stream of that context.
  CUkernel kernel(const std::string& name, CUcontext context);

  kernel_attributes attributes(const std::string& name, int device);

  /// Allows a kernel this much dynamic shared memory: required beyond 48 KiB.
  void allow_shared_memory(const std::string& name, std::size_t bytes, int device);

  /// Allows a kernel clusters of more than 8 blocks, which not every device with clusters supports.
  void allow_large_clusters(const std::string& name, int device);

  /// The number of blocks of a kernel that fit on one multiprocessor at once.
  int blocks_per_multiprocessor(const std::string& name, int threads, std::size_t dynamic_shared_bytes,
                                int device);

  /// Never unloads: for code that was captured into a graph, which may be launched after this object is gone.
  void keep_loaded() noexcept { kept_.store(true, std::memory_order_relaxed); }

 private:
  void load_locked();
  CUkernel find_locked(const std::string& name);
  CUkernel find(const std::string& name);

  const std::string own_;
  const std::string& code_;
  std::mutex guard_;
  CUlibrary library_ = nullptr;
  const driver_api* loaded_by_ = nullptr;
  std::vector<std::pair<std::string, CUkernel>> kernels_;
  std::atomic<bool> loaded_{false};
  std::atomic<bool> kept_{false};
};

}  // namespace sinter::inline v0::runtime
