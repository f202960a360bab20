#pragma once
// The reference interpreter: evaluates a graph node by node over whole arrays on the CPU, by the stated
// meaning of each operation. It shares nothing with the lowering pass and emitted text, which are tested
// against it. It is slow.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/reference/reference_array.hpp>
#include <sinter/codegen/scalars/scalar_operations.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

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
