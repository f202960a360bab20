#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/detail/reduce.hpp>

namespace sinter::inline v0::detail {

recorded_value record_reduction(const reduction_request& request, const typed_value* operands,
                                const location& at) {
  recording& into = current_recording();
  const unsigned count = 1 + (request.masked ? 1 : 0) + (request.corrected ? 1 : 0);
  graph_step step{.what = packed({.kind = step_kind::reduction,
                                  .type = request.compute,
                                  .met = request.result,
                                  .count = static_cast<std::uint8_t>(count)}),
                  .payload = static_cast<std::uint64_t>(request.what) |
                             static_cast<std::uint64_t>(request.keepdims) << 8 |
                             static_cast<std::uint64_t>(request.masked) << 9 |
                             static_cast<std::uint64_t>(request.corrected) << 10 |
                             static_cast<std::uint64_t>(request.axes) << 32,
                  .at = at};
  for (unsigned i = 0; i < count; ++i) step.operands[i] = checked(into, operands[i]);
  return into.made(step, {&request.order, 1});
}

}  // namespace sinter::inline v0::detail
