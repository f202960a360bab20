#pragma once
// Users' own functions as bytes: what a recording holds of those that a graph calls.

#include <sinter/codegen/graph/external_function.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace sinter::runtime {

/// The code of functions in every form that they were made of, texts with their headers in them. Of a
/// function pointer only that there is one: kernels that call it get its address from the program that calls
/// them.
std::string to_bytes(std::span<const external_function* const> called);
/// Reads what to_bytes() wrote: functions whose kernels are found by the same content. One with a pointer has
/// one here, too, which throws where it is called. Accepts any bytes at all; where they are no functions,
/// returns false and says why.
bool read_externals(std::string_view bytes, std::vector<const external_function*>& to, std::string& fault);

}  // namespace sinter::runtime
