#pragma once
// How a thread of an NVIDIA GPU moves the lanes of an access: all at once where they lie side by side, else
// one by one. Pointwise kernels and those of rows do it alike; they differ in where the lanes lie.

#include <sinter/codegen/loops/statements/loop_writer.hpp>

namespace sinter::inline v0::codegen {

/// The lanes of an access in memory. Those beyond the array's end are not touched.
struct lanes_in_memory {
  value_type vector{};            ///< of all lanes
  bool is_one_move = false;       ///< a vector from `address` on, of which `left` lanes are in the array
  expression address{}, left{};   ///< set if it is one move
  expression lane{};              ///< the variable of the loop over lanes, if it is not
  expression element{}, guard{};  ///< then lane's element, and whether it is in the array; not set: it is
};

void load_lanes(loop_writer& out, expression to, const lanes_in_memory& from, std::uint32_t access);
void store_lanes(loop_writer& out, const lanes_in_memory& to, expression from);

}  // namespace sinter::inline v0::codegen
