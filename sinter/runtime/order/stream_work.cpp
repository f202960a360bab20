#include <exception>
#include <new>
#include <vector>

#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/order/stream_work.hpp>

namespace sinter::inline v0::runtime {
namespace {

void add_missing(const stream_timeline& on, allocation_record* record, memory_access how,
                 std::vector<work_point>& missing) {
  if (record != nullptr) record->uses.add_missing(how, on, missing);
}

}  // namespace

// A thread's own default stream is known to that thread alone, so its events are recorded at once.
void detail::cover_of_thread(stream_timeline& on) noexcept {
  try {
    if (on.capture() == 0) on.cover_latest();
  } catch (const std::exception& failure) {
    report(log_level::warning, failure.what());
  }
}

void detail::note_or_wait(stream_timeline& on, std::span<const memory_use> uses) noexcept {
  try {
    const work_point now = on.latest();
    for (const memory_use& use : uses)
      if (use.record != nullptr) use.record->uses.note(use.how, now, on);
  } catch (const std::bad_alloc&) {
    try {
      sinter::synchronize(device::cuda(on.device()));
    } catch (const std::exception& failure) {
      report(log_level::warning, failure.what());
    }
  }
}

void detail::wait_for_others(stream_timeline& on, std::span<const operand> read,
                             std::span<const operand> written) {
  std::vector<work_point> missing;
  for (const operand& array : read) add_missing(on, array.record, memory_access::read, missing);
  for (const operand& array : written) add_missing(on, array.record, memory_access::write, missing);
  on.follow(missing);
}

void order_before(stream_timeline& on, std::span<const memory_use> uses) {
  std::vector<work_point> missing;
  for (const memory_use& use : uses) add_missing(on, use.record, use.how, missing);
  if (!missing.empty()) on.follow(missing);
}

void make_room(stream_timeline& on, std::span<const memory_use> uses) {
  for (const memory_use& use : uses)
    if (use.record != nullptr) use.record->uses.make_room(use.how, on);
}

void make_room(stream_timeline& on, std::span<const operand> read, std::span<const operand> written) {
  for (const operand& array : read)
    if (array.record != nullptr) array.record->uses.make_room(memory_access::read, on);
  for (const operand& array : written)
    if (array.record != nullptr) array.record->uses.make_room(memory_access::write, on);
}

void note_after(stream_timeline& on, std::span<const memory_use> uses) noexcept {
  detail::note_or_wait(on, uses);
  if (on.is_of_thread()) detail::cover_of_thread(on);
}

}  // namespace sinter::inline v0::runtime
