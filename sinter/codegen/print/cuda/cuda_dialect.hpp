#pragma once
// How CUDA C++ spells the loop IR.

#include <sinter/codegen/print/dialect.hpp>

namespace sinter::inline v0::codegen {

extern const dialect cuda_dialect;

}  // namespace sinter::inline v0::codegen
