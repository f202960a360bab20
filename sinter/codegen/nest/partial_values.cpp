#include <sinter/codegen/nest/partial_values.hpp>

namespace sinter::inline v0 {

std::vector<element_type> partial_types(const nest_body& body, const instruction& combining) {
  std::vector<element_type> types;
  each_partial(body, combining, [&](element_type type) { types.push_back(type); });
  return types;
}

std::size_t bytes_of_partials(const nest_body& body, const instruction& combining) {
  std::size_t bytes = 0;
  each_partial(body, combining, [&](element_type type) { bytes += size_of(facts_of(type).compute); });
  return bytes;
}

}  // namespace sinter::inline v0
