#pragma once
// The loop IR as text that a person reads: for dumps and tests. It is no target's language.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// A statement a line, what is in it indented: "for e in 0 while e < 4, unrolled". Instructions of the nest
/// have their numbers: "let v2 = %2(v0, v1)".
std::string to_string(const loop_tree& tree);
/// One expression of a tree, by its number.
std::string text_of_expression(const loop_tree& tree, std::uint32_t id);

}  // namespace sinter::inline v0::codegen
