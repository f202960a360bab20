#pragma once
// The type-erased core of recording: a per-thread stack of graphs being built, and the calls that follow. The
// templates elsewhere check types and call these functions.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/operation.hpp>
#include <sinter/dsl/index.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>

#include <source_location>
#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0 {
struct external_function;
struct tune_options;
struct tuning_report;
}  // namespace sinter::inline v0

namespace sinter::inline v0::detail {

using location = std::source_location;

/// The content of a value: its node, and the number of the recording that the node belongs to (never reused).
struct recorded_value {
  node_id id = 0;
  std::uint64_t recording = 0;
};

/// A value with its static type erased.
struct typed_value {
  recorded_value value;
  operand_type type;
  std::uint8_t rank = 0;
};

/// A C++ scalar, a constant or a literal, type-erased: its bits in its own type, with high bytes zero; for a
/// complex scalar, the bits of its parts in their type.
struct scalar_source {
  operand_type own;
  bool literal = false;  ///< written into the graph even where C++ scalars are run-time parameters
  std::uint64_t bits = 0;
  std::uint64_t imaginary = 0;

  constexpr unsigned parts() const { return is_complex(own.type) ? 2 : 1; }
};

/// The scalar converted to another type; a real scalar that is converted to a complex type gets the type of
/// its parts. Throws type_error for a weak integer outside the range of that type.
SINTER_API scalar_source converted_scalar(const scalar_source& scalar, element_type to, const location& at);

// Each of these appends to the thread's current recording, and throws `error` if there is none or if a value
// belongs to another one.
SINTER_API recorded_value record(operation op, const typed_value* operands, unsigned count,
                                 const location& at);
SINTER_API recorded_value record_cast(const typed_value& operand, element_type type, const location& at);
SINTER_API recorded_value record_view(const typed_value& operand, const index_item* items, unsigned count,
                                      const location& at);
SINTER_API recorded_value record_coordinate(const typed_value& operand, unsigned axis, const location& at);
SINTER_API recorded_value record_extent(const typed_value& operand, unsigned axis, const location& at);
SINTER_API recorded_value record_external(const external_function& called, const typed_value* operands,
                                          unsigned count, const location& at);
/// A scalar met by an operation that computes in `met`: a literal or a run-time parameter of that type.
SINTER_API recorded_value record_scalar(const scalar_source& scalar, element_type met, const location& at);
/// An operation on a value and a scalar that meets it, which is the first operand if `scalar_first` is set:
/// both of the steps above as one.
SINTER_API recorded_value record_with_scalar(operation op, const typed_value& operand,
                                             const scalar_source& scalar, operand_type met, bool scalar_first,
                                             const location& at);
/// A scalar argument of a function that is being inlined: keeps its own type, and stays weak.
SINTER_API recorded_value record_argument(const scalar_source& scalar);
/// An array that the function captures; the same array twice is one input.
SINTER_API recorded_value record_operand(const runtime::operand& captured);
SINTER_API recorded_value declare_input(element_type type, unsigned rank);
SINTER_API recorded_value declare_parameter(operand_type type);
SINTER_API void record_output(const typed_value& result);

/// Inlining of one function into the current recording: a stateless one writes its scalars as literals, a
/// stateful one makes the recording stateful.
class SINTER_API inlined_call {
 public:
  explicit inlined_call(bool stateless);
  inlined_call(const inlined_call&) = delete;
  inlined_call& operator=(const inlined_call&) = delete;
  ~inlined_call();

 private:
  std::uint64_t recording_;
  bool literals_;
};

/// The known recordings of a callable or an expression: a list that only grows. There is one static slot per
/// type.
struct slot_entry;
struct slot {
  const slot_entry* first = nullptr;
};

/// How a graph is recorded.
enum class recorded_as : std::uint8_t {
  stateless,   ///< once per key; becomes stateful when the recording meets state
  stateful,    ///< at each call
  expression,  ///< once per key; operands and scalars are gathered at each evaluation
};

/// One call, type-erased. Everything is borrowed for its duration.
struct call_site {
  recorded_as kind = recorded_as::stateful;
  arithmetic_mode mode = arithmetic_mode::standard;
  slot* known = nullptr;                 ///< nullptr where kind is stateful
  std::span<const std::uint64_t> key{};  ///< of expressions: pattern of identical operands, literals
  void (*body)(const void*) = nullptr;   ///< records: declares inputs, calls, records outputs
  const void* context = nullptr;
  const char* name = nullptr;  ///< from intern_name, so that equal names are equal pointers
  location defined_at{};
  std::span<const runtime::operand> operands{};
  std::span<const runtime::scalar> scalars{};
  std::span<const runtime::operand> into{};  ///< where results go; empty: into new arrays
  runtime::call_options options{};
};

/// The pointer that stands for this name in the whole program; nullptr for the empty name.
SINTER_API const char* intern_name(std::string_view name);

SINTER_API void run(const call_site& site, std::span<const runtime::operand> into,
                    std::span<runtime::result> results);
SINTER_API void prepare(const call_site& site);
/// `ranges` has a list for each of the site's operands; see runtime::prepare_ranges().
SINTER_API void prepare_ranges(const call_site& site,
                               std::span<const std::span<const runtime::axis_range>> ranges);
SINTER_API preparation prepare_async(const call_site& site);
SINTER_API preparation prepare_ranges_async(const call_site& site,
                                            std::span<const std::span<const runtime::axis_range>> ranges);
/// What explain(), source(), ptx() and assembly() tell of.
struct told_call {
  /// For each of the site's operands: its extents if it is a description, else nothing. Throws shape_error
  /// for one that is a range.
  std::span<const std::span<const runtime::axis_range>> ranges{};
  const std::string& model;  ///< of a GPU that need not be here; "": the operands' device
  const std::string& dump;   ///< the folder to which steps are written; "": none
};
SINTER_API std::string explain(const call_site& site, const told_call& what);
SINTER_API std::string source(const call_site& site, const told_call& what);
SINTER_API std::string ptx(const call_site& site, const told_call& what);
SINTER_API std::string assembly(const call_site& site, const told_call& what);
/// The extents of all results, one after the other.
SINTER_API void result_extents(const call_site& site,
                               std::span<const std::span<const runtime::axis_range>> ranges,
                               std::int64_t* extents);
SINTER_API std::size_t workspace_bytes(const call_site& site);
SINTER_API tuning_report tune(const call_site& site, const tune_options& options);

/// Evaluates an expression of one result over `into`'s elements if it has `into`'s extents; otherwise into
/// `fresh`, and returns false.
SINTER_API bool run_into_or_fresh(const call_site& site, const runtime::operand& into,
                                  runtime::result& fresh);
/// Evaluates an expression of one result, broadcast to the extents of `into`.
SINTER_API void run_broadcast(const call_site& site, const runtime::operand& into);

/// Gathers the operands and scalars of an expression, without recording.
struct SINTER_API gatherer {
  runtime::operand* operands;
  runtime::scalar* scalars;
  std::uint64_t* key;
  unsigned operand_count = 0, scalar_count = 0, key_count = 0;
  bool holds_callable = false;  ///< the expression is recorded at each evaluation

  void add(const runtime::operand& operand);
  void add_scalar(runtime::scalar bits) { scalars[scalar_count++] = bits; }
  void add_key(std::uint64_t word) { key[key_count++] = word; }
  void add(const index_item* items, unsigned count);
};

}  // namespace sinter::inline v0::detail
