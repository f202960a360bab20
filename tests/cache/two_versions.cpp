// A program for two_versions_test.cpp without Sinter itself, which opens two plug-ins with different versions
// of it. Arguments: "one0" makes the first plug-in use its kernel 0, "two0" the second one, "both0" both
// concurrently.

#include <dlfcn.h>

#include <array>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <thread>

namespace {

using run_function = void(int number, char* told, std::size_t size);

void* opened(const char* name) {
  const std::string path = std::filesystem::read_symlink("/proc/self/exe").replace_filename(name);
  void* const library = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    std::printf("%s\n", ::dlerror());
    std::exit(1);
  }
  return library;
}

std::string run(void* plugin, int number) {
  std::array<char, 256> told{};
  reinterpret_cast<run_function*>(::dlsym(plugin, "sinter_plugin_run"))(number, told.data(), told.size());
  return told.data();
}

void run_both(void* one, void* two, int number) {
  std::string told_by_one;
  std::thread beside([&] { told_by_one = run(one, number); });
  const std::string told_by_two = run(two, number);
  beside.join();
  std::printf("one: %s\ntwo: %s\n", told_by_one.c_str(), told_by_two.c_str());
}

}  // namespace

int main(int count, char** arguments) {
  void* const one = opened("libplugin_of_sinter.so");
  void* const two = opened("libplugin_of_sinter_other_version.so");
  for (int i = 1; i < count; ++i) {
    const std::string what = arguments[i];
    const int number = what.back() - '0';
    if (what.starts_with("both"))
      run_both(one, two, number);
    else
      std::printf("%s: %s\n", what.substr(0, 3).c_str(),
                  run(what.starts_with("one") ? one : two, number).c_str());
  }
  return 0;
}
