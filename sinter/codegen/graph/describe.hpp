#pragma once
// Text for error messages and explain(): types, shapes, source locations and scalars. Called only to throw or
// print.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <string>

namespace sinter::inline v0 {

/// A type and rank without extents: "float32[:,:]"; "float32" for a scalar.
std::string describe(element_type type, unsigned rank);
/// A type and extents: "float32[3,4]"; "float32" for a scalar.
std::string describe(element_type type, std::span<const std::int64_t> extents);
/// " at kernel.cpp:17"; empty if the location is unknown.
std::string describe(const std::source_location& where);
/// The location of a node, with that of the whole function if it differs: " at a.cpp:17 (in a.cpp:12)".
std::string describe_place(const graph& recorded, node_id id);
/// A scalar with enough digits to distinguish it from every other: "0.1", "-0.0", "inf", "true".
std::string describe_scalar(element_type type, std::uint64_t bits);
/// What follows the call of `power` in the message that refuses a negative integer power of an integer.
std::string describe_negative_exponent(element_type type, std::uint64_t bits);
/// The call of `power` on integers whose exponent is the value `bits` of node `exponent`, and why it is
/// refused; empty if there is no such call.
std::string describe_refused_power(const graph& recorded, node_id exponent, std::uint64_t bits);
/// The items of a view in NumPy's notation: "[1:-1, ::2, newaxis, p0]"; a permutation as "permute(2, 0, 1)".
std::string describe_view(std::span<const view_item> items);

}  // namespace sinter::inline v0
