#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <sinter/runtime/posix/append_file.hpp>
#include <sinter/runtime/posix/file_descriptor.hpp>

namespace sinter::inline v0::runtime {

append_file::append_file(append_file&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}

append_file& append_file::operator=(append_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

append_file::~append_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string append_file::open(const std::string& path) {
  append_file made;
  made.descriptor_ = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0666);
  if (!made) return std::strerror(errno);
  *this = std::move(made);
  return {};
}

std::string append_file::append(std::string_view bytes) const {
  const ssize_t written = retried([&] { return ::write(descriptor_, bytes.data(), bytes.size()); });
  if (written < 0) return std::strerror(errno);
  // the rest is not written: another process's bytes may come between, and readers detect the truncation
  return static_cast<std::size_t>(written) == bytes.size() ? std::string() : "the file took only a part";
}

}  // namespace sinter::inline v0::runtime
