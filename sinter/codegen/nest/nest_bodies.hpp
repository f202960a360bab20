#pragma once
// Instructions that are evaluated in bodies of others: in each iteration of a loop, or on one side of a
// choice.

#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>
#include <optional>
#include <vector>

namespace sinter::inline v0 {

/// The number of iterations of a loop, where it is a literal.
std::optional<std::int64_t> known_iterations(const nest_body& body, const instruction& loop);
/// The number that it counts as: at most 4096, and 16 where it is not known. 1 for what is no loop.
std::uint64_t counted_iterations(const nest_body& body, const instruction& owner);

/// How often an instruction is evaluated for each element or row: the product of the iterations around it,
/// as counted_iterations() gives them.
std::uint64_t times_evaluated(const nest_body& body, const instruction& at);

/// The instruction outside of all bodies in which an instruction is evaluated; itself if it is in none.
std::uint32_t outermost_owner(const nest_body& body, std::uint32_t i);

/// What an instruction outside of all bodies is computed from: with bodies, also what these capture.
void list_captured(const nest_body& body, std::uint32_t i, std::vector<std::uint32_t>& to);

/// Whether any instruction has bodies.
bool has_bodies(const nest_body& body);

/// Whether elements leave a loop one by one, as in repeat_while.
bool has_early_exits(const nest_body& body);

/// The instructions in the body of `owner` on which one of its instructions depends. By number, with itself.
std::vector<bool> needed_in_body(const nest_body& body, std::uint32_t owner, std::uint32_t wanted);

/// The weights of the instructions in the bodies of `owner`, on the side that is dearer.
std::uint64_t weight_of_body(const nest_body& body, std::uint32_t owner);

/// Whether both sides of a choice take less time than finding out that lanes agree.
bool is_cheap_choice(const nest_body& body, std::uint32_t owner);

/// Moves what is the same in each iteration of a loop, or for all elements that are combined, before it. What
/// is on one side of a choice, and external functions, stay where they are.
void hoist_invariants(nest& loop_nest);

/// The loops that an element leaves when an instruction in them reports an index, innermost first: without
/// this, a condition that reads the nearest element in its place may hold for ever. Loops that end by a count
/// are none of them.
std::vector<std::uint32_t> loops_left_by(const nest_body& body, std::uint32_t report);
/// The position of the index that a report of a body is about.
std::uint32_t position_reported(const nest_body& body, std::uint32_t report);

}  // namespace sinter::inline v0
