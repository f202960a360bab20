#pragma once

#include <cstdint>
#include <string>

namespace sinter::inline v0::runtime {

/// A file that is read in parts, from any thread. It is never mapped, so that truncation of an open file only
/// makes reads fail.
class random_access_file {
 public:
  random_access_file() = default;
  random_access_file(random_access_file&& other) noexcept;
  random_access_file& operator=(random_access_file&& other) noexcept;
  random_access_file(const random_access_file&) = delete;
  random_access_file& operator=(const random_access_file&) = delete;
  ~random_access_file();

  /// Opens a regular file. Returns "" or the system's message.
  std::string open(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }
  /// The size at opening.
  std::uint64_t size() const { return size_; }
  /// Reads exactly `size` bytes from `offset` on. Returns "" or the reason of failure.
  std::string read(std::uint64_t offset, std::uint64_t size, std::string& bytes) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace sinter::inline v0::runtime
