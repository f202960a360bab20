// The answer to a program:
//
//   ok MICROSECONDS COUNT
//   TYPE RANK EXTENT...       once for each output, each followed by its elements in row-major order, as
//   bytes
//
// followed by the bytes of all buffers if outputs had targets. After an exception it is one line instead:
//
//   error KIND MESSAGE        KIND: shape_error, type_error, compile_error, sinter_error, std
#pragma once

#include <sinter/sinter.hpp>

#include <cstdint>
#include <string>

namespace differential {

std::string first_line(std::int64_t microseconds, std::size_t outputs);

void append_view(std::string& answer, const sinter::any_view& from);

void append_array(std::string& answer, const sinter::any_array& from);

/// The answer for the exception that is being handled.
std::string describe_exception();

}  // namespace differential
