#pragma once

#include <sinter/codegen/graph/operation.hpp>

namespace sinter::inline v0::c {

enum class operation_kind : std::uint8_t { on_elements, reduction, scan };

/// The operation of that name and kind. Throws invalid_argument, which names the function for another kind,
/// and for an unknown name the operations with similar ones.
operation operation_named(const char* name, operation_kind kind);

}  // namespace sinter::inline v0::c
