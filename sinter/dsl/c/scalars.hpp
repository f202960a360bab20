#pragma once

#include <sinter/sinter.h>
#include <sinter/codegen/types/element_type.hpp>
#include <sinter/runtime/call.hpp>

namespace sinter::inline v0::c {

/// The bits of number `index` in the type of its parameter. Throws type_error if that cannot hold it.
runtime::scalar scalar_of(const sinter_scalar& given, element_type type, std::size_t index);

}  // namespace sinter::inline v0::c
