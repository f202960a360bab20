#pragma once
// A program's call into results that exist, and how long calls take that begin with cold caches.

#include "machine.hpp"
#include "program.hpp"
#include "program_memory.hpp"

#include <sinter/codegen/schedule/schedule.hpp>

#include <functional>
#include <span>
#include <string>
#include <vector>

namespace sinter_bench {

class timed_call {
 public:
  timed_call(const program& of, machine& on);
  /// Runs it; under another schedule than the one that the lowering pass chooses if there is one.
  void operator()(const sinter::schedule* forced = nullptr) const;
  /// Compiles what that needs. Safe from several threads.
  void prepare(const sinter::schedule& forced) const;
  std::span<const sinter::any_array* const> touched() const { return touched_; }
  std::span<const sinter::runtime::operand> operands() const { return memory_.operands(); }
  std::span<const sinter::runtime::operand> into() const { return into_; }
  const sinter::runtime::function_handle& function() const { return function_; }
  double first_seconds() const { return first_seconds_; }
  std::string explained() const;

 private:
  program_memory memory_;
  sinter::runtime::function_handle function_;
  sinter::stream order_;
  std::vector<sinter::any_array> results_;
  std::vector<sinter::runtime::operand> into_;
  std::vector<const sinter::any_array*> touched_;
  double first_seconds_ = 0;
};

/// Seconds of a call that finds the caches cold: of short ones the mean over several.
double cold_seconds(machine& on, std::span<const sinter::any_array* const> touched, unsigned calls,
                    const std::function<void()>& call);

}  // namespace sinter_bench
