#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <sinter/runtime/posix/whole_file.hpp>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "../failure.hpp"
#include "pack_files.hpp"

namespace sinter::command {
namespace {

[[noreturn]] void fail(const std::string& path, int error) {
  throw failure(fmt::format("{} could not be written: {}", path, std::strerror(error)));
}

/// Makes a file that is not there and fills it; removed again if that fails.
void write_new(const std::string& path, std::string_view bytes, mode_t mode) {
  const int descriptor = ::open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (descriptor < 0) fail(path, errno);
  int error = 0;
  while (!bytes.empty() && error == 0) {
    const ssize_t count = ::write(descriptor, bytes.data(), bytes.size());
    if (count < 0 && errno != EINTR) error = errno;
    if (count > 0) bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  if (::close(descriptor) != 0 && error == 0) error = errno;
  if (error == 0) return;
  ::unlink(path.c_str());
  fail(path, error);
}

}  // namespace

std::shared_ptr<runtime::pack> open_pack(const std::string& path) {
  std::string fault;
  std::shared_ptr<runtime::pack> opened = runtime::pack::open(path, {}, fault);
  if (opened == nullptr)
    throw failure(fmt::format("pack '{}' cannot be used: {}", path, fault), exit_code::no);
  return opened;
}

void write_whole_file(const std::string& path, std::string_view bytes) {
  const std::string aside = fmt::format("{}.{}.tmp", path, ::getpid());
  write_new(aside, bytes, 0666);
  if (std::rename(aside.c_str(), path.c_str()) == 0) return;
  const int error = errno;
  ::unlink(aside.c_str());
  fail(path, error);
}

void write_secret_file(const std::string& path, std::string_view bytes) { write_new(path, bytes, 0600); }

pack_secret_key read_secret_key(const std::string& path) {
  const std::optional<pack_secret_key> key = parse_pack_secret_key(runtime::read_whole_file(path));
  if (!key)
    throw failure(fmt::format(
        "{} is no secret key, which has 64 hexadecimal digits; 'sinter pack keys' makes one", path));
  return *key;
}

}  // namespace sinter::command
