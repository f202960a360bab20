#include <sinter/runtime/tuning/array_memory.hpp>
#include <sinter/runtime/tuning/trial_clock.hpp>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/memory_stats.hpp>
#include <sinter/runtime/posix/fork.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

namespace sinter::inline v0::runtime {
namespace {

class cpu_clock : public trial_clock {
 public:
  double seconds_of(std::span<const cached_range> touched, const std::function<void()>& run) override {
    flush_caches(touched);
    const auto begin = std::chrono::steady_clock::now();
    run();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  }
};

/// Reads memory that is several times as large as the second-level cache: lines that were written instead
/// would still have to leave it. The host is ahead by this kernel, so that no launch waits for it.
class cuda_clock : public trial_clock {
 public:
  explicit cuda_clock(const stream& on)
      : on_(on),
        words_(
            static_cast<std::int64_t>(4 * cuda_device(on.where().index()).l2_bytes / sizeof(std::uint32_t))),
        other_(on.where(), static_cast<std::size_t>(words_) * sizeof(std::uint32_t), on),
        begin_(on.where().index(), cuda_event::timing::on),
        end_(on.where().index(), cuda_event::timing::on) {
    graph_builder builder;
    builder.output(builder.reduce(operation::max, builder.input(element_type::uint32, 1), 1));
    read_ = intern(builder.recorded());
  }
  double seconds_of(std::span<const cached_range>, const std::function<void()>& run) override {
    const operand other =
        array_of(other_.data(), words_, element_type::uint32, other_.where(), other_.record());
    std::array<result, 1> greatest;
    call(read_, std::span(&other, 1), {}, {}, greatest, {.on = &on_});
    const auto native = static_cast<CUstream>(on_.native());
    const context_guard current(native, on_.where().index());  // a default stream is of the current context
    begin_.record(native);
    run();
    end_.record(native);
    end_.synchronize();
    return static_cast<double>(end_.milliseconds_since(begin_)) * 1e-3;
  }

 private:
  const stream& on_;
  const std::int64_t words_;
  buffer other_;
  cuda_event begin_, end_;
  function_handle read_;
};

double measure_copy(const stream& on) {
  // A share of the device's memory, and not more than makes the copy's begin and end small.
  constexpr std::int64_t words_on_gpu = std::int64_t{1} << 26, words_on_cpu = std::int64_t{1} << 25;
  std::int64_t words = words_on_cpu;
  if (on.where().is_cuda()) {
    words = words_on_gpu;
    while (static_cast<std::size_t>(words) * 4 > cuda_device(on.where().index()).memory_bytes / 16)
      words /= 2;
  }
  const auto bytes = static_cast<std::size_t>(words) * sizeof(float);
  const buffer from(on.where(), bytes, on), to(on.where(), bytes, on);
  graph_builder builder;
  builder.output(builder.apply(operation::negative, {builder.input(element_type::float32, 1)}));
  const function_handle copy = intern(builder.recorded());
  const operand source = array_of(from.data(), words, element_type::float32, from.where(), from.record()),
                target = array_of(to.data(), words, element_type::float32, to.where(), to.record());
  const auto run = [&] { call(copy, std::span(&source, 1), {}, std::span(&target, 1), {}, {.on = &on}); };
  const std::unique_ptr<trial_clock> clock = clock_for(on);
  run();
  constexpr int runs = 7;
  double least = clock->seconds_of({}, run);
  for (int i = 1; i < runs; ++i) least = std::min(least, clock->seconds_of({}, run));
  return 2 * static_cast<double>(bytes) / least;
}

}  // namespace

std::unique_ptr<trial_clock> clock_for(const stream& on) {
  if (on.where().is_cuda()) return std::make_unique<cuda_clock>(on);
  return std::make_unique<cpu_clock>();
}

double copy_bytes_per_second(const stream& on) {
  static auto& guard = *new fork_mutex;
  static auto& known = *new std::map<std::string, double>;
  const std::string key = on.where().to_string();
  {
    const std::lock_guard lock(guard);
    if (const auto found = known.find(key); found != known.end()) return found->second;
  }
  const double measured = measure_copy(on);  // two threads may both measure at first
  const std::lock_guard lock(guard);
  return known.emplace(key, measured).first->second;
}

}  // namespace sinter::inline v0::runtime
