#pragma once
// An owned copy of a call's arguments, for work that outlives the call.

#include <sinter/runtime/dispatch/plan.hpp>

#include <optional>
#include <vector>

namespace sinter::inline v0::runtime {

/// Copies of the layouts, addresses and scalars of a request. Elements are not copied and may be freed.
class copied_call {
 public:
  explicit copied_call(const call_request& of);
  copied_call(const copied_call&) = delete;
  copied_call& operator=(const copied_call&) = delete;

  /// The original request, except that it launches nothing. Refers to this object.
  call_request request() const;
  const function_handle& called() const { return called_; }

 private:
  void copy(std::span<const operand> from, std::vector<operand>& to);

  call_request original_;
  function_handle called_;
  std::vector<std::int64_t> layouts_;
  std::vector<operand> operands_, into_;
  std::vector<scalar> scalars_;
  std::optional<schedule> forced_;
};

}  // namespace sinter::inline v0::runtime
