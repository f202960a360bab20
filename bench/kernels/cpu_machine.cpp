#include "machine.hpp"

#include "../limits/cpu_loops.hpp"

#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cpu/flush_caches.hpp>
#include <sinter/runtime/device_facts.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <vector>

#if defined(__x86_64__)
// One function for each width of register, chosen when the program starts.
#define EVERY_WIDTH [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define EVERY_WIDTH
#endif

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr std::size_t line = 64, min_tile_bytes = std::size_t{1} << 14, tile_bytes = std::size_t{1} << 20;

double now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// What one line holds of each type.
template <class Element>
using lanes [[gnu::vector_size(line), gnu::may_alias]] = Element;

struct moved {
  const std::byte* from = nullptr;
  std::byte* to = nullptr;
  std::size_t lines_read = 0, lines_written = 0;  // of one tile
  std::size_t last_read = 0, last_written = 0;    // all of them
  std::size_t mask = 0;                           // of a line's number in the buffers, which may be shorter
};

/// Adds lines; the compiler cannot know what their sum is not, so it keeps the loads.
EVERY_WIDTH void read_lines(const std::byte* from, std::size_t lines_read) {
  constexpr std::size_t independent = 4;
  lanes<std::int64_t> sums[independent] = {};
  std::size_t at = 0;
  const auto* const of = reinterpret_cast<const lanes<std::int64_t>*>(from);
  for (; at + independent <= lines_read; at += independent)
    for (std::size_t i = 0; i < independent; ++i) sums[i] += of[at + i];
  for (; at < lines_read; ++at) sums[0] += of[at];
  static std::atomic<int> seen{0};
  if ((sums[0] + sums[1] + sums[2] + sums[3])[0] == 0x123456789abcdef) ++seen;
}

/// The copy written by hand, which stores past the caches.
void copy_lines(const std::byte* from, std::byte* to, std::size_t lines_copied) {
  best_cpu_loops().copy(reinterpret_cast<const float*>(from), reinterpret_cast<float*>(to), 0,
                        lines_copied * line / sizeof(float));
}

/// Copies what it can, then reads or writes the rest. Rests are written from a few lines that stay in the
/// cache.
void move_tile(const moved& all, std::size_t tile) {
  const auto of_tile = [&](std::size_t each, std::size_t last) {
    return std::min(each, last - std::min(last, tile * each));
  };
  const std::size_t read = of_tile(all.lines_read, all.last_read);
  const std::size_t written = of_tile(all.lines_written, all.last_written);
  const std::byte* from = all.from + (tile * all.lines_read & all.mask) * line;
  std::byte* to = all.to + (tile * all.lines_written & all.mask) * line;
  const std::size_t both = std::min(read, written);
  if (both > 0) copy_lines(from, to, both);
  if (read > both) read_lines(from + both * line, read - both);
  constexpr std::size_t few = 32;
  for (std::size_t done = both; done < written; done += few)
    copy_lines(all.from, to + done * line, std::min(few, written - done));
}

void move_tiles(const void* arguments, long long first, long long last) {
  const auto& all = **static_cast<const moved* const*>(arguments);
  for (long long tile = first; tile < last; ++tile) move_tile(all, static_cast<std::size_t>(tile));
}

void do_nothing(const void*, long long, long long) {}

constexpr int rounds = 100'000, independent = 8;

/// Two instructions of each of eight independent chains in a round.
template <class Element, class Step>
[[gnu::always_inline]] inline double chains(Step step) {
  lanes<Element> kept[independent];
  for (int i = 0; i < independent; ++i) kept[i] = lanes<Element>{} + static_cast<Element>(i + 1);
  for (int round = 0; round < rounds; ++round)
    for (lanes<Element>& one : kept) step(one);
  double sum = 0;
  for (const lanes<Element>& one : kept) sum += static_cast<double>(one[0]);
  return sum;
}
EVERY_WIDTH double compute_f32() {
  return chains<float>([](lanes<float>& x) { x = x * 0.5f + 0.25f; });
}
EVERY_WIDTH double compute_f64() {
  return chains<double>([](lanes<double>& x) { x = x * 0.5 + 0.25; });
}
EVERY_WIDTH double compute_i32() {
  return chains<std::int32_t>([](lanes<std::int32_t>& x) { x = (x + 5) ^ 3; });
}
EVERY_WIDTH double compute_i64() {
  return chains<std::int64_t>([](lanes<std::int64_t>& x) { x = (x + 5) ^ 3; });
}

