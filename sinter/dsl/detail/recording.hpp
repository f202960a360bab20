#pragma once
// The erased core of recording: a per-thread stack of graphs being built, and the calls that follow.
// Templates elsewhere only check types and pass on to here.

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/index.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>

#include <source_location>
#include <span>
#include <string>
#include <string_view>

namespace sinter::detail {

using location = std::source_location;

/// What a value holds: its node, and the never-reused number of the recording that the node belongs to.
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

/// A C++ scalar, a constant or a literal, erased: bits in its own type, canonical (high bytes zero); of a
/// complex one those of its parts, in their type.
struct scalar_source {
  operand_type own;
  bool literal = false;  ///< written into the graph also where C++ scalars are run-time parameters
  std::uint64_t bits = 0;
  std::uint64_t imaginary = 0;

  constexpr unsigned parts() const { return is_complex(own.type) ? 2 : 1; }
};

/// The scalar in another type; a real one in a complex type is in that of its parts. Throws type_error if it
/// is a weak integer and outside of that type.
scalar_source converted_scalar(const scalar_source& scalar, element_type to, const location& at);

// Each of these appends to the thread's current recording; all throw `error` if there is none, or if a value
// belongs to another one.
recorded_value record(operation op, const typed_value* operands, unsigned count, const location& at);
recorded_value record_cast(const typed_value& operand, element_type type, const location& at);
recorded_value record_view(const typed_value& operand, const index_item* items, unsigned count,
                           const location& at);
recorded_value record_coordinate(const typed_value& operand, unsigned axis, const location& at);
recorded_value record_extent(const typed_value& operand, unsigned axis, const location& at);
recorded_value record_external(const external_function& called, const typed_value* operands, unsigned count,
                               const location& at);
/// A scalar met by an operation that computes in `met`: a literal or a run-time parameter of that type.
recorded_value record_scalar(const scalar_source& scalar, element_type met, const location& at);
/// A scalar handed to a function that is being inlined: keeps its own type, and stays weak.
recorded_value record_argument(const scalar_source& scalar);
/// An array that the function reads beside its arguments; the same array twice is one input.
recorded_value record_operand(const runtime::operand& captured);
recorded_value declare_input(element_type type, unsigned rank);
recorded_value declare_parameter(operand_type type);
void record_output(const typed_value& result);

/// Inlining of one function into the current recording: a stateless one writes its scalars as literals, a
/// stateful one makes the recording stateful.
class inlined_call {
 public:
  explicit inlined_call(bool stateless);
  inlined_call(const inlined_call&) = delete;
  inlined_call& operator=(const inlined_call&) = delete;
  ~inlined_call();

 private:
  std::uint64_t recording_;
  bool literals_;
};

/// What is known of a callable's or an expression's recordings: a list that only grows. One static slot per
/// type.
struct slot_entry;
struct slot {
  const slot_entry* first = nullptr;
};

/// How a graph comes about.
enum class recorded_as : std::uint8_t {
  stateless,   ///< once per key; falls back to stateful when the recording meets state
  stateful,    ///< at each call
  expression,  ///< once per key; operands and scalars are gathered at each evaluation
};

/// One call, erased. Everything is borrowed for its duration.
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
  runtime::call_options options{};
};

/// A pointer that stands for this name in the whole program; nullptr for the empty name.
const char* intern_name(std::string_view name);

void run(const call_site& site, std::span<const runtime::operand> into, std::span<runtime::result> results);
void prepare(const call_site& site);
/// `ranges` has a list for each of the site's operands; see runtime::prepare_ranges().
void prepare_ranges(const call_site& site, std::span<const std::span<const runtime::axis_range>> ranges);
preparation prepare_async(const call_site& site);
preparation prepare_ranges_async(const call_site& site,
                                 std::span<const std::span<const runtime::axis_range>> ranges);
std::string explain(const call_site& site, const std::string& dump = {});
std::string source(const call_site& site);
std::size_t workspace_bytes(const call_site& site);

/// Evaluates an expression of one result over `into`'s elements if it has `into`'s extents; otherwise into
/// `fresh`, and returns false.
bool run_into_or_fresh(const call_site& site, const runtime::operand& into, runtime::result& fresh);
/// Evaluates an expression of one result, broadcast to the extents of `into`.
void run_broadcast(const call_site& site, const runtime::operand& into);

/// Collects what an expression's evaluation needs, without recording.
struct gatherer {
  runtime::operand* operands;
  runtime::scalar* scalars;
  std::uint64_t* key;
  unsigned operand_count = 0, scalar_count = 0, key_count = 0;

  void add(const runtime::operand& operand);
  void add_scalar(runtime::scalar bits) { scalars[scalar_count++] = bits; }
  void add_key(std::uint64_t word) { key[key_count++] = word; }
  void add(const index_item* items, unsigned count);
};

}  // namespace sinter::detail
