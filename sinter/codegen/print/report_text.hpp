#pragma once
// The function of emitted text that tells the call of an index that is out of range.

#include <sinter/codegen/target/target.hpp>

#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// report_index(record, site, index, extent), if it is called: the first one to claim the record writes it
/// (kernel/index_fault.hpp).
std::string report_text(std::span<const std::string_view> called, target_kind target);

}  // namespace sinter::inline v0::codegen
