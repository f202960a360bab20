// Computes in destructors of objects that end with a thread, with the program or with a library. Its word is
// one of scenarios.inc.

#include "late_object.hpp"

#include <dlfcn.h>
#include <pthread.h>

#include <chrono>
#include <string_view>
#include <thread>

using namespace sinter;
using namespace sinter::test;

namespace {

// Constructed before anything of Sinter is used, and destroyed after what was constructed later.
array<float, 1> global_array;
late_object<1> global;
thread_local late_object<2> of_thread;

void use() { compute<0>("before", counted(short_length)); }

void share_global_array() {
  global_array = counted(short_length);
  shared_array = &global_array;
}

void global_never_used() { global.when = "program"; }
void global_before_use() {
  global.when = "program";
  share_global_array();
  use();
}
void global_after_use() {
  use();
  static late_object<1> later;
  later.when = "program";
}

void on_main_thread_before_use() {
  of_thread.when = "thread";
  global.when = "program";
  share_global_array();
  use();
}
void on_main_thread_after_use() {
  share_global_array();
  use();
  of_thread.when = "thread";
}
void on_thread_never_used() {
  std::thread([] { of_thread.when = "thread"; }).join();
}
void on_thread_before_use() {
  share_global_array();
  std::thread([] {
    of_thread.when = "thread";
    use();
  }).join();
}
void on_thread_after_use() {
  share_global_array();
  std::thread([] {
    use();
    of_thread.when = "thread";
  }).join();
}

// Keys are destroyed after every thread_local object, and after keys that are older: the library's is older
// where it was used before.
void with_thread_key(bool used_before) {
  if (used_before) use();
  pthread_key_t key = 0;
  pthread_key_create(&key, [](void* object) { delete static_cast<late_object<3>*>(object); });
  std::thread([key, used_before] {
    if (used_before) use();
    pthread_setspecific(key, new late_object<3>{"key"});
    if (!used_before) use();
  }).join();
}

void by_thread_key_before_use() { with_thread_key(false); }
void by_thread_key_after_use() { with_thread_key(true); }

void exit_from_thread() {
  share_global_array();
  use();
  global.when = "program";
  std::thread([] {
    use();
    of_thread.when = "thread";
    std::exit(0);
  }).join();
}

// Another thread computes for as long as the program lasts.
void exit_beside_thread() {
  share_global_array();
  use();
  global.when = "program";
  std::thread([] {
    for (;;) {
      const auto doubled = fuse([](auto a) { return a + a; })(counted(short_length));
      if (doubled.to_vector().at(3) != 6) fail("beside", "stateless", "wrong");
    }
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

void close(void* library) {
  if (dlclose(library) != 0) fail("close", "dlclose", dlerror());
  tell("close", "all", "done");
}
template <class Function>
Function* function_of(void* library, const char* name) {
  void* const found = dlsym(library, name);
  if (found == nullptr) fail("open", name, dlerror());
  return reinterpret_cast<Function*>(found);
}
void* open_library() {
  void* const library = dlopen(SINTER_LIFETIME_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) fail("open", "dlopen", dlerror());
  return library;
}

// The main thread's objects hold the library until the process ends.
void unload() {
  void* const library = open_library();
  function_of<void()>(library, "lifetime_use")();
  close(library);
}
// The rest computes inside dlclose(), where a thread holds the loader's lock.
void unload_used_on_thread() {
  void* const library = open_library();
  std::thread(function_of<void()>(library, "lifetime_use")).join();
  close(library);
}
void unload_never_used() {
  void* const library = open_library();
  function_of<void()>(library, "lifetime_expect")();
  close(library);
}

}  // namespace

int main(int words, char** word) {
  const std::string_view wanted = words > 1 ? word[1] : "";
#define SCENARIO(name, ...) \
  if (wanted == #name) return name(), 0;
#include "scenarios.inc"
#undef SCENARIO
  fail("main", "scenario", "there is none of that name");
}
