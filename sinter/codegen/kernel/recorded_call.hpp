#pragma once
// A call in a recording of a run: everything that its lowering depends on, except for the target.

#include <sinter/codegen/base/export.hpp>
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

namespace sinter::inline v0 {

/// One array of a recorded call: an array_layout that owns its extents and strides.
struct recorded_array {
  element_type type{};
  std::uint8_t rank = 0;
  std::uint32_t alignment = max_alignment;
  std::uint32_t identity = 0;
  std::vector<std::int64_t> extents, strides;
  bool operator==(const recorded_array&) const = default;

  array_layout layout() const { return {type, rank, extents.data(), strides.data(), alignment, identity}; }
};

/// Everything that a call's lowering depends on, except for the target.
struct recorded_call {
  target_kind ran_on = target_kind::cpu;  ///< for messages only: a call can be lowered for any target
  std::vector<recorded_array> inputs;
  std::vector<recorded_array> outputs;  ///< empty if the call allocated its results
  std::vector<std::uint64_t> scalars;   ///< 0 for scalars that bound no view, because their values have no
                                        ///< influence
  std::optional<schedule> forced;
  bool operator==(const recorded_call&) const = default;
};

/// A call as it is lowered; stores only those of `scalars` that bound views.
SINTER_API recorded_call record_call(const graph& recorded, std::span<const array_layout> inputs,
                                     std::span<const array_layout> outputs,
                                     std::span<const std::uint64_t> scalars, target_kind ran_on,
                                     const schedule* forced);
SINTER_API std::string to_bytes(const recorded_call& call);
/// Reads the result of to_bytes(). Safe for arbitrary bytes; for malformed ones it returns false and the
/// reason. A call that is read fits the graph `of`: counts, types and ranks are right, extents are not
/// negative, and no array is larger than memory can be.
SINTER_API bool read_call(std::string_view bytes, const graph& of, recorded_call& to, std::string& fault);

}  // namespace sinter::inline v0
