#pragma once
// What a launch on a GPU takes to give every multiprocessor work, and why one may be launched on less.

#include <sinter/codegen/lowering.hpp>

#include <string>

namespace sinter {

/// Whether every multiprocessor has a block, and on average as many threads as two blocks of 64 have.
bool fills_device(std::int64_t blocks, std::int64_t threads, const target_facts& target);

/// Elements that a device must have to walk before it pays to spread them over more blocks and launches,
/// which take microseconds: in proportion to its multiprocessors.
std::int64_t enough_work(const target_facts& target);

enum class launch_fill : std::uint8_t {
  full,           ///< every multiprocessor has work
  little_work,    ///< fewer elements than enough_work()
  one_cluster,    ///< few rows, each the work of one cluster: quicker than a second launch
  scanned_once,   ///< scans on three quarters of the threads: pieces of their rows would be read twice
  resident_rows,  ///< rows stay on the chip: cut into pieces they would be read once more for each loop
  joined_again,   ///< what pieces left is walked more than once, and is little beside what they read
  idle,           ///< none of these
};

/// Of a stage for a GPU.
launch_fill fill_of(const stage& launched, const target_facts& target);

/// In words: "8 blocks for 132 multiprocessors, since 4096 elements are little work".
std::string describe_fill(const stage& launched, const target_facts& target);

}  // namespace sinter
