// tune() of calls on the CPU, and what is tuned afterwards.
#include <doctest/doctest.h>

#include "../memory/limited_resource.hpp"
#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/kept_log.hpp"

#include <sinter/builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/base/rates.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <sstream>
#include <string>
#include <vector>

using namespace sinter;
using namespace std::chrono_literals;
using test::kept_log;

namespace {

const device cpu = device::cpu();

/// Forgets what was tuned, before and after a test.
struct untuned {
  untuned() { forget_tuning(); }
  ~untuned() { forget_tuning(); }
};

struct temporary_file {
  std::string path = (std::filesystem::temp_directory_path() / "sinter-tune-test.tuning").string();
  temporary_file() { std::filesystem::remove(path); }
  ~temporary_file() { std::filesystem::remove(path); }
};

array<float, 2> numbers(std::int64_t rows, std::int64_t columns) {
  std::vector<float> made;
  for (std::int64_t i = 0; i < rows * columns; ++i)
    made.push_back(static_cast<float>(i * 7919 % 1009) / 97.f);
  return array<float, 2>::from(made, {rows, columns}, cpu);
}

const auto transposed_sum = fuse([](auto x, auto y) { return transpose(x) + y; });
const auto row_sums = fuse([](auto x) { return sum(x, axis<1>); });
const auto column_sums = fuse([](auto x) { return sum(x, axis<0>); });
const auto softmax_of_rows = fuse([](auto x) { return softmax(x, axis<1>); });

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string thrown_by(auto&& action) {
  try {
    action();
  } catch (const error& thrown) {
    return thrown.what();
  }
  return "nothing was thrown";
}

/// A report whose winner is another schedule of the first stage, as if it had gained a tenth.
tuning_report with_winner(tuning_report report, const schedule& other) {
  report.gain = 0.1;
  report.stages[0].chosen = other;
  return report;
}

}  // namespace

TEST_CASE(
    "tuning reports every kernel with its trials, the default first, and leaves operands and targets alone") {
  const untuned scope;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  auto z = full<float>({200, 300}, 7.f, cpu);
  const tuning_report report = transposed_sum.into(z).tune(x, y, {.budget = 300ms});
  CHECK(z.to_vector() == std::vector<float>(60000, 7.f));
  CHECK(x.to_vector() == numbers(300, 200).to_vector());
  REQUIRE(report.stages.size() == 1);
  const tuned_stage& stage = report.stages[0];
  CHECK(stage.candidates > 2);
  REQUIRE(stage.trials.size() == stage.candidates + 1);
  CHECK(stage.trials[0].tried == stage.usual);
  CHECK(stage.trials[0].outcome == trial_outcome::timed);
  CHECK(stage.bytes_moved == 3 * 60000 * 4);
  for (const tuning_trial& each : stage.trials) {
    CAPTURE(to_string(each.tried));
    CAPTURE(each.why);
    CHECK(each.outcome != trial_outcome::failed);
    CHECK(each.outcome != trial_outcome::other_result);
    if (each.samples == 0) continue;
    CHECK(each.low <= each.seconds);
    CHECK(each.seconds <= each.high);
  }
  CHECK(report.usual_seconds > 0);
  CHECK(report.copy_bytes_per_second > 0);
  CHECK(contains(report.function, "tune_test.cpp"));
  CHECK(report.call == "float32[2^8,2^7] contiguous; float32[2^7,2^8] contiguous");
}

TEST_CASE("no candidate of reductions, scans and choices has another result than the default") {
  const untuned scope;
  const auto x = numbers(120, 700);
  const auto check = [&](const auto& function, bool may_change_bits) {
    const tuning_report report = function.tune(x, {.budget = 2s, .may_change_bits = may_change_bits});
    for (const tuned_stage& stage : report.stages)
      for (const tuning_trial& each : stage.trials) {
        CAPTURE(to_string(each.tried));
        CAPTURE(each.why);
        CHECK(each.outcome != trial_outcome::failed);
        CHECK(each.outcome != trial_outcome::other_result);
      }
    forget_tuning();
  };
  for (const bool may_change_bits : {false, true}) {
    CAPTURE(may_change_bits);
    check(row_sums, may_change_bits);
    check(column_sums, may_change_bits);
    check(softmax_of_rows, may_change_bits);
    check(fuse([](auto v) { return argmax(v, axis<1>); }), may_change_bits);
    check(fuse([](auto v) { return cumsum(v, axis<1>); }), may_change_bits);
    check(fuse([](auto v) { return matmul(v, transpose(v)); }), may_change_bits);
    check(fuse([](auto v) { return where(v > 3, exp(v), sqrt(v)); }), may_change_bits);
  }
}

