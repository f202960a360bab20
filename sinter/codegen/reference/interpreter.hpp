#pragma once
// The reference interpreter: evaluates a graph node by node over whole arrays on the host, by the stated
// meaning of each operation. Independent of the lowering pass and of emitted text, which are tested against
// it. Not fast.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/scalar_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter {

/// An array of reference values in row-major order. Floating elements are in `reals`, complex ones in `reals`
/// and `imaginaries`, all others in `integers`.
struct reference_array {
  element_type type{};
  std::vector<std::int64_t> extents;
  std::vector<long double> reals;
  std::vector<std::uint64_t> integers;
  std::vector<long double> imaginaries{};

  std::size_t size() const { return is_inexact(type) ? reals.size() : integers.size(); }
  reference_value at(std::size_t i) const {
    if (is_complex(type)) return {reals[i], 0, imaginaries[i]};
    return is_floating(type) ? reference_value{reals[i], 0} : reference_value{0, integers[i]};
  }
};

/// Reads contiguous row-major elements, and writes them, rounding to the type.
reference_array load_reference(element_type type, std::span<const std::int64_t> extents,
                               const void* elements);
void store_reference(const reference_array& from, void* elements);

/// Evaluates a graph.
///
/// With extended precision floating values are long double and are rounded only by casts (to the type that is
/// cast to). Results are not rounded, so that an error can be measured in units of the last place; the
/// kernel's own rounding is half such a unit. That comparison assumes that no step turns a rounding into a
/// jump: a comparison, floor or conversion to an integer of a computed value, a difference of nearly equal
/// ones, an overflow. Graphs with such steps are compared with native precision: there each operation is
/// rounded to float or double, as kernels do, so that what + - * / and sqrt give is equal bit for bit where
/// the kernel fuses nothing; in strict mode the half types round after each operation too.
///
/// Throws shape_error and type_error as infer_shapes does.
void interpret(const graph& recorded, std::span<const reference_array> inputs,
               std::span<const std::uint64_t> scalars, std::vector<reference_array>& results,
               reference_precision precision = reference_precision::extended);

}  // namespace sinter
