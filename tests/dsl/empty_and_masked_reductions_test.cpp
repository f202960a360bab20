// Reductions and their compositions over empty axes, rows that a mask holds back whole, and rows of
// infinities and NaN: NumPy 2.4's and SciPy 1.17's values, in the interpreter and on every device.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <bit>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

#include "../support/recorded.hpp"
#include "../support/sweep/sweep_reference.hpp"

namespace sinter::test {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity(), number = 1;
constexpr double no_number = std::numeric_limits<double>::quiet_NaN();
using detail::reduction;

/// The rows that all tests have, in this order.
enum row : std::uint8_t {
  negative_infinities,
  one_infinity,
  one_nan,
  both_infinities,
  all_nan,
  masked,
  usual
};
constexpr std::size_t row_count = 7;

double element_of(std::size_t row, std::size_t i, std::size_t length) {
  switch (row) {
    case negative_infinities:
      return -infinity;
    case one_infinity:
      return i == length / 2 ? infinity : number;
    case one_nan:
      return i + 1 == length ? no_number : number;
    case both_infinities:
      return i == 0 ? infinity : i + 1 == length ? -infinity : number;
    case all_nan:
      return no_number;
    case masked:
      return i % 3 == 0 ? no_number : i % 3 == 1 ? infinity : 2;
    default:
      return number;
  }
}

/// A letter is a result: n NaN, + inf, - -inf, i an infinity, 0, 1, f another number, x throws shape_error.
/// There is one for each row but the usual one, then one for an empty row.
constexpr struct {
  const char* name;
  reduction what;
  double order;
  const char* results;
} table[] = {
    {"sum", reduction::sum, 0, "-+nnn00"},
    {"prod", reduction::prod, 0, "i+n-n11"},
    {"max", reduction::max, 0, "-+n+n-x"},
    {"min", reduction::min, 0, "-1n-n+x"},
    {"nanmax", reduction::nanmax, 0, "-+1+nnx"},
    {"nanmin", reduction::nanmin, 0, "-11-nnx"},
    {"nansum", reduction::nansum, 0, "-+fn000"},
    {"nanprod", reduction::nanprod, 0, "i+1-111"},
    {"mean", reduction::mean, 0, "-+nnnnn"},
    {"var", reduction::var, 0, "nnnnnnn"},
    {"stddev", reduction::stddev, 0, "nnnnnnn"},
    {"nanmean", reduction::nanmean, 0, "-+1nnnn"},
    {"nanvar", reduction::nanvar, 0, "nn0nnnn"},
    {"nanstddev", reduction::nanstddev, 0, "nn0nnnn"},
    {"logsumexp", reduction::logsumexp, 0, "-+n+n--"},
    {"norm", reduction::norm, 2, "++n+n00"},
    {"norm<1>", reduction::norm, 1, "++n+n00"},
    {"norm<inf>", reduction::norm, infinity, "++n+n00"},
    {"norm<-inf>", reduction::norm, -infinity, "+1n1n+x"},
    {"norm<0>", reduction::norm, 0, "fffff00"},
    {"norm<3>", reduction::norm, 3, "++n+n00"},
    {"norm<-1>", reduction::norm, -1, "+fnfn++"},
    {"norm<1/2>", reduction::norm, 0.5, "++n+n00"},
};

bool is_meant(char letter, long double result) {
  switch (letter) {
    case 'n':
      return std::isnan(result);
    case '+':
      return std::isinf(result) && result > 0;
    case '-':
      return std::isinf(result) && result < 0;
    case 'i':
      return std::isinf(result);
    case '0':
      return result == 0 && !std::signbit(result);
    case '1':
      return result == 1;
    default:
      return std::isfinite(result) && result != 0;
  }
}

graph graph_of(reduction what, double order, element_type type, bool is_masked) {
  const operation_types types = detail::reduction_types(what, {type});
  const detail::reduction_request request{what,
                                          types.compute.type,
                                          types.result.type,
                                          false,
                                          is_masked,
                                          false,
                                          0b10,
                                          std::bit_cast<std::uint64_t>(order)};
  const detail::call_site site;
  const detail::frame recording(site, true);
  std::vector<detail::typed_value> operands{{detail::declare_input(type, 2), {type}, 2}};
  if (is_masked)
    operands.push_back({detail::declare_input(element_type::boolean, 2), {element_type::boolean}, 2});
  const detail::recorded_value made = detail::record_reduction(request, operands.data(), {});
  detail::record_output({made, types.result, static_cast<std::uint8_t>(detail::keeps_shape(what) ? 2 : 1)});
  verify(recording->steps.builder().recorded());
  return recording->steps.builder().recorded();
}

struct drawn_rows {
  shape extents;
  std::vector<bits> values;  ///< elements and mask
};
drawn_rows rows_of(element_type type, std::size_t length) {
  drawn_rows made{{static_cast<std::int64_t>(row_count), static_cast<std::int64_t>(length)}, {{}, {}}};
  for (std::size_t row = 0; row < row_count; ++row)
    for (std::size_t i = 0; i < length; ++i) {
      made.values[0].push_back(real_bits(type, element_of(row, i, length)));
      made.values[1].push_back(row == masked ? 0 : 1);
    }
  return made;
}

constexpr element_type types[] = {element_type::float16, element_type::bfloat16, element_type::float32,
                                  element_type::float64};
constexpr std::size_t lengths[] = {3, 8, 37, 300, 5000};

std::vector<bits> results_of(const graph& recorded, const drawn_rows& rows, device on) {
  std::vector<placed_array> arrays;
  for (std::size_t i = 0; i < recorded.inputs.size(); ++i)
    arrays.emplace_back(recorded.inputs[i].type, rows.values[i], rows.extents, placement::contiguous, on);
  return run(runtime::intern(recorded), arrays, {}, on);
}

void check_rows(std::size_t entry, element_type type, failure_list& failures) {
  const auto& [name, what, order, results] = table[entry];
  for (const std::size_t length : lengths)
    for (const bool is_masked : {false, true}) {
      const drawn_rows rows = rows_of(type, length);
      const graph recorded = graph_of(what, order, type, is_masked);
      for (const device on : sweep_devices()) {
        const bits made = results_of(recorded, rows, on).at(0);
        for (std::size_t row = 0; row < usual; ++row) {
          if (row == masked && !is_masked) continue;
          const element_type result = recorded.nodes[recorded.outputs[0]].type;
          if (!is_meant(results[row], real_of(result, made[row])))
            failures.add(std::string(name), std::string(facts_of(type).name) + " of " +
                                                std::to_string(length) + (is_masked ? ", masked" : "") +
                                                ", row " + std::to_string(row) + ": " +
                                                element_text(result, made[row]));
        }
      }
    }
}

/// What softmax or log_softmax gives for an element.
char letter_of(bool logarithm, std::size_t row, std::size_t i, std::size_t length) {
  if (row == masked) return logarithm ? '-' : '0';
  if (row == usual) return 'f';
  if (!logarithm || row == negative_infinities || row == one_nan || row == all_nan) return 'n';
  return element_of(row, i, length) == infinity ? 'n' : '-';
}

void check_shares(bool logarithm, element_type type, failure_list& failures) {
  for (const std::size_t length : lengths) {
    const drawn_rows rows = rows_of(type, length);
    for (const bool is_masked : {false, true}) {
      const graph recorded =
          graph_of(logarithm ? reduction::log_softmax : reduction::softmax, 0, type, is_masked);
      for (const device on : sweep_devices()) {
        const bits made = results_of(recorded, rows, on).at(0);
        for (std::size_t at = 0; at < made.size(); ++at) {
          const std::size_t row = at / length;
          if (row == masked && !is_masked) continue;
          if (!is_meant(letter_of(logarithm, row, at % length, length), real_of(type, made[at])))
            failures.add(logarithm ? "log_softmax" : "softmax",
                         std::string(facts_of(type).name) + " of " + std::to_string(length) + ", row " +
                             std::to_string(row) + ": " + element_text(type, made[at]));
        }
      }
    }
  }
}

std::string message_of(const graph& recorded, const drawn_rows& rows) {
  std::vector<array_layout> layouts;
  for (const input_declaration& input : recorded.inputs)
    layouts.push_back({.type = input.type, .rank = input.rank, .extents = rows.extents.data()});
  shape_table shapes;
  try {
    infer_shapes(recorded, layouts, {}, shapes);
  } catch (const shape_error& failure) {
    return failure.what();
  }
  return {};
}

}  // namespace

