#pragma once
// Complex numbers in emitted text: the type and its operators. Functions of them are device functions
// (math/common/complex.cpp).

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/device_functions.hpp>

#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// The type complex<T> and its operators.
std::string complex_type_text(text_target target);

/// What a kernel's text begins with where it has complex numbers; empty elsewhere. Products are those of the
/// definition, without fused multiply-add: z * conj(z) has no imaginary part.
std::string complex_text(const kernel_description& kernel);

/// Exchange of complex numbers between threads, after that of their parts: `functions` are names of functions
/// (value, number of lanes).
std::string complex_exchange_text(const kernel_description& kernel,
                                  std::initializer_list<std::string_view> functions);

}  // namespace sinter::inline v0::codegen
