#pragma once

#include <string_view>

namespace sinter::runtime {

/// A shared object opened by the system's loader out of memory: compiled code for the CPU. Closed with it.
class loaded_object {
 public:
  /// Throws refused_code with what the loader said, or device_error where there is no memory for it.
  explicit loaded_object(std::string_view bytes);
  loaded_object(const loaded_object&) = delete;
  loaded_object& operator=(const loaded_object&) = delete;
  ~loaded_object();

  /// The address of a symbol, or nullptr.
  void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
};

}  // namespace sinter::runtime
