// Builders: writes at positions that are values, and counts. Also arrays of chosen elements.
#include <sinter/scatters.h>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>
#include <sinter/dsl/detail/layout.hpp>
#include <sinter/dsl/scatters/compose_histogram.hpp>

#include <optional>
#include <string>
#include <utility>

using namespace sinter;
using c::added;

namespace {

static_assert(sinter_scatter_add == static_cast<int>(scatter_combine::add));
static_assert(sinter_scatter_minimum == static_cast<int>(scatter_combine::minimum));
static_assert(sinter_scatter_maximum == static_cast<int>(scatter_combine::maximum));
static_assert(sinter_scatter_last == static_cast<int>(scatter_combine::last));
static_assert(sinter_scatter_add_unordered == static_cast<int>(scatter_combine::add_unordered));

static_assert(sinter_scatter_checked == static_cast<int>(scatter_rule::reported));
static_assert(sinter_scatter_within == static_cast<int>(scatter_rule::dropped));
static_assert(sinter_scatter_from_zero == static_cast<int>(scatter_rule::counted));

static_assert(sinter_segment_sum == static_cast<int>(segment_result::sum));
static_assert(sinter_segment_minimum == static_cast<int>(segment_result::minimum));
static_assert(sinter_segment_maximum == static_cast<int>(segment_result::maximum));
static_assert(sinter_segment_mean == static_cast<int>(segment_result::mean));
static_assert(sinter_segment_sum_unordered == static_cast<int>(segment_result::sum_unordered));

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

copied_bytes bytes_of(const any_array& elements) {
  return {elements.data(), elements.device(), elements.view().record().get()};
}

/// The number that a call has counted, once it is known.
std::int64_t counted(const any_array& count, std::int64_t most) {
  if (count.type() != element_type::int64 || count.rank() != 0 || count.data() == nullptr)
    throw type_error("the count is an array of int64 and rank 0, as a call gives it");
  std::int64_t number = 0;
  detail::copy_elements({&number, device::cpu()}, bytes_of(count), sizeof number);
  if (number < 0 || number > most)
    throw shape_error("the count is " + std::to_string(number) + ", and the array has " +
                      std::to_string(most) + " elements");
  return number;
}

}  // namespace

// NOLINTNEXTLINE(readability-function-size): C has no default arguments
sinter_status sinter_builder_scatter(sinter_builder* builder, sinter_value base, sinter_value index,
                                     sinter_value updates, int32_t axis, sinter_scatter_combine combine,
                                     sinter_scatter_rule rule, sinter_value* result) {
  return added("sinter_builder_scatter", builder, result, [&](sinter_builder& at) {
    const graph_value to = c::value_of(at, base);
    const scatter_request request{
        c::axis_of(axis, to.rank),
        one_of<scatter_combine>(combine, sinter_scatter_add_unordered, "way to combine"),
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
    return segment(at.graph, rows, c::value_of(at, segments, 1), c::value_of(at, n, 2),
                   {one_of<segment_result>(of, sinter_segment_sum_unordered, "result of a segment"),
                    c::axis_of(axis, rows.rank)},
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

sinter_status sinter_array_first(const sinter_array* array, const sinter_array* count, sinter_array** first) {
  return c::guarded("sinter_array_first", [&] {
    const any_array& all = c::checked(array, "the array").elements;
    sinter_array*& result = c::checked(first, "the pointer for the array");
    if (all.rank() != 1) throw shape_error("the array has rank " + std::to_string(all.rank()) + ": it is 1");
    if (!detail::is_row_major(all.shape().data(), all.strides().data(), 1))
      throw shape_error("the elements are not row-major, as those of a call's result are");
    const std::int64_t extents[] = {counted(c::checked(count, "the count").elements, all.size())};
    any_array made(all.type(), extents, all.device());
    detail::copy_elements(bytes_of(made), bytes_of(all),
                          static_cast<std::size_t>(extents[0]) * size_of(all.type()));
    result = new sinter_array{std::move(made)};
  });
}
