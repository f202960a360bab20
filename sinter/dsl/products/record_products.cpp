#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>
#include <sinter/dsl/products/packed_subscripts.hpp>
#include <sinter/dsl/products/record_products.hpp>

namespace sinter::inline v0::detail {

recorded_value record_einsum(std::string_view subscripts, const typed_value* operands, unsigned count,
                             const location& at) {
  recording& into = current_recording();
  std::vector<std::uint64_t>& taken = into.node_operands;
  taken.clear();
  for (unsigned i = 0; i < count; ++i) taken.push_back(checked_in_function(into, operands[i], "einsum", at));
  for (const std::uint64_t word : packed_subscripts(subscripts)) taken.push_back(word);
  return into.made_in_function({.what = packed({.kind = step_kind::part}),
                                .payload = packed_part({.what = composed_part::einsum, .number = count}),
                                .at = at},
                               taken);
}

}  // namespace sinter::inline v0::detail
