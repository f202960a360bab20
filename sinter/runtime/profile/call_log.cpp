#include <atomic>
#include <utility>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/runtime/posix/fork.hpp>
#include <sinter/runtime/profile/call_log.hpp>

namespace sinter::inline v0::runtime {

/// All logs. Never destroyed: threads may call until the very end of a process.
class log_registry {
 public:
  static log_registry& of_process() {
    static log_registry& only = *new log_registry;
    return only;
  }

  call_log& claim() {
    const std::lock_guard lock(guard_);
    for (call_log* const each : logs_)
      if (each->is_free_ && each->fork_generation() == runtime::fork_generation()) {
        each->is_free_ = false;
        return *each;
      }
    logs_.push_back(nullptr);  // allocates before the log is made
    return *(logs_.back() = new call_log(static_cast<std::uint32_t>(logs_.size())));
  }

  void give_back(call_log& unused) noexcept {
    const std::lock_guard lock(guard_);
    unused.is_free_ = true;
  }

  // Those of the parent of a fork may be locked by threads that are not here.
  std::vector<call_log*> all() {
    const std::lock_guard lock(guard_);
    std::vector<call_log*> found;
    for (call_log* const each : logs_)
      if (each != nullptr && each->fork_generation() == runtime::fork_generation()) found.push_back(each);
    return found;
  }

 private:
  fork_mutex guard_;
  std::vector<call_log*> logs_;
};

namespace {

/// The log of a thread, which another thread gets after it.
class log_of_thread {
 public:
  log_of_thread() : log_(&log_registry::of_process().claim()) {}
  log_of_thread(const log_of_thread&) = delete;
  log_of_thread& operator=(const log_of_thread&) = delete;
  ~log_of_thread() { log_registry::of_process().give_back(*log_); }

  call_log& log() {
    if (log_->fork_generation() != runtime::fork_generation()) [[unlikely]]
      log_ = &log_registry::of_process().claim();
    return *log_;
  }

