#pragma once
// What a thread keeps between calls: recordings, plans, functions it found, working memory of passes. This is
// the one place that owns such memory; the test thread_memory_has_one_owner finds any other.
//
// Destructors of thread_local and static objects may compute, in any order. So the memory of a thread
// outlives all of its thread_local objects, and that of a thread that ends the process is never destroyed.
// Whoever asks for it even later (the destructor of a pthread key) gets new memory, which is destroyed in
// turn.

#include <memory>
#include <utility>

namespace sinter::inline v0 {

/// Calls `destroy` on the calling thread when that thread ends, after its thread_local objects are destroyed:
/// the latest of these calls first. Calls nothing when the process ends.
void destroy_after_thread(void (*destroy)() noexcept);

/// The one T of each thread.
template <class T>
class thread_memory {
 public:
  /// The calling thread's T, made on first use. It stays where it is until the thread ends.
  static T& get() {
    T* const known = kept_;
    if (known != nullptr) [[likely]]
      return *known;
    return make();
  }
  /// nullptr if the thread has none.
  static T* find() { return kept_; }

 private:
  [[gnu::noinline]] static T& make() {
    auto fresh = std::make_unique<T>();
    destroy_after_thread([]() noexcept { delete std::exchange(kept_, nullptr); });
    kept_ = fresh.release();
    return *kept_;
  }

  // A plain pointer: reading it needs no check whether it is initialised, and nothing destroys it.
  static inline thread_local constinit T* kept_ = nullptr;
};

}  // namespace sinter::inline v0
