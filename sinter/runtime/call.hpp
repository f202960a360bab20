#pragma once
// The type-erased core that every front end calls: a recorded function, its operands, and one entry point
// that runs it.
//
// Threads: any thread may call these at any time; a result is written by one call at a time.
// Throws: shape_error, type_error, device_error, out_of_memory, compile_error, execution_error, error for a
// null handle; index_error from calls on the CPU.
// After a failure: before the first kernel, everything is as it was. Once kernels run (index_error, a launch
// that fails, std::bad_alloc while the CPU sorts), `into` is unspecified and `results` are as they were. A
// fault on a GPU is thrown later, by what waits for the stream. Kernels that were compiled stay.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/nest/lowering_variant.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// An array as the core sees it. Extents and strides (in elements) are borrowed for the call.
struct operand {
  void* data = nullptr;
  const std::int64_t* extents = nullptr;
  const std::int64_t* strides = nullptr;
  element_type type{};
  std::uint8_t rank = 0;
  device where{};
  allocation_record* record =
      nullptr;  ///< of owned GPU memory, borrowed; without it the order is the caller's
};

/// A scalar argument: its bits in the type of the graph's parameter.
using scalar = std::uint64_t;

/// A result that the call allocated: contiguous, row-major, `rank` extents.
struct result {
  buffer storage;
  element_type type{};
  std::uint8_t rank = 0;
  std::int64_t extents[32] = {};
};

/// A recorded function. Shared, immutable to its users, safe from any thread.
class function;

/// A reference-counted handle to a function, which lives as long as a handle to it exists. The core itself
/// holds the recently used functions, up to a fixed number. The count is in the function, because including
/// <memory> would cost every file that includes Sinter.
class SINTER_API function_handle {
 public:
  constexpr function_handle() = default;
  constexpr function_handle(std::nullptr_t) {}
  explicit function_handle(const function& shared) noexcept;
  function_handle(const function_handle& other) noexcept;
  function_handle(function_handle&& other) noexcept : function_(other.function_) {
    other.function_ = nullptr;
  }
  function_handle& operator=(function_handle other) noexcept {
    const function* const mine = function_;
    function_ = other.function_;
    other.function_ = mine;
    return *this;
  }
  ~function_handle() {
    if (function_ != nullptr) let_go();
  }

  const function& operator*() const { return *function_; }
  const function* operator->() const { return function_; }
  explicit operator bool() const { return function_ != nullptr; }
  bool operator==(const function_handle& other) const { return function_ == other.function_; }
  bool operator==(std::nullptr_t) const { return function_ == nullptr; }

 private:
  void let_go() noexcept;
  const function* function_ = nullptr;
};

/// Finds or makes the function with this content (hashed, then compared in full). Takes a lock only if the
/// content is new to the calling thread. The graph is read and not retained.
SINTER_API function_handle intern(const ir::graph& recorded);
/// The reference is valid as long as the handle's function.
SINTER_API const ir::graph& recorded_graph(const function_handle& handle);

/// Sets how many functions without other handles the core holds (4,096 by default). The least recently used
/// go first, and are made again when they are next requested.
SINTER_API void set_function_capacity(std::size_t functions);
/// The number of functions that exist, held by the core or by their users.
SINTER_API std::size_t function_count();

/// How one call runs. Everything is borrowed for the duration of the call.
struct call_options {
  const stream* on = nullptr;        ///< nullptr: the device's default stream
  const schedule* forced = nullptr;  ///< nullptr: chosen by the lowering pass
  std::span<std::byte>
      workspace{};  ///< device memory to use instead of allocating; used if it is large enough
  /// `shape_generic` runs (with prepare(): compiles) the kernels that serve every layout. Calls fall back to
  /// these if their specialised kernels are in no layer of the cache and cannot be compiled. This variant
  /// takes no forced schedule.
  lowering_variant variant = lowering_variant::specialised;
  /// The caller has ordered the stream after the work on other streams that uses the arrays: the call waits
  /// for none of it. Its own use of them is noted all the same.
  bool assume_ordered = false;
  /// Where results and workspace come from; nullptr: from the resource that is set for the device.
  const memory_resource* memory = nullptr;
};