TEST_CASE("rows of infinities, of NaN and without elements in the mask have NumPy's results") {
  sweep(std::size(table) * std::size(types), [](std::size_t i, failure_list& failures) {
    check_rows(i / std::size(types), types[i % std::size(types)], failures);
  });
}

TEST_CASE(
    "softmax and log_softmax are 0 and -inf where a mask is false, in rows that it holds back whole, too") {
  sweep(2 * std::size(types),
        [](std::size_t i, failure_list& failures) { check_shares(i % 2 != 0, types[i / 2], failures); });
}

TEST_CASE(
    "of an empty axis there is NumPy's result, or an error that names the function, the shape and the axis") {
  for (const element_type type : types)
    for (const auto& [name, what, order, results] : table)
      for (const bool is_masked : {false, true}) {
        CAPTURE(std::string(name));
        CAPTURE(is_masked);
        const graph recorded = graph_of(what, order, type, is_masked);
        const drawn_rows none = rows_of(type, 0);
        const std::string function = std::string(name).substr(0, std::string(name).find('<'));
        if (results[row_count - 1] == 'x') {
          const std::string message = message_of(recorded, none);
          CHECK_MESSAGE(message.starts_with(function + " of "), message);
          CHECK(message.find("[7,0]") != std::string::npos);
          CHECK(message.find("axis 1 of extent 0") != std::string::npos);
          continue;
        }
        for (const device on : sweep_devices()) {
          const bits made = results_of(recorded, none, on).at(0);
          for (const std::uint64_t each : made) CHECK(is_meant(results[row_count - 1], real_of(type, each)));
        }
      }
  for (const auto& [what, name] : {std::pair{reduction::softmax, "softmax"},
                                   {reduction::log_softmax, "log_softmax"},
                                   {reduction::nanargmax, "nanargmax"},
                                   {reduction::argmin, "argmin"}}) {
    const std::string message =
        message_of(graph_of(what, 0, element_type::float32, false), rows_of(element_type::float32, 0));
    CHECK_MESSAGE(message.starts_with(std::string(name) + " of float32[7,0]"), message);
    CHECK(message.find("axis 1 of extent 0") != std::string::npos);
  }
}

