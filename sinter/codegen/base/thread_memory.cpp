#include <pthread.h>

#include <atomic>
#include <vector>

#include <sinter/codegen/base/thread_memory.hpp>

namespace sinter::inline v0 {
namespace {

using destroy_list = std::vector<void (*)() noexcept>;

thread_local constinit destroy_list* list_of_thread = nullptr;

// Memory that is asked for meanwhile gets a list of its own, for which the system calls this again: a few
// times, so that two destructors that need each other cannot go on for ever.
void end_thread(void* list) {
  const std::unique_ptr<destroy_list> ended(static_cast<destroy_list*>(list));
  list_of_thread = nullptr;
  for (; !ended->empty(); ended->pop_back()) ended->back()();
}

// A key, because its destructors run after those of all thread_local objects, and not when the process ends.
struct thread_key {
  pthread_key_t key{};
  std::atomic<bool> is_valid = false;
  thread_key() { is_valid = pthread_key_create(&key, end_thread) == 0; }
};

thread_key& process_key() {
  static thread_key& only = *new thread_key;
  return only;
}

// Without this, threads would run unloaded code when they end after Sinter was unloaded with the library that
// it is linked into. Their memory is lost then.
[[gnu::destructor]] void forget_key() {
  if (process_key().is_valid.exchange(false)) pthread_key_delete(process_key().key);
}

}  // namespace

void destroy_after_thread(void (*destroy)() noexcept) {
  if (list_of_thread == nullptr) {
    auto fresh = std::make_unique<destroy_list>();
    // Where the system has no key left, the memory is never destroyed.
    if (process_key().is_valid) pthread_setspecific(process_key().key, fresh.get());
    list_of_thread = fresh.release();
  }
  list_of_thread->push_back(destroy);
}

}  // namespace sinter::inline v0
