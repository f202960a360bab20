#pragma once
// Whether a launch on a GPU gives every multiprocessor work, and why it may not.

#include <sinter/codegen/kernel/stage.hpp>

#include <string>

namespace sinter::inline v0 {

enum class launch_fill : std::uint8_t {
  full,            ///< every multiprocessor has work
  little_work,     ///< fewer elements than enough_work()
  one_cluster,     ///< few rows, each processed by one cluster: faster than a second launch
  scanned_once,    ///< scans on three quarters of the threads: splitting their rows would read them twice
  resident_rows,   ///< rows are resident: split into pieces they would be read once more for each loop
  combined_again,  ///< the results of pieces are read more than once, but are few
  idle,            ///< none of these
};

/// The fill of a stage for a GPU.
launch_fill fill_of(const stage& launched, const target_facts& target);

/// As text: "8 blocks for 132 multiprocessors, since 4096 elements are little work".
std::string describe_fill(const stage& launched, const target_facts& target);

}  // namespace sinter::inline v0
