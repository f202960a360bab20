#pragma once
// Shared code for reading and writing through descriptors, for the files of this folder.

#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace sinter::inline v0::runtime {

/// An open file, closed with its owner.
class file_descriptor {
 public:
  file_descriptor() = default;
  explicit file_descriptor(int number) : number_(number) {}
  file_descriptor(file_descriptor&& other) noexcept : number_(std::exchange(other.number_, -1)) {}
  file_descriptor& operator=(file_descriptor&& other) noexcept {
    std::swap(number_, other.number_);
    return *this;
  }
  ~file_descriptor() { close(); }

  int get() const { return number_; }
  explicit operator bool() const { return number_ >= 0; }
  /// Closes it now: 0 or an errno. Some file systems report failed writes only here.
  int close() {
    if (number_ < 0) return 0;
    return ::close(std::exchange(number_, -1)) == 0 ? 0 : errno;
  }

 private:
  int number_ = -1;
};

/// A system call, repeated while signals interrupt it.
template <class Call>
auto retried(const Call& call) {
  auto answer = call();
  while (answer < 0 && errno == EINTR) answer = call();
  return answer;
}

/// Writes all of the bytes: 0 or an errno.
inline int write_all(int to, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = retried([&] { return ::write(to, bytes.data(), bytes.size()); });
    if (written < 0) return errno;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return 0;
}

/// Reads `size` bytes of a regular file from an offset on, fewer at its end: 0 or an errno.
inline int read_all(int from, std::uint64_t offset, std::uint64_t size, std::string& bytes) {
  bytes.resize(static_cast<std::size_t>(size));
  std::size_t have = 0;
  while (have < bytes.size()) {
    const ssize_t count = retried([&] {
      return ::pread(from, bytes.data() + have, bytes.size() - have, static_cast<off_t>(offset + have));
    });
    if (count < 0) return errno;
    if (count == 0) break;
    have += static_cast<std::size_t>(count);
  }
  bytes.resize(have);
  return 0;
}

}  // namespace sinter::inline v0::runtime
