#pragma once
// Whether a trial computes what the default computes.

#include <sinter/runtime/tuning/trial_call.hpp>

namespace sinter::inline v0::runtime {

/// Compares the scratch results of a call on its device. `exact`: all bits are equal. Else elements of
/// floating and complex results may differ by what another order of combining brings: up to the root of the
/// type's precision, as a share of the result's largest element. NaN are equal to each other, infinities to
/// themselves.
class result_comparison {
 public:
  explicit result_comparison(const trial_call& of);
  bool are_equal(bool exact);

 private:
  bool have_equal_bits(const trial_call::scratch& at);
  bool are_close(const trial_call::scratch& at);

  const trial_call& of_;
  function_handle differ_;
};

}  // namespace sinter::inline v0::runtime
