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
#include <span>
#include <string>
#include <string_view>

namespace differential {

std::string first_line(std::int64_t microseconds, std::size_t outputs);

/// The line before a result's elements.
void append_shape(std::string& answer, sinter::element_type type, std::span<const std::int64_t> extents);

/// Elements that the host reaches, in row-major order.
void append_elements(std::string& answer, const sinter::any_view& from);

/// Writes elements in row-major order to memory that the host reaches.
void store_elements(std::string_view elements, const sinter::any_view& to);

void append_view(std::string& answer, const sinter::any_view& from);

void append_array(std::string& answer, const sinter::any_array& from);

/// The answer for the exception that is being handled.
std::string describe_exception();

}  // namespace differential
