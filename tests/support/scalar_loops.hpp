#pragma once
// Innermost loops of x86-64 assembly, and what they compute one element after the other.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::test {

struct scalar_loop {
  std::string function;
  std::size_t arithmetic = 0;    ///< instructions of scalar floating arithmetic
  std::size_t instructions = 0;  ///< all of them
};

/// The innermost loops of each function that have scalar floating arithmetic, from the first instruction to
/// the jump back to it. Conversions and moves are no arithmetic.
std::vector<scalar_loop> scalar_loops(std::string_view assembly);

}  // namespace sinter::test
