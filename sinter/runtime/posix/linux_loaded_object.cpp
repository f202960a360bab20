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
#include <sinter/runtime/posix/loaded_object.hpp>

namespace sinter::runtime {
namespace {

// A file without a name in any folder, closed with the scope; what is mapped from it stays.
class memory_file {
 public:
  explicit memory_file(std::string_view bytes) : descriptor_(memfd_create("sinter-kernel", MFD_CLOEXEC)) {
    if (descriptor_ < 0) fail("memfd_create");
    while (!bytes.empty()) {
      const ssize_t written = write(descriptor_, bytes.data(), bytes.size());
      if (written > 0) bytes.remove_prefix(static_cast<std::size_t>(written));
      if (written > 0 || errno == EINTR) continue;
      const int reason = errno;
      close(descriptor_);
      errno = reason;
      fail("write");
    }
  }
  memory_file(const memory_file&) = delete;
  memory_file& operator=(const memory_file&) = delete;
  ~memory_file() { close(descriptor_); }

  int descriptor() const { return descriptor_; }

 private:
  [[noreturn]] static void fail(const char* what) {
    throw device_error(std::string("compiled code could not be put into a file in memory: ") + what + ": " +
                       std::strerror(errno));
  }
  int descriptor_;
};

// The loader takes a path that it has seen for the object it has loaded, and descriptors are numbered anew
// when closed: each load spells the path in a way of its own, the bits of the file's inode number as "./" or
// "/". What is loaded keeps its inode, so no other file in memory has that number meanwhile, whoever made it:
// another copy of this library in the process included. (The loader itself tells files apart by it.)
std::string unique_path(int descriptor) {
  struct stat about{};
  if (fstat(descriptor, &about) != 0)
    throw device_error(std::string("compiled code could not be put into a file in memory: fstat: ") +
                       std::strerror(errno));
  std::string path = "/proc/self/fd/";
  for (auto rest = static_cast<std::uint64_t>(about.st_ino); rest != 0; rest >>= 1)
    path += (rest & 1) != 0 ? "./" : "/";
  return path + std::to_string(descriptor);
}

}  // namespace

loaded_object::loaded_object(std::string_view bytes) {
  const memory_file file(bytes);
  handle_ = dlopen(unique_path(file.descriptor()).c_str(), RTLD_NOW | RTLD_LOCAL);
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
