#include <sinter/runtime/tuning/schedule_trials.hpp>

#include <sinter/runtime/background/compile_pool.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/environment.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <exception>
#include <limits>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

// Candidates within this much of the best after one run are worth more runs: single runs vary by some per
// cent.
constexpr double worth_turns = 1.25;
// More runs than this make the interval of a median little shorter.
constexpr std::size_t enough_runs = 15;
// Pairs of runs that confirm a winner.
constexpr std::size_t confirming_pairs = 21;

}  // namespace

double seconds_until(trial_deadline end) {
  return std::chrono::duration<double>(end - std::chrono::steady_clock::now()).count();
}

trial_deadline deadline_after(double share, trial_deadline end) {
  return end - std::chrono::duration_cast<std::chrono::steady_clock::duration>(
                   std::chrono::duration<double>((1 - share) * std::max(0.0, seconds_until(end))));
}

tuning_trial schedule_trial::summary() const {
  tuning_trial made = shown;
  const interval found = median_of(seconds);
  made.seconds = found.value;
  made.low = found.low;
  made.high = found.high;
  made.samples = static_cast<std::uint32_t>(seconds.size());
  return made;
}

/// Some trials that are compiled side by side. What fails says why; other trials go on. The trials stay where
/// they are until they are compiled, which the destructor waits for.
class trial_runner::batch {
 public:
  batch(const trial_call& call, std::vector<schedule_trial>& trials, std::size_t first, std::size_t count)
      : first_(first), end_(first + count) {
    const environment here = environment::current();
    jobs_.reserve(count);
    try {
      for (std::size_t i = first_; i < end_; ++i) submit(call, trials[i], here);
    } catch (...) {
      wait();  // a constructor that throws has no destructor
      throw;
    }
  }
  batch(const batch&) = delete;
  batch& operator=(const batch&) = delete;
  ~batch() { wait(); }

  void wait() {
    for (const compile_pool::job_handle& each : jobs_) process_compile_pool().wait(each);
    jobs_.clear();
  }
  std::size_t first() const { return first_; }
  std::size_t end() const { return end_; }

 private:
  void submit(const trial_call& call, schedule_trial& at, const environment& inside) {
    jobs_.push_back(process_compile_pool().submit([&call, &at, inside] {
      const environment_scope scope(inside);
      try {
        at.prepared = call.prepare(at.tried);
      } catch (const std::exception& failed) {
        at.shown.outcome = trial_outcome::failed;
        at.shown.why = failed.what();
      }
    }));
  }

  std::size_t first_, end_;
  std::vector<compile_pool::job_handle> jobs_;
};

trial_runner::trial_runner(trial_call& of, const tune_options& options)
    : call_(of), options_(options), comparison_(of), clock_(clock_for(*of.request().on)) {
  for (const trial_call::range& each : of.touched()) touched_.push_back({each.data, each.bytes});
}

double trial_runner::time(const plan& prepared) {
  return clock_->seconds_of(touched_, [&] { call_.run(prepared, trial_call::results::of_trial); });
}

void trial_runner::time_first(schedule_trial& at) {
  at.prepared = call_.prepare(at.tried);
  at.shown.outcome = trial_outcome::timed;
  at.seconds.push_back(time(*at.prepared));
  best_ = at.seconds.front();
}

/// Times a candidate once, and compares the result of that run with the default's.
void trial_runner::try_once(schedule_trial& at) {
  if (at.prepared == nullptr) return;
  try {
    if (call_.request().where.is_cuda())  // the first launch of a kernel loads its code
      call_.run(*at.prepared, trial_call::results::of_trial);
    call_.poison();
    at.seconds.push_back(time(*at.prepared));
    if (!comparison_.are_equal(!options_.may_change_bits)) return at.drop(trial_outcome::other_result);
  } catch (const device_error& failed) {  // a launch that the device refuses
    at.shown.why = failed.what();
    return at.drop(trial_outcome::failed);
  } catch (const out_of_memory& failed) {  // other cuts have other workspaces
    at.shown.why = failed.what();
    return at.drop(trial_outcome::failed);
  }
  at.shown.outcome = trial_outcome::timed;
  best_ = std::min(best_, at.seconds.back());
  if (at.seconds.back() > worth_turns * best_) at.drop(trial_outcome::dropped);
}

std::size_t trial_runner::try_from(std::vector<schedule_trial>& trials, std::size_t first,
                                   trial_deadline end) {
  const std::size_t at_once = 2 * std::size_t{cpu_threads()};
  // a GPU's times do not suffer from compiles beside them
  const bool overlaps = call_.request().where.is_cuda();
  const auto compile_from = [&](std::size_t from) {
    return from < trials.size() && seconds_until(end) > 0
               ? std::make_unique<batch>(call_, trials, from, std::min(at_once, trials.size() - from))
               : nullptr;
  };
  for (std::unique_ptr<batch> now = compile_from(first), next; now != nullptr; now = std::move(next)) {
    first = now->end();
    now->wait();
    if (overlaps) next = compile_from(now->end());
    for (std::size_t i = now->first(); i < now->end(); ++i) try_once(trials[i]);
    if (!overlaps) next = compile_from(now->end());
  }
  for (std::size_t i = 1; i < trials.size(); ++i)
    if (trials[i].is_timed() && trials[i].seconds.front() > worth_turns * best_)
      trials[i].drop(trial_outcome::dropped);
  return first;
}

void trial_runner::take_turns(const std::vector<schedule_trial*>& trials, trial_deadline end) {
  schedule_trial* const first = trials.front();
  for (std::size_t round = 1;; ++round) {
    // the first one runs beside all others, whose times may be of later minutes than its own
    std::vector<schedule_trial*> left;
    for (schedule_trial* at : trials)
      if (at->is_timed() && (at == first || at->seconds.size() < enough_runs)) left.push_back(at);
    if (left.size() < 2) return;
    for (std::size_t i = 0; i < left.size(); ++i) {
      if (seconds_until(end) <= 0) return;
      schedule_trial& at = *left[(i + round) % left.size()];
      at.seconds.push_back(time(*at.prepared));
    }
    double least = std::numeric_limits<double>::infinity();
    for (const schedule_trial* at : trials)
      if (at->is_timed()) least = std::min(least, median_of(at->seconds).high);
    for (schedule_trial* at : left)
      if (at != first && at->seconds.size() >= runs_to_compare && median_of(at->seconds).low > least)
        at->drop(trial_outcome::dropped);
  }
}

trial_runner::paired_times trial_runner::take_pairs(const plan& other, const plan& first) {
  paired_times taken;
  for (std::size_t i = 0; i < confirming_pairs; ++i) {
    if (i % 2 == 0) taken.of_other.push_back(time(other));
    taken.of_first.push_back(time(first));
    if (i % 2 != 0) taken.of_other.push_back(time(other));
  }
  return taken;
}

bool trial_runner::is_worth_it(const interval& ratio) const {
  return ratio.high < 1 && ratio.value <= 1 - options_.least_gain;
}

}  // namespace sinter::inline v0::runtime
