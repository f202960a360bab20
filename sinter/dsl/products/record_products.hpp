#pragma once
// How a product by subscripts is recorded: as a part whose operands are followed by the letters.

#include <sinter/dsl/detail/recording.hpp>

#include <string_view>

namespace sinter::inline v0::detail {

SINTER_API recorded_value record_einsum(std::string_view subscripts, const typed_value* operands,
                                        unsigned count, const location& at);

}  // namespace sinter::inline v0::detail
