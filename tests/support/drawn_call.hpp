#pragma once
// Calls drawn at random: a graph of every kind of node, arrays in every kind of layout, several of them in
// one memory, and memory that results are written into.

#include "sweep_array.hpp"

#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::test {

/// A piece of memory, as elements of one type; what belongs to no array is a gap.
struct drawn_memory {
  element_type type{};
  bits elements;
  std::size_t size() const { return elements.size() / parts_of(type); }
};

/// An array in one of a call's memories. Strides may be 0 or negative.
struct drawn_array {
  std::size_t memory = 0;
  std::int64_t first = 0;  ///< element of the memory that is at position 0
  shape extents, strides;
};

struct drawn_call {
  graph recorded;
  std::vector<drawn_memory> memories;
  std::vector<drawn_array> inputs;
  std::vector<drawn_array> into;  ///< of each result, or none
  std::vector<std::uint64_t> scalars;
};

/// What a call is drawn from.
struct drawing {
  std::string_view name;
  std::vector<element_type> types;
  bool functions = false;  ///< those that are rounded, not defined bit by bit
  bool structure = false;  ///< few and cheap operations; many reductions, scans and views
  std::size_t most_nodes = 40;
  std::size_t most_elements = 3000;  ///< of any value
  unsigned most_axes = 6;            ///< of inputs
};
/// "int", "mixed", "float", "half", "complex", "all", each also as its structure alone.
const std::vector<drawing>& drawings();

/// The same call for the same seed.
drawn_call draw_call(std::uint64_t seed, const drawing& from);

/// Calls use(position of an element in its memory) for the elements of an array in row-major order.
template <class Use>
void for_each_position(const drawn_array& of, const Use& use) {
  std::int64_t count = 1;
  for (const std::int64_t extent : of.extents) count *= extent;
  shape at(of.extents.size(), 0);
  std::int64_t position = of.first;
  for (std::int64_t i = 0; i < count; ++i) {
    use(static_cast<std::size_t>(position));
    for (std::size_t axis = at.size(); axis-- > 0;) {
      position += of.strides[axis];
      if (++at[axis] < of.extents[axis]) break;
      position -= of.strides[axis] * of.extents[axis];
      at[axis] = 0;
    }
  }
}
/// The array's elements in row-major order.
bits elements_of(const drawn_call& of, const drawn_array& array);
/// The array on its own in a contiguous memory.
drawn_array add_contiguous(drawn_call& to, element_type type, const shape& extents, bits elements);

/// As the lowering pass sees the call's arrays.
std::vector<layout> layouts_of(const drawn_call& of, const std::vector<drawn_array>& arrays);

/// The graph, its arrays with their layouts, and scalars: enough to write the call down again.
std::string to_string(const drawn_call& of);

}  // namespace sinter::test
