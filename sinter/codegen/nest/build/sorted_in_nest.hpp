#pragma once
// Which rows a nest sorts: those that the registers of one block of a GPU hold.

#include <sinter/codegen/shape/call_facts.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// Whether an argsort is computed like a scan, in the nest of its keys and of what reads its positions.
/// Others are stages of their own: longer rows, those of unknown length, keys with indices that may be out of
/// range, and all on the CPU.
bool is_sorted_in_nest(const call_facts& call, node_id argsort);

/// The elements of a block whose places its threads exchange: a row, up to a power of two, or as many short
/// rows as a block has.
std::int64_t elements_of_sort(const call_facts& call, node_id argsort);

}  // namespace sinter::inline v0
