#include <sinter/runtime/order/index_faults.hpp>

#include <algorithm>
#include <atomic>
#include <new>

#include <fmt/format.h>

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {

namespace {
/// Sites are numbered by plan, launch and report.
constexpr unsigned plan_bits = 32, launch_bits = 16;
}  // namespace

void throw_index_fault(const index_sites& sites, const index_fault& fault) {
  const auto launch = static_cast<std::size_t>(fault.site >> launch_bits & 0xffff),
             report = static_cast<std::size_t>(fault.site & 0xffff);
  throw index_error(fmt::format("{}: index {} is out of range: the axis has {} elements",
                                sites.of_launches[launch][report], fault.index, fault.extent));
}

stream_faults::target stream_faults::target_for(const driver_api& api, int device,
                                                const std::shared_ptr<const index_sites>& sites) {
  const std::lock_guard lock(guard_);
  if (record_ == nullptr) {
    const context_guard current(primary_context(device));
    const relaxed_capture relaxed;
    void* made = nullptr;
    runtime::check(api.cuMemHostAlloc(&made, sizeof(index_fault), host_memory_flag_portable),
                   "allocating the record of indices that are out of range");
    record_ = new (made) index_fault();
  }
  const auto known =
      std::ranges::find_if(known_, [&](const auto& each) { return each == sites || *each == *sites; });
  const auto number = static_cast<std::uint64_t>(known - known_.begin());
  if (known == known_.end()) known_.push_back(sites);
  // a unified address: the device has the host's
  return {reinterpret_cast<std::uintptr_t>(record_), number << plan_bits};
}

void stream_faults::check() {
  index_fault found;
  std::shared_ptr<const index_sites> sites;
  {
    const std::lock_guard lock(guard_);
    if (record_ == nullptr) return;
    const std::atomic_ref<std::int64_t> state(record_->state);
    if (state.load(std::memory_order_acquire) != index_fault::complete) return;
    found = *record_;
    sites = known_[static_cast<std::size_t>(found.site >> plan_bits)];
    state.store(index_fault::none, std::memory_order_release);
  }
  throw_index_fault(*sites, found);
}

}  // namespace sinter::inline v0::runtime
