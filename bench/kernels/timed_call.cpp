#include "timed_call.hpp"

#include <chrono>

namespace sinter_bench {

using namespace sinter;
using clock_type = std::chrono::steady_clock;

timed_call::timed_call(const program& of, machine& on)
    : memory_(of, on.where()),
      function_(runtime::intern(record(of))),
      order_(stream::default_of(on.where())) {
  std::vector<runtime::result> made(of.outputs.size());
  const auto begin = clock_type::now();
  runtime::call(function_, memory_.operands(), {}, {}, made, {.on = &order_});
  synchronize(on.where());
  first_seconds_ = std::chrono::duration<double>(clock_type::now() - begin).count();
  for (runtime::result& result : made) results_.emplace_back(std::move(result));
  for (const any_array& result : results_) into_.push_back(result.view().erased());
  for (const any_array& buffer : memory_.buffers()) touched_.push_back(&buffer);
  for (const any_array& result : results_) touched_.push_back(&result);
}

void timed_call::operator()(const schedule* forced) const {
  runtime::call(function_, memory_.operands(), {}, into_, {}, {.on = &order_, .forced = forced});
}

void timed_call::prepare(const schedule& forced) const {
  runtime::prepare(function_, memory_.operands(), {}, {.on = &order_, .forced = &forced}, into_);
}

std::string timed_call::explained() const {
  return runtime::explain(function_, memory_.operands(), {}, {.on = &order_}, into_);
}

double cold_seconds(machine& on, std::span<const any_array* const> touched, unsigned calls,
                    const std::function<void()>& call) {
  double sum = 0;
  for (unsigned i = 0; i < calls; ++i) {
    on.make_cold(touched);
    sum += on.seconds_of(call);
  }
  return sum / calls;
}

}  // namespace sinter_bench
