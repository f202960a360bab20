#pragma once
// Files with the output of each step of the pass for a call.

#include <sinter/codegen/lowering.hpp>
#include <sinter/runtime/dispatch/function.hpp>

#include <string>

namespace sinter::inline v0::runtime {

/// The folder in SINTER_DUMP; "" if it is not set.
std::string dump_folder();

/// Lowers a call once more and writes the output of each step into the function's own folder below `folder`:
///
/// - graph.txt, simplified.txt: the graph as recorded, and after simplification
/// - call-<hash>.txt: results; for each stage its purpose, nest, schedule, launch and kernel
/// - call-<hash>.passes.txt: the nest and the schedule of each stage after each pass that changes them
/// - <entry>-<hash>.kernel.txt: the kernel's description
/// - <entry>-<hash>.cu or .cpp: the text that is compiled
/// - <entry>-<hash>.ptx or .s: the compiler's output for it
///
/// The same call writes the same files. If one cannot be written, or the compiler is missing, the log hook is
/// told once and the rest is written. Throws what lower() throws, and bad_alloc.
void dump_call(const std::string& folder, const function& called, const lowering_request& asked);

}  // namespace sinter::inline v0::runtime
