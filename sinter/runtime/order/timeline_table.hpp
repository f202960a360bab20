#pragma once
// Finds the timeline of a stream.

#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/order/stream_timeline.hpp>
#include <sinter/runtime/stream.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace sinter::inline v0::runtime {

namespace detail {
inline constexpr std::size_t timeline_lists = 1024;
extern std::atomic<stream_timeline*> timelines[timeline_lists];
stream_timeline& begin_timeline(const driver_api& api, const stream_key& key, int device);

inline bool is_default(CUstream handle) { return reinterpret_cast<std::uintptr_t>(handle) <= 2; }

inline stream_key key_of(CUstream handle, CUcontext context) {
  if (!is_default(handle)) [[likely]]
    return {handle, nullptr, nullptr};
  if (handle != per_thread_default_stream()) return {legacy_default_stream(), context, nullptr};
  return {handle, context, this_thread()};
}

// Multiplies by 2^64 divided by the golden ratio, as Knuth has it: handles differ in their middle bits.
inline std::size_t list_of(const stream_key& key) {
  const auto bits = reinterpret_cast<std::uintptr_t>(key.handle) ^
                    reinterpret_cast<std::uintptr_t>(key.context) ^
                    reinterpret_cast<std::uintptr_t>(key.thread);
  return static_cast<std::size_t>(bits * 0x9e3779b97f4a7c15u >> 54);
}

inline stream_timeline* find_timeline(const driver_api& api, const stream_key& key) {
  stream_timeline* each = timelines[list_of(key)].load(std::memory_order_acquire);
  while (each != nullptr && !each->serves(api, key)) each = each->next;
  return each;
}
}  // namespace detail

/// The timeline of a stream, which begins at its first use. `context` is the context of a default stream,
/// and is not looked at for others. Takes no lock and makes no driver call for a stream that was used before.
inline stream_timeline& timeline_of(const driver_api& api, const stream& on, CUcontext context) {
  const stream_key key = detail::key_of(static_cast<CUstream>(on.native()), context);
  if (stream_timeline* const known = detail::find_timeline(api, key)) [[likely]]
    return *known;
  return detail::begin_timeline(api, key, on.where().index());
}
/// The same, with the context that is current, or the device's primary one.
stream_timeline& timeline_of(const stream& on);

/// The stream's timeline if it was used before, else nullptr.
stream_timeline* known_timeline_of(const stream& on) noexcept;
/// The timelines of a device's streams in one context.
std::vector<stream_timeline*> timelines_in(int device, CUcontext context);

/// A stream of the library's own on each device: for memory that no stream of a program can take back, and
/// for memory that exists before a capture needs it. Never destroyed.
const stream& own_stream_of(int device);

}  // namespace sinter::inline v0::runtime
