#pragma once
// The text of a GPU kernel as C++ for the CPU, which tests/support/cuda/cuda_simulator.cpp compiles and runs.

#include <sinter/codegen/lowering.hpp>

#include <string>

namespace sinter::test {

/// The prelude, the kernel's text with calls in place of inline assembly, and `sim_run`, which runs the
/// kernel as one thread with the argument block at an address.
std::string text_for_cpu(const kernel_text& text, const stage& launched);

}  // namespace sinter::test
