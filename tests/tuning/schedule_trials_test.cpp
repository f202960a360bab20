// Trials of schedules: what is tried, dropped and timed again.
#include <doctest/doctest.h>

#include "../support/host_array.hpp"
#include "../support/needs.hpp"

#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/tuning/schedule_trials.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <utility>
#include <vector>

using namespace sinter;
using namespace sinter::test;
using namespace std::chrono_literals;

namespace {

using runtime::schedule_trial;

/// a * x + y on the CPU, run as trials.
class trials_of_axpy {
 public:
  trials_of_axpy() : request_(make_request()), call_(request_), runner(call_, {}) {
    call_.run(*call_.prepare({}), runtime::trial_call::results::of_default);
  }

  /// Trials of the schedule that the lowering pass chooses. The first one is timed.
  std::vector<schedule_trial> make(std::size_t count) {
    std::vector<schedule_trial> made(count);
    runner.time_first(made.front());
    return made;
  }
  /// The same, all of which are timed once.
  std::vector<schedule_trial> make_timed(std::size_t count) {
    std::vector<schedule_trial> made(count);
    for (schedule_trial& each : made) runner.time_first(each);
    return made;
  }

 private:
  runtime::call_request make_request() {
    runtime::call_request made =
        runtime::make_request(runtime::held(function_), inputs_, {&a_, 1}, into_, {.on = &on_});
    made.on = &on_;
    return made;
  }

  runtime::function_handle function_ = axpy_function("trials_of_axpy");
  host_array<float> x_{{1000}}, y_{{1000}}, out_{{1000}};
  runtime::operand inputs_[2] = {x_.operand(), y_.operand()}, into_[1] = {out_.operand()};
  runtime::scalar a_ = bits_of(2.0f);
  stream on_ = stream::default_of(device::cpu());
  runtime::call_request request_;
  runtime::trial_call call_;

 public:
  runtime::trial_runner runner;
};

/// Whether the CPU's kernels cannot be compiled here.
bool lacks_cpu_compiler() {
  try {
    trials_of_axpy();
  } catch (const device_error& missing) {
    return lacks(need::cpu_compiler, missing.what());
  }
  return false;
}

runtime::trial_deadline after(std::chrono::milliseconds time) {
  return std::chrono::steady_clock::now() + time;
}

std::vector<schedule_trial*> addresses_of(std::vector<schedule_trial>& trials) {
  std::vector<schedule_trial*> all;
  for (schedule_trial& each : trials) all.push_back(&each);
  return all;
}

}  // namespace

TEST_CASE("trying goes on at the first trial that was not begun, and begins none after the deadline") {
  if (lacks_cpu_compiler()) return;
  trials_of_axpy of;
  std::vector<schedule_trial> trials = of.make(4);
  CHECK(of.runner.try_from(trials, 1, after(-1ms)) == 1);
  for (std::size_t i = 1; i < trials.size(); ++i) CHECK(trials[i].shown.outcome == trial_outcome::not_tried);
  CHECK(of.runner.try_from(trials, 1, after(10s)) == trials.size());
  for (std::size_t i = 1; i < trials.size(); ++i) CHECK(trials[i].seconds.size() == 1);
}

TEST_CASE("turns end when each trial had enough runs or was dropped, and the first one runs beside all") {
  if (lacks_cpu_compiler()) return;
  trials_of_axpy of;
  std::vector<schedule_trial> trials = of.make_timed(3);
  of.runner.take_turns(addresses_of(trials), after(10s));
  std::size_t most = 0;
  for (std::size_t i = 1; i < trials.size(); ++i) {
    CHECK(trials[i].seconds.size() >= 4);
    CHECK(trials[i].seconds.size() <= 15);
    CHECK((trials[i].is_timed() ? trials[i].seconds.size() == 15 : trials[i].prepared == nullptr));
    most = std::max(most, trials[i].seconds.size());
  }
  CHECK(trials.front().seconds.size() == most);
  // later turns with others run the first one beside them, and nobody else again
  const std::size_t had = trials[1].seconds.size(), first_had = trials.front().seconds.size();
  trials.push_back(std::move(of.make_timed(1).front()));
  of.runner.take_turns(addresses_of(trials), after(10s));
  CHECK(trials[1].seconds.size() == had);
  CHECK(trials.front().seconds.size() > first_had);
}

TEST_CASE("turns go on where the first trial was dropped by a faster one") {
  if (lacks_cpu_compiler()) return;
  trials_of_axpy of;
  std::vector<schedule_trial> trials = of.make_timed(3);
  trials.front().drop(trial_outcome::dropped);
  of.runner.take_turns(addresses_of(trials), after(10s));
  CHECK(trials.front().seconds.size() == 1);
  CHECK(trials[1].seconds.size() > 1);
}
