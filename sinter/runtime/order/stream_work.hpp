#pragma once
// A scope in which work is queued on a stream, and the memory that it uses.

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/order/allocation_record.hpp>
#include <sinter/runtime/order/stream_timeline.hpp>

#include <array>
#include <span>

namespace sinter::inline v0::runtime {

/// Memory that work uses. A null record is memory whose order is the caller's.
struct memory_use {
  allocation_record* record = nullptr;
  memory_access how = memory_access::read;
};

/// Makes the stream wait for the work that this use of the memory must come after. Throws capture_conflict
/// before it touches the stream.
void order_before(stream_timeline& on, std::span<const memory_use> uses);
inline void order_before(stream_timeline& on, std::span<const operand> read,
                         std::span<const operand> written);

/// Allocates what note_after() may need. For work on a stream that is being captured: there nobody may wait.
void make_room(stream_timeline& on, std::span<const memory_use> uses);
void make_room(stream_timeline& on, std::span<const operand> read, std::span<const operand> written);

/// Notes that work of which the launch has returned uses the memory. Where there is no host memory to note
/// it, waits for the work.
void note_after(stream_timeline& on, std::span<const memory_use> uses) noexcept;
inline void note_after(stream_timeline& on, std::span<const operand> read, std::span<const operand> written,
                       std::span<const buffer> fresh) noexcept;

/// Both, around what is queued during its lifetime: uses are noted whatever was queued before an exception.
class stream_work {
 public:
  stream_work(stream_timeline& on, std::span<const memory_use> uses) : on_(on), uses_(uses) {
    order_before(on_, uses_);
    make_room(on_, uses_);
  }
  stream_work(const stream_work&) = delete;
  stream_work& operator=(const stream_work&) = delete;
  ~stream_work() { note_after(on_, uses_); }

 private:
  stream_timeline& on_;
  std::span<const memory_use> uses_;
};

namespace detail {
void wait_for_others(stream_timeline& on, std::span<const operand> read, std::span<const operand> written);
void note_or_wait(stream_timeline& on, std::span<const memory_use> uses) noexcept;
void cover_of_thread(stream_timeline& on) noexcept;

/// The way of the hot path: a word is compared for each array, and none is written.
inline bool allowed(const stream_timeline& on, const operand& array, memory_access how) {
  return array.record == nullptr || array.record->uses.allows(how, on);
}
inline void note(stream_timeline& on, allocation_record* record, memory_access how, work_point now) noexcept {
  if (record == nullptr || record->uses.has_noted(how, now)) return;
  const memory_use use{record, how};
  note_or_wait(on, {&use, 1});
}
}  // namespace detail

inline void order_before(stream_timeline& on, std::span<const operand> read,
                         std::span<const operand> written) {
  bool all = true;
  for (const operand& array : read) all = all && detail::allowed(on, array, memory_access::read);
  for (const operand& array : written) all = all && detail::allowed(on, array, memory_access::write);
  if (!all) [[unlikely]]
    detail::wait_for_others(on, read, written);
}

inline void note_after(stream_timeline& on, std::span<const operand> read, std::span<const operand> written,
                       std::span<const buffer> fresh) noexcept {
  const work_point now = on.latest();
  // Written first: then a read of the same memory is covered by it.
  for (const buffer& made : fresh) detail::note(on, made.record(), memory_access::write, now);
  for (const operand& array : written) detail::note(on, array.record, memory_access::write, now);
  for (const operand& array : read) detail::note(on, array.record, memory_access::read, now);
  if (on.is_of_thread()) [[unlikely]]
    detail::cover_of_thread(on);
}

}  // namespace sinter::inline v0::runtime
