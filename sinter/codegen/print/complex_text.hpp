#pragma once
// Complex numbers in emitted text: the type and its operators. Functions of them are device functions
// (math/common/complex.cpp).

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/math/device_functions.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// The type complex<T> and its operators.
std::string complex_type_text(text_target target);

bool has_complex(const kernel_description& kernel);

/// What a kernel's text begins with where it has complex numbers; empty elsewhere. Products are those of the
/// definition, without fused multiply-add: z * conj(z) has no imaginary part.
std::string complex_text(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
