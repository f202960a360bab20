#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace sinter::runtime {

/// A shared library that was opened at run time; closed when the last owner goes, unless kept.
class dynamic_library {
 public:
  /// How the library's own references are resolved.
  enum class binding {
    ordinary,  ///< as the system does it: the program's symbols come first
    isolated,  ///< its own symbols first, so that two copies of one library (LLVM) do not mix
  };

  /// Opens the first candidate that opens. Names without a slash go through the system's search path. When
  /// none opens, `why` says for each what the system answered.
  static std::optional<dynamic_library> open(std::span<const std::string> candidates, std::string& why,
                                             binding how = binding::ordinary);

  dynamic_library(dynamic_library&& other) noexcept;
  dynamic_library& operator=(dynamic_library&& other) noexcept;
  dynamic_library(const dynamic_library&) = delete;
  dynamic_library& operator=(const dynamic_library&) = delete;
  ~dynamic_library();

  /// The address of a symbol, or nullptr.
  void* symbol(const char* name) const noexcept;

  /// A symbol as a function of the given type, or nullptr.
  template <class Function>
  Function* function(const char* name) const noexcept {
    static_assert(std::is_function_v<Function>, "give the function's type, as in function<int(float)>");
    return reinterpret_cast<Function*>(symbol(name));
  }

  /// The candidate that was opened, as it was given.
  const std::string& name() const noexcept { return name_; }

  /// The file behind it, where the system can tell; else the name.
  std::string file() const;

  /// Never closes it: for libraries with threads or exit handlers of their own, such as drivers.
  void keep_open() noexcept { kept_ = true; }

 private:
  dynamic_library(void* handle, std::string name);
  void close() noexcept;

  void* handle_ = nullptr;
  std::string name_;
  bool kept_ = false;
};

/// One row of a table of functions that is filled from a library: the symbol, where its pointer goes, and
/// whether the table is of any use without it.
struct library_function {
  const char* name;
  std::size_t offset;
  bool essential;
};

/// Fills the table's pointers, nullptr where a symbol is missing. Returns the first essential symbol that is
/// missing, or nullptr when the table is usable.
const char* fill_function_table(const dynamic_library& library, void* table,
                                std::span<const library_function> rows) noexcept;

}  // namespace sinter::runtime
