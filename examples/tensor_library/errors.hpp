// The library's own exceptions, and how Sinter's become them.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <string_view>

namespace tensors {

/// The base of every exception of this library.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
class out_of_memory : public error {
 public:
  using error::error;
};

/// What is wrong with a formula, and where.
class formula_error : public error {
 public:
  enum class kind { syntax, name, type, shape };
  formula_error(kind what, std::string_view formula, std::size_t position, const std::string& message);

  kind what_kind() const { return kind_; }
  /// The number of characters before the fault.
  std::size_t position() const { return position_; }

 private:
  kind kind_;
  std::size_t position_;
};

/// Called in a catch block: throws the exception that is being handled as one of this library.
[[noreturn]] void rethrow();
/// The same for the part of a formula that begins at `position`.
[[noreturn]] void rethrow(std::string_view formula, std::size_t position);

}  // namespace tensors
