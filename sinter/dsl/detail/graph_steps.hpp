#pragma once
// The steps by which a function is recorded. A stateful function is recorded at each call, nearly always by
// the steps of its last recording: a step that equals the one at the cursor is taken as known, and no graph
// is built, hashed or compared. At the first other step the graph of the steps before it is built, and
// recording goes on as for a new function. Internal.

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>

#include <array>
#include <cstring>
#include <deque>
#include <source_location>
#include <span>
#include <string>
#include <vector>

namespace sinter::inline v0::detail {

enum class step_kind : std::uint8_t {
  apply,              ///< an operation on operands
  apply_with_scalar,  ///< on a value and a scalar, as `scalar`; operands[1]: the scalar is the first operand
  cast,               ///< to `type`
  scalar,             ///< a scalar of type `type` that meets `met`; its bits if it is a literal
  parameter,          ///< of type `type`
  input,              ///< of type `type`; payload: packed_input()
  view,               ///< details: the items
  coordinate,         ///< axis `payload`
  extent,             ///< axis `payload`
  external,           ///< payload: the function's address; details: the operands
  reduction,  ///< `type`, `met`: of computation and result; payload: what, options, axes; details: the order
  output,
  open_body,     ///< begins the graph of a body, in place of an earlier one of the same scope
  repeat,        ///< runs the body of the scope below; payload: number of states; details: the operands
  repeat_while,  ///< as repeat
  when,          ///< runs one of the two bodies of the scopes below; details: the operands
  reduce,        ///< combines by the body of the scope below; payload: a packed combining_request
  scan,          ///< as reduce; details: values, identities and what is captured
  part,  ///< arrays put together or taken apart; payload: a packed part_request; details: the operands
};

/// Numbers the graphs that are built at one time: 0 is the function, then the bodies by depth, two for each.
constexpr unsigned scope_below(unsigned scope, unsigned which = 0) { return (scope + 1) / 2 * 2 + 1 + which; }
/// A scope as a part of step_subject.
constexpr std::uint64_t packed_scope(unsigned scope) { return static_cast<std::uint64_t>(scope) << 48; }

/// What a step does, without its operands.
struct step_subject {
  step_kind kind{};
  operation op{};
  element_type type{}, met{};
  bool weak = false, literal = false;
  std::uint8_t count = 0;  ///< operands
  std::uint8_t scope = 0;  ///< whose graph the step is part of; step_writer::take sets it
};
/// In one word, which is made in a register: fields stored one by one and read as a word would stall.
constexpr std::uint64_t packed(const step_subject& what) {
  return static_cast<std::uint64_t>(what.kind) | static_cast<std::uint64_t>(what.op) << 8 |
         static_cast<std::uint64_t>(what.type) << 16 | static_cast<std::uint64_t>(what.met) << 24 |
         static_cast<std::uint64_t>(what.weak) << 32 | static_cast<std::uint64_t>(what.literal) << 33 |
         static_cast<std::uint64_t>(what.count) << 40 | packed_scope(what.scope);
}
constexpr step_subject unpacked(std::uint64_t what) {
  return {.kind = static_cast<step_kind>(what & 0xff),
          .op = static_cast<operation>(what >> 8 & 0xff),
          .type = static_cast<element_type>(what >> 16 & 0xff),
          .met = static_cast<element_type>(what >> 24 & 0xff),
          .weak = (what >> 32 & 1) != 0,
          .literal = (what >> 33 & 1) != 0,
          .count = static_cast<std::uint8_t>(what >> 40),
          .scope = static_cast<std::uint8_t>(what >> 48)};
}

/// The rank of an input, and whether it is an array of which a body takes elements.
constexpr std::uint64_t packed_input(unsigned rank, bool whole) {
  return rank | static_cast<std::uint64_t>(whole) << 8;
}
constexpr unsigned rank_of_input(std::uint64_t packed) { return static_cast<unsigned>(packed & 0xff); }
constexpr bool is_whole_input(std::uint64_t packed) { return packed >> 8 != 0; }

/// One step: what it does, to which operands, and the node that it makes. Operands are packed with their
/// types, because a conversion of a weak value may give the same node a strong type.
struct graph_step {
  std::uint64_t what = 0;  ///< a packed step_subject
  std::array<std::uint64_t, 3> operands{};
  std::uint64_t payload = 0;
  std::source_location at{};
  std::uint32_t details = 0;  ///< words beside the step
  node_id result = 0;
};

/// Most items of one view.
inline constexpr unsigned max_view_items = 64;

/// Where a function is recorded, and what else its graph depends on beside the steps.
struct recording_place {
  void (*body)(const void*) = nullptr;
  const char* name = nullptr;  ///< from intern_name
  std::source_location defined_at{};
  arithmetic_mode mode = arithmetic_mode::standard;
};

/// The steps of a finished recording, and the function that they make.
struct step_sequence {
  recording_place place;
  std::vector<graph_step> steps;
  std::vector<std::uint64_t> details;
  runtime::function_handle made;  ///< nullptr: the steps are not those of a finished recording
  bool in_use = false;            ///< by a recording, or a call that has not been launched
};

/// The sequences that a thread remembers: the latest for each of a bounded number of places.
class known_sequences {
 public:
  /// The sequence of the place, or an empty one for it; nullptr while another recording uses that.
  step_sequence* find(const recording_place& place);

