#pragma once
// A call as a recording of a run holds it: what its lowering depends on, but for the target.

#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter {

/// One array of a recorded call: array_layout that owns its extents and strides.
struct recorded_array {
  element_type type{};
  std::uint8_t rank = 0;
  std::uint32_t alignment = most_alignment;
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
/// Reads what to_bytes() wrote. Accepts any bytes at all; where they are no call, returns false and says
/// why. A call that is read fits the graph `of`: counts, types and ranks are right, extents are no less
/// than 0, and no array is larger than memory can be.
bool read_call(std::string_view bytes, const graph& of, recorded_call& to, std::string& fault);

}  // namespace sinter
