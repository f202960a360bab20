#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <type_traits>

namespace sinter::inline v0::runtime {

/// A shared library opened at run time; closed with its last owner, unless keep_open() was called.
class dynamic_library {
 public:
  /// How the library's own symbol references are resolved.
  enum class binding {
    ordinary,  ///< the system's default: the program's symbols come first
    isolated,  ///< its own symbols first, so that two copies of one library (LLVM) do not mix
  };

  /// Opens the first candidate that can be opened. Names without a slash use the system's search path. If
  /// none opens, `why` has the system's message for each.
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

  /// The opened candidate, as given.
  const std::string& name() const noexcept { return name_; }

  /// The library's file, if the system reports it; else the name.
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

/// One row of a table of functions loaded from a library: the symbol, the destination of its pointer, and
/// whether it is required.
struct library_function {
  const char* name;
  std::size_t offset;
  bool essential;
};

/// Fills the table's pointers, with nullptr for missing symbols. Returns the first required symbol that is
/// missing, or nullptr if there is none.
const char* fill_function_table(const dynamic_library& library, void* table,
                                std::span<const library_function> rows) noexcept;

}  // namespace sinter::inline v0::runtime