 private:
  static constexpr std::size_t sets = 64, ways = 4;
  std::vector<step_sequence> all_;
  std::size_t next_ = 0;  ///< the way that is replaced next
};

/// Records a graph step by step, along a sequence.
class step_writer {
 public:
  /// Begins a recording at the sequence's place. It must outlive the recording.
  void restart(step_sequence& along);

  /// The node that a step makes in a packed scope; its own result and number of details are not read. Throws
  /// what graph_builder throws.
  node_id take(const graph_step& wanted, std::span<const std::uint64_t> details = {},
               std::uint64_t scope = 0) {
    if (next_ != end_) [[likely]] {
      const graph_step& known = *next_;
      if (is_same(known, wanted, details, scope)) [[likely]] {
        ++next_;
        next_detail_ += details.size();
        return known.result;
      }
    }
    return append(wanted, details, scope);
  }

  /// The function of the steps taken. It is looked up only if they are not those of the last recording.
  const runtime::function_handle& finish();
  /// The builder of the function, with the graph of the steps taken.
  graph_builder& builder();

 private:
  bool is_same(const graph_step& known, const graph_step& wanted, std::span<const std::uint64_t> details,
               std::uint64_t scope) const {
    // Every field but the result, combined before they are tested: one branch for a step.
    const std::uint64_t other =
        (known.what ^ (wanted.what | scope)) | (known.operands[0] ^ wanted.operands[0]) |
        (known.operands[1] ^ wanted.operands[1]) | (known.operands[2] ^ wanted.operands[2]) |
        (known.payload ^ wanted.payload) | (known.details ^ details.size());
    if (other != 0 || std::memcmp(&known.at, &wanted.at, sizeof known.at) != 0) return false;
    return details.empty() ||
           std::memcmp(along_->details.data() + next_detail_, details.data(), details.size_bytes()) == 0;
  }
  // Takes the step by value, so that its parts stay in registers until then.
  [[gnu::noinline]] node_id append(graph_step added, std::span<const std::uint64_t> details,
                                   std::uint64_t scope);
  bool is_matching() const { return next_ != nullptr; }
  std::size_t build(std::size_t taken);
  void leave_known_steps();
  void drop_remains();
  node_id perform(const graph_step& step, std::span<const std::uint64_t> details);
  node_id perform_with_bodies(const graph_step& step, std::span<const std::uint64_t> details);
  graph_builder& builder_of(unsigned scope);

  step_sequence* along_ = nullptr;
  const graph_step* next_ = nullptr;  ///< the cursor; nullptr once the steps differ from the known ones
  const graph_step* end_ = nullptr;
  std::size_t next_detail_ = 0;
  bool has_remains_ = false;       ///< of a step that was refused
  runtime::function_handle made_;  ///< of a recording that differed from the known one
  graph_builder builder_;
  std::deque<graph_builder> bodies_;  ///< by scope, from 1
};

/// An operand with its type in one word.
constexpr std::uint64_t packed(node_id id, operand_type type, unsigned rank) {
  return id | static_cast<std::uint64_t>(type.type) << 32 | static_cast<std::uint64_t>(type.weak) << 40 |
         static_cast<std::uint64_t>(rank) << 48;
}

}  // namespace sinter::inline v0::detail
