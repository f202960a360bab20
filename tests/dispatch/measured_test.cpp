// What explain() says of a call that was measured: its rates beside the device's. A pure function of the
// lowered call, so no device is needed.

#include <doctest/doctest.h>

#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/dispatch/explain/measured.hpp>

#include <string>

namespace sinter::test {
namespace {

constexpr std::int64_t side = 4096;

/// An operation of one operand again and again, or x * x.
graph repeated(operation op, int times) {
  graph_builder builder;
  graph_value x = builder.input(element_type::float32, 2);
  for (int i = 0; i < times; ++i)
    x = op == operation::multiply ? builder.apply(op, {x, x}) : builder.apply(op, {x});
  builder.output(x);
  return builder.recorded();
}

graph row_sums() {
  graph_builder builder;
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, 2), 2, false));
  return builder.recorded();
}

lowered_call lowered_for(const graph& recorded, const target_facts& target) {
  return lower(recorded, {contiguous({side, side})}, target);
}

runtime::tuned_call at_rate(double bytes_per_second) {
  runtime::tuned_call made;
  made.origin = "tune()";
  made.usual_seconds = made.chosen_seconds = 15e-6;
  made.bytes_per_second = bytes_per_second;
  made.copy_bytes_per_second = 4.2e12;
  made.others_timed = 1;
  return made;
}

std::string described(const graph& recorded, const target_facts& target, double bytes_per_second) {
  return runtime::describe_measured(lowered_for(recorded, target), target, at_rate(bytes_per_second));
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("of a winner the time, that of the default, and the rates beside the device's are told") {
  runtime::tuned_call tuned = at_rate(4e12);
  tuned.chosen_seconds = 12e-6;
  tuned.gain = 0.2;
  tuned.gain_low = 0.18;
  tuned.gain_high = 0.22;
  CHECK(runtime::describe_measured(lowered_for(repeated(operation::multiply, 1), cuda_facts()), cuda_facts(),
                                   tuned) ==
        "schedules: measured, from tune(): 20.0% less time than the default's (18.0 to 22.0)\n"
        "measured: 12 us (default 15 us), 4.00 TB/s of the 4.20 TB/s of a copy (95%), 5.00e+11 operations/s, "
        "about 2% of the 3.04e+13 instructions/s that the device issues, limited by memory\n");
}

TEST_CASE("where the default stays it is told that measuring confirmed it, or that nothing was compared") {
  const lowered_call squared = lowered_for(repeated(operation::multiply, 1), cuda_facts());
  runtime::tuned_call tuned = at_rate(4e12);
  const std::string text = runtime::describe_measured(squared, cuda_facts(), tuned);
  CHECK(
      contains(text, "schedules: the default, confirmed by measuring, from tune()\nmeasured: 15 us, 4.00 "));
  tuned.others_timed = 0;
  CHECK(contains(runtime::describe_measured(squared, cuda_facts(), tuned),
                 "schedules: the default, from tune(), where no other was measured\n"));
}

TEST_CASE("a call is limited by the roof of which it has the larger share, and by none far below both") {
  const graph squared = repeated(operation::multiply, 1), sines = repeated(operation::sin, 3);
  CHECK(contains(described(squared, cuda_facts(), 3e12), ", limited by memory\n"));
  CHECK(contains(described(sines, cuda_facts(), 2e12), ", limited by arithmetic\n"));
  CHECK(contains(described(squared, cuda_facts(), 1e11), ", limited by neither memory nor arithmetic\n"));
}

TEST_CASE("without a known rate of instructions memory alone is compared with") {
  const graph squared = repeated(operation::multiply, 1);
  target_facts other = cuda_facts();
  other.architecture = 80;
  other.multiprocessors = 108;
  for (const target_facts& target : {cpu_facts(), other}) {
    const std::string fast = described(squared, target, 4e12), slow = described(squared, target, 1e12);
    CHECK(!contains(fast, "instructions/s"));
    CHECK(contains(fast, "operations/s, limited by memory\n"));
    CHECK(contains(slow, "operations/s, not limited by memory\n"));
  }
}

TEST_CASE("a reduction has an operation for each element that it combines") {
  const lowered_call lowered = lowered_for(row_sums(), cuda_facts());
  REQUIRE(lowered.stage_count == 1);
  const double bytes = 4.0 * side * side + 4.0 * side;
  CHECK(runtime::rates_of(lowered, cuda_facts(), at_rate(4e12)).operations_per_second ==
        doctest::Approx(4e12 * side * side / bytes));
}

TEST_CASE("what was not measured is not told") {
  runtime::tuned_call tuned;
  tuned.gain = 0.1;
  tuned.origin = "a file";
  CHECK(runtime::describe_measured(lowered_for(row_sums(), cuda_facts()), cuda_facts(), tuned) ==
        "schedules: measured, from a file: 10.0% less time than the default's\n");
}

}  // namespace sinter::test
