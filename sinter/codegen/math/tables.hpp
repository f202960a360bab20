#pragma once
// The tables that collect.cpp combines. Each source file in common/, cpu/ and cuda/ defines one.

#include <span>
#include <string_view>

#include "device_functions.hpp"

namespace sinter::inline v0::codegen {

/// One row of a table. With `types` empty it is one function as written. Otherwise it stands for one function
/// per listed suffix, and these are replaced in name, text, uses, fast_name and fast_test:
/// - $S: the suffix
/// - $T: the C++ type
/// - $U: the unsigned type of that width
/// - $W: the width in bits
/// - $F: the suffix of C's float functions: f or nothing
/// - $R, $C: for complex types, the suffix and the C++ type of the parts
/// - $P: the type in which C++ computes $U without undefined overflow: unsigned int up to 32 bits, else $U
struct function_template {
  std::string_view name;
  std::string_view text;
  std::string_view uses = {};
  std::string_view types = {};
  std::string_view fast_name = {};
  std::string_view fast_test = {};
};

std::span<const function_template> common_rounding();
std::span<const function_template> common_comparison();
std::span<const function_template> common_integer();
std::span<const function_template> common_remainder();
std::span<const function_template> common_conversion();
std::span<const function_template> common_half();
std::span<const function_template> common_complex();
std::span<const function_template> common_logarithm();
std::span<const function_template> common_special();
std::span<const function_template> common_random();
std::span<const function_template> cpu_comparison();
std::span<const function_template> cpu_rounding();
std::span<const function_template> cpu_conversion();
std::span<const function_template> cpu_exponential();
std::span<const function_template> cpu_logarithm();
std::span<const function_template> cpu_trigonometric();
std::span<const function_template> cpu_inverse_trigonometric();
std::span<const function_template> cpu_hyperbolic();
std::span<const function_template> cpu_power();
std::span<const function_template> cpu_special();
std::span<const function_template> cpu_gamma();
std::span<const function_template> cpu_fast();
std::span<const function_template> cuda_math();
std::span<const function_template> cuda_conversion();
std::span<const function_template> cuda_fast();
std::span<const function_template> cuda_half();
std::span<const function_template> cuda_integer();
std::span<const function_template> cuda_random();

}  // namespace sinter::inline v0::codegen
