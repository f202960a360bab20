#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/scalars/scalar_limits.hpp>
#include <sinter/codegen/scalars/scalar_values.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <string>

namespace sinter::inline v0 {

void check_derived_limits(const graph& recorded, std::span<const std::uint64_t> scalars) {
  if (recorded.derived_limits.empty()) return;
  scalar_values values(recorded, scalars);
  for (const auto& [id, type] : recorded.derived_limits) values.want(id);
  values.evaluate_wanted();
  for (const auto& [id, type] : recorded.derived_limits) {
    const reference_value* value = values.find(id);
    if (value == nullptr) continue;
    const element_type from = recorded.nodes[id].type;
    const std::uint64_t bits = store_reference(from, *value);
    if (fits(from, bits, type)) continue;
    const std::string refused =
        type == element_type::uint64 ? describe_refused_power(recorded, id, bits) : std::string();
    if (!refused.empty()) throw type_error(refused);
    const std::source_location where =
        id < recorded.locations.size() ? recorded.locations[id] : recorded.defined_at;
    throw type_error(std::string(facts_of(recorded.nodes[id].op).name) + " of scalars" + describe(where) +
                     " is " + describe_scalar(from, bits) + ", which does not fit " +
                     std::string(facts_of(type).name) + ": convert the array with astype<T>(x)");
  }
}

}  // namespace sinter::inline v0
