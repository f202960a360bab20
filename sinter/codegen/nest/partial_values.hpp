#pragma once
// What a lane, a thread or a piece holds of a reduction or scan, and combines with what another one holds.

#include <sinter/codegen/nest/nest.hpp>

#include <vector>

namespace sinter::inline v0 {

/// The types of the values that are held: of a sum one, of argmax and argmin a value and its position, of a
/// body one for each result.
std::vector<element_type> partial_types(const nest& body, const instruction& combining);

/// Their bytes together, as they are computed.
std::size_t bytes_of_partials(const nest& body, const instruction& combining);

}  // namespace sinter::inline v0
