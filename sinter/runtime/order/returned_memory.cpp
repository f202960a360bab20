#include <exception>
#include <mutex>
#include <new>
#include <vector>

#include <sinter/runtime/base/memory_counters.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {

namespace detail {
constinit std::atomic<waiting_owner*> waiting_owners{nullptr};
}

namespace {

bool comes_after_all(const stream_timeline& on, const std::vector<work_point>& points) {
  for (const work_point point : points)
    if (!on.follows(point)) return false;
  return true;
}

/// Another library's memory does not count.
void count_waiting_memory(const allocation_record& record, std::int64_t sign) noexcept {
  const allocated_memory& memory = record.memory();
  if (memory.taken.release == nullptr)
    count_waiting(memory.made_on.where(), sign * static_cast<std::int64_t>(memory.bytes));
}

void return_to_resource(const allocated_memory& memory, const stream& on) noexcept {
  memory.resource.deallocate(memory.data, memory.bytes, on);
  count_return(memory.made_on.where(), memory.bytes);
}

/// Frees memory on a stream that another thread might end: it cannot while the guard is held.
bool free_on(stream_timeline& at, const allocated_memory& memory) {
  const deferred_reports until_unlocked;
  const std::lock_guard lock(at.guard());
  if (at.has_ended() || at.capture() != 0) return false;
  const context_guard current(at.context());
  return_to_resource(memory, stream::from_native(device::cuda(at.device()), at.native()));
  return true;
}

/// The built-in resource takes memory back on any stream. One that comes after all uses needs no wait.
bool free_on_last_user(const allocation_record& record, stream_timeline& made_on,
                       const std::vector<work_point>& pending) {
  if (made_on.is_still_at(record.made_at()) && made_on.is_named_here() && comes_after_all(made_on, pending) &&
      free_on(made_on, record.memory()))
    return true;
  for (const work_point point : pending) {
    stream_timeline& user = timeline_at(point.timeline());
    if (user.is_still_at(point) && user.is_named_here() && user.device() == made_on.device() &&
        comes_after_all(user, pending) && free_on(user, record.memory()))
      return true;
  }
  return false;
}

/// A stream that may be waited on and named to the memory's resource.
const stream& stream_for(const allocation_record& record, const stream_timeline& made_on) {
  return made_on.is_still_at(record.made_at()) ? record.memory().made_on : own_stream_of(made_on.device());
}

// Throws capture_conflict if a stream that uses the memory is being captured.
void free_in_order(const allocation_record& record) {
  const allocated_memory& memory = record.memory();
  // In the child of a fork: the memory is the parent's, and the resource knows.
  if (driver() == nullptr) return return_to_resource(memory, memory.made_on);
  std::vector<work_point> pending;
  record.uses.add_pending(pending);
  stream_timeline& made_on = timeline_at(record.made_at().timeline());
  if (memory.resource.is_built_in() && free_on_last_user(record, made_on, pending)) return;
  const stream& on =
      memory.resource.is_built_in() ? own_stream_of(made_on.device()) : stream_for(record, made_on);
  stream_timeline& at = timeline_of(on);
  if (at.capture() != 0)
    throw capture_conflict("memory cannot be freed on a stream that is being captured into a CUDA graph");
  at.follow(pending);
  return_to_resource(memory, on);
}

void release_foreign(allocation_record& record) noexcept {
  const foreign_memory& taken = record.memory().taken;
  taken.release(taken.owner);
  record.drop_reference();
}

/// An event after all work that uses the memory; nullptr if all is known to be done. Another library may give
/// the memory to anyone, so the host has to see the event.
CUevent event_after_uses(const allocation_record& record) {
  std::vector<work_point> pending;
  record.uses.add_pending(pending);
  if (pending.empty()) return nullptr;
  const int device = record.memory().taken.where.index();
  stream_timeline& own = timeline_of(own_stream_of(device));
  own.follow(pending);
  const context_guard current(own.context());
  const driver_api& api = own.api();
  CUevent made = nullptr;
  check(api.cuEventCreate(&made, event_flag_disable_timing),
        "creating an event behind another library's memory");
  if (const CUresult answer = api.cuEventRecord(made, own.native()); answer != CUresult::success) {
    api.cuEventDestroy_v2(made);
    throw_driver_error(answer, "recording an event behind another library's memory");
  }
  return made;
}

bool is_reached(CUevent after) noexcept {
  const driver_api* const api = driver();
  if (api == nullptr) return true;
  const relaxed_capture while_others_capture;
  if (api->cuEventQuery(after) == CUresult::not_ready) return false;
  api->cuEventDestroy_v2(after);
  return true;
}

void give_back_later(allocation_record& record, wait_reason reason, CUevent after = nullptr) noexcept {
  record.waiting() = {&record, nullptr, reason, after};
  if (reason != wait_reason::work) count_waiting_memory(record, 1);
  drop_later(record.waiting());
}

}  // namespace

void drop_later(waiting_owner& owner) noexcept {
  waiting_owner* first = detail::waiting_owners.load(std::memory_order_relaxed);
  do owner.next = first;
  while (!detail::waiting_owners.compare_exchange_weak(first, &owner, std::memory_order_release,
                                                       std::memory_order_relaxed));
}

void give_back(allocation_record& record) noexcept {
  const allocated_memory& memory = record.memory();
  const bool is_foreign = memory.taken.release != nullptr;
  try {
    if (!is_foreign) {
      free_in_order(record);
    } else if (const CUevent after = event_after_uses(record)) {
      return give_back_later(record, wait_reason::work, after);
    }
  } catch (const capture_conflict&) {
    record.add_owner();
    return give_back_later(record, wait_reason::capture);
  } catch (const std::bad_alloc&) {
    // No host memory to look for the stream that it goes back on: a later call looks again.
    record.add_owner();
    return give_back_later(record, wait_reason::host_memory);
  } catch (...) {
    // The context is lost: the host waits if it can, and tells whose memory it is.
    const device where = memory.made_on.where();
    try {
      synchronize(where);
    } catch (const std::exception& failure) {
      report(log_level::warning, failure.what());
    }
    if (!is_foreign) return_to_resource(memory, stream::default_of(where));
  }
  if (is_foreign) return release_foreign(record);
  record.forget_resource();
  record.drop_reference();
}

void detail::give_back_waiting() noexcept {
  for (waiting_owner* each = waiting_owners.exchange(nullptr, std::memory_order_acquire); each != nullptr;) {
    waiting_owner& now = *each;
    each = now.next;
    allocation_record& record = *now.record;
    if (now.reason == wait_reason::capture || now.reason == wait_reason::host_memory)
      count_waiting_memory(record, -1);
    if (now.reason == wait_reason::work) {
      is_reached(now.after) ? release_foreign(record) : drop_later(now);
      continue;
    }
    if (now.reason == wait_reason::graph) delete &now;
    record.drop_owner();
  }
}

}  // namespace sinter::inline v0::runtime
