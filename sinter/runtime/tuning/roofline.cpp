#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/roofline.hpp>
#include <sinter/runtime/tuning/trial_clock.hpp>

#include <chrono>
#include <optional>

namespace sinter::inline v0 {

struct stream_timer::clock {
  struct events {
    runtime::CUstream on;
    runtime::cuda_event begin, end;
  };
  std::optional<events> of_gpu;
  std::chrono::steady_clock::time_point begin{};
};

stream_timer::stream_timer(const stream& on) : clock_(std::make_unique<clock>()) {
  using runtime::cuda_event;
  const int gpu = on.where().index();
  if (on.where().is_cuda())
    clock_->of_gpu.emplace(clock::events{static_cast<runtime::CUstream>(on.native()),
                                         cuda_event(gpu, cuda_event::timing::on),
                                         cuda_event(gpu, cuda_event::timing::on)});
}

stream_timer::~stream_timer() = default;

void stream_timer::begin() {
  if (clock_->of_gpu)
    clock_->of_gpu->begin.record(clock_->of_gpu->on);
  else
    clock_->begin = std::chrono::steady_clock::now();
}

double stream_timer::seconds() {
  if (!clock_->of_gpu)
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - clock_->begin).count();
  clock::events& events = *clock_->of_gpu;
  events.end.record(events.on);
  events.end.synchronize();
  return static_cast<double>(events.end.milliseconds_since(events.begin)) * 1e-3;
}

double copy_bytes_per_second(device where) {
  return runtime::copy_bytes_per_second(stream::default_of(where));
}

}  // namespace sinter::inline v0
