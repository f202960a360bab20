#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <mutex>

#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/order/timeline_table.hpp>
#include <sinter/runtime/posix/fork.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::size_t chunk = 256, max_timelines = 1u << 16;

using timeline_chunk = std::array<std::atomic<stream_timeline*>, chunk>;

struct own_stream {
  const driver_api* api;
  stream on;
};

constinit std::array<std::atomic<timeline_chunk*>, max_timelines / chunk> chunks{};

/// What is needed to add a timeline. Never destroyed, as streams may end while the process does.
struct additions {
  fork_mutex guard;         ///< guards what is added to the lists and chunks, and the members below
  std::uint32_t count = 1;  ///< of indices that are taken; no timeline has index 0
  std::deque<own_stream> own;
};

additions& added() {
  static additions& only = *new additions;
  return only;
}

/// The default streams of a thread. They end with it: all their work is covered by events.
struct thread_streams {
  std::vector<stream_timeline*> begun;
  ~thread_streams() {
    for (stream_timeline* const each : begun)
      if (each->thread() == this) each->end();
  }
};

thread_streams& streams_of_this_thread() { return thread_memory<thread_streams>::get(); }

stream_timeline& make_timeline(const driver_api& api, int device) {
  additions& known = added();
  if (known.count == max_timelines)
    throw device_error(
        fmt::format("{} CUDA streams are in use at once; call forget(stream) before a stream of your own is "
                    "destroyed",
                    max_timelines - 1));
  std::atomic<timeline_chunk*>& place = chunks[known.count / chunk];
  if (place.load(std::memory_order_relaxed) == nullptr)
    place.store(new timeline_chunk{}, std::memory_order_release);
  auto* const made = new stream_timeline(api, known.count, device);
  (*place.load(std::memory_order_relaxed))[known.count++ % chunk].store(made, std::memory_order_release);
  return *made;
}

CUstream native_of(const stream& on) { return static_cast<CUstream>(on.native()); }

CUcontext context_for(const stream& on) {
  return detail::is_default(native_of(on)) ? context_of(native_of(on), on.where().index()) : nullptr;
}

}  // namespace

constinit std::atomic<stream_timeline*> detail::timelines[timeline_lists]{};

const void* detail::this_thread() { return &streams_of_this_thread(); }

// A list only grows, so a search needs no lock.
stream_timeline& detail::begin_timeline(const driver_api& api, const stream_key& key, int device) {
  if (key.thread != nullptr)
    streams_of_this_thread().begun.reserve(streams_of_this_thread().begun.size() + 1);
  const CUcontext context = is_default(key.handle) ? key.context : context_of(key.handle, device);
  std::atomic<stream_timeline*>& list = timelines[list_of(key)];
  const std::lock_guard lock(added().guard);
  if (stream_timeline* const already = find_timeline(api, key)) return *already;
  stream_timeline* each = list.load(std::memory_order_relaxed);
  while (each != nullptr &&
         !(&each->api() == &api && each->device() == device && each->begin_again(key, context)))
    each = each->next;
  if (each == nullptr) {
    each = &make_timeline(api, device);
    each->begin(key, context);
    each->next = list.load(std::memory_order_relaxed);
    list.store(each, std::memory_order_release);
  }
  if (key.thread != nullptr) streams_of_this_thread().begun.push_back(each);
  return *each;
}

stream_timeline& timeline_at(std::uint32_t index) {
  return *(*chunks[index / chunk].load(std::memory_order_acquire))[index % chunk].load(
      std::memory_order_acquire);
}

stream_timeline& timeline_of(const stream& on) { return timeline_of(require_driver(), on, context_for(on)); }

stream_timeline* known_timeline_of(const stream& on) noexcept {
  const driver_api* const api = driver();
  if (api == nullptr) return nullptr;
  try {
    return detail::find_timeline(*api, detail::key_of(native_of(on), context_for(on)));
  } catch (...) {
    return nullptr;  // the context is lost, and its work with it
  }
}

std::vector<stream_timeline*> timelines_in(int device, CUcontext context) {
  const driver_api& api = require_driver();
  std::vector<stream_timeline*> found;
  for (const std::atomic<stream_timeline*>& list : detail::timelines)
    for (stream_timeline* each = list.load(std::memory_order_acquire); each != nullptr; each = each->next)
      if (&each->api() == &api && each->device() == device && each->context() == context)
        found.push_back(each);
  return found;
}

const stream& own_stream_of(int device) {
  const driver_api* const api = &require_driver();
  additions& known = added();
  const auto find_own = [&]() -> const stream* {
    for (const own_stream& each : known.own)
      if (each.api == api && each.on.where().index() == device) return &each.on;
    return nullptr;
  };
  {
    const std::lock_guard lock(known.guard);
    if (const stream* const already = find_own()) return *already;
  }
  stream made = stream::create(device::cuda(device));
  const std::lock_guard lock(known.guard);
  if (const stream* const already = find_own()) return *already;
  return known.own.emplace_back(own_stream{api, std::move(made)}).on;
}

}  // namespace sinter::inline v0::runtime
