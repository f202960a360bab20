// No static object of this library is destroyed when the process ends: another thread may still be compiling,
// and the system frees what the destructors of LLVM, Clang and LLD would free. Every such destructor is
// registered through __cxa_atexit(), which is found here before the C library's.
//
// Objects of threads are destroyed after their thread, through __cxa_thread_atexit(). The C library's takes
// the loader's lock, which a thread that waits for this compile may hold: destructors of a library run inside
// dlclose(). LLD has such objects.

#include <pthread.h>

#include <memory>

namespace {

struct thread_object {
  void (*destroy)(void*);
  void* object;
  thread_object* before;
};

// A key's value is the object that was registered last.
void destroy_objects(void* last) {
  for (auto* each = static_cast<thread_object*>(last); each != nullptr;) {
    const std::unique_ptr<thread_object> now(each);
    each = now->before;
    now->destroy(now->object);
  }
}

// Where the system has no key left, the objects are never destroyed.
struct thread_key {
  pthread_key_t key{};
  bool is_valid = pthread_key_create(&key, destroy_objects) == 0;
};

}  // namespace

extern "C" {

int __cxa_atexit(void (*destroy)(void*), void* object, void* library);
int __cxa_atexit(void (*)(void*), void*, void*) { return 0; }

int __cxa_thread_atexit(void (*destroy)(void*), void* object, void* library);
int __cxa_thread_atexit(void (*destroy)(void*), void* object, void*) {
  static const thread_key of_threads;
  if (!of_threads.is_valid) return 0;
  auto* const before = static_cast<thread_object*>(pthread_getspecific(of_threads.key));
  auto fresh = std::make_unique<thread_object>(destroy, object, before);
  if (pthread_setspecific(of_threads.key, fresh.get()) == 0) static_cast<void>(fresh.release());
  return 0;
}

}  // extern "C"
