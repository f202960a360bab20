#pragma once
// Runs random calls, compares the results with the reference, and reduces a failing call.

#include "../bounded_reference.hpp"
#include "drawn_call.hpp"

#include <functional>
#include <string>

namespace sinter::test {

/// How a call is run.
enum class way : std::uint8_t {
  fused,
  general,    ///< with the shape-generic kernels
  by_itself,  ///< each node in a separate kernel
};
std::string_view to_string(way how);

/// The failure of a call; `kind` is "" if it passed.
struct call_fault {
  std::string kind;  ///< "wrong" or "error"
  std::string text;
  explicit operator bool() const { return !kind.empty(); }
};

/// Runs a call and compares every result with the reference, and the memory outside of the results with its
/// old content.
call_fault fault_of(const drawn_call& call, way how, device on, compared_elements& counts);

/// A smaller call with a failure of the same kind: fewer results and nodes, inputs in place of computed
/// values, simpler layouts, shorter axes. Takes some seconds.
drawn_call made_smaller(const drawn_call& call, const std::function<call_fault(const drawn_call&)>& fault);

}  // namespace sinter::test
