#pragma once
// Functions of CPU kernels that scan a group of lanes as vectors, as C++ text.

#include <sinter/codegen/kernel/kernel_description.hpp>

#include <string>

namespace sinter::inline v0::codegen {

/// scan_by_add<exclusive>(values, start, carry) and the like, for scans whose lanes are vectors; and
/// deal<hands>(from, to), for those of bodies whose blocks of lanes are. Empty if the kernel has neither.
std::string cpu_scan_helpers(const kernel_description& kernel);

}  // namespace sinter::inline v0::codegen
