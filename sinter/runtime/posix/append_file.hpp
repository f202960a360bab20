#pragma once

#include <string>
#include <string_view>

namespace sinter::runtime {

/// A file that grows: several processes and threads may append to it at once.
class append_file {
 public:
  append_file() = default;
  append_file(append_file&& other) noexcept;
  append_file& operator=(append_file&& other) noexcept;
  append_file(const append_file&) = delete;
  append_file& operator=(const append_file&) = delete;
  ~append_file();

  /// Opens it, made where it is not there. "" or what the system said.
  std::string open(const std::string& path);
  explicit operator bool() const { return descriptor_ >= 0; }
  /// Appends by one write, so that what others append stays whole. "" or what the system said; then a part
  /// of `bytes` may be there.
  std::string append(std::string_view bytes) const;

 private:
  int descriptor_ = -1;
};

}  // namespace sinter::runtime
