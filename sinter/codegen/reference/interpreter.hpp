#pragma once
// The reference interpreter: evaluates a graph node by node over whole arrays on the CPU, by the stated
// meaning of each operation. It shares nothing with the lowering pass and emitted text, which are tested
// against it. It is slow.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

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
/// With extended precision, floating values are long double, and only casts round (to the target type).
/// Results are not rounded, so that errors can be measured in units in the last place; the kernel's own
/// rounding is half such a unit. This assumes that no step amplifies a rounding: a comparison, floor or
/// conversion to an integer of a computed value, a difference of nearly equal values, an overflow. Graphs
/// with such steps are compared with native precision: each operation rounds to float or double, as in
/// kernels, so that + - * / and sqrt give equal bits where the kernel fuses nothing; in strict mode the half
/// types round after each operation, too.
///
/// Throws shape_error and type_error as infer_shapes does.
void interpret(const graph& recorded, std::span<const reference_array> inputs,
               std::span<const std::uint64_t> scalars, std::vector<reference_array>& results,
               reference_precision precision = reference_precision::extended);

}  // namespace sinter::inline v0
