#pragma once
// Numbers that a nest makes of its positions, where an axis of a node is not one axis of the nest.

#include <sinter/codegen/nest/nest.hpp>

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Position of one axis of a node in the iteration space: position = start + step * i[axis]; axis -1: start
/// alone. From max_rank on axes are derived positions.
struct axis_map {
  std::int32_t axis = -1;
  std::int64_t start = 0, step = 0;
  std::uint32_t name = 0;  ///< in a shape-generic nest: see axis_mapping_names.hpp
  bool operator==(const axis_map&) const = default;
};

/// start + sum of steps[axis] * i[axis], then a rule, if there is one; or the position that an index is on an
/// axis.
struct derived_position {
  std::int64_t start = 0;
  std::array<std::int64_t, max_rank> steps{};
  std::uint32_t axes = 0;  ///< those that it may move along, in a shape-generic nest by steps that are 0 here
  std::optional<position_rule> rule;
  std::int64_t extent = 1, divisor = 1;
  std::uint32_t name = 0;
  static constexpr std::uint32_t no_index = ~0u;
  std::uint32_t index = no_index;  ///< the demand of the index, on an axis of `extent` elements
  std::uint32_t gather = 0;        ///< the node that is said to have an index out of range
  bool checked = false;            ///< the index may be negative or out of range
  static constexpr std::int32_t no_axis = -1;
  std::int32_t body_axis = no_axis;  ///< the index that a body has along this axis of an array
  bool operator==(const derived_position&) const = default;

  bool is_index() const { return index != no_index || is_of_body(); }
  bool is_of_body() const { return body_axis != no_axis; }

  void add(const derived_position& other, std::int64_t times);
};

/// The sum that a derived position is in the space of these extents; nullopt if its rule changes some number.
std::optional<derived_position> as_linear(const derived_position& made,
                                          std::span<const std::int64_t> extents);

class derived_positions {
 public:
  void clear() { all_.clear(); }
  /// nullptr if the map is of an axis of the nest, or of none.
  const derived_position* find(const axis_map& map) const {
    return map.axis < static_cast<std::int32_t>(max_rank)
               ? nullptr
               : &all_[static_cast<std::size_t>(map.axis) - max_rank];
  }
  /// The number of a derived position among all().
  std::size_t number_of(const axis_map& map) const { return static_cast<std::size_t>(map.axis) - max_rank; }
  /// The axes of the nest that a map moves along, a bit for each.
  std::uint32_t axes_of(const axis_map& map) const {
    const derived_position* derived = find(map);
    return derived != nullptr ? derived->axes : map.axis >= 0 ? 1u << map.axis : 0;
  }
  /// Whether the position along some axis is an index.
  bool has_index(std::span<const axis_map> maps) const {
    return std::ranges::any_of(maps, [&](const axis_map& map) { return is_index(map); });
  }
  bool is_index(const axis_map& map) const {
    const derived_position* derived = find(map);
    return derived != nullptr && derived->is_index();
  }
  /// Whether a body has the index of some axis.
  bool has_index_of_body(std::span<const axis_map> maps) const {
    return std::ranges::any_of(maps,
                               [&](const axis_map& map) { return is_index(map) && find(map)->is_of_body(); });
  }
  /// The map of an index.
  axis_map map_of_index(const derived_position& made) { return add(made); }
  std::span<const derived_position> all() const { return all_; }
  bool has_indices() const { return std::ranges::any_of(all_, &derived_position::is_index); }
  /// The map as a sum, if no rule and no index is in it.
  std::optional<derived_position> as_sum(const axis_map& map) const;
  /// The map of a derived position: a plain one where it is that in the space of `extents`. In a
  /// shape-generic nest nothing follows from extents.
  axis_map map_of(derived_position made, std::span<const std::int64_t> extents, bool shape_generic);
  /// A rule on what has a rule already, where both are one; nullopt if they are not.
  std::optional<axis_map> rule_on_rule(const axis_map& map, const derived_position& rule,
                                       std::span<const std::int64_t> extents, bool shape_generic);

 private:
  axis_map add(const derived_position& made);

  std::vector<derived_position> all_;
};

}  // namespace sinter::inline v0
