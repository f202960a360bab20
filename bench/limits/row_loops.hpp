#pragma once
// Plain loops over the rows of a matrix, as a C++ programmer writes them: no vectors by hand, no fast-math, a
// length known at run time. Compiled by Clang 19 -O3 for the instruction set that the name says, whatever
// compiles the rest.

#include <cstddef>
#include <string_view>

namespace sinter_bench {

/// Computes rows [first, last) of `length` elements, which follow each other in `x`; `out` has the results.
using row_loop = void (*)(const void* x, void* const* out, std::size_t first, std::size_t last,
                          std::size_t length);

/// The loop for the best instruction set of this processor, or nullptr if there is none. `operation` is the
/// name of a row in row_loops.cpp, `type` an element type's.
row_loop find_row_loop(std::string_view operation, std::string_view type);
/// "x86-64-v4" or "x86-64-v3": what find_row_loop() chooses.
const char* row_loop_architecture();

namespace row_loops_v4 {
row_loop find(std::string_view operation, std::string_view type);
}
namespace row_loops_v3 {
row_loop find(std::string_view operation, std::string_view type);
}

}  // namespace sinter_bench
