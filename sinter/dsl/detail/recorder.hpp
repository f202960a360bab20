#pragma once
// The state that a thread keeps while it records. Internal; shared by recording.cpp and call_function.cpp.

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/dsl/detail/graph_steps.hpp>
#include <sinter/dsl/detail/recording.hpp>

#include <array>
#include <initializer_list>
#include <memory>
#include <utility>
#include <vector>

namespace sinter::inline v0::detail {

/// The same elements in the same layout.
bool same_operand(const runtime::operand& a, const runtime::operand& b);
/// Position of an operand in a list; the list's size if it is not there.
std::size_t index_of(std::span<const runtime::operand> operands, const runtime::operand& wanted);

/// A value that a body takes from the scope around it, and the input that stands for it in each body of a
/// node.
struct captured_value {
  std::uint64_t operand = 0;  ///< packed; a value of the scope around the body
  bool whole = false;         ///< an array of which the body takes elements
  std::array<node_id, 2> inputs{};
};

/// A body that is being recorded.
struct open_body {
  std::uint64_t number = 0;  ///< of the values that are made in it
  unsigned scope = 0;        ///< of its steps
  unsigned which = 0;        ///< 1: the second body of `when`
  operation owner{};         ///< whose body it is
  location at{};             ///< of that operation
  std::vector<captured_value> captured;
  std::size_t in_first = 0;  ///< so many of these are inputs of the first body
};

/// One graph being built. Its thread keeps it for later recordings, so that these allocate nothing.
struct recording {
  std::uint64_t number = 0;           ///< of the values of the innermost scope, where steps are recorded
  std::uint64_t function_number = 0;  ///< of the values of the function itself, around all bodies
  std::uint64_t scope = 0;            ///< the innermost scope, packed for a step
  std::vector<open_body> bodies;      ///< the first `depth` are open; the others keep their memory
  unsigned depth = 0;
  std::vector<std::uint64_t> ended;          ///< numbers of bodies that have ended
  std::vector<std::uint64_t> node_operands;  ///< working memory
  bool literals = false;                     ///< C++ scalars are written into the graph
  bool stateful = false;                     ///< met an array, a stateful function or a launch
  step_writer steps;
  step_sequence own_sequence;  ///< for a recording that no later one is compared with
  std::vector<runtime::operand> operands;
  std::vector<runtime::scalar> scalars;
  std::uint32_t parameters = 0;       ///< declared so far
  std::size_t arguments = 0;          ///< this many operands, the first ones, are borrowed from the caller
  std::vector<std::int64_t> layouts;  ///< extents and strides of the others: arrays may die before the launch
  std::vector<node_id> captured;      ///< the nodes of the others

  /// `along` is the sequence that the recording follows and becomes; nullptr for its own.
  void restart(const call_site& site, std::uint64_t fresh_number, bool write_literals, step_sequence* along);
  recorded_value made(const graph_step& step, std::span<const std::uint64_t> details = {}) {
    return {steps.take(step, details, scope), number};
  }
  /// The same in the function itself, around all bodies.
  recorded_value made_in_function(const graph_step& step, std::span<const std::uint64_t> details = {}) {
    return {steps.take(step, details), function_number};
  }
  /// Takes a step by which the function gets these parameters, up to two, and their values. Both or neither.
  recorded_value made_with(const graph_step& step, std::initializer_list<runtime::scalar> values) {
    if (scalars.capacity() - scalars.size() < values.size()) scalars.reserve(2 * scalars.capacity() + 16);
    const recorded_value result = made_in_function(step);
    for (const runtime::scalar value : values) scalars.push_back(value);
    parameters += static_cast<std::uint32_t>(values.size());
    return result;
  }
  /// Index of the operand; adds it if it is new.
  std::size_t capture(const runtime::operand& captured);
  /// Takes back the latest operand that capture() added.
  void drop_latest_capture();
};

/// Working memory of one call, besides the recording.
struct call_scratch {
  std::vector<array_layout> layouts;
  std::vector<result_layout> results;
  std::vector<std::uint64_t> key;
  std::vector<runtime::operand> operands;
};

/// The recordings of one thread, which has them as thread_memory<thread_state>.
struct thread_state {
  std::vector<std::unique_ptr<call_scratch>> scratches;  ///< by depth, as `kept`
  std::size_t scratch_depth = 0;
  std::vector<std::unique_ptr<recording>> kept;  ///< by depth
  std::size_t depth = 0;  ///< recordings in use: being recorded, or waiting for their launch
  recording* current = nullptr;
  known_sequences sequences;
  std::vector<buffer> retired;
  std::uint64_t next_number = 0, last_number = 0;

