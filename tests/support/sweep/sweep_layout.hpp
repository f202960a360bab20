#pragma once
// Arrays that consist of a layout only, for tests of the lowering pass.

#include <cstdint>
#include <initializer_list>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace sinter::test {

using shape = std::vector<std::int64_t>;

inline shape contiguous_strides(const shape& extents) {
  shape strides(extents.size(), 1);
  for (std::size_t axis = extents.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * extents[axis];
  return strides;
}

/// An array_layout that owns its extents and strides.
struct layout {
  element_type type = element_type::float32;
  shape extents, strides;
  std::uint32_t alignment = 256;

  array_layout view(std::uint32_t identity) const {
    return {.type = type,
            .rank = static_cast<std::uint8_t>(extents.size()),
            .extents = extents.data(),
            .strides = strides.data(),
            .alignment = alignment,
            .identity = identity};
  }
};

inline layout contiguous(const shape& extents, element_type type = element_type::float32) {
  return {type, extents, contiguous_strides(extents)};
}
inline layout strided(const shape& extents, const shape& strides, element_type type = element_type::float32) {
  return {type, extents, strides};
}
/// The last two axes exchanged in memory.
inline layout transposed(const shape& extents, element_type type = element_type::float32) {
  shape turned = extents;
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  shape strides = contiguous_strides(turned);
  std::swap(strides[strides.size() - 1], strides[strides.size() - 2]);
  return {type, extents, strides};
}
inline layout unaligned(layout from) {
  from.alignment = static_cast<std::uint32_t>(size_of(from.type));
  return from;
}

inline target_facts cuda_facts() {
  return {.kind = target_kind::cuda,
          .architecture = 90,
          .multiprocessors = 132,
          .shared_bytes_per_block = 227 * 1024,
          .cluster_blocks = 16,
          .cache_bytes = std::uint64_t{50} << 20,
          .overlaps_launches = true};
}
inline target_facts cpu_facts() {
  return {.kind = target_kind::cpu, .multiprocessors = 8, .cache_bytes = std::uint64_t{32} << 20};
}

inline std::vector<array_layout> views(const std::vector<layout>& arrays) {
  std::vector<array_layout> made;
  for (std::uint32_t i = 0; i < arrays.size(); ++i) made.push_back(arrays[i].view(i));
  return made;
}

/// Lowers one call, with the same attempt for all stages; results are new unless `outputs` are given.
// NOLINTNEXTLINE(readability-function-size): what lower() takes, most of it with defaults
inline lowered_call lower(const graph& recorded, const std::vector<layout>& inputs,
                          const target_facts& target, const std::vector<layout>& outputs = {},
                          std::span<const std::uint64_t> scalars = {}, const schedule* forced = nullptr,
                          unsigned attempt = 0) {
  lowered_call lowered;
  const std::vector<std::uint8_t> attempts(64, static_cast<std::uint8_t>(attempt));
  sinter::lower({.recorded = recorded,
                 .inputs = views(inputs),
                 .outputs = views(outputs),
                 .scalars = scalars,
                 .target = target,
                 .attempts = attempts,
                 .forced = forced},
                lowered);
  return lowered;
}

/// The call by shape-generic kernels.
inline lowered_call lower_general(const graph& recorded, const std::vector<layout>& inputs,
                                  const target_facts& target, const std::vector<layout>& outputs = {},
                                  std::span<const std::uint64_t> scalars = {}) {
  lowered_call lowered;
  sinter::lower({.recorded = recorded,
                 .inputs = views(inputs),
                 .outputs = views(outputs),
                 .scalars = scalars,
                 .target = target,
                 .variant = lowering_variant::shape_generic},
                lowered);
  return lowered;
}

inline std::string text_of(const stage& lowered) { return emit(lowered).source; }

/// A slice with literal bounds.
inline view_item slice(std::int64_t start, std::int64_t stop, std::int64_t step = 1) {
  return {view_item::kind::slice, literal_bound(start), literal_bound(stop), literal_bound(step)};
}
inline view_item every(std::int64_t step) { return {view_item::kind::slice, {}, {}, literal_bound(step)}; }
inline view_item all_of() { return {}; }
inline view_item at_index(std::int64_t index) {
  return {view_item::kind::index, literal_bound(index), {}, {}};
}
inline view_item new_axis() { return {view_item::kind::newaxis, {}, {}, {}}; }
inline std::vector<view_item> permutation(std::initializer_list<std::int64_t> axes) {
  std::vector<view_item> items;
  for (const std::int64_t axis : axes)
    items.push_back({view_item::kind::permute, literal_bound(axis), {}, {}});
  return items;
}

/// Sum of inputs of the given types and ranks.
inline graph sum_of(std::initializer_list<std::pair<element_type, unsigned>> operands) {
  graph_builder builder;
  graph_value total{};
  bool first = true;
  for (const auto& [type, rank] : operands) {
    const graph_value next = builder.input(type, rank);
    total = first ? next : builder.apply(operation::add, {total, next});
    first = false;
  }
  builder.output(total);
  return builder.recorded();
}

}  // namespace sinter::test