struct computed {
  double (*run)();
  std::size_t lanes;
};
constexpr computed pipes[] = {{compute_f32, line / 4},
                              {compute_f64, line / 8},
                              {compute_i32, line / 4},
                              {compute_i64, line / 8},
                              {compute_f32, line / 4}};

volatile double ignored;

void compute_tiles(const void* arguments, long long first, long long last) {
  const auto* const of = *static_cast<const computed* const*>(arguments);
  for (long long tile = first; tile < last; ++tile) ignored = of->run();
}

class cpu : public machine {
 public:
  cpu() : from_(make()), to_(make()) {}
  device where() const override { return device::cpu(); }
  std::string details() const override { return std::to_string(threads_) + " threads"; }

  void move(double read_bytes, double written_bytes) override {
    moved all;
    all.from = static_cast<const std::byte*>(from_.data());
    all.to = static_cast<std::byte*>(to_.data());
    all.last_read = static_cast<std::size_t>(read_bytes) / line;
    all.last_written = static_cast<std::size_t>(written_bytes) / line;
    all.mask = buffer_bytes / line - 1;
    read_ = all.last_read;
    written_ = all.last_written;
    const std::size_t lines = all.last_read + all.last_written;
    // Long tiles wait less often for their stores; short ones share a small move among the threads.
    const std::size_t share = lines * line / (4 * threads_);
    const std::size_t tiles = lines * line / std::clamp(share, min_tile_bytes, tile_bytes) + 1;
    all.lines_read = (all.last_read + tiles - 1) / tiles;
    all.lines_written = (all.last_written + tiles - 1) / tiles;
    run(move_tiles, &all, tiles, static_cast<double>(lines) * 4);
  }
  void launch_nothing() override { run(do_nothing, &from_, threads_, 1e6); }

  void make_cold(std::span<const any_array* const> arrays) override {
    std::vector<runtime::cached_range> touched{
        {static_cast<const std::byte*>(from_.data()), std::min(read_ * line, buffer_bytes)},
        {static_cast<const std::byte*>(to_.data()), std::min(written_ * line, buffer_bytes)}};
    std::size_t bytes = 0;
    for (const any_array* array : arrays) {
      bytes += bytes_in(*array);
      touched.push_back({static_cast<const std::byte*>(array->data()), bytes_in(*array)});
    }
    // what is much longer than the caches leaves little of itself there
    if (bytes <= flushed_bytes)
      for (const runtime::cached_range& each : touched) runtime::flush_caches(std::span(&each, 1));
  }

  double seconds_of(const std::function<void()>& call) override {
    const double begin = now();
    call();
    return now() - begin;
  }

  double instructions_a_second(instruction of) override {
    const computed& chosen = pipes[static_cast<std::size_t>(of)];
    double least = 1e9;
    for (int i = 0; i < 5; ++i)
      least = std::min(least, seconds_of([&] { run(compute_tiles, &chosen, threads_, 1e6); }));
    return 2.0 * rounds * independent * static_cast<double>(chosen.lanes * threads_) / least;
  }

 private:
  // A tile that begins before the end of a buffer may end in its slack.
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 29, slack_bytes = std::size_t{1} << 21,
                               flushed_bytes = std::size_t{256} << 20;

  static any_array make() {
    constexpr std::size_t bytes = buffer_bytes + slack_bytes;
    constexpr std::int64_t extents[] = {static_cast<std::int64_t>(bytes)};
    any_array made(element_type::uint8, extents, device::cpu());
    std::memset(made.data(), 7, bytes);
    return made;
  }
  static std::size_t bytes_in(const any_array& array) {
    return static_cast<std::size_t>(array.size()) * size_of(array.type());
  }
  static void run(cpu_kernel kernel, const void* of, std::size_t tiles, double nanoseconds) {
    runtime::run_cpu_kernel(kernel, static_cast<const void*>(&of), static_cast<std::int64_t>(tiles),
                            runtime::cpu_division{.nanoseconds = nanoseconds});
  }

  any_array from_, to_;
  std::size_t read_ = 0, written_ = 0;  // lines that were moved last
  std::size_t threads_ = runtime::cpu_threads();
};

}  // namespace

std::unique_ptr<machine> cpu_machine() { return std::make_unique<cpu>(); }

}  // namespace sinter_bench
