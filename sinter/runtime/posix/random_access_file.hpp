#pragma once

#include <cstdint>
#include <string>

namespace sinter::runtime {

/// A file that is read piece by piece, from any thread. It is never mapped: one that is cut short while it is
/// open makes reading fail and nothing else.
class random_access_file {
 public:
  random_access_file() = default;
  random_access_file(random_access_file&& other) noexcept;
  random_access_file& operator=(random_access_file&& other) noexcept;
  random_access_file(const random_access_file&) = delete;
  random_access_file& operator=(const random_access_file&) = delete;
  ~random_access_file();

  /// Opens a regular file. "" or what the system said.
  std::string open(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }
  /// When it was opened.
  std::uint64_t size() const { return size_; }
  /// `size` bytes from `offset` on, all of them. "" or why not.
  std::string read(std::uint64_t offset, std::uint64_t size, std::string& bytes) const;

 private:
  int descriptor_ = -1;
  std::uint64_t size_ = 0;
};

}  // namespace sinter::runtime
