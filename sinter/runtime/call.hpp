#pragma once
// The erased core that every front door calls: a recorded function, its operands, and one entry that runs it.

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/nest/lowering_variant.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/device.hpp>
#include <sinter/runtime/stream.hpp>

#include <cstddef>
#include <span>
#include <string>

namespace sinter::runtime {

/// An array as the core sees it. Extents and strides (in elements) are borrowed for the call.
struct operand {
  void* data = nullptr;
  const std::int64_t* extents = nullptr;
  const std::int64_t* strides = nullptr;
  element_type type{};
  std::uint8_t rank = 0;
  device where{};
};

/// A scalar argument: its bits in the type that the graph's parameter has.
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

/// A share in a function: it stays as long as somebody has one. The core itself keeps the functions that were
/// used lately, a bounded number of them. Counted by itself, since <memory> would cost every file that
/// includes Sinter.
class function_handle {
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

/// Finds or makes the function of this content (hashed, then compared in full). Takes a lock only when the
/// content is new to the calling thread. The graph is read, not kept.
function_handle intern(const graph& recorded);
/// Valid as long as the handle's function.
const graph& recorded_graph(const function_handle& handle);

/// How many functions the core keeps that nobody else has a share in (4,096 unless set): those that were
/// asked for least recently go first, and are made anew when they are asked for again.
void set_function_capacity(std::size_t functions);
/// How many functions there are, kept by the core or by their users.
std::size_t function_count();

/// How one call is to run. Everything is borrowed for the duration of the call.
struct call_options {
  const stream* on = nullptr;        ///< nullptr: the device's default stream
  const schedule* forced = nullptr;  ///< nullptr: chosen by the lowering pass
  std::span<std::byte>
      workspace{};  ///< device memory to use instead of allocating; used if it is large enough
  /// `shape_generic` runs, or with prepare() compiles, the kernels that serve every layout: those that calls
  /// fall back to where theirs are in no layer of the cache and cannot be compiled. It has no other
  /// schedules.
  lowering_variant variant = lowering_variant::specialised;
};

/// Runs `called`. `into` holds one operand per result, or is empty: then `results` (as many as the graph has
/// outputs) receive fresh arrays. Operand lists follow the graph's inputs and parameters.
///
/// All arrays are on one device, which is the stream's too; without any array the stream's, else the default
/// one. A result may share memory with inputs: it is written in place where every element read is the one
/// written, else computed aside and copied. Results that share memory with each other are written as if one
/// after the other. A result whose own elements share memory is a shape_error.
///
/// During capture into a CUDA graph a prepared call with `into` is captured; a call that had to allocate or
/// compile throws device_error before it touches the stream.
///
/// Where a kernel is in no layer of the cache and there is no compiler, the function's general variant serves
/// if its kernels are in one: the log hook is told once for each function.
///
/// Throws shape_error, type_error, device_error, out_of_memory, compile_error, execution_error; whatever is
/// thrown before the launch leaves everything as it was.
void call(const function_handle& called, std::span<const operand> operands, std::span<const scalar> scalars,
          std::span<const operand> into, std::span<result> results, const call_options& options = {});

/// Compiles and loads what call() would need with the same `into`, launches nothing.
void prepare(const function_handle& called, std::span<const operand> operands,
             std::span<const scalar> scalars, const call_options& options = {},
             std::span<const operand> into = {});

/// The extents, from `low` to `high`, that an axis may have. Axes of one number, which is not 0, always have
/// the same extent; 0 is an extent that does not vary.
struct axis_range {
  std::int64_t low = 0, high = 0;
  std::uint64_t number = 0;
};

/// Compiles and loads what call() with fresh results would need at any extents that the ranges allow, so that
/// no such call compiles; launches nothing. `ranges` has a list for each operand: one range per axis of an
/// operand that stands for a row-major array of its own, aligned as buffers are, whose data and extents are
/// not looked at; an empty one for an operand that is as given. Throws what prepare() throws, shape_error
/// only if no extents of the ranges go together.
void prepare_ranges(const function_handle& called, std::span<const operand> operands,
                    std::span<const scalar> scalars, std::span<const std::span<const axis_range>> ranges,
                    const call_options& options = {});

/// The graph, the stages, schedules, launch configuration, bytes moved and where the code came from. Compiles
/// as prepare() does; where that fails it says why. With a folder, what each step of the pass made is written
/// below it, as SINTER_DUMP has it for every call that is lowered (docs/architecture.md lists the files).
std::string explain(const function_handle& called, std::span<const operand> operands,
                    std::span<const scalar> scalars, const call_options& options = {},
                    std::span<const operand> into = {}, const std::string& dump = {});
/// The exact text that is compiled: of several kernels one after the other, each headed by a comment line.
/// Needs no compiler; a CUDA device must be there.
std::string source(const function_handle& called, std::span<const operand> operands,
                   std::span<const scalar> scalars, const call_options& options = {},
                   std::span<const operand> into = {});
/// The size of a workspace with which the call allocates nothing beside its results.
std::size_t workspace_bytes(const function_handle& called, std::span<const operand> operands,
                            std::span<const scalar> scalars, const call_options& options = {},
                            std::span<const operand> into = {});

}  // namespace sinter::runtime
