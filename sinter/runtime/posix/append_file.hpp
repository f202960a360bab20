#pragma once

#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// A file to which several processes and threads may append concurrently.
class append_file {
 public:
  append_file() = default;
  append_file(append_file&& other) noexcept;
  append_file& operator=(append_file&& other) noexcept;
  append_file(const append_file&) = delete;
  append_file& operator=(const append_file&) = delete;
  ~append_file();

  /// Opens the file, creating it if needed. Returns "" or the system's message.
  std::string open(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Appends with one write, so that concurrent appends are not interleaved. Returns "" or the system's
  /// message; on failure a part of `bytes` may be in the file.
  std::string append(std::string_view bytes) const;

 private:
  int descriptor_ = -1;
};

}  // namespace sinter::inline v0::runtime