  std::uint64_t fresh_number();
};

/// Working memory for a scope. Calls within a call (from log hooks, allocators and functions that are being
/// recorded) have their own; the thread keeps the memory for later scopes.
class scratch_scope {
 public:
  scratch_scope();
  scratch_scope(const scratch_scope&) = delete;
  scratch_scope& operator=(const scratch_scope&) = delete;
  ~scratch_scope();
  call_scratch* operator->() const { return scratch_; }

 private:
  thread_state& state_;
  call_scratch* scratch_;
};
/// The current recording; nullptr if there is none.
inline recording* current_or_null() {
  const thread_state* const state = thread_memory<thread_state>::find();
  return state != nullptr ? state->current : nullptr;
}
[[noreturn]] void throw_no_recording();
/// The current recording. Throws error if there is none.
inline recording& current_recording() {
  recording* const current = current_or_null();
  if (current == nullptr) [[unlikely]]
    throw_no_recording();
  return *current;
}
/// A value of a scope around the innermost one, captured by the bodies between, and packed for a step. Throws
/// error for a value of another recording, and of a body that has ended.
std::uint64_t captured_operand(recording& at, const typed_value& operand);
/// The same for an array of which the innermost body takes elements at indices. Throws type_error for a value
/// that a body computes.
std::uint64_t captured_whole(recording& at, const typed_value& operand, const char* operation,
                             const location& where);
/// A value for the innermost scope, packed for a step. Throws error if the value belongs to another
/// recording.
inline std::uint64_t checked(recording& at, const typed_value& operand) {
  if (operand.value.recording != at.number) [[unlikely]]
    return captured_operand(at, operand);
  return packed(operand.value.id, operand.type, operand.rank);
}
[[noreturn]] void throw_not_of_function(const recording& at, const typed_value& operand,
                                        const char* operation, const location& where);
/// The same for an operation that takes whole arrays, and so is recorded in the function itself: a body is
/// elementwise. Throws type_error for a value that is computed in a body.
inline std::uint64_t checked_in_function(const recording& at, const typed_value& operand,
                                         const char* operation, const location& where) {
  if (operand.value.recording != at.function_number) [[unlikely]]
    throw_not_of_function(at, operand, operation, where);
  return packed(operand.value.id, operand.type, operand.rank);
}

/// One recording on the thread's stack. After leave() nothing records into it, but its content stays.
class frame {
 public:
  /// `follows`: the recording follows the one that the thread remembers for the same place.
  frame(const call_site& site, bool literals, bool follows = false)
      : state_(thread_memory<thread_state>::get()), parent_(state_.current) {
    if (state_.kept.size() == state_.depth) state_.kept.push_back(std::make_unique<recording>());
    recording_ = state_.kept[state_.depth].get();
    if (follows) sequence_ = state_.sequences.find({site.body, site.name, site.defined_at, site.mode});
    recording_->restart(site, state_.fresh_number(), literals, sequence_);
    if (sequence_ != nullptr) sequence_->in_use = true;
    ++state_.depth;
    state_.current = recording_;
  }
  frame(const frame&) = delete;
  frame& operator=(const frame&) = delete;
  ~frame() {
    leave();
    if (sequence_ != nullptr) sequence_->in_use = false;
    // storage released while recording was kept until this launch; freeing it may call the program's
    // allocator
    if (--state_.depth == 0 && !state_.retired.empty()) {
      const std::vector<buffer> retired = std::move(state_.retired);
      state_.retired.clear();
    }
  }
  void leave() { state_.current = parent_; }
  recording& operator*() const { return *recording_; }
  recording* operator->() const { return recording_; }

 private:
  thread_state& state_;
  recording* parent_;
  recording* recording_;
  step_sequence* sequence_ = nullptr;
};

}  // namespace sinter::inline v0::detail
