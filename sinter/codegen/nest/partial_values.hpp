#pragma once
// What a lane, a thread or a piece holds of a reduction or scan, and combines with what another one holds.

#include <sinter/codegen/nest/nest.hpp>

#include <vector>

namespace sinter::inline v0 {

/// Calls visit(type) for each value that is held: of a sum one, of argmax and argmin a value and its
/// position, of a body one for each result. Schedules are chosen without allocating, so it makes no list.
template <typename Visit>
void each_partial(const nest_body& body, const instruction& combining, Visit visit) {
  if (combining.op == operation::last) return each_partial(body, body.body[combining.arguments[0]], visit);
  if (has_body(combining.op)) {
    for (const std::uint32_t identity : body.arguments_of_combining(combining).identities)
      visit(body.body[identity].type);
    return;
  }
  visit(is_scan(combining.op) ? combining.type : combining.compute);
  if (finds_position(combining.op)) visit(element_type::int64);
}

/// The same as a list.
std::vector<element_type> partial_types(const nest_body& body, const instruction& combining);

/// Their bytes together, as they are computed.
std::size_t bytes_of_partials(const nest_body& body, const instruction& combining);

}  // namespace sinter::inline v0