TEST_CASE(
    "a file's schedules serve the next calls of their class, as explain says, until they are forgotten") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const auto before = transposed_sum(x, y).to_vector();
  const tuning_report measured = transposed_sum.tune(x, y, {.budget = 50ms});
  forget_tuning();
  schedule other = measured.stages[0].usual;
  other.order = loop_order::rows;
  other.tile = 0;
  with_winner(measured, other).save(file.path);

  CHECK(load_tuning(file.path) == 1);
  CHECK(contains(transposed_sum.explain(x, y), "schedule: " + to_string(other)));
  CHECK(
      contains(transposed_sum.explain(x, y), "schedules: measured, from " + file.path + ": 10.0% less time"));
  CHECK(transposed_sum(x, y).to_vector() == before);
  // the class, not the extents: 310 is between the same powers of two, 600 is not
  CHECK(contains(transposed_sum.explain(numbers(310, 220), numbers(220, 310)), "schedules: measured"));
  CHECK(!contains(transposed_sum.explain(numbers(600, 200), numbers(200, 600)), "schedules: measured"));
  // with() comes first
  const std::string forced = transposed_sum.with(measured.stages[0].usual).explain(x, y);
  CHECK(contains(forced, "schedule: " + to_string(measured.stages[0].usual) + " (given)"));

  forget_tuning();
  CHECK(!contains(transposed_sum.explain(x, y), "schedules: measured"));
  CHECK(contains(transposed_sum.explain(x, y), "schedule: " + to_string(measured.stages[0].usual)));
}

TEST_CASE("explain says what was measured, of a winner and of a default that stays") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  tuning_report report = transposed_sum.tune(x, y, {.budget = 1s});
  const std::string rates = ", " + runtime::rate_text(report.bytes_per_second) + " of the " +
                            runtime::rate_text(report.copy_bytes_per_second) + " of a copy (";
  const std::string chosen = "measured: " + runtime::time_text(report.chosen_seconds);
  const std::string usual = " (default " + runtime::time_text(report.usual_seconds) + ")";
  const std::string tuned = transposed_sum.explain(x, y);
  CHECK(contains(tuned, ", from tune()"));
  CHECK(contains(tuned, chosen + (report.has_winner() ? usual : "") + rates));

  schedule other = report.stages[0].usual;
  other.order = loop_order::rows;
  other.tile = 0;
  with_winner(report, other).save(file.path);
  load_tuning(file.path);
  CHECK(contains(transposed_sum.explain(x, y), chosen + usual + rates));

  // the default, in place of the winner
  report.gain = 0;
  report.stages[0].chosen = report.stages[0].usual;
  report.save(file.path);
  load_tuning(file.path);
  const std::string stayed = transposed_sum.explain(x, y);
  CHECK(contains(stayed, "schedules: the default, confirmed by measuring, from " + file.path + "\n"));
  CHECK(contains(stayed, chosen + rates));
  CHECK(contains(stayed, "schedule: " + to_string(report.stages[0].usual)));
  forget_tuning();
  CHECK(!contains(transposed_sum.explain(x, y), "measured: "));
}

TEST_CASE(
    "calls that were planned before are planned again when a file is loaded, and then compile nothing") {
  const untuned scope;
  const temporary_file file;
  const auto own = fuse([](auto x, auto y) { return transpose(x) * y + 3; });
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const auto before = own(x, y).to_vector();
  const tuning_report measured = own.tune(x, y, {.budget = 30ms});
  forget_tuning();
  static_cast<void>(own(x, y));
  schedule other = measured.stages[0].usual;
  other.tile = other.threads_along = other.rows_per_thread = 24;  // none that was tried
  with_winner(measured, other).save(file.path);
  const std::uint64_t compiles = compile_count();
  static_cast<void>(own(x, y));
  CHECK(compile_count() == compiles);
  load_tuning(file.path);
  CHECK(own(x, y).to_vector() == before);
  CHECK(compile_count() == compiles + 1);
  CHECK(own(x, y).to_vector() == before);
  CHECK(compile_count() == compiles + 1);
}

