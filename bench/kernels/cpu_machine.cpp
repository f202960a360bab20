#include "machine.hpp"

#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/device_facts.hpp>

#include <algorithm>
#include <chrono>
#include <cstring>

#if defined(__x86_64__)
#include <immintrin.h>
// One function for each width of register, chosen when the program starts.
#define EVERY_WIDTH [[gnu::target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")]]
#else
#define EVERY_WIDTH
#endif

namespace sinter_bench {
namespace {

using namespace sinter;

constexpr std::size_t line = 64, tile_bytes = std::size_t{1} << 16;

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
  std::uint64_t seen = 0;
};

void store_line(std::byte* to, lanes<std::int64_t> value) {
#if defined(__x86_64__)
  __m128i parts[4];
  std::memcpy(parts, &value, sizeof parts);
  for (int i = 0; i < 4; ++i) _mm_stream_si128(reinterpret_cast<__m128i*>(to) + i, parts[i]);
#else
  std::memcpy(to, &value, sizeof value);
#endif
}

/// Reads and writes in turn, in runs of up to four lines.
EVERY_WIDTH void move_tile(const moved& all, std::size_t tile) {
  std::size_t at = tile * all.lines_read, out = tile * all.lines_written;
  const std::size_t read = std::min(at + all.lines_read, all.last_read);
  const std::size_t written = std::min(out + all.lines_written, all.last_written);
  const std::size_t turns = std::max<std::size_t>(1, std::min(all.lines_read, all.lines_written) / 4);
  const std::size_t reads = (all.lines_read + turns - 1) / turns,
                    writes = (all.lines_written + turns - 1) / turns;
  lanes<std::int64_t> sum{};
  while (at < read || out < written) {
    for (const std::size_t end = std::min(read, at + reads); at < end; ++at)
      sum += *reinterpret_cast<const lanes<std::int64_t>*>(all.from + (at & all.mask) * line);
    for (const std::size_t end = std::min(written, out + writes); out < end; ++out)
      store_line(all.to + (out & all.mask) * line, sum);
  }
  // The compiler cannot know that the sum is never this, so it keeps the loads.
  if (sum[0] == 0x123456789abcdef) const_cast<moved&>(all).seen = 1;
}

void move_tiles(const void* arguments, long long first, long long last) {
  const auto& all = **static_cast<const moved* const*>(arguments);
  for (long long tile = first; tile < last; ++tile) move_tile(all, static_cast<std::size_t>(tile));
#if defined(__x86_64__)
  _mm_sfence();
#endif
}

#if defined(__x86_64__)
struct flushed {
  const std::byte* data;
  std::size_t bytes;
};

void flush_tiles(const void* arguments, long long first, long long last) {
  const auto& all = **static_cast<const flushed* const*>(arguments);
  const std::size_t end = std::min(all.bytes, static_cast<std::size_t>(last) * tile_bytes);
  for (std::size_t at = static_cast<std::size_t>(first) * tile_bytes; at < end; at += line)
    _mm_clflush(all.data + at);
  _mm_mfence();
}
#endif

void do_nothing(const void*, long long, long long) {}

constexpr int rounds = 100'000, independent = 8;

/// Two instructions of each of eight independent chains in a round.
template <class Element, class Step>
[[gnu::always_inline]] inline double chains(Step step) {
  lanes<Element> kept[independent];
  for (int i = 0; i < independent; ++i) kept[i] = lanes<Element>{} + static_cast<Element>(i + 1);
  for (int round = 0; round < rounds; ++round)
    for (int i = 0; i < independent; ++i) step(kept[i]);
  double sum = 0;
  for (int i = 0; i < independent; ++i) sum += static_cast<double>(kept[i][0]);
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
    const std::size_t lines = all.last_read + all.last_written;
    const std::size_t tiles = std::clamp<std::size_t>(lines * line / tile_bytes, 1, 1 << 20);
    all.lines_read = (all.last_read + tiles - 1) / tiles;
    all.lines_written = (all.last_written + tiles - 1) / tiles;
    run(move_tiles, &all, tiles, static_cast<double>(lines) * 4);
  }
  void launch_nothing() override { run(do_nothing, &from_, threads_, 1e6); }

  void make_cold(std::span<const any_array* const> arrays) override {
    std::size_t bytes = 0;
    for (const any_array* array : arrays) bytes += bytes_in(*array);
    if (bytes > flushed_bytes) return;  // what is much longer than the caches leaves little of itself there
    for (const any_array* array : arrays) flush(array->data(), bytes_in(*array));
    for (const any_array* array : {&from_, &to_}) flush(array->data(), std::min(2 * bytes, buffer_bytes));
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
  static constexpr std::size_t buffer_bytes = std::size_t{1} << 29, flushed_bytes = std::size_t{256} << 20;

  static any_array make() {
    constexpr std::int64_t extents[] = {static_cast<std::int64_t>(buffer_bytes)};
    any_array made(element_type::uint8, extents, device::cpu());
    std::memset(made.data(), 7, buffer_bytes);
    return made;
  }
  static std::size_t bytes_in(const any_array& array) {
    return static_cast<std::size_t>(array.size()) * size_of(array.type());
  }
  void flush(const void* data, std::size_t bytes) {
#if defined(__x86_64__)
    const flushed all{static_cast<const std::byte*>(data), bytes};
    run(flush_tiles, &all, (bytes + tile_bytes - 1) / tile_bytes, static_cast<double>(bytes));
#else  // no instruction for it: other memory takes its place
    static_cast<void>(data);
    static_cast<void>(bytes);
    moved all;
    all.from = static_cast<const std::byte*>(to_.data()) + buffer_bytes / 2;
    all.lines_read = tile_bytes / line;
    all.last_read = buffer_bytes / 2 / line;
    all.mask = buffer_bytes / 2 / line - 1;
    run(move_tiles, &all, buffer_bytes / 2 / tile_bytes, 1e9);
#endif
  }
  static void run(cpu_kernel kernel, const void* of, std::size_t tiles, double nanoseconds) {
    runtime::run_cpu_kernel(kernel, &of, static_cast<std::int64_t>(tiles), nanoseconds);
  }

  any_array from_, to_;
  std::size_t threads_ = runtime::cpu_threads();
};

}  // namespace

std::unique_ptr<machine> cpu_machine() { return std::make_unique<cpu>(); }

}  // namespace sinter_bench
