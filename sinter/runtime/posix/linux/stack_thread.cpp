#include <pthread.h>

#include <exception>

#include <sinter/runtime/posix/stack_thread.hpp>

namespace sinter::inline v0::runtime {
namespace {

struct job {
  const std::function<void()>& work;
  std::exception_ptr thrown;
};

void* run_job(void* argument) {
  job& todo = *static_cast<job*>(argument);
  try {
    todo.work();
  } catch (...) {
    todo.thrown = std::current_exception();
  }
  return nullptr;
}

}  // namespace

void run_with_stack(std::size_t stack_bytes, const std::function<void()>& work) {
  job todo{work, nullptr};
  pthread_attr_t attributes;
  bool started = false;
  if (pthread_attr_init(&attributes) == 0) {
    pthread_t thread;
    started = pthread_attr_setstacksize(&attributes, stack_bytes) == 0 &&
              pthread_create(&thread, &attributes, run_job, &todo) == 0;
    pthread_attr_destroy(&attributes);
    if (started) pthread_join(thread, nullptr);
  }
  if (!started) run_job(&todo);
  if (todo.thrown) std::rethrow_exception(todo.thrown);
}

}  // namespace sinter::inline v0::runtime
