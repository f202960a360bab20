#pragma once
// Preparing calls beside the work of the program.

#include <sinter/runtime/call.hpp>

#include <span>

namespace sinter {

namespace runtime {
class preparation_state;
}

/// What prepare_async() has begun: kernels that are compiled and loaded by threads of Sinter's own
/// (set_compile_threads()). A call that needs one of them meanwhile waits for that very compile. Copies stand
/// for the same preparation; dropping the last one lets it go on. Safe from any thread.
class preparation {
 public:
  /// Of nothing: ready.
  preparation() = default;
  preparation(const preparation& other) noexcept;
  preparation(preparation&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  preparation& operator=(preparation other) noexcept;
  ~preparation();

  /// Whether there is nothing to wait for any more: it is done, has failed or was cancelled.
  bool ready() const;
  /// Waits for that. A preparation that waits in line goes to its head.
  void wait() const;
  /// Waits, and throws what the preparation threw (compile_error, device_error, out_of_memory), or `error` if
  /// it was cancelled.
  void get() const;
  /// If it has not begun, it never does, and this is true. Else it goes on, and what it compiles is kept.
  /// Either way whoever waits for it is released.
  bool cancel() const;

 private:
  friend class runtime::preparation_state;
  explicit preparation(runtime::preparation_state* state) : state_(state) {}
  // Counted by itself: <memory> would cost every file that includes Sinter.
  runtime::preparation_state* state_ = nullptr;
};

namespace runtime {

/// As prepare(), beside the work of the program. Arguments are checked and copied now (shape_error,
/// type_error, device_error); the elements of arrays are never looked at, and they may be gone by the time.
preparation prepare_async(const function_handle& called, std::span<const operand> operands,
                          std::span<const scalar> scalars, const call_options& options = {},
                          std::span<const operand> into = {});

/// As prepare_ranges(), likewise.
preparation prepare_ranges_async(const function_handle& called, std::span<const operand> operands,
                                 std::span<const scalar> scalars,
                                 std::span<const std::span<const axis_range>> ranges,
                                 const call_options& options = {});

}  // namespace runtime
}  // namespace sinter
