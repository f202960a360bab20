#pragma once
// The core of sinter::sequence (sinter/sequence.hpp): calls that are recorded once and replayed together.
//
// Threads: one thread at a time uses a sequence; different sequences are independent.
// Throws: add() what prepare() throws (runtime/call.hpp); change() shape_error, type_error, device_error and
// error; run() device_error, out_of_memory, execution_error, and on the CPU index_error; all of them error
// after a move.
// After a failure: add() and change() leave the sequence as it was. run() keeps all steps: with index_error
// all of them have run; another exception leaves targets unspecified once steps run.

#include <sinter/runtime/call.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace sinter::inline v0::runtime {

class sequence_content;

/// Recorded calls on one device. Used by one thread at a time; move-only. An exception leaves it as it was.
class SINTER_API call_sequence {
 public:
  /// Makes no driver call.
  explicit call_sequence(device where);
  call_sequence(call_sequence&& other) noexcept : content_(other.content_) { other.content_ = nullptr; }
  call_sequence& operator=(call_sequence&& other) noexcept;
  ~call_sequence();

  /// Compiles and loads what the call needs, takes its workspace, and appends it. Runs nothing. Of the
  /// options it takes `forced`, `variant` and `memory`. `into` has a place for each result. Returns the
  /// step's number, from 0. Throws what prepare() throws, and shape_error where a result would need a
  /// temporary.
  std::size_t add(const function_handle& called, std::span<const operand> operands,
                  std::span<const scalar> scalars, std::span<const operand> into,
                  const call_options& options = {});
  /// Gives a step other operands and scalars: as many as there are, the first ones of the call's. Operands
  /// keep their layouts. Compiles nothing. Replays that were queued before keep what they had.
  void change(std::size_t step, std::span<const operand> operands, std::span<const scalar> scalars);

  /// The same, of a step that was added when id() was `id`. Throws error for a step of another sequence.
  void change_own(std::uint64_t id, std::size_t step, std::span<const operand> operands,
                  std::span<const scalar> scalars);

  /// Makes what run() needs beside the steps: on a GPU the graph. run() does it otherwise.
  void prepare();
  /// Runs all steps: on a GPU as one launch of a graph, on the CPU until they are done.
  void run(const stream& on);

  std::size_t size() const;
  /// The sequence's own in the process, which moves with its steps.
  std::uint64_t id() const;
  /// The function of a step, a number less than size().
  function_handle function_of(std::size_t step) const;
  device where() const;
  /// One line for each step: its function, its kernels, and the steps that it comes after.
  std::string explain() const;

 private:
  sequence_content& held() const;
  sequence_content* content_;
};

}  // namespace sinter::inline v0::runtime
