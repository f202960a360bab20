#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <utility>

#include <sinter/runtime/posix/file_descriptor.hpp>
#include <sinter/runtime/posix/random_access_file.hpp>

namespace sinter::inline v0::runtime {

random_access_file::random_access_file(random_access_file&& other) noexcept
    : descriptor_(std::exchange(other.descriptor_, -1)), size_(other.size_) {}

random_access_file& random_access_file::operator=(random_access_file&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  std::swap(size_, other.size_);
  return *this;
}

random_access_file::~random_access_file() {
  if (descriptor_ >= 0) ::close(descriptor_);
}

std::string random_access_file::open(const std::string& path) {
  random_access_file made;
  // a pipe of that name must not block
  made.descriptor_ = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
  struct stat about{};
  if (!made || ::fstat(made.descriptor_, &about) != 0) return std::strerror(errno);
  if (!S_ISREG(about.st_mode)) return "it is not a regular file";
  made.size_ = static_cast<std::uint64_t>(about.st_size);
  *this = std::move(made);
  return {};
}

std::string random_access_file::read(std::uint64_t offset, std::uint64_t size, std::string& bytes) const {
  if (offset > size_ || size > size_ - offset) return "it was cut short";
  if (const int error = read_all(descriptor_, offset, size, bytes); error != 0) return std::strerror(error);
  return bytes.size() == size ? std::string() : "it was cut short";
}

}  // namespace sinter::inline v0::runtime
