#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/composed/compose_reduction.hpp>
#include <sinter/dsl/composed/compose_reductions.hpp>
#include <sinter/dsl/detail/reduce.hpp>

#include <array>
#include <bit>
#include <string>

namespace sinter::inline v0 {
namespace {

using detail::reduction;

/// A call, for its messages.
struct composed_call {
  reduction what;
  const char* name;
  graph_value x;
  const reduction_options& options;
  const std::source_location& at;

  template <class Error>
  [[noreturn]] void refuse(const std::string& why) const {
    throw Error(std::string(name) + "(" + describe(x.type.type, x.rank) + ")" + describe(at) + ": " + why);
  }
  std::uint32_t axes() const {
    const auto all = static_cast<std::uint32_t>((std::uint64_t{1} << x.rank) - 1);
    if (options.axes == reduction_options::all_axes) return all;
    if ((options.axes & ~all) != 0)
      refuse<shape_error>("there is no axis " + std::to_string(std::bit_width(options.axes) - 1) + " of " +
                          std::to_string(x.rank));
    return options.axes;
  }
  void check() const {
    if (is_complex(x.type.type) && !detail::takes_complex(what))
      refuse<type_error>("complex numbers have no order: take real, imag or absolute");
    if (options.keepdims && detail::keeps_shape(what))
      refuse<type_error>("the result has the operand's shape anyway: leave keepdims out");
    if (options.ddof && !detail::has_deviations(what))
      refuse<type_error>("only var and stddev, and those without NaN, take ddof");
    check_mask();
    if (options.accumulator && detail::is_of_floating(what) && !is_inexact(*options.accumulator))
      refuse<type_error>("this accumulates in a floating type only");
    if (options.accumulator && is_complex(x.type.type) && !is_complex(*options.accumulator))
      refuse<type_error>("complex numbers accumulate in a complex type: take real or imag");
  }
  void check_mask() const {
    if (!options.mask) return;
    if (detail::finds_position(what))
      refuse<type_error>("positions take no mask: replace elements by where(mask, x, inf)");
    if (options.mask->type.type != element_type::boolean)
      refuse<type_error>("the mask is not boolean: compare, or cast to bool");
    if (options.mask->rank > x.rank) refuse<shape_error>("the mask has more axes than the operand");
  }
};

graph_value composed(graph_builder& into, const composed_call& call) {
  call.check();
  const reduction_options& options = call.options;
  const operation_types types = options.accumulator
                                    ? detail::reduction_types_in(call.what, *options.accumulator)
                                    : detail::reduction_types(call.what, call.x.type);
  const detail::reduction_request request{.what = call.what,
                                          .compute = types.compute.type,
                                          .result = types.result.type,
                                          .keepdims = options.keepdims,
                                          .masked = options.mask.has_value(),
                                          .corrected = options.ddof.has_value(),
                                          .axes = call.axes(),
                                          .order = std::bit_cast<std::uint64_t>(options.order)};
  std::array<graph_value, 3> operands{call.x};
  std::size_t count = 1;
  if (options.mask) operands[count++] = *options.mask;
  if (options.ddof) operands[count++] = *options.ddof;
  return detail::compose_reduction(into, request, operands.data(), call.at);
}

}  // namespace

#define SINTER_COMPOSED(name)                                                            \
  graph_value name(graph_builder& into, graph_value x, const reduction_options& options, \
                   const std::source_location& at) {                                     \
    return composed(into, {reduction::name, #name, x, options, at});                     \
  }
SINTER_COMPOSED(nansum)
SINTER_COMPOSED(nanprod)
SINTER_COMPOSED(count_nonzero)
SINTER_COMPOSED(nanargmax)
SINTER_COMPOSED(nanargmin)
SINTER_COMPOSED(mean)
SINTER_COMPOSED(var)
SINTER_COMPOSED(stddev)
SINTER_COMPOSED(nanmean)
SINTER_COMPOSED(nanvar)
SINTER_COMPOSED(nanstddev)
SINTER_COMPOSED(norm)
SINTER_COMPOSED(logsumexp)
SINTER_COMPOSED(softmax)
SINTER_COMPOSED(log_softmax)
#undef SINTER_COMPOSED

}  // namespace sinter::inline v0
