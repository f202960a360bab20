#pragma once
// NumPy's one-letter type codes, which the vectors in tests/vectors use.

#include <sinter/codegen/types/element_type.hpp>

#include <stdexcept>

namespace sinter::testing {

inline element_type type_of_code(char code) {
  switch (code) {
    case '?':
      return element_type::boolean;
    case 'b':
      return element_type::int8;
    case 'h':
      return element_type::int16;
    case 'i':
      return element_type::int32;
    case 'l':
      return element_type::int64;
    case 'B':
      return element_type::uint8;
    case 'H':
      return element_type::uint16;
    case 'I':
      return element_type::uint32;
    case 'L':
      return element_type::uint64;
    case 'e':
      return element_type::float16;
    case 'f':
      return element_type::float32;
    case 'd':
      return element_type::float64;
    case 'F':
      return element_type::complex64;
    case 'D':
      return element_type::complex128;
    default:
      throw std::invalid_argument("no NumPy type code");
  }
}

}  // namespace sinter::testing
