#pragma once

#include <string_view>

namespace sinter::inline v0::runtime {

/// A shared object that the system's loader opens from memory: compiled code for the CPU. Closed by the
/// destructor.
class loaded_object {
 public:
  /// Throws refused_code with the loader's message, or device_error if there is no memory for it.
  explicit loaded_object(std::string_view bytes);
  loaded_object(const loaded_object&) = delete;
  loaded_object& operator=(const loaded_object&) = delete;
  ~loaded_object();

  /// The address of a symbol, or nullptr.
  void* symbol(const char* name) const noexcept;

 private:
  void* handle_ = nullptr;
};

}  // namespace sinter::inline v0::runtime
