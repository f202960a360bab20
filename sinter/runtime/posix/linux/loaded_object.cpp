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

namespace sinter::inline v0::runtime {
namespace {

[[noreturn]] void fail(const char* what, int error) {
  throw device_error(std::string("compiled code could not be put into a file in memory: ") + what + ": " +
                     std::strerror(error));
}

// An anonymous file; its mappings stay when it is closed.
file_descriptor memory_file(std::string_view bytes) {
  file_descriptor made(::memfd_create("sinter-kernel", MFD_CLOEXEC));
  if (!made) fail("memfd_create", errno);
  if (const int error = write_all(made.get(), bytes); error != 0) fail("write", error);
  return made;
}

// The loader identifies an object by its path, and descriptor numbers are reused: so each load spells the
// path uniquely, with the bits of the file's inode number as "./" or "/". A loaded object keeps its inode, so
// that no other file in memory has that number meanwhile, including those of another copy of this library.
// (The loader itself compares inodes too.)
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

}  // namespace sinter::inline v0::runtime
