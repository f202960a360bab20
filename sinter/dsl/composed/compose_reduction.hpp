#pragma once
// The public reductions and scans, and how each is composed from rows of the table of operations; what one by
// a body is asked for.

#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/codegen/graph/operation.hpp>

#include <cstdint>
#include <source_location>

namespace sinter::inline v0::detail {

/// The public reductions: rows of the table, then compositions of them, then the scans of the table.
enum class reduction : std::uint8_t {
#define SINTER_REDUCTION(name, rule, combine, start, documentation) name,
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
  nansum,
  nanprod,
  count_nonzero,
  nanargmax,
  nanargmin,
  // from here on floating-point: integers are converted to float64, float16 and bfloat16 computed in float32
  mean,
  var,
  stddev,
  nanmean,
  nanvar,
  nanstddev,
  norm,
  logsumexp,
  softmax,
  log_softmax,
#define SINTER_SCAN(name, rule, combine, start, documentation) name,
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
};

constexpr bool is_row(reduction what) { return what < reduction::nansum; }
constexpr bool is_scan(reduction what) { return what > reduction::log_softmax; }
/// The row of the table, for a reduction that is one.
constexpr operation row_of(reduction what) {
  const unsigned first = static_cast<unsigned>(is_scan(what) ? operation::cumsum : operation::sum),
                 named = static_cast<unsigned>(is_scan(what) ? reduction::cumsum : reduction::sum);
  return static_cast<operation>(first + static_cast<unsigned>(what) - named);
}
constexpr bool is_sum_or_product(reduction what) {
  return what == reduction::sum || what == reduction::prod || what == reduction::nansum ||
         what == reduction::nanprod;
}
constexpr bool is_of_floating(reduction what) { return what >= reduction::mean && !is_scan(what); }
constexpr bool keeps_shape(reduction what) { return what >= reduction::softmax; }
constexpr bool finds_position(reduction what) {
  return what == reduction::argmax || what == reduction::argmin || what == reduction::nanargmax ||
         what == reduction::nanargmin;
}
constexpr bool has_deviations(reduction what) {
  return what == reduction::var || what == reduction::stddev || what == reduction::nanvar ||
         what == reduction::nanstddev;
}

/// Whether the result for complex operands is real.
constexpr bool is_real_of_complex(reduction what) { return has_deviations(what) || what == reduction::norm; }
constexpr bool takes_complex(reduction what) {
  return what < reduction::logsumexp
             ? !finds_position(what) && !(is_row(what) && !sinter::takes_complex(facts_of(row_of(what)).rule))
             : is_scan(what) && sinter::takes_complex(facts_of(row_of(what)).rule);
}

/// What a reduction or scan by a body combines, beside its operands.
struct combining_request {
  unsigned count = 0;      ///< values
  std::uint32_t axes = 0;  ///< as bits; 0: the values have rank 0
  bool keepdims = false, ordered = false;
};
constexpr std::uint64_t packed(const combining_request& request) {
  return static_cast<std::uint64_t>(request.count) | static_cast<std::uint64_t>(request.keepdims) << 16 |
         static_cast<std::uint64_t>(request.ordered) << 17 | static_cast<std::uint64_t>(request.axes) << 32;
}
constexpr combining_request unpacked_request(std::uint64_t payload) {
  return {.count = static_cast<unsigned>(payload & 0xffff),
          .axes = static_cast<std::uint32_t>(payload >> 32),
          .keepdims = (payload >> 16 & 1) != 0,
          .ordered = (payload >> 17 & 1) != 0};
}

/// One reduction, without its operands: the elements, then the mask and ddof if they are given.
struct reduction_request {
  reduction what{};
  element_type compute{};  ///< the type to which elements are converted first
  element_type result{};
  bool keepdims = false;
  bool masked = false;
  bool corrected = false;  ///< ddof is given
  std::uint32_t axes = 0;
  std::uint64_t order = 0;  ///< of a norm: the bits of a double
};

/// Appends the operations of the reduction to a graph.
graph_value compose_reduction(graph_builder& into, const reduction_request& request,
                              const graph_value* operands, const std::source_location& at);

}  // namespace sinter::inline v0::detail
