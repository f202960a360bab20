#pragma once
// Graphs as bytes: what a recording of a run holds of the functions that it called.

#include <sinter/codegen/graph/graph.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter {

/// The content of a graph: all but its source locations, and users' own functions, which who reads it hands
/// in. Operations are written by name, so that a version of Sinter that has more of them reads the same
/// graph.
std::string to_bytes(const graph& recorded);
/// Reads what to_bytes() wrote of a graph that calls these functions, and verifies it. Accepts any bytes at
/// all; where they are no graph, returns false and says why.
bool read_graph(std::string_view bytes, graph& to, std::string& fault,
                std::span<const external_function* const> externals = {});

}  // namespace sinter