TEST_CASE("a schedule that cannot run a call of its class is not used there, and nothing else fails") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200);
  const tuning_report measured = row_sums.tune(x, {.budget = 30ms});
  forget_tuning();
  schedule other = measured.stages[0].usual;
  other.vector = 3;
  with_winner(measured, other).save(file.path);
  const auto before = row_sums(x).to_vector();
  CHECK(load_tuning(file.path) == 1);
  CHECK(row_sums(x).to_vector() == before);
  CHECK(!contains(row_sums.explain(x), "schedules: measured"));
}

TEST_CASE("a damaged file is refused as a whole, with the line and what is wrong") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const tuning_report measured = transposed_sum.tune(x, y, {.budget = 30ms});
  forget_tuning();
  schedule other = measured.stages[0].usual;
  other.order = loop_order::rows;
  other.tile = 0;
  with_winner(measured, other).save(file.path);
  std::string text = runtime::read_whole_file(file.path);
  text.replace(text.rfind("rows_per_thread="), 16, "rows_per_thraed=");
  runtime::write_whole_file(file.path, text);
  const std::string why = thrown_by([&] { load_tuning(file.path); });
  CHECK(contains(why, "tuning file " + file.path + ", line 2: "));
  CHECK(contains(why, "damaged"));
  CHECK(!contains(transposed_sum.explain(x, y), "schedules: measured"));
  CHECK(contains(thrown_by([&] { load_tuning(file.path + ".missing"); }), file.path + ".missing"));
}

TEST_CASE("records of another device or another version are not used, and the log hook is told") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200);
  tuning_report report = row_sums.tune(x, {.budget = 30ms});
  report.device = "another processor";
  runtime::write_whole_file(file.path, runtime::to_text({{report, emitter_version}}));
  {
    const kept_log log;
    CHECK(load_tuning(file.path) == 0);
    CHECK(contains(log.text, "its records are for other devices (another processor), here are: "));
  }
  runtime::write_whole_file(file.path, runtime::to_text({{report, emitter_version - 1}}));
  const kept_log log;
  CHECK(load_tuning(file.path) == 0);
  CHECK(contains(log.text, "1 of 1 records were measured by another version of the emitter"));
}

TEST_CASE("saving keeps the records of others in a file, and replaces those of the same calls") {
  const untuned scope;
  const temporary_file file;
  const auto x = numbers(300, 200);
  const tuning_report rows = row_sums.tune(x, {.budget = 30ms}),
                      columns = column_sums.tune(x, {.budget = 30ms});
  rows.save(file.path);
  columns.save(file.path);
  rows.save(file.path);
  CHECK(runtime::read_tuning_file(file.path).size() == 2);
}

TEST_CASE("options that make no sense are refused with the values and what to say") {
  const auto x = numbers(3, 4);
  CHECK(contains(thrown_by([&] { static_cast<void>(row_sums.tune(x, {.budget = 0s})); }),
                 "a budget of 0 seconds leaves no time to measure"));
  CHECK(contains(thrown_by([&] { static_cast<void>(row_sums.tune(x, {.least_gain = 1.5})); }),
                 "least_gain is a share of the time, from 0 to 1, and not 1.5"));
  CHECK(contains(thrown_by([&] { static_cast<void>(row_sums.with(schedule()).tune(x)); }),
                 "leave out with(schedule)"));
  CHECK(contains(thrown_by([&] { static_cast<void>(row_sums.general().tune(x)); }), "leave out general()"));
}

TEST_CASE("a budget that is too short says what was not tried, and the default stays") {
  const untuned scope;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const tuning_report report = transposed_sum.tune(x, y, {.budget = 1us});
  CHECK(!report.has_winner());
  CHECK(report.usual_seconds > 0);
  CHECK(std::ranges::count(report.stages[0].trials, trial_outcome::not_tried, &tuning_trial::outcome) ==
        static_cast<std::ptrdiff_t>(report.stages[0].candidates));
  CHECK(contains(to_string(report), "were not tried for lack of time: say a longer budget"));
  CHECK(contains(transposed_sum.explain(x, y),
                 "schedules: the default, from tune(), where no other was measured\n"));
}

