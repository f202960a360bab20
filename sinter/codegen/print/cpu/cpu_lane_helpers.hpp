#pragma once
// Functions of CPU kernels that combine the lanes of reductions (loops/ir/lane_functions.hpp), as C++ text.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/print/instruction_text.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// The functions of each kind of reduction; empty unless the kernel has many reductions. `printer` notes the
/// device functions that they call, whose text comes before.
std::string cpu_lane_helpers(const kernel_description& kernel, instruction_printer& printer);

}  // namespace sinter::inline v0::codegen
