#include <sinter/codegen/graph/graph.hpp>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <type_traits>

namespace sinter::inline v0 {
namespace {

// Content is hashed and compared as bytes, so none of these types may have padding.
static_assert(std::has_unique_object_representations_v<node>);
static_assert(std::has_unique_object_representations_v<view_item>);
static_assert(std::has_unique_object_representations_v<view_range>);
static_assert(std::has_unique_object_representations_v<input_declaration>);

/// Gathers the content so that one call hashes a graph of usual size. Content that does not fit the buffer is
/// replaced by its digest; whether it fits depends on the sizes alone, and these are hashed first.
class content_hash {
 public:
  void add(const void* data, std::size_t bytes) {
    if (bytes == 0) return;  // memcpy must not get the null data of an empty vector
    if (bytes > capacity - used_) {
      flush();
      if (bytes > capacity - used_) return absorb(data, bytes);
    }
    std::memcpy(buffer_ + used_, data, bytes);
    used_ += bytes;
  }
  template <typename Element>
  void add(const std::vector<Element>& elements) {
    add(elements.data(), elements.size() * sizeof(Element));
  }
  graph_hash finish() const {
    const XXH128_hash_t hash = XXH3_128bits(buffer_, used_);
    return {hash.low64, hash.high64};
  }

 private:
  static constexpr std::size_t capacity = 1024;
  void absorb(const void* data, std::size_t bytes) {
    const XXH128_hash_t hash = XXH3_128bits(data, bytes);
    std::memcpy(buffer_ + used_, &hash, sizeof hash);
    used_ += sizeof hash;
  }
  void flush() {
    const XXH128_hash_t hash = XXH3_128bits(buffer_, used_);
    std::memcpy(buffer_, &hash, sizeof hash);
    used_ = sizeof hash;
  }

  alignas(64) unsigned char buffer_[capacity];
  std::size_t used_ = 0;
};

template <typename Element>
bool same(const std::vector<Element>& a, const std::vector<Element>& b) {
  const auto of_a = std::as_bytes(std::span(a)), of_b = std::as_bytes(std::span(b));
  return of_a.size() == of_b.size() &&
         (of_a.empty() || std::memcmp(of_a.data(), of_b.data(), of_a.size()) == 0);
}

}  // namespace

void graph::clear() {
  nodes.clear();
  view_items.clear();
  views.clear();
  operands.clear();
  bodies.clear();
  inputs.clear();
  parameters.clear();
  externals.clear();
  parameter_limits.clear();
  derived_limits.clear();
  outputs.clear();
  mode = arithmetic_mode::standard;
  name.clear();
  locations.clear();
  defined_at = {};
  calls.clear();
}

bool graph::same_content(const graph& other) const {
  return mode == other.mode && same(nodes, other.nodes) && same(outputs, other.outputs) &&
         same(inputs, other.inputs) && same(parameters, other.parameters) &&
         same(externals, other.externals) && same(views, other.views) && same(view_items, other.view_items) &&
         same(operands, other.operands) &&
         std::ranges::equal(bodies, other.bodies,
                            [](const graph& a, const graph& b) { return a.same_content(b); }) &&
         parameter_limits == other.parameter_limits && derived_limits == other.derived_limits &&
         name == other.name;
}

ir::graph_hash ir::hash_of(const graph& recorded) {
  const std::uint32_t sizes[] = {static_cast<std::uint32_t>(recorded.nodes.size()),
                                 static_cast<std::uint32_t>(recorded.view_items.size()),
                                 static_cast<std::uint32_t>(recorded.views.size()),
                                 static_cast<std::uint32_t>(recorded.operands.size()),
                                 static_cast<std::uint32_t>(recorded.bodies.size()),
                                 static_cast<std::uint32_t>(recorded.inputs.size()),
                                 static_cast<std::uint32_t>(recorded.parameters.size()),
                                 static_cast<std::uint32_t>(recorded.parameter_limits.size()),
                                 static_cast<std::uint32_t>(recorded.derived_limits.size()),
                                 static_cast<std::uint32_t>(recorded.externals.size()),
                                 static_cast<std::uint32_t>(recorded.outputs.size()),
                                 static_cast<std::uint32_t>(recorded.name.size()),
                                 static_cast<std::uint32_t>(recorded.mode)};
  content_hash content;
  content.add(sizes, sizeof sizes);
  content.add(recorded.nodes);
  content.add(recorded.view_items);
  content.add(recorded.views);
  content.add(recorded.operands);
  for (const graph& body : recorded.bodies) {
    const graph_hash hash = hash_of(body);
    content.add(&hash, sizeof hash);
  }
  content.add(recorded.inputs);
  content.add(recorded.parameters);
  for (const auto* limits : {&recorded.parameter_limits, &recorded.derived_limits})
    for (const auto& [limited, type] : *limits) {
      const std::uint64_t limit = std::uint64_t{limited} << 8 | static_cast<std::uint64_t>(type);
      content.add(&limit, sizeof limit);
    }
  for (const external_function* called : recorded.externals) {
    content.add(called->name.data(), called->name.size());
    content.add(called->cuda_content.data(), sizeof called->cuda_content);
    content.add(called->cpu_content.data(), sizeof called->cpu_content);
    content.add(&called->address, sizeof called->address);
  }
  content.add(recorded.outputs);
  content.add(recorded.name.data(), recorded.name.size());
  return content.finish();
}

}  // namespace sinter::inline v0
