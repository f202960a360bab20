#include <array>
#include <exception>
#include <new>

#include <sinter/runtime/log.hpp>
#include <sinter/runtime/memory_order.hpp>
#include <sinter/runtime/order/captured_memory.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {
namespace {

std::array<memory_use, 1> use_of(allocation_record* record, bool writes) {
  return {{{record, writes ? memory_access::write : memory_access::read}}};
}

}  // namespace

void note_use(allocation_record* record, bool writes, const stream& on) {
  if (record == nullptr || on.where().is_cpu()) return;
  stream_timeline& timeline = timeline_of(on);
  const bool is_legacy = timeline.native() == legacy_default_stream();
  if (!is_legacy && timeline.capture() != 0) {
    make_room(timeline, use_of(record, writes));
    keep_for_graph(on, *record);
  }
  note_after(timeline, use_of(record, writes));
}

void wait_for_use(allocation_record* record, bool writes, const stream& on) {
  if (record == nullptr || on.where().is_cpu()) return;
  order_before(timeline_of(on), use_of(record, writes));
}

std::uint64_t hand_over(allocation_record* record, const stream* consumer) {
  if (record == nullptr || consumer == nullptr || consumer->where().is_cpu()) return 0;
  wait_for_use(record, true, *consumer);
  return timeline_of(*consumer).latest().word();
}

void take_back(allocation_record* record, std::uint64_t consumer) noexcept {
  if (record == nullptr || consumer == 0) return;
  const work_point handed(consumer);
  stream_timeline& timeline = timeline_at(handed.timeline());
  if (timeline.is_still_at(handed)) return note_after(timeline, use_of(record, true));
  // The event of its end has the number before the latest. A timeline that serves another stream needs no
  // wait.
  if (!timeline.has_ended()) return;
  const work_point end(timeline.index(), timeline.latest().number() - 1);
  try {
    try {
      record->uses.note(memory_access::write, end, timeline);
    } catch (const std::bad_alloc&) {
      synchronize(device::cuda(timeline.device()));
    }
  } catch (const std::exception& failure) {
    report(log_level::warning, failure.what());
  }
}

}  // namespace sinter::inline v0::runtime