 private:
  call_log* log_;
};

// Of 48 bytes each.
constexpr std::uint64_t max_events = 1'000'000;
std::atomic<std::uint64_t> kept_events{0}, events_left_out{0};

// Pending calls at which a thread looks for those that are over.
constexpr std::size_t read_after = 256;

// Two events cost a call 6.7 to 7.5 us (bench/results/2026-11-29-nvidia-h200-profiling.md): one of 16 adds
// half a microsecond to the mean call. The first 32 calls are all timed, so that a function called less often
// has an exact time.
constexpr std::uint64_t always_timed = 32;
constexpr unsigned one_timed_of = 16;

std::string name_and_place(const graph& recorded) {
  return (recorded.name.empty() ? "unnamed" : recorded.name) + describe(recorded.defined_at);
}

void add(function_profile& to, const launched_work& work) {
  ++to.calls;
  to.kernels += work.kernels;
  to.bytes += work.bytes;
}

}  // namespace

std::uint64_t left_out_events() { return events_left_out.load(std::memory_order_relaxed); }
void forget_left_out_events() { events_left_out.store(0, std::memory_order_relaxed); }

call_log::call_log(std::uint32_t index) : index_(index), generation_(runtime::fork_generation()) {}

call_log& call_log::of_thread() { return thread_memory<log_of_thread>::get().log(); }

std::vector<call_log*> call_log::all() { return log_registry::of_process().all(); }

std::uint32_t call_log::row_of(const observed_function& called) {
  recent_row& recent = recent_[called.number % recent_rows];
  if (recent.number == called.number + 1 && recent.where == called.where) [[likely]]
    return recent.row;
  std::string function = name_and_place(called.recorded);
  std::uint32_t row = 0;
  const auto is_of = [&](const function_profile& at) {
    return at.where == called.where && at.function == function;
  };
  while (row < rows_.size() && !is_of(rows_[row].costs)) ++row;
  if (row == rows_.size()) {
    const std::lock_guard lock(guard_);
    rows_.emplace_back().costs = {.function = std::move(function), .where = called.where};
  }
  recent = {called.number + 1, called.where, row};
  return row;
}

void call_log::append_event(const trace_event& event) {
  if (kept_events.load(std::memory_order_relaxed) >= max_events) {
    events_left_out.fetch_add(1, std::memory_order_relaxed);
    return;
  }
  events_.push_back(event);
  kept_events.fetch_add(1, std::memory_order_relaxed);
}

void call_log::add_call(std::uint32_t row, const launched_work& work, double start, double end) {
  const std::lock_guard lock(guard_);
  function_profile& of = rows_[row].costs;
  add(of, work);
  ++of.timed;
  of.seconds += end - start;
  append_event({&of.function, of.where, index_, start, end - start, work.kernels, work.bytes});
}

void call_log::add_call(std::uint32_t row, const launched_work& work, gpu_span&& span) {
  std::size_t waiting = 0;
  {
    const std::lock_guard lock(guard_);
    pending_.push_back({row, work, std::move(span)});
    waiting = pending_.size();
  }
  if (waiting < read_at_) return;
  read_spans(false);
  const std::lock_guard lock(guard_);
  read_at_ = pending_.size() + read_after;
}

void call_log::add_call(std::uint32_t row, const launched_work& work) {
  const std::lock_guard lock(guard_);
  add(rows_[row].costs, work);
  ++rows_[row].untimed;
}

void call_log::add_compile(std::uint32_t row, double seconds) {
  const std::lock_guard lock(guard_);
  ++rows_[row].costs.compiles;
  rows_[row].costs.compile_seconds += seconds;
}

// Drawn, and not counted off: calls that alternate between two sizes are both timed.
call_log::timing call_log::draw_timing(std::uint32_t row) {
  const std::lock_guard lock(guard_);
  if (rows_[row].begun++ < always_timed) return timing::always;
  return draws_() % one_timed_of == 0 ? timing::drawn : timing::none;
}

gpu_span call_log::begin_span(const stream_timeline& on, timing how) {
  const std::lock_guard lock(guard_);
  gpu_span made = spans_.begin(on);
  made.is_drawn = how == timing::drawn;
  return made;
}

void call_log::drop_span(gpu_span&& span) {
  const std::lock_guard lock(guard_);
  spans_.take_back(std::move(span));
}

// Nothing is waited for with the lock held, which the thread's next call takes. Calls on one stream end in
// their order: where one is not over, those behind it are not asked.
void call_log::read_spans(bool wait) {
  std::vector<pending_call> taken;
  {
    const std::lock_guard lock(guard_);
    taken.swap(pending_);
  }
  std::vector<pending_call> later;
  for (std::size_t i = 0; i < taken.size(); ++i) {
    pending_call& each = taken[i];
    if (!wait && !is_over(each.span)) {
      later.assign(std::make_move_iterator(taken.begin() + static_cast<std::ptrdiff_t>(i)),
                   std::make_move_iterator(taken.end()));
      break;
    }
    const span_time time = read_span(each.span);
    const std::lock_guard lock(guard_);
    row_of_function& row = rows_[each.row];
    function_profile& of = row.costs;
    add(of, each.work);
    ++of.timed;
    (each.span.is_drawn ? row.drawn_seconds : of.seconds) += time.seconds;
    if (each.span.is_drawn) ++row.drawn;
    append_event({&of.function, of.where, each.span.timeline, time.start, time.seconds, each.work.kernels,
                  each.work.bytes});
    spans_.take_back(std::move(each.span));
  }
  if (later.empty()) return;
  const std::lock_guard lock(guard_);
  pending_.insert(pending_.begin(), std::make_move_iterator(later.begin()),
                  std::make_move_iterator(later.end()));
}

std::vector<function_profile> call_log::rows() {
  const std::lock_guard lock(guard_);
  std::vector<function_profile> found;
  for (const row_of_function& row : rows_) {
    if (row.costs.calls == 0 && row.costs.compiles == 0) continue;
    function_profile& profile = found.emplace_back(row.costs);
    // those that were drawn stand for themselves and for those that were not timed
    const auto drawn = static_cast<double>(row.drawn), untimed = static_cast<double>(row.untimed);
    if (row.drawn != 0)
      profile.seconds += row.drawn_seconds * (drawn + untimed) / drawn;
    else if (profile.timed != 0)
      profile.seconds *= 1 + untimed / static_cast<double>(profile.timed);
  }
  return found;
}

std::vector<trace_event> call_log::events() {
  const std::lock_guard lock(guard_);
  return events_;
}

void call_log::forget() {
  const std::lock_guard lock(guard_);
  for (row_of_function& row : rows_) {  // names stay: others read them without the lock
    function_profile& costs = row.costs;
    costs.calls = costs.compiles = costs.kernels = costs.bytes = costs.timed = 0;
    costs.seconds = costs.compile_seconds = row.drawn_seconds = 0;
    row.begun = row.drawn = row.untimed = 0;
  }
  kept_events.fetch_sub(events_.size(), std::memory_order_relaxed);
  events_.clear();
}

void count_compile(const observed_function& called, double seconds) {
  call_log& log = call_log::of_thread();
  log.add_compile(log.row_of(called), seconds);
}

}  // namespace sinter::inline v0::runtime
