#pragma once
// What a nest moves, and what it leaves alone.

#include <sinter/codegen/nest/nest.hpp>

#include <cstddef>
#include <cstdint>

namespace sinter {

/// Whether there is nothing to store. A reduction of no elements has a result all the same.
bool is_empty(const nest& body);

/// Bytes of memory that a nest reads and writes at least: each element once. At most the greatest int64, as
/// views that repeat their elements may have more bytes than there are addresses.
std::int64_t bytes_moved(const nest& body);

/// Bytes of the widest value that a piece of the nest may leave: of positions 8, of complex numbers up to 16.
std::size_t widest_value(const nest& body);

/// Whether every read of the array `input` is of the element that the nest's single store then writes, so
/// that the result may take the array's place.
bool reads_only_what_it_writes(const nest& body, std::uint32_t input);

}  // namespace sinter
