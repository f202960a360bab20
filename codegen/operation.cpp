#include <sinter/codegen/operation.hpp>

namespace sinter {

std::span<const operation_facts> operations() { return detail::operation_rows; }

}  // namespace sinter
