#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>

#include <sinter/runtime/base/refused_code.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/file_descriptor.hpp>
#include <sinter/runtime/posix/loaded_object.hpp>

namespace sinter::runtime {
namespace {

[[noreturn]] void fail(const char* what, int error) {
  throw device_error(std::string("compiled code could not be put into a file in memory: ") + what + ": " +
                     std::strerror(error));
}

// A file without a name in any folder; what is mapped from it stays when it is closed.
file_descriptor memory_file(std::string_view bytes) {
  file_descriptor made(::memfd_create("sinter-kernel", MFD_CLOEXEC));
  if (!made) fail("memfd_create", errno);
  if (const int error = write_all(made.get(), bytes); error != 0) fail("write", error);
  return made;
}

// The loader takes a path that it has seen for the object it has loaded, and descriptors are numbered anew
// when closed: each load spells the path in a way of its own, the bits of the file's inode number as "./" or
// "/". What is loaded keeps its inode, so no other file in memory has that number meanwhile, whoever made it:
// another copy of this library in the process included. (The loader itself tells files apart by it.)
std::string unique_path(int descriptor) {
  struct stat about{};
  if (fstat(descriptor, &about) != 0) fail("fstat", errno);
  std::string path = "/proc/self/fd/";
  for (auto rest = static_cast<std::uint64_t>(about.st_ino); rest != 0; rest >>= 1)
    path += (rest & 1) != 0 ? "./" : "/";
  return path + std::to_string(descriptor);
}

}  // namespace

loaded_object::loaded_object(std::string_view bytes) {
  const file_descriptor file = memory_file(bytes);
  handle_ = dlopen(unique_path(file.get()).c_str(), RTLD_NOW | RTLD_LOCAL);
  if (handle_ != nullptr) return;
  const char* answer = dlerror();
  throw refused_code(
      std::string("the system's loader refused compiled code (is /proc mounted, and may memory be "
                  "executable?): ") +
      (answer != nullptr ? answer : "no reason given"));
}

loaded_object::~loaded_object() {
  if (handle_ != nullptr) dlclose(handle_);
}

void* loaded_object::symbol(const char* name) const noexcept { return dlsym(handle_, name); }

}  // namespace sinter::runtime