TEST_CASE("a call's error names the composition and its line") {
  const auto none = zeros<float>({2, 0}, device::cpu());
  std::string message;
  try {
    static_cast<void>(array<float, 2>(softmax(none, axis<1>)));
  } catch (const shape_error& failure) {
    message = failure.what();
  }
  CHECK_MESSAGE(message.starts_with("softmax of float32[2,0] at "), message);
  CHECK(message.find("empty_and_masked_reductions_test.cpp:") != std::string::npos);
}

TEST_CASE("what a result is computed from is refused, whether or not the result depends on it") {
  using floats = array<float, 1>;
  using position_of = array<std::int64_t, 0>;
  using positions = array<std::int64_t, 1>;
  const auto none = zeros<float>({0}, device::cpu());
  const auto some = zeros<float>({3}, device::cpu());
  const auto choose = fuse([](auto x, auto y) { return where(literal(true), y, max(x)); });
  CHECK_THROWS_AS(static_cast<void>(floats(choose(none, some))), shape_error);
  CHECK_NOTHROW(static_cast<void>(floats(choose(some, some))));
  const auto position = fuse([](auto x) { return argmax(max(x), axis<>); });
  CHECK_THROWS_AS(static_cast<void>(position_of(position(none))), shape_error);
  CHECK(position_of(position(some)).to_vector() == std::vector<std::int64_t>{0});
  const auto outside = fuse([](auto x, auto y) { return where(literal(true), y, x(7)); });
  CHECK_THROWS_AS(static_cast<void>(floats(outside(some, some))), shape_error);
  const auto places = fuse([](auto x, auto y) { return coordinate<0>(y + max(x)); });
  CHECK_THROWS_AS(static_cast<void>(positions(places(none, some))), shape_error);
  CHECK(positions(places(some, some)).to_vector() == std::vector<std::int64_t>{0, 1, 2});
}

}  // namespace sinter::test
