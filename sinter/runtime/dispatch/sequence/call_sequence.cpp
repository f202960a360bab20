#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <optional>
#include <utility>

#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/sequence/graph_replay.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>
#include <sinter/runtime/sequence.hpp>

namespace sinter::inline v0::runtime {

class sequence_content {
 public:
  explicit sequence_content(device where) : where_(where) {
    static std::atomic<std::uint64_t> made{0};
    id_ = ++made;
  }

  std::size_t add(const call_request& asked);
  void change(std::size_t step, std::span<const operand> operands, std::span<const scalar> scalars);
  void prepare();
  void run(const stream& on);
  std::size_t size() const { return steps_.size(); }
  function_handle function_of(std::size_t step) const { return function_handle(steps_.at(step)->called()); }
  device where() const { return where_; }
  std::uint64_t id() const { return id_; }
  std::string explain();

 private:
  void run_on_cpu();
  void run_on_cuda(const stream& on);
  void report_to(stream_timeline& timeline);
  void find_uses();
  void make_order();

  device where_;
  std::uint64_t id_;  ///< of all in the process: an address may be another one's later
  step_list steps_;
  step_order order_;
  std::vector<memory_use> uses_;  ///< of all steps, if they are known
  bool knows_uses_ = false;
  bool order_serves_ = true;  ///< else it is made again before it is used
  bool has_changes_ = false;  ///< launches have blocks that the replay may not have
  std::optional<graph_replay> replay_;
  const stream_timeline* reports_to_ = nullptr;
};

std::size_t sequence_content::add(const call_request& asked) {
  if (asked.where != where_)
    throw device_error(
        fmt::format("{} has its arrays on {}, and the sequence is on {}; move arrays with "
                    ".to(device), or make a sequence for each device",
                    describe(*asked.called), asked.where.to_string(), where_.to_string()));
  make_order();
  steps_.push_back(std::make_unique<recorded_step>(asked, steps_.size()));
  try {
    order_.append(steps_);
  } catch (...) {
    steps_.pop_back();
    order_serves_ = false;
    throw;
  }
  knows_uses_ = false;
  replay_.reset();
  reports_to_ = nullptr;
  has_changes_ = true;
  return steps_.size() - 1;
}

void sequence_content::change(std::size_t step, std::span<const operand> operands,
                              std::span<const scalar> scalars) {
  if (step >= steps_.size())
    throw error(
        fmt::format("step {} was to be changed, and the sequence has {} steps: take the number that "
                    "add() returned",
                    step, steps_.size()));
  const change_effects done = steps_[step]->change(operands, scalars);
  has_changes_ = true;
  if (!done.on_memory) return;
  knows_uses_ = false;
  order_serves_ = order_serves_ && order_.serves(steps_, step);
  if (!order_serves_ || done.on_launches) replay_.reset();
}

void sequence_content::make_order() {
  if (order_serves_) return;
  step_order fresh;
  while (fresh.size() < steps_.size()) fresh.append(steps_);
  order_ = std::move(fresh);
  order_serves_ = true;
}

void sequence_content::prepare() {
  if (where_.is_cpu() || replay_.has_value() || steps_.empty()) return;
  make_order();
  replay_.emplace(steps_, order_, where_.index());
}

void sequence_content::find_uses() {
  if (knows_uses_) return;
  std::vector<memory_use> all;
  for (const std::unique_ptr<recorded_step>& each : steps_) each->add_uses(all);
  const auto key = [](const memory_use& use) {
    return std::pair(reinterpret_cast<std::uintptr_t>(use.record), use.how == memory_access::read);
  };
  std::sort(all.begin(), all.end(),
            [&](const memory_use& a, const memory_use& b) { return key(a) < key(b); });
  // a write stands for the reads of the same memory
  const auto last = std::unique(
      all.begin(), all.end(), [](const memory_use& a, const memory_use& b) { return a.record == b.record; });
  all.erase(last, all.end());
  std::erase_if(all, [](const memory_use& use) { return use.record == nullptr; });
  uses_ = std::move(all);
  knows_uses_ = true;
}

void sequence_content::run(const stream& on) {
  if (on.where() != where_)
    throw device_error(
        fmt::format("a sequence on {} was run on a stream of {}; give it a stream of its device",
                    where_.to_string(), on.where().to_string()));
  if (steps_.empty()) return;
  if (where_.is_cpu())
    run_on_cpu();
  else
    run_on_cuda(on);
}

// Steps of a level are independent. All levels run, as on a GPU, and then the first step's fault is thrown.
void sequence_content::run_on_cpu() {
  make_order();
  run_in_arena([this] {
    for (const std::vector<std::size_t>& level : order_.levels()) {
      double nanoseconds = 0;
      for (const std::size_t each : level) nanoseconds += steps_[each]->nanoseconds();
      run_beside(static_cast<unsigned>(level.size()), nanoseconds,
                 [&](unsigned i, bool alone) { steps_[level[i]]->run_on_cpu(alone); });
    }
  });
  for (const std::unique_ptr<recorded_step>& each : steps_)
    if (const index_fault& fault = each->fault(); fault.state != index_fault::none)
      throw_index_fault(*each->sites(), fault);
}

// Indices out of range are reported to the stream of the replay, whose synchronize() throws.
void sequence_content::report_to(stream_timeline& timeline) {
  if (reports_to_ == &timeline) return;
  reports_to_ = nullptr;  // an exception leaves some steps with the stream before, and some with this one
  has_changes_ = true;
  for (const std::unique_ptr<recorded_step>& each : steps_)
    if (each->sites() != nullptr)
      each->report_to(timeline.faults().target_for(timeline.api(), where_.index(), each->sites()));
  reports_to_ = &timeline;
}

void sequence_content::run_on_cuda(const stream& on) {
  give_back_waiting();
  prepare();
  find_uses();
  const context_guard current(static_cast<CUstream>(on.native()), where_.index());
  stream_timeline& timeline = timeline_of(require_driver(), on, current.context());
  if (timeline.capture() != 0)
    throw device_error(
        "a sequence was run on a stream that is being captured into a CUDA graph: it is a graph itself; make "
        "its calls on the stream instead, or run it when the capture has ended");
  report_to(timeline);
  const stream_work ordered(timeline, uses_);
  if (has_changes_) replay_->update(steps_, on);
  has_changes_ = false;
  replay_->launch(on);
}

std::string sequence_content::explain() {
  make_order();
  std::string text = fmt::format("{} steps on {}\n", steps_.size(), where_.to_string());
  for (std::size_t i = 0; i < steps_.size(); ++i) {
    const std::vector<step_launch>& launches = steps_[i]->launches();
    const auto kernels = std::count_if(launches.begin(), launches.end(),
                                       [](const step_launch& each) { return !each.is_skipped; });
    text += fmt::format("step {}: {}, {} kernel{}", i, describe(steps_[i]->called()), kernels,
                        kernels == 1 ? "" : "s");
    if (!order_.before(i).empty()) text += fmt::format(", after {}", fmt::join(order_.before(i), ", "));
    text += '\n';
  }
  return text;
}

call_sequence::call_sequence(device where) : content_(new sequence_content(where)) {}
call_sequence& call_sequence::operator=(call_sequence&& other) noexcept {
  std::swap(content_, other.content_);
  return *this;
}
call_sequence::~call_sequence() { delete content_; }

sequence_content& call_sequence::held() const {
  if (content_ == nullptr) throw error("a sequence was used after it was moved from");
  return *content_;
}

std::size_t call_sequence::add(const function_handle& called, std::span<const operand> operands,
                               std::span<const scalar> scalars, std::span<const operand> into,
                               const call_options& options) {
  sequence_content& to = held();
  const function& function = runtime::held(called);
  if (options.on != nullptr || options.assume_ordered || !options.workspace.empty())
    throw error(
        describe(function) +
        " was added to a sequence with a stream, a workspace or assume_ordered(): run(stream) gives all "
        "steps the stream, and each has a workspace of its own");
  if (into.size() != function.recorded.outputs.size())
    throw_counts(function, operands.size(), scalars.size(), into.size());
  return to.add(make_request(function, operands, scalars, into, options));
}

void call_sequence::change(std::size_t step, std::span<const operand> operands,
                           std::span<const scalar> scalars) {
  held().change(step, operands, scalars);
}
void call_sequence::change_own(std::uint64_t id, std::size_t step, std::span<const operand> operands,
                               std::span<const scalar> scalars) {
  if (id != held().id())
    throw error(
        fmt::format("step {} was to be changed in a sequence that it is not of: it is another "
                    "sequence's, which alone can change it",
                    step));
  held().change(step, operands, scalars);
}
std::uint64_t call_sequence::id() const { return held().id(); }
void call_sequence::prepare() { held().prepare(); }
void call_sequence::run(const stream& on) { held().run(on); }
std::size_t call_sequence::size() const { return held().size(); }
function_handle call_sequence::function_of(std::size_t step) const { return held().function_of(step); }
device call_sequence::where() const { return held().where(); }
std::string call_sequence::explain() const { return held().explain(); }

}  // namespace sinter::inline v0::runtime
