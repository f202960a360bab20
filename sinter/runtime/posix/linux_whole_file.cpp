#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::runtime {
namespace {

[[noreturn]] void fail(const std::string& path, const char* reason, const char* done = "read") {
  throw device_error("file " + path + " could not be " + done + ": " + reason);
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

void write_whole_file(const std::string& path, std::string_view bytes) {
  const std::filesystem::path target(path);
  std::error_code failure;
  if (target.has_parent_path()) std::filesystem::create_directories(target.parent_path(), failure);
  if (failure) fail(path, failure.message().c_str(), "written");
  std::string name = path + ".XXXXXX";
  const int descriptor = mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) fail(path, std::strerror(errno), "written");
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t count = write(descriptor, bytes.data(), bytes.size());
    if (count >= 0)
      bytes.remove_prefix(static_cast<std::size_t>(count));
    else if (errno != EINTR)
      error = errno;
  }
  if (fchmod(descriptor, 0644) != 0 && error == 0) error = errno;
  if (close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0 && std::rename(name.c_str(), path.c_str()) != 0) error = errno;
  if (error == 0) return;
  unlink(name.c_str());
  fail(path, std::strerror(error), "written");
}

}  // namespace sinter::runtime
