#pragma once
// The kernels of one call, compiled side by side.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include <atomic>
#include <cstddef>
#include <exception>
#include <functional>
#include <memory>
#include <span>
#include <vector>

namespace sinter::inline v0::runtime {

/// Lets the threads of a pool make kernels of later stages while the calling thread makes one. Nothing is
/// handed over before share_from(), so that a call whose kernels are all cached starts no thread. The
/// destructor waits for kernels that are being made.
class stage_compiles {
 public:
  /// `make` is called from other threads, for several stages at once. It and `stages` outlive this object.
  using maker = std::function<kernel_handle(const stage& lowered)>;
  stage_compiles(std::span<const stage> stages, maker make, compile_pool& pool);
  stage_compiles(const stage_compiles&) = delete;
  stage_compiles& operator=(const stage_compiles&) = delete;
  ~stage_compiles();

  /// Hands over the stages from `first` on, once; of stages with equal kernels the earliest.
  void share_from(std::size_t first);
  /// The kernel of a stage if a thread of the pool has begun it, or its exception. Otherwise nullptr: the
  /// kernel is the caller's, and the pool leaves it alone.
  kernel_handle take(std::size_t stage);

 private:
  /// Belongs to the job too, which may begin after the call is over.
  struct task {
    std::atomic<bool> claimed{false};
    kernel_handle made;
    std::exception_ptr failure;
    compile_pool::job_handle job;
  };

  std::span<const stage> stages_;
  maker make_;
  compile_pool& pool_;
  std::vector<std::shared_ptr<task>> tasks_;  ///< by stage; empty until shared, null where nothing is shared
};

}  // namespace sinter::inline v0::runtime
