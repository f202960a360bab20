#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>

#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/file_descriptor.hpp>
#include <sinter/runtime/posix/files.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

namespace sinter::inline v0::runtime {
namespace {

[[noreturn]] void fail(const std::string& path, const char* done, const char* reason) {
  throw device_error("file " + path + " could not be " + done + ": " + reason);
}

}  // namespace

std::string read_whole_file(const std::string& path) {
  const file_descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  struct stat about{};
  if (!file || ::fstat(file.get(), &about) != 0) fail(path, "read", std::strerror(errno));
  if (!S_ISREG(about.st_mode)) fail(path, "read", "it is not a regular file");
  std::string bytes;
  if (const int error = read_all(file.get(), 0, static_cast<std::uint64_t>(about.st_size), bytes); error != 0)
    fail(path, "read", std::strerror(error));
  return bytes;
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  const std::filesystem::path target(path);
  folder in;
  file_answer answer = folder::open(target.has_parent_path() ? target.parent_path().string() : ".",
                                    folder_access::shared, false, in);
  unpublished_file temporary;
  if (answer) answer = in.begin(target.filename().string(), bytes.size(), temporary);
  if (answer) answer = temporary.publish(bytes);
  if (!answer) fail(path, "written", std::strerror(answer.error));
}

void make_secret_file(const std::string& path, std::string_view bytes) {
  file_descriptor file(::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file) fail(path, "written", std::strerror(errno));
  int error = write_all(file.get(), bytes);
  if (const int closed = file.close(); error == 0) error = closed;
  if (error == 0) return;
  ::unlink(path.c_str());
  fail(path, "written", std::strerror(error));
}

}  // namespace sinter::inline v0::runtime
