// Tuning of recorded calls, in a process that has only the recording.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/tuned/tuned_calls.hpp>
#include <sinter/runtime/tuning/recorded_trials.hpp>
#include <sinter/sinter.hpp>

#include "../support/process/temporary_folder.hpp"

#include <cstdint>
#include <string>
#include <vector>

using namespace sinter;
using namespace sinter::runtime;

namespace {

const device cpu = device::cpu();

/// Records what runs in its scope.
struct recorded_scope {
  test::temporary_folder folder;
  std::string path = folder / "run.record";
  recorded_scope() {
    forget_tuning();
    record_to(path);
  }
  ~recorded_scope() {
    record_to("");
    forget_tuning();
  }
  std::vector<recorded_request> requests() const {
    record_to("");
    return read_recordings(std::vector{path}).requests;
  }
};

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

const tune_options quick{.budget = 0.2};

}  // namespace

TEST_CASE("a recorded call is tuned for the function that the program has") {
  const auto x = full<float>({300, 200}, 1.f, cpu), y = full<float>({200, 300}, 2.f, cpu);
  const recorded_scope scope;
  const auto summed = fuse("summed_once_recorded", [](auto x, auto y) { return transpose(x) + y; });
  static_cast<void>(summed(x, y));
  const std::vector<recorded_request> requests = scope.requests();
  const recorded_trials found = trials_of(requests, std::nullopt);
  REQUIRE(found.trials.size() == 1);
  CHECK(found.trials[0].function == "function 'summed_once_recorded'");
  CHECK(found.trials[0].on == cpu);
  tuning_report report = tune_recorded(found.trials[0], quick);
  CHECK(report.graph == found.trials[0].graph);
  CHECK(report.call == found.trials[0].call);
  REQUIRE(report.stages.size() == 1);
  REQUIRE(report.stages[0].trials.size() > 1);
  // a winner for certain, so that what is loaded shows
  report.gain = 0.1;
  report.stages[0].chosen = report.stages[0].trials[1].tried;
  const std::string file = scope.folder / "run.tuning";
  report.save(file);
  forget_tuning();
  CHECK(!contains(summed.explain(x, y), "schedules: measured"));
  CHECK(load_tuning(file) == 1);
  CHECK(contains(summed.explain(x, y), "schedules: measured"));
}

TEST_CASE(
    "limits of derived integers, which recordings do not have, are no part of what tunings are kept by") {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  graph with = builder.recorded();
  const function_handle plain = intern(with);
  with.derived_limits.emplace_back(node_id{0}, element_type::uint8);
  CHECK(hash_of(with) != plain->hash);
  CHECK(function(with, hash_of(with)).tuning_hash == plain->tuning_hash);
}

TEST_CASE("calls of one class are tuned once, and what cannot be tuned is counted with the reason") {
  std::vector<array<float, 1>> arrays;
  for (const std::int64_t extent : {1000, 1001, 5000, 100}) arrays.push_back(full<float>({extent}, 1.f, cpu));
  const recorded_scope scope;
  const auto doubled = fuse("doubled_once_recorded", [](auto x) { return x + x; });
  for (std::size_t i = 0; i < 3; ++i) static_cast<void>(doubled(arrays[i]));
  static_cast<void>(doubled.with(schedule())(arrays[3]));
  std::vector<recorded_request> requests = scope.requests();
  requests.push_back({requests[0].content, std::nullopt});
  requests.push_back(requests[0]);
  requests.back().call->ran_on = target_kind::cuda;
  const recorded_trials found = trials_of(requests, std::nullopt);
  std::size_t skipped = 0;
  std::string reasons;
  for (const skipped_calls& each : found.skipped) {
    skipped += each.count;
    reasons += each.why + '\n';
  }
  CHECK(found.trials.size() + skipped == requests.size());
  CHECK(contains(reasons, "a call of the same class is tuned"));
  CHECK(contains(reasons, "by with(schedule)"));
  CHECK(contains(reasons, "without a call of it"));
  if (devices().size() == 1) CHECK(contains(reasons, "say --device cpu"));
  CHECK(trials_of(requests, cpu).trials.size() == 2);
}

TEST_CASE("arrays have the recorded strides, alignments and identities, whatever they are") {
  const auto whole = full<float>({64, 65}, 1.f, cpu);
  const auto reversed = flip<0>(whole);
  const recorded_scope scope;
  const auto mixed = fuse("mixed_once_recorded", [](auto a, auto b, auto c) { return a * b + c; });
  static_cast<void>(mixed(reversed, whole, whole));
  const std::vector<recorded_request> requests = scope.requests();
  const recorded_trials found = trials_of(requests, std::nullopt);
  CHECK(found.trials.size() == 1);
  for (const recorded_trial& each : found.trials) {
    const tuning_report report = tune_recorded(each, quick);
    // a class with another alignment or identity would be another text
    CHECK(report.call == each.call);
    CHECK(report.graph == each.graph);
  }
}

TEST_CASE("integers that are indices are in range, also where an axis has one element") {
  const auto one = full<float>({1}, 1.f, cpu), many = full<float>({100}, 1.f, cpu);
  const auto positions = full<std::int32_t>({50}, 0, cpu);
  const recorded_scope scope;
  const auto taken = fuse("taken_once_recorded", [](auto x, auto at) { return take(x, at, axis<0>); });
  static_cast<void>(taken(one, positions));
  static_cast<void>(taken(many, positions));
  const std::vector<recorded_request> requests = scope.requests();
  const recorded_trials found = trials_of(requests, std::nullopt);
  CHECK(found.trials.size() == 2);
  for (const recorded_trial& each : found.trials) CHECK(tune_recorded(each, quick).usual_seconds > 0);
}
