#pragma once
// What sinter/sequence.hpp calls of the compiled part of the library.

#include <sinter/dsl/detail/recording.hpp>
#include <sinter/runtime/sequence.hpp>

namespace sinter::inline v0::detail {

/// Appends a call that writes to given arrays. A stateful function is recorded here.
SINTER_API std::size_t add_step(runtime::call_sequence& to, const call_site& site,
                                std::span<const runtime::operand> into);

}  // namespace sinter::inline v0::detail
