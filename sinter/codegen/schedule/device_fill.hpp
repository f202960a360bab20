#pragma once
// Whether a launch gives every multiprocessor of a GPU work.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The number of blocks that keeps every multiprocessor busy.
std::int64_t blocks_to_fill(const target_facts& target);

/// Whether every multiprocessor has a block, and on average at least as many threads as two blocks of 64.
bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target);

/// The elements of a nest. Pieces of rows count as the rows, since the last piece may be empty.
std::int64_t count_elements(const nest& body);

/// The work of an element on a GPU, in loads and additions of one: several if it has many operations and
/// reads.
std::int64_t work_of_element(const nest& body, const target_facts& target);

/// The work of all elements. Saturates.
std::int64_t count_work(const nest& body, const target_facts& target);

/// The work from which it pays to spread it over more blocks and launches, which cost microseconds;
/// proportional to the number of multiprocessors.
std::int64_t enough_work(const target_facts& target);

}  // namespace sinter::inline v0
