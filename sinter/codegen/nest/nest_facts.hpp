#pragma once
// Memory traffic of a nest, and what its stores may overwrite.

#include <sinter/codegen/nest/nest.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>

namespace sinter::inline v0 {

/// Whether there is nothing to store. A reduction over no elements still stores its result.
bool is_empty(const nest& body);

/// The least number of bytes that a nest reads and writes: each element of each access once. Saturates at the
/// greatest int64, because views that repeat elements may exceed it.
std::int64_t bytes_moved(const nest& body);

/// The same, with slices of one array counted once where they overlap: what memory has to move at least.
std::int64_t bytes_touched(const nest& body);

/// Bytes of the widest value that a piece of the nest stores: 8 for positions, up to 16 for complex numbers.
std::size_t widest_value(const nest_body& body);

/// Whether every read of the array `input` is of the element that the nest's only store then writes, so that
/// the result may overwrite the array.
bool reads_only_what_it_writes(const nest& body, std::uint32_t input);
/// Whether the nest reads the array `input`, or writes a result of the call.
bool reads_input(const nest& body, std::uint32_t input);
bool writes_a_result(const nest& body);

/// An input whose elements a nest copies to a result, each to the same place.
struct copied_array {
  std::uint32_t input = 0, result = 0;
};
/// That, if the nest does nothing else.
std::optional<copied_array> find_copied_array(const nest& body);

/// Whether the positions of an argmax or argmin grow with the number of an element in its row, so that each
/// thread visits the first of equal elements first. Where strides are not known, only a single axis may
/// count.
bool positions_ascend(const nest& body, const instruction& reduction);

/// Whether a thread loads several nearby reads of one array together, and rows of a thread share them.
bool has_window(const nest& body);

/// Whether a reduction or scan of a nest combines by a body.
bool combines_by_body(const nest_body& body);

/// How many elements the array has that a nest updates; 0 if it updates none, or if they lie apart.
std::int64_t elements_updated(const nest& body);
/// Whether a store adds the same small integer for each element: what is added can be counted in 32 bits.
bool counts_updates(const nest_body& body, const store& made);

/// Whether a nest has so many reductions that its text is made for a quick compile: see many_reductions.
bool has_many_reductions(const nest_body& body);

}  // namespace sinter::inline v0
