#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::runtime {
namespace {

[[noreturn]] void fail(const std::string& path, const char* reason) {
  throw device_error("file " + path + " could not be read: " + reason);
}

struct open_file {
  explicit open_file(const std::string& path) : descriptor(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;
  ~open_file() {
    if (descriptor >= 0) close(descriptor);
  }
  int descriptor;
};

}  // namespace

std::string read_whole_file(const std::string& path) {
  const open_file file(path);
  struct stat about{};
  if (file.descriptor < 0 || fstat(file.descriptor, &about) != 0) fail(path, std::strerror(errno));
  if (!S_ISREG(about.st_mode)) fail(path, "it is not a regular file");
  std::string bytes(static_cast<std::size_t>(about.st_size), '\0');
  std::size_t filled = 0;
  while (filled < bytes.size()) {
    const ssize_t count = read(file.descriptor, bytes.data() + filled, bytes.size() - filled);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) fail(path, std::strerror(errno));
    if (count == 0) break;
    filled += static_cast<std::size_t>(count);
  }
  bytes.resize(filled);
  return bytes;
}

}  // namespace sinter::runtime
