#pragma once
// A program as several calls, as somebody writes it who keeps intermediate results: some of its values are
// results of calls of their own, which later calls read.

#include "machine.hpp"
#include "program.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace sinter_bench {

/// Values of a program that are stored between calls, in the order of its lines: one call makes each of them,
/// and a last one the results.
using partition = std::vector<unsigned>;

/// Up to `most` partitions into separate calls: at each value alone that a view, a reduction, a scan or
/// several operations read, or that is reduced; at all of them; at drawn choices of several.
std::vector<partition> partitions_of(const program& of, std::size_t most);

/// A line of JSON: microseconds of calls that begin with cold caches, of the fused call and of up to `most`
/// partitions by turns, and what the fused call explains. After `seconds` there are no more turns, but at
/// least five.
std::string time_partitions(const program& of, machine& on, std::size_t most, unsigned turns, double seconds);

}  // namespace sinter_bench
