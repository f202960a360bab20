#pragma once
// Runs drawn calls and holds what comes out against the reference, and makes a call that fails smaller.

#include "bounded_reference.hpp"
#include "drawn_call.hpp"

#include <functional>
#include <string>

namespace sinter::test {

/// How a call is run.
enum class way : std::uint8_t {
  fused,
  general,    ///< by the kernels that serve every layout
  by_itself,  ///< each node in a kernel of its own
};
std::string_view to_string(way how);

/// What is wrong with a call; `kind` is "" where nothing is.
struct call_fault {
  std::string kind;  ///< "wrong" or "error"
  std::string text;
  explicit operator bool() const { return !kind.empty(); }
};

/// Runs a call and compares every result with the reference, and memory outside of the results with what it
/// was.
call_fault fault_of(const drawn_call& call, way how, device on, compared_elements& counts);

/// A smaller call that has a fault of the same kind: fewer results and nodes, values in the place of what
/// computed them, plainer layouts, shorter axes. Takes some seconds.
drawn_call made_smaller(const drawn_call& call, const std::function<call_fault(const drawn_call&)>& fault);

}  // namespace sinter::test
