#include <sinter/runtime/dispatch/compiles/repeated_compiles.hpp>

#include <fmt/format.h>

#include <bit>
#include <memory>
#include <mutex>
#include <utility>

#include <sinter/runtime/dispatch/compiles/compile_history.hpp>
#include <sinter/runtime/dispatch/function.hpp>
#include <sinter/runtime/dispatch/plan.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

compiled_call described_call(const call_request& request, std::span<const array_layout> operands,
                             std::span<const array_layout> targets) {
  compiled_call made{.where = request.where,
                     .operands = copies_of(operands),
                     .targets = copies_of(targets),
                     .view_numbers = {}};
  for (const std::uint32_t parameter : request.called->view_parameters)
    made.view_numbers.push_back(request.scalars[parameter]);
  return made;
}

constexpr const char* compile_advice =
    "If more such calls follow: prepare() it once for described arrays with ranges of extents, pad rows of "
    "views "
    "to multiples of 16 bytes, or take the kernels of general(), which serve every layout";

/// For all histories: every fork takes each fork_mutex, so a function has none of its own.
fork_mutex& history_guard() {
  static auto& guard = *new fork_mutex;
  return guard;
}

constexpr std::size_t first_told = 16;  // fewer compiles are a program's usual kinds of calls

}  // namespace

bool is_told_at(std::size_t count) {
  return count >= first_told && std::has_single_bit(count) && std::countr_zero(count) % 2 == 0;
}

void note_compile(const call_request& request, std::span<const array_layout> operands,
                  std::span<const array_layout> targets) {
  const bool is_on_purpose =
      request.on == nullptr || request.forced != nullptr || request.variant != lowering_variant::specialised;
  if (is_on_purpose) return;
  const compiled_call now = described_call(request, operands, targets);
  compiled_call before = now;  // exchanged with the latest one: nothing throws between that and the count
  std::size_t count = 0;
  {
    auto first = std::make_unique<compile_history>();
    const std::lock_guard lock(history_guard());
    std::unique_ptr<compile_history>& history = request.called->compiled_calls;
    if (history == nullptr) history = std::move(first);
    count = ++history->count;
    std::swap(history->latest, before);
  }
  if (!is_told_at(count)) return;
  std::string changed = differences(before, now);
  if (changed.empty()) changed = "nothing; its kernels were dropped, or replaced";
  report(log_level::warning,
         fmt::format("{} has compiled for the {}th different call. What changed since the call that "
                     "compiled before: {}. {}",
                     describe(*request.called), count, changed, compile_advice));
}

void note_recording(const function& called) {
  const std::size_t count = called.recorded_at_place.exchange(0, std::memory_order_relaxed);
  if (!is_told_at(count)) return;
  report(log_level::warning,
         fmt::format(
             "{} was recorded with another graph for the {}th time, and each has kernels of its own: numbers "
             "that change between calls are arguments, or captured as they are; a literal(), a loop count "
             "and a condition of the lambda are part of the graph",
             describe(called), count));
}

}  // namespace sinter::inline v0::runtime
