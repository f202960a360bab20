#pragma once
// tune(arguments…) and tune(arguments…, options) of functions and their calls.

#include <sinter/runtime/tuning.hpp>

#include <type_traits>

namespace sinter::inline v0::detail {

/// `Self` has `tuned(options, arguments…)`. A list in braces has no type that a pack could have, so options
/// come with a fixed number of arguments.
template <class Self>
struct tunable {
  /// Measures the schedules that the call's kernels can have, into arrays of its own, and uses the fastest
  /// from now on: in this process, for calls of this class on this device. Arguments and targets are as they
  /// were. Not during capture into a CUDA graph (device_error). Throws what a call throws.
  template <class... Arguments>
    requires(!(std::is_same_v<std::remove_cvref_t<Arguments>, tune_options> || ...))
  tuning_report tune(Arguments&&... arguments) const {
    return self().tuned(tune_options(), arguments...);
  }
  // NOLINTBEGIN(readability-function-size): as many operands as are given
#define SINTER_TUNE(classes, parameters, ...)                         \
  template <classes>                                                  \
  tuning_report tune(parameters, const tune_options& options) const { \
    return self().tuned(options, __VA_ARGS__);                        \
  }
#define SINTER_LIST(...) __VA_ARGS__
  SINTER_TUNE(class A, A&& a, a)
  SINTER_TUNE(SINTER_LIST(class A, class B), SINTER_LIST(A&& a, B&& b), a, b)
  SINTER_TUNE(SINTER_LIST(class A, class B, class C), SINTER_LIST(A&& a, B&& b, C&& c), a, b, c)
  SINTER_TUNE(SINTER_LIST(class A, class B, class C, class D), SINTER_LIST(A&& a, B&& b, C&& c, D&& d), a, b,
              c, d)
  SINTER_TUNE(SINTER_LIST(class A, class B, class C, class D, class E),
              SINTER_LIST(A&& a, B&& b, C&& c, D&& d, E&& e), a, b, c, d, e)
  SINTER_TUNE(SINTER_LIST(class A, class B, class C, class D, class E, class F),
              SINTER_LIST(A&& a, B&& b, C&& c, D&& d, E&& e, F&& f), a, b, c, d, e, f)
  // NOLINTEND(readability-function-size)
#undef SINTER_TUNE
#undef SINTER_LIST

 private:
  const Self& self() const { return static_cast<const Self&>(*this); }
};

}  // namespace sinter::inline v0::detail
