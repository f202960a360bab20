#include <utility>

#include <sinter/runtime/order/allocation_record.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {

// Memory may have been freed by work that is still queued on the stream: for other streams the allocation is
// a write.
allocation_record::allocation_record(allocated_memory owned) : memory_(std::move(owned)) {
  stream_timeline& made_on = timeline_of(memory_.made_on);
  made_at_ = made_on.latest();
  uses.note(memory_access::write, made_at_, made_on);
  if (made_on.is_of_thread() && made_on.capture() == 0) made_on.cover_latest();
}

allocation_record::allocation_record(const foreign_memory& taken)
    : memory_{.resource = {},
              .data = taken.data,
              .bytes = taken.bytes,
              .made_on = stream::default_of(taken.where),
              .taken = taken} {}

void allocation_record::drop_owner() noexcept {
  if (owners_.fetch_sub(1, std::memory_order_acq_rel) == 1) give_back(*this);
}

void allocation_record::drop_reference() noexcept {
  if (references_.fetch_sub(1, std::memory_order_acq_rel) == 1) delete this;
}

void record_handle::keep() const noexcept { record_->add_reference(); }
void record_handle::let_go() noexcept { record_->drop_reference(); }

}  // namespace sinter::inline v0::runtime
