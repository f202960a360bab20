#pragma once
// What explain() says of a stage's compiled code: its origin, registers and spills, how many of its blocks a
// GPU holds, and how to profile it.

#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/target/target.hpp>
#include <sinter/runtime/object/object_code.hpp>

#include <string>
#include <string_view>

namespace sinter::inline v0::runtime {

/// The code of a stage that has a kernel.
struct explained_code {
  const stage& of;
  const target_facts& target;
  const object_code& code;
  bool is_fresh = false;  ///< compiled just now
  bool is_here = false;   ///< its device is here, so that it can be profiled
};

std::string describe(const explained_code& of);

/// The command that profiles one launch of a kernel in this program by Nsight Compute.
std::string profiler_command(std::string_view entry, std::string_view program);

}  // namespace sinter::inline v0::runtime
