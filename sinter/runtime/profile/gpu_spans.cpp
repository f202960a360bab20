#include <algorithm>
#include <utility>

#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/profile/gpu_spans.hpp>
#include <sinter/runtime/profile/host_clock.hpp>

namespace sinter::inline v0::runtime {

class gpu_moment {
 public:
  gpu_moment(const driver_api& api, CUevent reached, double at) : api_(api), event_(reached), at_(at) {}
  gpu_moment(const gpu_moment&) = delete;
  gpu_moment& operator=(const gpu_moment&) = delete;
  ~gpu_moment() {
    if (driver() != nullptr) api_.cuEventDestroy_v2(event_);
  }
  CUevent event() const { return event_; }
  double host_seconds() const { return at_; }

 private:
  const driver_api& api_;
  const CUevent event_;
  const double at_;
};

namespace {

constexpr unsigned timed_event = 0, non_blocking_stream = 1;
// The driver tells times as float32: after a second they have digits for 0.1 µs.
constexpr double longest_since = 1;

/// Seconds between two events; negative if the driver does not tell.
double seconds_between(const driver_api& api, CUevent from, CUevent to) {
  const auto elapsed =
      api.cuEventElapsedTime_v2 != nullptr ? api.cuEventElapsedTime_v2 : api.cuEventElapsedTime;
  float milliseconds = 0;
  return elapsed(&milliseconds, from, to) == CUresult::success ? milliseconds * 1e-3 : -1;
}

}  // namespace

bool end_span(const gpu_span& span, const stream_timeline& on) {
  return span.api->cuEventRecord(span.end, on.native()) == CUresult::success;
}

bool is_over(const gpu_span& span) {
  const relaxed_capture while_others_capture;
  return span.api->cuEventQuery(span.end) != CUresult::not_ready;
}

span_time read_span(const gpu_span& span) {
  const relaxed_capture while_others_capture;
  if (span.api->cuEventSynchronize(span.end) != CUresult::success) return {host_seconds(), 0};
  const double seconds = seconds_between(*span.api, span.begin, span.end);
  const double start = seconds_between(*span.api, span.since->event(), span.begin);
  return {span.since->host_seconds() + std::max(0.0, start), std::max(0.0, seconds)};
}

gpu_span_maker::pool& gpu_span_maker::pool_of(const driver_api& api, CUcontext context) {
  for (pool& each : pools_)
    if (each.context == context && each.api == &api) return each;
  pools_.emplace_back();
  pools_.back().api = &api;
  pools_.back().context = context;
  return pools_.back();
}

CUevent gpu_span_maker::take_event(pool& from) {
  CUevent taken = nullptr;
  if (!from.free.empty()) {
    taken = from.free.back();
    from.free.pop_back();
    return taken;
  }
  const relaxed_capture while_others_capture;
  const context_guard current(from.context);
  return from.api->cuEventCreate(&taken, timed_event) == CUresult::success ? taken : nullptr;
}

// On a stream without other work the event is reached when it is recorded, as nearly as the two clocks can be
// compared without a wait.
void gpu_span_maker::renew_moment(pool& of) {
  const double now = host_seconds();
  if (of.latest != nullptr && now - of.latest->host_seconds() < longest_since) return;
  const relaxed_capture while_others_capture;
  const context_guard current(of.context);
  if (of.idle == nullptr && of.api->cuStreamCreate(&of.idle, non_blocking_stream) != CUresult::success)
    return;
  CUevent reached = nullptr;
  if (of.api->cuEventCreate(&reached, timed_event) != CUresult::success) return;
  if (of.api->cuEventRecord(reached, of.idle) != CUresult::success) {
    of.api->cuEventDestroy_v2(reached);
    return;
  }
  of.latest = std::make_shared<const gpu_moment>(*of.api, reached, now);
}

gpu_span gpu_span_maker::begin(const stream_timeline& on) {
  pool& from = pool_of(on.api(), on.context());
  renew_moment(from);
  gpu_span made{.api = &on.api(),
                .context = from.context,
                .begin = take_event(from),
                .end = take_event(from),
                .since = from.latest,
                .timeline = on.index(),
                .device = on.device()};
  if (made.begin != nullptr && made.end != nullptr && made.since != nullptr &&
      on.api().cuEventRecord(made.begin, on.native()) == CUresult::success)
    return made;
  take_back(std::move(made));
  return {};
}

void gpu_span_maker::take_back(gpu_span&& span) {
  pool& to = pool_of(*span.api, span.context);
  for (const CUevent each : {span.begin, span.end})
    if (each != nullptr) to.free.push_back(each);
  span = {};
}

}  // namespace sinter::inline v0::runtime
