#include <sinter/codegen/nest/partial_values.hpp>

namespace sinter::inline v0 {

std::vector<element_type> partial_types(const nest& body, const instruction& combining) {
  if (combining.op == operation::last) return partial_types(body, body.body[combining.arguments[0]]);
  if (finds_position(combining.op)) return {combining.compute, element_type::int64};
  if (!has_body(combining.op)) return {is_scan(combining.op) ? combining.type : combining.compute};
  std::vector<element_type> types;
  for (const std::uint32_t identity : body.arguments_of_combining(combining).identities)
    types.push_back(body.body[identity].type);
  return types;
}

std::size_t bytes_of_partials(const nest& body, const instruction& combining) {
  std::size_t bytes = 0;
  for (const element_type type : partial_types(body, combining)) bytes += size_of(facts(type).compute);
  return bytes;
}

}  // namespace sinter::inline v0
