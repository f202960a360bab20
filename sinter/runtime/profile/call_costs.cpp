#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/runtime/order/stream_timeline.hpp>
#include <sinter/runtime/profile/call_costs.hpp>
#include <sinter/runtime/profile/observers.hpp>
#include <sinter/runtime/roofline.hpp>

#include <utility>

namespace sinter::inline v0 {
namespace {

/// Where the thread's calls are counted; nullptr: nowhere.
struct counted_costs {
  call_costs* into = nullptr;
};

}  // namespace

namespace runtime {

void add_costs(const launched_work& work, device where, const stream_timeline* on) noexcept {
  const counted_costs* const counted = thread_memory<counted_costs>::find();
  if (counted == nullptr || counted->into == nullptr) return;
  call_costs& costs = *counted->into;
  ++costs.calls;
  costs.kernels += work.kernels;
  costs.bytes += work.bytes;
  costs.where = where;
  costs.native = on != nullptr ? on->native() : nullptr;
}

}  // namespace runtime

namespace detail {

cost_scope::cost_scope(call_costs& costs)
    : outer_(std::exchange(thread_memory<counted_costs>::get().into, &costs)) {
  runtime::measure_costs(true);
}

cost_scope::~cost_scope() {
  thread_memory<counted_costs>::get().into = outer_;
  runtime::measure_costs(false);
}

}  // namespace detail
}  // namespace sinter::inline v0
