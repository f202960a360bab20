#pragma once
// The element types with one real number: all but the complex ones, which have their own tests
// (complex_test.cpp, sweep_complex_test.cpp).

#include <sinter/codegen/types/element_type.hpp>

#include <span>

namespace sinter::test {

inline constexpr std::span<const element_type_facts> real_types{
    element_types.data(), static_cast<std::size_t>(element_type::complex64)};

}  // namespace sinter::test
