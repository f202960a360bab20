#pragma once
// A call's arguments as a value: for work that outlives the call that asked for it.

#include <sinter/runtime/dispatch/plan.hpp>

#include <optional>
#include <vector>

namespace sinter::runtime {

/// Layouts, addresses and scalars of a request, copied. Elements are not: they may be gone.
class copied_call {
 public:
  explicit copied_call(const call_request& of);
  copied_call(const copied_call&) = delete;
  copied_call& operator=(const copied_call&) = delete;

  /// The request as it was, but that it launches nothing. Refers to this.
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

}  // namespace sinter::runtime
