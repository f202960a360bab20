#pragma once
// What passes that lower one kind of statement have in common.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <functional>

namespace sinter::inline v0::codegen {

/// Whether a tree has a statement of a kind anywhere: if not, a pass that lowers these need not begin.
bool has_statement(const loop_tree& tree, statement_kind kind);

/// Puts the list that `lowered` makes, or nothing, in the place of each statement for which `is_replaced`
/// holds, in the order of the text. The statement may be in that list. What is in it is not looked at.
void replace_statements(loop_tree& tree, const std::function<bool(const statement&)>& is_replaced,
                        const std::function<statement_id(statement_id)>& lowered);
/// The same for all statements of a kind.
void replace_statements(loop_tree& tree, statement_kind kind,
                        const std::function<statement_id(const statement& at)>& lowered);

}  // namespace sinter::inline v0::codegen
