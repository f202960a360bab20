#include <sinter/codegen/graph/operation.hpp>

namespace sinter::inline v0 {

std::span<const operation_facts> operations() { return detail::operation_rows; }

std::span<const operation_facts> element_operations() {
  constexpr std::size_t first_reduction = static_cast<std::size_t>(operation::sum);
  return operations().subspan(structural_operations, first_reduction - structural_operations);
}

}  // namespace sinter::inline v0
