#pragma once
// The recording of the bodies of repeat, repeat_while, when, reduce and scan, type-erased. A body is a scope
// of the recording around it: it has values of its own, and captures those of the scopes around it. Internal.

#include <sinter/dsl/composed/compose_reduction.hpp>
#include <sinter/dsl/detail/recording.hpp>

namespace sinter::inline v0::detail {

struct recording;
enum class step_kind : std::uint8_t;

/// A body that is being recorded, as long as the object lives. Throws type_error if bodies nest too deep, and
/// for reduce and scan in any body.
class SINTER_API body_scope {
 public:
  /// `owner`: repeat, repeat_while, when, reduce or scan, called at `at`.
  body_scope(operation owner, const location& at);
  body_scope(const body_scope&) = delete;
  body_scope& operator=(const body_scope&) = delete;
  ~body_scope();

  /// The number of the iteration, and then the states: inputs of a loop's body.
  recorded_value iteration();
  recorded_value state(element_type type, unsigned rank);
  /// A value of one side of what is combined, the left side's first: an input of a combine.
  recorded_value side(element_type type) { return state(type, 0); }
  /// Ends the first body of `when` and begins the second.
  void begin_otherwise();
  /// Adds a result of the body, converted to this type.
  void add_result(const typed_value& result, element_type type);

  /// Ends the body and records the node in the scope around it, on these operands of that scope: the count or
  /// the condition, and the states. Returns the first result; the others are the nodes after it.
  recorded_value finish(const typed_value* operands, unsigned count, const location& at);
  /// The same for reduce and scan, on values and then identities: request.count of each.
  recorded_value finish(const combining_request& request, const typed_value* operands);

 private:
  void leave();
  recorded_value finish(step_kind kind, std::uint64_t payload, const typed_value* operands, unsigned count,
                        const location& at);
  recording& into_;
  operation owner_;
  unsigned depth_;        // of the scope around the body
  std::uint64_t around_;  // the number of that scope
  std::uint64_t around_scope_;
};

/// Result `position` of a node with bodies.
inline recorded_value result_at(unsigned position, recorded_value first) {
  return {first.id + position, first.recording};
}

/// Whether something is being recorded on this thread.
SINTER_API bool is_recording();
/// Whether a value belongs to the current recording, and to no body that has ended.
SINTER_API bool is_usable(recorded_value recorded);

}  // namespace sinter::inline v0::detail
