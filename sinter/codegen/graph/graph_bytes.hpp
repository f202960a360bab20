#pragma once
// Graphs as bytes, for recordings of runs.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// The content of a graph, without source locations and without the users' own functions, which the reader of
/// the bytes supplies. Operations are written by name, so that a version of Sinter with more operations reads
/// the same graph.
SINTER_API std::string to_bytes(const graph& recorded);
/// Reads the bytes that to_bytes() wrote for a graph that calls these functions, and verifies it. Any bytes
/// are safe to pass; if they are not a graph, returns false and sets `fault`.
SINTER_API bool read_graph(std::string_view bytes, graph& to, std::string& fault,
                           std::span<const external_function* const> externals = {});

}  // namespace sinter::inline v0
