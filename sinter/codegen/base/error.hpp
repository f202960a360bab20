#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>

/// The exceptions of Sinter. Each message names the operation and its operands, and says what to do.
namespace sinter::inline v0 {

// Visible on purpose: a program must be able to catch these across shared libraries built with hidden
// symbols.
#if defined(__GNUC__)
#define SINTER_VISIBLE __attribute__((visibility("default")))
#else
#define SINTER_VISIBLE
#endif

namespace detail {
/// Text that copies share, so that copying an exception cannot throw. Works as a shared_ptr, without
/// including <memory> in every file that includes Sinter.
class SINTER_VISIBLE shared_text {
 public:
  explicit shared_text(std::string text);
  shared_text(const shared_text& other) noexcept;
  shared_text& operator=(const shared_text& other) noexcept;
  ~shared_text();
  const std::string& get() const noexcept;

 private:
  struct block;
  block* block_;
};
}  // namespace detail

/// The base of every exception that Sinter throws.
class SINTER_VISIBLE error : public std::runtime_error {
 public:
  explicit error(const std::string& message);
  error(const error&) = default;
  error& operator=(const error&) = default;
  ~error() override;
};

/// Shapes, ranks, axes or indices do not fit together.
class SINTER_VISIBLE shape_error : public error {
 public:
  using error::error;
  ~shape_error() override;
};

/// An index that is a value is out of range. On a GPU it is found while a kernel runs, and thrown by what
/// waits for the stream next; results of calls since then are unspecified.
class SINTER_VISIBLE index_error : public shape_error {
 public:
  using shape_error::shape_error;
  ~index_error() override;
};

/// Element types do not fit together, or a scalar does not fit its type.
class SINTER_VISIBLE type_error : public error {
 public:
  using error::error;
  ~type_error() override;
};

/// A device, its driver, or a library that serves it is missing, too old, or refused a request.
class SINTER_VISIBLE device_error : public error {
 public:
  using error::error;
  ~device_error() override;
};

/// A named pack or cache entry is missing, damaged, or of another kind.
class SINTER_VISIBLE cache_error : public error {
 public:
  using error::error;
  ~cache_error() override;
};

/// An allocation failed. The call that threw changed nothing.
class SINTER_VISIBLE out_of_memory : public error {
 public:
  out_of_memory(const std::string& message, std::size_t requested_bytes, std::size_t free_bytes);
  ~out_of_memory() override;

  /// The number of bytes that were requested.
  std::size_t requested_bytes() const noexcept { return requested_bytes_; }
  /// The free bytes that the device reported just after the failure; 0 if unknown.
  std::size_t free_bytes() const noexcept { return free_bytes_; }

 private:
  std::size_t requested_bytes_;
  std::size_t free_bytes_;
};

/// Generated code did not compile. Carries the source and the compiler's log.
class SINTER_VISIBLE compile_error : public error {
 public:
  compile_error(const std::string& message, std::string source, std::string log);
  ~compile_error() override;

  /// The exact text that the compiler got.
  const std::string& source() const noexcept { return source_.get(); }
  /// The compiler's whole log.
  const std::string& log() const noexcept { return log_.get(); }

 private:
  detail::shared_text source_, log_;
};

/// A kernel failed to launch or while it ran.
class SINTER_VISIBLE execution_error : public error {
 public:
  explicit execution_error(const std::string& message, std::string kernel = {});
  ~execution_error() override;

  /// The kernel's name; empty if the failing kernel is unknown.
  const std::string& kernel() const noexcept { return kernel_.get(); }

 private:
  detail::shared_text kernel_;
};

#undef SINTER_VISIBLE

}  // namespace sinter::inline v0
