#pragma once
// A scatter as the nest of its updates, over their shape. An earlier stage has stored its base where the nest
// updates it.

#include <sinter/codegen/nest/build/stored_node.hpp>
#include <sinter/codegen/shape/call_facts.hpp>

#include <array>
#include <span>

namespace sinter::inline v0 {

/// Whether a nest makes a scatter, which is always alone: not if an earlier one has, and what it stored is
/// copied.
bool is_scatter(const call_facts& call, std::span<const stored_node> stored,
                std::span<const stored_node> wanted);

/// What the nest of a scatter computes, at each position of the first one's shape: its updates, then their
/// indices.
std::array<stored_node, 2> operands_of_scatter(const call_facts& call, const stored_node& scatter);

/// The stores of these two become the update of what is stored of the scatter, and the report of an index
/// that is out of range.
void add_update(const call_facts& call, const stored_node& scatter, nest& built);

}  // namespace sinter::inline v0
