#pragma once
// Graphs, and the calls that were made of them, as bytes: what a recording of a run holds.

#include <sinter/codegen/graph.hpp>
#include <sinter/codegen/lowering.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// The content of a graph: all but its source locations, and users' own functions, which who reads it hands
/// in. Operations are written by name, so that a version of Sinter that has more of them reads the same
/// graph.
std::string to_bytes(const graph& recorded);
/// Reads what to_bytes() wrote of a graph that calls these functions, and verifies it. Accepts any bytes at
/// all; where they are no graph, returns false and says why.
bool read_graph(std::string_view bytes, graph& to, std::string& fault,
                std::span<const external_function* const> externals = {});

/// One array of a recorded call: array_layout that owns its extents and strides.
struct recorded_array {
  element_type type{};
  std::uint8_t rank = 0;
  std::uint32_t alignment = 256;
  std::uint32_t identity = 0;
  std::vector<std::int64_t> extents, strides;
  bool operator==(const recorded_array&) const = default;

  array_layout layout() const { return {type, rank, extents.data(), strides.data(), alignment, identity}; }
};

/// What a call's lowering depends on, but for the target.
struct recorded_call {
  target_kind ran_on = target_kind::host;  ///< told to people: a call can be lowered for any target
  std::vector<recorded_array> inputs;
  std::vector<recorded_array> outputs;  ///< none where the call made its results
  std::vector<std::uint64_t> scalars;   ///< 0 for those that bound no view: their values decide nothing
  std::optional<schedule> forced;
  bool operator==(const recorded_call&) const = default;
};

/// A call as it is lowered; keeps of `scalars` what its views need.
recorded_call record_call(const graph& recorded, std::span<const array_layout> inputs,
                          std::span<const array_layout> outputs, std::span<const std::uint64_t> scalars,
                          target_kind ran_on, const schedule* forced);
std::string to_bytes(const recorded_call& call);
/// Likewise; a call that is read fits the graph `of`: counts, types and ranks are right, extents are no less
/// than 0, and no array is larger than memory can be.
bool read_call(std::string_view bytes, const graph& of, recorded_call& to, std::string& fault);

}  // namespace sinter
