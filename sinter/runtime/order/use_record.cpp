#include <memory>

#include <sinter/runtime/order/use_record.hpp>

namespace sinter::inline v0::runtime {

use_record::~use_record() {
  for (const reads* some = reads_.more.load(std::memory_order_acquire); some != nullptr;) {
    const reads* const next = some->more.load(std::memory_order_acquire);
    delete some;
    some = next;
  }
}

bool use_record::follows_others(const stream_timeline& on) const {
  bool all = true;
  each_read([&](work_point point) { all = all && on.follows(point); });
  return all;
}

void use_record::add_missing(memory_access how, const stream_timeline& on,
                             std::vector<work_point>& missing) const {
  const auto add = [&](work_point point) {
    if (!on.follows(point)) missing.push_back(point);
  };
  add(write());
  if (how == memory_access::write) each_read(add);
}

void use_record::add_pending(std::vector<work_point>& pending) const {
  const auto add = [&](work_point point) {
    if (!stream_timeline::is_done(point)) pending.push_back(point);
  };
  add(write());
  each_read(add);
}

// Each stream has a place of its own once it has taken an empty one, or that of work that is done.
void use_record::note_read(work_point used) {
  for (reads* some = &reads_;;) {
    for (std::atomic<std::uint64_t>& place : some->points) {
      std::uint64_t word = place.load(std::memory_order_acquire);
      for (;;) {
        const work_point known(word);
        const bool same_stream = known.timeline() == used.timeline();
        if (same_stream && known.number() >= used.number()) return;
        if (!same_stream && !stream_timeline::is_done(known)) break;
        if (place.compare_exchange_weak(word, used.word(), std::memory_order_acq_rel)) return;
      }
    }
    reads* next = some->more.load(std::memory_order_acquire);
    if (next == nullptr) {
      auto fresh = std::make_unique<reads>();
      if (some->more.compare_exchange_strong(next, fresh.get(), std::memory_order_acq_rel))
        next = fresh.release();
    }
    some = next;
  }
}

// A write that this one may not come after is kept among the reads: later writes and the end of the memory
// wait for it. That is where no one ordered them, or where the stream has forgotten that it waited.
void use_record::note_write(work_point used, const stream_timeline& on) {
  std::uint64_t word = write_.load(std::memory_order_acquire);
  do {
    const work_point known(word);
    if (known.timeline() == used.timeline() && known.number() >= used.number()) return;
  } while (!write_.compare_exchange_weak(word, used.word(), std::memory_order_acq_rel));
  if (!on.follows(work_point(word))) note_read(work_point(word));
  drop_reads(used, on);
}

void use_record::drop_reads(work_point written, const stream_timeline& on) {
  for (reads* some = &reads_; some != nullptr; some = some->more.load(std::memory_order_acquire))
    for (std::atomic<std::uint64_t>& place : some->points) {
      std::uint64_t word = place.load(std::memory_order_acquire);
      const work_point known(word);
      const bool same_stream = known.timeline() == written.timeline();
      if (!known.is_none() && (same_stream ? known.number() <= written.number() : on.follows(known)))
        place.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
    }
}

}  // namespace sinter::inline v0::runtime
