#pragma once
// How long what an expression gives lives, and what it refers to.

#include "source_model.hpp"

namespace sinter_check {

enum class destination { nowhere, returned, member, static_storage, argument };

/// Where a fused function ends up that a call of `fuse` makes: in this function only, or somewhere that
/// outlives it.
destination destination_of(const source_model& model, const clang::Expr* made);
/// "is returned" and its like.
const char* phrase_of(destination where);
/// The function, lambda or method around a statement; null outside of them.
const clang::FunctionDecl* function_around(const source_model& model, const clang::Stmt* inner);

}  // namespace sinter_check
