#pragma once
// Words for error messages and explain(): types, shapes, places and scalars as text. Only called when
// something is about to be thrown or printed.

#include <sinter/codegen/graph/graph.hpp>

#include <cstdint>
#include <source_location>
#include <span>
#include <string>

namespace sinter {

/// A type and rank without extents: "float32[:,:]"; of a scalar "float32".
std::string describe(element_type type, unsigned rank);
/// A type and extents: "float32[3,4]"; of a scalar "float32".
std::string describe(element_type type, std::span<const std::int64_t> extents);
/// " at kernel.cpp:17"; empty where the place is not known.
std::string describe(const std::source_location& where);
/// The place of a node, with that of the whole function where it is another: " at a.cpp:17 (in a.cpp:12)".
std::string describe_place(const graph& recorded, node_id id);
/// A scalar with as many digits as it takes to tell it from every other: "0.1", "-0.0", "inf", "true".
std::string describe_scalar(element_type type, std::uint64_t bits);
/// The items of a view as NumPy spells them: "[1:-1, ::2, newaxis, p0]"; a permutation as "permute(2, 0, 1)".
std::string describe_view(std::span<const view_item> items);

}  // namespace sinter