/// Runs `called`. `into` holds one operand per result, or is empty: then `results` (one for each output of
/// the graph) receive new arrays. Operand lists follow the graph's inputs and parameters.
///
/// All arrays are on one device, the stream's. A call without arrays runs on the stream's device, else on the
/// default device. A result may share memory with inputs: it is written in place if each element written is
/// the one read, else it is computed into a temporary and copied. Results that share memory with each other
/// are written as if one after the other. A result whose own elements share memory is a shape_error.
///
/// A call waits, on the device, for work on other streams that shares memory with it, as far as the arrays
/// have records.
///
/// During capture into a CUDA graph, a prepared call is captured. Memory that it has to allocate is kept
/// until the graph is destroyed. A call that would have to compile, or to wait for work outside of the
/// capture, throws device_error before it touches the stream.
///
/// If a kernel is in no layer of the cache and there is no compiler, the function's shape-generic kernels
/// serve if a layer has them. The log hook is told once for each function.
///
/// Throws shape_error, type_error, device_error, out_of_memory, compile_error, execution_error. An exception
/// before the launch leaves everything as it was.
SINTER_API void call(const function_handle& called, std::span<const operand> operands,
                     std::span<const scalar> scalars, std::span<const operand> into,
                     std::span<result> results, const call_options& options = {});

/// Compiles and loads what call() would need with the same `into`; launches nothing.
SINTER_API void prepare(const function_handle& called, std::span<const operand> operands,
                        std::span<const scalar> scalars, const call_options& options = {},
                        std::span<const operand> into = {});

/// The extents, from `low` to `high`, that an axis may have. Axes with the same nonzero number always have
/// equal extents; an axis with number 0 is independent.
struct axis_range {
  std::int64_t low = 0, high = 0;
  std::uint64_t number = 0;
};

/// Compiles and loads what call() with new results needs at any extents in the ranges, so that no such call
/// compiles; launches nothing. `ranges` has a list for each operand. A list with one range per axis stands
/// for a separate row-major array, aligned as buffers are; data and extents of that operand are ignored. An
/// empty list means the operand as given. Throws what prepare() throws; throws shape_error only if no extents
/// in the ranges are compatible.
SINTER_API void prepare_ranges(const function_handle& called, std::span<const operand> operands,
                               std::span<const scalar> scalars,
                               std::span<const std::span<const axis_range>> ranges,
                               const call_options& options = {});

/// The graph, the stages, schedules, launch configuration, bytes moved and the origin of the code. Compiles
/// as prepare() does, and reports the reason if that fails. With a folder, each step of the pass writes its
/// output below it, as SINTER_DUMP does for every call that is lowered (docs/architecture.md lists the
/// files).
SINTER_API std::string explain(const function_handle& called, std::span<const operand> operands,
                               std::span<const scalar> scalars, const call_options& options = {},
                               std::span<const operand> into = {}, const std::string& dump = {});
/// What source() shows of each kernel.
enum class kernel_listing : std::uint8_t {
  source,  ///< the exact text that is compiled; needs no compiler
  ptx,     ///< what NVRTC makes of it; device_error on the CPU
  /// On a GPU the machine code that nvdisasm or cuobjdump prints of the kernel, which is found in a cache or
  /// compiled; on the CPU what its compiler writes. Throws device_error that names the programs if neither is
  /// there.
  assembly,
};
/// The kernels as text. Several follow one another, each headed by a comment line, in which rows that the
/// runtime sorts are told of as well. A CUDA device must be present.
SINTER_API std::string source(const function_handle& called, std::span<const operand> operands,
                              std::span<const scalar> scalars, const call_options& options = {},
                              std::span<const operand> into = {},
                              kernel_listing listing = kernel_listing::source);
/// The same for a GPU that need not be here, by the name of its model
/// (sinter/codegen/target/known_devices.cpp). The devices of the operands are not looked at. Throws
/// device_error for an unknown model.
SINTER_API std::string explain_for(std::string_view model, const function_handle& called,
                                   std::span<const operand> operands, std::span<const scalar> scalars,
                                   const call_options& options = {});
SINTER_API std::string source_for(std::string_view model, const function_handle& called,
                                  std::span<const operand> operands, std::span<const scalar> scalars,
                                  const call_options& options = {},
                                  kernel_listing listing = kernel_listing::source);
/// The workspace size, in bytes, with which the call allocates nothing except its results.
SINTER_API std::size_t workspace_bytes(const function_handle& called, std::span<const operand> operands,
                                       std::span<const scalar> scalars, const call_options& options = {},
                                       std::span<const operand> into = {});

}  // namespace sinter::inline v0::runtime
