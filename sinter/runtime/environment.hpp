#pragma once
// Environments as calls and scopes name them. What they set is in sinter/environment.hpp.
//
// Threads: any thread may copy and use an environment; a scope is the thread's that made it, and ends there.
// Throws: device_error and error from the constructor with settings; nothing else fails.
// After a failure: no environment has been made.

#include <sinter/codegen/base/export.hpp>

namespace sinter::inline v0 {

struct environment_settings;

namespace runtime {
struct environment_state;
}

/// What calls use beside their arguments: memory, log hook, compile policy, cache, the CPU's threads. Copies
/// are one environment; it never changes, and all of it is safe from any thread. It lives as long as a copy,
/// or work in the background that was begun in it; calls and scopes refer to it.
class SINTER_API environment {
 public:
  /// The process's.
  constexpr environment() = default;
  /// Throws device_error for a resource whose memory its devices cannot use, and for a malformed key of
  /// packs; error for a parallel_for without threads.
  explicit environment(const environment_settings& settings);
  environment(const environment& other) noexcept;
  environment(environment&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  environment& operator=(environment other) noexcept {
    const runtime::environment_state* const mine = state_;
    state_ = other.state_;
    other.state_ = mine;
    return *this;
  }
  ~environment() {
    if (state_ != nullptr) let_go();
  }
  /// The one whose scope this thread is in; the process's in none.
  static environment current() noexcept;

 private:
  friend class environment_scope;
  void let_go() noexcept;

  const runtime::environment_state* state_ = nullptr;  ///< nullptr: the process's
};

/// Until its end, everything that this thread does is in an environment: calls, arrays, expressions, what is
/// compiled. Scopes nest. The environment outlives the scope; a call in it that has one of its own, `.in(…)`,
/// is in that one.
class SINTER_RESULT_API environment_scope {
 public:
  explicit environment_scope(const environment& inside) noexcept;
  explicit environment_scope(environment&&) = delete;
  environment_scope(const environment_scope&) = delete;
  environment_scope& operator=(const environment_scope&) = delete;
  ~environment_scope();

 private:
  const runtime::environment_state* outer_;
};

}  // namespace sinter::inline v0
