#pragma once

#include <atomic>
#include <cstddef>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include <sinter/runtime/cuda/driver_types.hpp>
#include <sinter/runtime/object/object_code.hpp>

namespace sinter::runtime {

struct driver_api;

/// Compiled code (a cubin or PTX) and, from its first use on, its one load into the driver, which serves
/// every context. Making one calls no driver. Safe from any thread.
class cuda_module {
 public:
  explicit cuda_module(std::string code) : own_(std::move(code)), code_(own_) {}
  /// Of bytes that outlive the module.
  struct borrowed {
    const std::string& code;
  };
  explicit cuda_module(borrowed from) : code_(from.code) {}
  cuda_module(const cuda_module&) = delete;
  cuda_module& operator=(const cuda_module&) = delete;

  /// Unloads, after waiting for what is queued of this code; see cuda_module.cpp. Launch nothing of it any
  /// more.
  ~cuda_module();

  const std::string& code() const noexcept { return code_; }

  /// Loads now; else the first use does. Throws device_error if the driver refuses the code, and may be tried
  /// again.
  void load();
  bool loaded() const noexcept { return loaded_.load(std::memory_order_acquire); }

  /// A kernel, made ready for a context: its code is put there now, so that launches, also captured ones,
  /// load nothing. Takes a lock: ask once per context and keep the answer, which lives as long as the module.
  /// It can be launched as a CUfunction on any stream of that context.
  CUkernel kernel(const std::string& name, CUcontext context);

  kernel_attributes attributes(const std::string& name, int device);

  /// Lets a kernel be launched with this much dynamic shared memory: needed beyond 48 KiB.
  void allow_shared_memory(const std::string& name, std::size_t bytes, int device);

  /// Lets a kernel be launched in clusters of more blocks than every device with clusters has: beyond 8.
  void allow_large_clusters(const std::string& name, int device);

  /// How many blocks of a kernel fit on one multiprocessor at once.
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

}  // namespace sinter::runtime
