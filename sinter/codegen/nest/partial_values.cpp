#include <sinter/codegen/nest/partial_values.hpp>

namespace sinter::inline v0 {
namespace {

/// Calls visit(type) for each value. Schedules are chosen without allocating, so it makes no list.
template <typename Visit>
void each_partial(const nest& body, const instruction& combining, Visit visit) {
  if (combining.op == operation::last) return each_partial(body, body.body[combining.arguments[0]], visit);
  if (has_body(combining.op)) {
    for (const std::uint32_t identity : body.arguments_of_combining(combining).identities)
      visit(body.body[identity].type);
    return;
  }
  visit(is_scan(combining.op) ? combining.type : combining.compute);
  if (finds_position(combining.op)) visit(element_type::int64);
}

}  // namespace

std::vector<element_type> partial_types(const nest& body, const instruction& combining) {
  std::vector<element_type> types;
  each_partial(body, combining, [&](element_type type) { types.push_back(type); });
  return types;
}

std::size_t bytes_of_partials(const nest& body, const instruction& combining) {
  std::size_t bytes = 0;
  each_partial(body, combining, [&](element_type type) { bytes += size_of(facts(type).compute); });
  return bytes;
}

}  // namespace sinter::inline v0
