#pragma once
// Operations by their names, as text has them.
//
// Threads: any thread may call it at any time.
// Throws: error for a name that no operation has.
// After a failure: nothing has changed.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/operation.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// The row of the table of operations with this name (docs/operations.md): of elements, reductions and scans.
/// Throws error for an unknown name, which names similar ones.
///     builder.apply(operation_named("logaddexp"), {x, y});
SINTER_API operation operation_named(std::string_view name);

namespace detail {
std::optional<operation> find_operation(std::string_view name);
/// "did you mean 'add'? " with the most similar names; empty if none is similar.
std::string similar_operations(std::string_view name);
}  // namespace detail

}  // namespace sinter::inline v0
