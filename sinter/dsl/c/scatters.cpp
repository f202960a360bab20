// Builders: writes at positions that are values, and counts.
#include <sinter/scatters.h>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>

#include <optional>
#include <string>

using namespace sinter;
using c::added;

namespace {

static_assert(sinter_scatter_add == static_cast<int>(scatter_combine::add));
static_assert(sinter_scatter_minimum == static_cast<int>(scatter_combine::minimum));
static_assert(sinter_scatter_maximum == static_cast<int>(scatter_combine::maximum));
static_assert(sinter_scatter_last == static_cast<int>(scatter_combine::last));

static_assert(sinter_scatter_checked == static_cast<int>(scatter_rule::reported));
static_assert(sinter_scatter_within == static_cast<int>(scatter_rule::dropped));
static_assert(sinter_scatter_from_zero == static_cast<int>(scatter_rule::counted));

static_assert(sinter_segment_sum == static_cast<int>(segment_result::sum));
static_assert(sinter_segment_minimum == static_cast<int>(segment_result::minimum));
static_assert(sinter_segment_maximum == static_cast<int>(segment_result::maximum));
static_assert(sinter_segment_mean == static_cast<int>(segment_result::mean));

/// One of the numbers from 0 to `last`, as an enumerator.
template <class Enumeration>
Enumeration one_of(std::int32_t number, std::int32_t last, const char* what) {
  if (number < 0 || number > last)
    throw c::invalid_argument("there is no " + std::string(what) + " " + std::to_string(number) +
                              ": they are numbered from 0 to " + std::to_string(last));
  return static_cast<Enumeration>(number);
}

std::optional<graph_value> weights_of(const sinter_builder& builder, const sinter_value* weights,
                                      std::size_t index) {
  if (weights == nullptr) return {};
  return c::value_of(builder, *weights, index);
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_scatter(sinter_builder* builder, sinter_value base, sinter_value index,
                                     sinter_value updates, int32_t axis, sinter_scatter_combine combine,
                                     sinter_scatter_rule rule, sinter_value* result) {
  return added("sinter_builder_scatter", builder, result, [&](sinter_builder& at) {
    const graph_value to = c::value_of(at, base);
    const scatter_request request{c::axis_of(axis, to.rank),
                                  one_of<scatter_combine>(combine, sinter_scatter_last, "way to combine"),
                                  one_of<scatter_rule>(rule, sinter_scatter_from_zero, "rule for indices")};
    return scatter(at.graph, to, c::value_of(at, index, 1), c::value_of(at, updates, 2), request,
                   c::no_place);
  });
}

sinter_status sinter_builder_bincount(sinter_builder* builder, sinter_value k, sinter_value n,
                                      const sinter_value* weights, sinter_value* result) {
  return added("sinter_builder_bincount", builder, result, [&](sinter_builder& at) {
    return bincount(at.graph, c::value_of(at, k), c::value_of(at, n, 1), weights_of(at, weights, 2),
                    c::no_place);
  });
}

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_histogram(sinter_builder* builder, sinter_value x, sinter_value bins,
                                       sinter_value low, sinter_value high, sinter_element_type edges,
                                       const sinter_value* weights, sinter_value* result) {
  return added("sinter_builder_histogram", builder, result, [&](sinter_builder& at) {
    const bin_range range{c::value_of(at, bins, 1), c::value_of(at, low, 2), c::value_of(at, high, 3)};
    return histogram(at.graph, c::value_of(at, x), range, c::type_of(edges), weights_of(at, weights, 4),
                     c::no_place);
  });
}

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_histogram2d(sinter_builder* builder, sinter_value x, sinter_value y,
                                         const sinter_value* range_x, const sinter_value* range_y,
                                         const sinter_value* weights, sinter_value* result) {
  return added("sinter_builder_histogram2d", builder, result, [&](sinter_builder& at) {
    const auto range_of = [&](const sinter_value* range, std::size_t first) {
      const sinter_value* const numbers = &c::checked(range, "the pointer to bins, low and high");
      return bin_range{c::value_of(at, numbers[0], first), c::value_of(at, numbers[1], first + 1),
                       c::value_of(at, numbers[2], first + 2)};
    };
    return histogram2d(at.graph, c::value_of(at, x), c::value_of(at, y, 1), range_of(range_x, 2),
                       range_of(range_y, 5), weights_of(at, weights, 8), c::no_place);
  });
}

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_segment(sinter_builder* builder, sinter_value x, sinter_value segments,
                                     sinter_value n, sinter_segment_result of, int32_t axis,
                                     sinter_value* result) {
  return added("sinter_builder_segment", builder, result, [&](sinter_builder& at) {
    const graph_value rows = c::value_of(at, x);
    return segment(
        at.graph, rows, c::value_of(at, segments, 1), c::value_of(at, n, 2),
        {one_of<segment_result>(of, sinter_segment_mean, "result of a segment"), c::axis_of(axis, rows.rank)},
        c::no_place);
  });
}

sinter_status sinter_builder_nonzero(sinter_builder* builder, sinter_value x, sinter_value* result) {
  return added("sinter_builder_nonzero", builder, result,
               [&](sinter_builder& at) { return nonzero(at.graph, c::value_of(at, x), c::no_place); });
}

sinter_status sinter_builder_compress(sinter_builder* builder, sinter_value x, sinter_value mask,
                                      sinter_value* result) {
  return added("sinter_builder_compress", builder, result, [&](sinter_builder& at) {
    return compress(at.graph, c::value_of(at, x), c::value_of(at, mask, 1), c::no_place);
  });
}
