#pragma once
// A call as data: a graph, arrays in any layout, several of them in one memory, and memory for results.
// draw_call.hpp makes random ones.

#include "../sweep/sweep_array.hpp"

#include <string>
#include <vector>

namespace sinter::test {

/// A block of memory, as elements of one type; elements of no array are gaps.
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
  std::vector<drawn_array> into;  ///< for each result, or none
  std::vector<std::uint64_t> scalars;
};

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
/// Adds a copy of the array in a separate contiguous memory.
drawn_array add_contiguous(drawn_call& to, element_type type, const shape& extents, bits elements);

/// The layouts of the call's arrays, for the lowering pass.
std::vector<layout> layouts_of(const drawn_call& of, const std::vector<drawn_array>& arrays);

/// The graph, its arrays with their layouts, and scalars: everything needed to reproduce the call.
std::string to_string(const drawn_call& of);

}  // namespace sinter::test
