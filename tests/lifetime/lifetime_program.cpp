// Computes in destructors of objects that end with a thread, with the program or with a library, for
// lifetime_test.cpp. The first word selects the case; the second one is the library's path.

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

// Keys are destroyed after every thread_local object.
void by_thread_key(bool used_before) {
  pthread_key_t key = 0;
  pthread_key_create(&key, [](void* object) { delete static_cast<late_object<3>*>(object); });
  std::thread([key, used_before] {
    if (used_before) use();
    pthread_setspecific(key, new late_object<3>{"key"});
    if (!used_before) use();
  }).join();
}

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
      if (doubled.to_vector().at(3) != 6) std::_Exit(1);
    }
  }).detach();
  std::this_thread::sleep_for(std::chrono::milliseconds(20));
}

// `use_in_library` is the library's lifetime_use().
void unload(const char* path, bool on_thread) {
  void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) return tell("library", "open", dlerror());
  const auto use_in_library = reinterpret_cast<void (*)()>(dlsym(library, "lifetime_use"));
  if (on_thread)
    std::thread(use_in_library).join();
  else
    use_in_library();
  dlclose(library);
  tell("library", "close", "done");
}

}  // namespace

int main(int words, char** word) {
  const std::string_view wanted = words > 1 ? word[1] : "";
  const char* library = words > 2 ? word[2] : "";
  if (wanted == "global_never_used") global_never_used();
  if (wanted == "global_before_use") global_before_use();
  if (wanted == "global_after_use") global_after_use();
  if (wanted == "on_main_thread_before_use") on_main_thread_before_use();
  if (wanted == "on_main_thread_after_use") on_main_thread_after_use();
  if (wanted == "on_thread_never_used") on_thread_never_used();
  if (wanted == "on_thread_before_use") on_thread_before_use();
  if (wanted == "on_thread_after_use") on_thread_after_use();
  if (wanted == "by_thread_key_before_use") by_thread_key(false);
  if (wanted == "by_thread_key_after_use") by_thread_key(true);
  if (wanted == "exit_from_thread") exit_from_thread();
  if (wanted == "exit_beside_thread") exit_beside_thread();
  if (wanted == "unload") unload(library, false);
  if (wanted == "unload_used_on_thread") unload(library, true);
}
