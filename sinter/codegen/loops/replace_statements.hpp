#pragma once
// What passes that lower one kind of statement have in common.

#include <sinter/codegen/loops/loop_ir.hpp>

#include <functional>

namespace sinter::inline v0::codegen {

/// Whether a tree has a statement of a kind anywhere: if not, a pass that lowers these need not begin.
bool has_statement(const loop_tree& tree, statement_kind kind);

/// Puts the list that `lowered` makes, or nothing, in the place of each statement of a kind, in the order of
/// the text.
void replace_statements(loop_tree& tree, statement_kind kind,
                        const std::function<statement_id(const statement& at)>& lowered);

}  // namespace sinter::inline v0::codegen
