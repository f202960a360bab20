#pragma once
// What each step of the pass made of a call, as files that a person reads.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/dispatch/function.hpp>

#include <string>

namespace sinter::runtime {

/// The folder that SINTER_DUMP names; "" where it is not set.
std::string dump_folder();

/// Writes what the pass made of a call into a folder of the function's own below `folder`:
///
/// - graph.txt, simplified.txt: the graph as it was recorded, and after simplification
/// - call-<hash>.txt: results; of each stage its purpose, nest, schedule, launch and kernel
/// - <entry>-<hash>.kernel.txt: the kernel's description
/// - <entry>-<hash>.cu or .cpp: the text that is compiled
/// - <entry>-<hash>.ptx or .s: what the compiler makes of it
///
/// The same call writes the same files. Where one cannot be written, or the compiler is missing, the log hook
/// is told once and the rest is written. Throws nothing but bad_alloc.
void dump_call(const std::string& folder, const function& called, const lowered_call& lowered,
               const target_facts& target);

}  // namespace sinter::runtime
