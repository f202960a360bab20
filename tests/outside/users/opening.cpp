// A program that opens two libraries with a Sinter inside each, which lie beside it, and closes the first
// before it uses the second again.
#include <dlfcn.h>

#include <cstdio>
#include <filesystem>
#include <string>

int main() {
  const std::string folder = std::filesystem::read_symlink("/proc/self/exe").parent_path();
  void* opened[2];
  int (*users[2])();
  for (int i = 0; i < 2; ++i) {
    const std::string name = "user_" + std::to_string(i + 1);
    opened[i] = dlopen((folder + "/lib" + name + ".so").c_str(), RTLD_NOW | RTLD_LOCAL);
    if (opened[i] == nullptr) return std::printf("%s\n", dlerror()), 1;
    users[i] = reinterpret_cast<int (*)()>(dlsym(opened[i], name.c_str()));
  }
  const int first = users[0](), second = users[1]();
  dlclose(opened[0]);
  const int again = users[1]();
  if (first == 31 && second == 32 && again == 32) return 0;
  std::printf("the libraries answered %d, %d and %d\n", first, second, again);
  return 1;
}
