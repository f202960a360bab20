#pragma once
// Preparing calls in the background.
//
// Threads: any thread may call these at any time.
// Throws: prepare_async() shape_error, type_error or device_error for its arguments, at once; get() what the
// compile threw, and error after cancel().
// After a failure: nothing is compiled for a call that threw; kernels that were compiled stay.

#include <sinter/codegen/base/export.hpp>
#include <sinter/runtime/call.hpp>

#include <span>

namespace sinter::inline v0 {

namespace runtime {
class preparation_state;
}

/// The result of prepare_async(): kernels that background threads of Sinter compile and load
/// (set_compile_threads()). A call that needs one of them meanwhile waits for that same compile. Copies refer
/// to the same preparation; it continues when the last copy is destroyed. Safe from any thread.
class SINTER_API preparation {
 public:
  /// An empty preparation, which is ready.
  preparation() = default;
  preparation(const preparation& other) noexcept;
  preparation(preparation&& other) noexcept : state_(other.state_) { other.state_ = nullptr; }
  preparation& operator=(preparation other) noexcept;
  ~preparation();

  /// Whether it is complete, has failed or was cancelled.
  bool ready() const;
  /// Waits until ready(). A queued preparation moves to the front of the queue.
  void wait() const;
  /// Waits, then throws the preparation's exception (compile_error, device_error, out_of_memory), or `error`
  /// if it was cancelled.
  void get() const;
  /// Returns true if the preparation has not begun; it then never does. Else it continues, and its kernels
  /// stay. Either way all waiting threads are released.
  bool cancel() const;

 private:
  friend class runtime::preparation_state;
  explicit preparation(runtime::preparation_state* state) : state_(state) {}
  // Intrusive count: <memory> would cost every file that includes Sinter.
  runtime::preparation_state* state_ = nullptr;
};

namespace runtime {

/// prepare() in the background. Arguments are checked and copied before it returns (shape_error, type_error,
/// device_error). The elements of arrays are never read, and the arrays may be freed at once.
SINTER_API preparation prepare_async(const function_handle& called, std::span<const operand> operands,
                                     std::span<const scalar> scalars, const call_options& options = {},
                                     std::span<const operand> into = {});

/// prepare_ranges() in the background.
SINTER_API preparation prepare_ranges_async(const function_handle& called, std::span<const operand> operands,
                                            std::span<const scalar> scalars,
                                            std::span<const std::span<const axis_range>> ranges,
                                            const call_options& options = {});

}  // namespace runtime
}  // namespace sinter::inline v0
