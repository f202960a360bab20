#pragma once
// What a launch on a GPU takes to give every multiprocessor work, and why one may be launched on less.

#include <sinter/codegen/kernel/stage.hpp>

#include <string>

namespace sinter {

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
