#pragma once
// External functions as bytes: what a recording stores about the functions that a graph calls.

#include <sinter/codegen/graph/external_function.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::runtime {

/// The code of functions in every form, with expanded headers. For a function pointer only the fact that
/// there is one: kernels that call it receive its address from the program that launches them.
std::string to_bytes(std::span<const external_function* const> called);
/// Reads the result of to_bytes(): functions with the same keys. A function pointer becomes one that throws
/// when called. Safe for arbitrary bytes; for malformed ones it returns false and the reason.
bool read_externals(std::string_view bytes, std::vector<const external_function*>& to, std::string& fault);

}  // namespace sinter::inline v0::runtime
