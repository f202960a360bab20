#include <memory>

#include <sinter/runtime/order/use_record.hpp>

namespace sinter::inline v0::runtime {

use_record::~use_record() { delete unordered_.load(std::memory_order_acquire); }

bool use_record::follows_others(const stream_timeline& on) const {
  bool all = true;
  each_in(&reads_, [&](work_point point) { all = all && on.follows(point); });
  return all;
}

bool use_record::follows_writes(const stream_timeline& on) const {
  bool all = on.follows(write());
  each_in(unordered_.load(std::memory_order_acquire),
          [&](work_point point) { all = all && on.follows(point); });
  return all;
}

void use_record::add_missing(memory_access how, const stream_timeline& on,
                             std::vector<work_point>& missing) const {
  const auto add = [&](work_point point) {
    if (!on.follows(point)) missing.push_back(point);
  };
  work_point last;
  do {
    last = write();
    add(last);
    each_in(unordered_.load(std::memory_order_acquire), add);
    if (how == memory_access::write) each_in(&reads_, add);
  } while (write() != last);
}

void use_record::add_pending(std::vector<work_point>& pending) const {
  const auto add = [&](work_point point) {
    if (!stream_timeline::is_done(point)) pending.push_back(point);
  };
  add(write());
  each_in(unordered_.load(std::memory_order_acquire), add);
  each_in(&reads_, add);
}

// What the pointer refers to; made if it is null.
use_record::points& use_record::made_in(std::atomic<points*>& where) {
  points* known = where.load(std::memory_order_acquire);
  if (known != nullptr) return *known;
  auto fresh = std::make_unique<points>();
  if (where.compare_exchange_strong(known, fresh.get(), std::memory_order_acq_rel)) known = fresh.release();
  return *known;
}

// Each stream has a place of its own once it has taken an empty one, or that of work that is done.
void use_record::note_in(points& list, work_point used) {
  for (points* some = &list;;) {
    for (std::atomic<std::uint64_t>& place : some->places) {
      std::uint64_t word = place.load(std::memory_order_acquire);
      for (;;) {
        const work_point known(word);
        const bool same_stream = known.timeline() == used.timeline();
        if (same_stream && known.number() >= used.number()) return;
        if (!same_stream && !stream_timeline::is_done(known)) break;
        if (place.compare_exchange_weak(word, used.word(), std::memory_order_acq_rel)) return;
      }
    }
    some = &made_in(some->more);
  }
}

void use_record::make_room_in(points& list, std::uint32_t timeline) {
  for (points* some = &list;;) {
    for (const std::atomic<std::uint64_t>& place : some->places) {
      const work_point known(place.load(std::memory_order_acquire));
      if (known.timeline() == timeline || stream_timeline::is_done(known)) return;
    }
    some = &made_in(some->more);
  }
}

void use_record::make_room(memory_access how, const stream_timeline& on) {
  if (how == memory_access::read) return make_room_in(reads_, on.index());
  if (const work_point known = write(); !on.follows(known))
    make_room_in(made_in(unordered_), known.timeline());
}

// The write before is put aside before this one takes its place, so that no one misses it in between.
void use_record::note(memory_access how, work_point used, const stream_timeline& on) {
  if (has_noted(how, used)) return;
  if (how == memory_access::read) return note_in(reads_, used);
  std::uint64_t word = write_.load(std::memory_order_acquire);
  do {
    const work_point known(word);
    if (known.timeline() == used.timeline() && known.number() >= used.number()) return;
    if (!on.follows(known)) note_in(made_in(unordered_), known);
  } while (!write_.compare_exchange_weak(word, used.word(), std::memory_order_acq_rel));
  drop_from(reads_, used, on);
  if (points* const aside = unordered_.load(std::memory_order_acquire)) drop_from(*aside, used, on);
}

void use_record::drop_from(points& list, work_point written, const stream_timeline& on) {
  for (points* some = &list; some != nullptr; some = some->more.load(std::memory_order_acquire))
    for (std::atomic<std::uint64_t>& place : some->places) {
      std::uint64_t word = place.load(std::memory_order_acquire);
      const work_point known(word);
      const bool same_stream = known.timeline() == written.timeline();
      if (!known.is_none() && (same_stream ? known.number() <= written.number() : on.follows(known)))
        place.compare_exchange_strong(word, 0, std::memory_order_acq_rel);
    }
}

}  // namespace sinter::inline v0::runtime
