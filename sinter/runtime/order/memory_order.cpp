#include <array>

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
  if (timeline.capture() != 0) keep_for_graph(on, *record);
  note_after(timeline, use_of(record, writes));
}

void wait_for_use(allocation_record* record, bool writes, const stream& on) {
  if (record == nullptr || on.where().is_cpu()) return;
  order_before(timeline_of(on), use_of(record, writes));
}

}  // namespace sinter::inline v0::runtime