TEST_CASE("out of memory while tuning throws, and leaves arrays and schedules as they were") {
  const untuned scope;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const auto before = transposed_sum(x, y).to_vector();
  test::limited_resource mine;
  const memory_resource from(mine);
  for (int allowed = 0; allowed < 2; ++allowed) {
    mine.allowed = allowed;
    CHECK_THROWS_AS(static_cast<void>(transposed_sum.memory(from).tune(x, y, {.budget = 30ms})),
                    out_of_memory);
  }
  CHECK(mine.live == 0);
  CHECK(transposed_sum(x, y).to_vector() == before);
  CHECK(!contains(transposed_sum.explain(x, y), "schedules: measured"));
}

TEST_CASE("a report names times, intervals, the share of a copy and the winner, as text and on a stream") {
  const untuned scope;
  const auto x = numbers(300, 200), y = numbers(200, 300);
  const tuning_report measured = transposed_sum.tune(x, y, {.budget = 200ms});
  std::ostringstream to;
  to << measured;
  CHECK(to.str() == to_string(measured));
  CHECK(contains(to.str(), "on " + measured.device));
  CHECK(contains(to.str(), "95% interval"));
  CHECK(contains(to.str(), " (default)"));
  const std::string won = to_string(with_winner(measured, measured.stages[0].trials[1].tried));
  CHECK(contains(won, ": 10.0% less ("));
}

TEST_CASE(
    "calls of several kernels have a part for each, and expressions and captured numbers can be tuned") {
  const untuned scope;
  const auto x = numbers(3, 200000);
  const auto normalised = fuse([](auto v) { return v - mean(v, axis<1>, keepdims); });
  const tuning_report report = normalised.tune(x, {.budget = 300ms});
  CHECK(report.stages.size() > 1);
  const float factor = 3;
  const tuning_report of_expression =
      fuse([factor](auto v) { return v * factor; }).tune(x + 1, tune_options{.budget = 50ms});
  CHECK(of_expression.stages.size() == 1);
}

TEST_CASE("tuning is refused while its stream is captured, before anything is queued or allocated") {
  if (test::nvrtc_is_missing()) return;
  fake_cuda fake;
  const stream own = stream::create(device::cuda(0));
  const array<float, 1> x({100}, device::cuda(0));
  const auto doubled = fuse([](auto v) { return 2 * v; });
  const test::capture_scope capture(fake, own);
  fake.forget_calls();
  CHECK(contains(thrown_by([&] { static_cast<void>(doubled.on(own).tune(x, {.budget = 10ms})); }),
                 "where nothing can be measured"));
  CHECK(fake.calls("cuLaunchKernel") == 0);
  CHECK(fake.calls("cuMemAllocFromPoolAsync") == 0);
}

TEST_CASE("a scan on the CPU, which has one schedule, is tried with other tasks") {
  const untuned scope;
  const tuning_report report =
      fuse([](auto v) { return cumsum(v, axis<1>); }).tune(numbers(120, 700), {.budget = 1s});
  REQUIRE(report.stages.size() == 1);
  CHECK(std::ranges::any_of(report.stages[0].trials,
                            [](const tuning_trial& at) { return at.tried.tasks == 1; }));
}

TEST_CASE("a report warns where the default's own time changed by more than noise") {
  tuning_report report;
  report.clock_drift = 0.02;
  CHECK_FALSE(contains(to_string(report), "warning"));
  for (const double drift : {0.2, -0.2}) {
    report.clock_drift = drift;
    CHECK(contains(to_string(report), "warning: clocks changed, or other programs ran"));
  }
}

TEST_CASE("a function that was built at run time is tuned as one of a lambda is") {
  const untuned scope;
  const auto x = numbers(300, 200);
  const any_function row_sums_of({x}, [](graph_builder& builder, auto operands) {
    builder.output(builder.reduce(operation::sum, operands[0], 2));
  });
  const tuning_report report = row_sums_of.tune({x}, {.budget = 50ms});
  CHECK(report.call == "float32[2^8,2^7] contiguous");
  CHECK(report.stages.size() == 1);
}
