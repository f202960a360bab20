#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/detail/reduce.hpp>

namespace sinter::inline v0::detail {

namespace {
constexpr const char* reduction_names[] = {
#define SINTER_REDUCTION(name, rule, combine, start, documentation) #name,
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
    "nansum",  "nanprod", "count_nonzero", "nanargmax", "nanargmin", "mean",    "var",         "stddev",
    "nanmean", "nanvar",  "nanstddev",     "norm",      "logsumexp", "softmax", "log_softmax",
#define SINTER_SCAN(name, rule, combine, start, documentation) #name,
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
};
}  // namespace

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
  const char* const name = reduction_names[static_cast<std::size_t>(request.what)];
  for (unsigned i = 0; i < count; ++i) step.operands[i] = checked_in_function(into, operands[i], name, at);
  return into.made_in_function(step, {&request.order, 1});
}

}  // namespace sinter::inline v0::detail
