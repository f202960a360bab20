// sinter_random_kernels: random kernels, each timed beside a copy of as many bytes.

#include "../tests/support/random_kernels.hpp"

#include <sinter/runtime/call.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace {

using namespace sinter;
using clock_type = std::chrono::steady_clock;

constexpr const char* usage =
    R"(usage: sinter_random_kernels [FIRST_SEED [COUNT [LOG2_ELEMENTS [cpu|cuda [EXPLAIN_FILE]]]]]

Prints a line for each kernel: its seed, its time over the time in which a copy moves its sectors, its time, the sectors'
bytes and what the kernel is; then the distribution of that quotient. A sector is 32 bytes of memory, counted once for
each operand and result that has elements in it. Kernels that read less than a byte for each element that they walk are
left out. What each kernel explains goes to EXPLAIN_FILE.
)";

/// Bytes of the 32-byte sectors that an array's elements lie in, counted along its axes from the nearest
/// elements to the farthest: neighbours no farther than a sector apart share their run of sectors.
double bytes_of_sectors(const test::layout& at) {
  std::vector<std::pair<std::int64_t, std::int64_t>> axes;  // stride in bytes, extent
  for (std::size_t axis = 0; axis < at.extents.size(); ++axis)
    if (at.strides[axis] != 0 && at.extents[axis] > 1)
      axes.emplace_back(std::abs(at.strides[axis]) * static_cast<std::int64_t>(size_of(at.type)),
                        at.extents[axis]);
  std::sort(axes.begin(), axes.end());
  constexpr std::int64_t sector = 32;
  auto run = static_cast<std::int64_t>(size_of(at.type));
  double runs = 1;
  for (const auto& [stride, extent] : axes) {
    if (stride <= run + sector)
      run += stride * (extent - 1);
    else
      runs *= static_cast<double>(extent);
  }
  return runs * static_cast<double>((run + sector - 1) / sector * sector);
}

/// An operand somewhere in an array of numbers between 1/2 and 2, or of bytes.
struct placed {
  any_array storage;
  runtime::operand operand;
};

placed place(const test::layout& at, device on, std::mt19937_64& random) {
  std::int64_t before = 0, after = 0;
  for (std::size_t axis = 0; axis < at.extents.size(); ++axis) {
    const std::int64_t reach = (at.extents[axis] - 1) * at.strides[axis];
    (reach < 0 ? before : after) += std::abs(reach);
  }
  const auto count = static_cast<std::size_t>(before + after + 1);
  std::vector<std::byte> bytes(count * size_of(at.type));
  // a few random numbers are repeated: their values do not change the time
  constexpr std::size_t drawn = 1 << 18;
  const auto fill = [&]<class T>(T, auto draw) {
    auto* to = reinterpret_cast<T*>(bytes.data());
    for (std::size_t i = 0; i < std::min(count, drawn); ++i) to[i] = static_cast<T>(draw());
    for (std::size_t i = drawn; i < count; ++i) to[i] = to[i - drawn];
  };
  const auto small = [&] { return random() % 3; };
  const auto real = [&] { return 0.5 + static_cast<double>(random() >> 11) * 0x1.8p-53; };
  switch (at.type) {
    case element_type::float32:
      fill(float{}, real);
      break;
    case element_type::float64:
      fill(double{}, real);
      break;
    case element_type::float16:
      fill(std::uint16_t{}, [&] { return 0x3800 + random() % 0x800; });
      break;
    case element_type::bfloat16:
      fill(std::uint16_t{}, [&] { return 0x3f00 + random() % 0x100; });
      break;
    case element_type::int16:
      fill(std::int16_t{}, small);
      break;
    case element_type::int32:
      fill(std::int32_t{}, small);
      break;
    case element_type::int64:
      fill(std::int64_t{}, small);
      break;
    case element_type::boolean:
      fill(std::uint8_t{}, [&] { return random() % 2; });
      break;
    default:
      fill(std::uint8_t{}, small);
  }
  const std::int64_t extents[] = {static_cast<std::int64_t>(count)};
  placed made{any_array(at.type, extents, on), {}};
  const stream order = stream::default_of(on);
  copy_bytes(made.storage.data(), on, bytes.data(), device::cpu(), bytes.size(), order);
  synchronize(on);
  made.operand = {.data = static_cast<std::byte*>(made.storage.data()) +
                          static_cast<std::size_t>(before) * size_of(at.type),
                  .extents = at.extents.data(),
                  .strides = at.strides.data(),
                  .type = at.type,
                  .rank = static_cast<std::uint8_t>(at.extents.size()),
                  .where = on};
  return made;
}

/// Seconds of one call: the minimum over several batches of a few milliseconds each.
template <class Call>
double seconds_of(const Call& call, device on) {
  call();
  synchronize(on);
  double least = 1e9;
  for (std::size_t calls = 1, batches = 0; batches < 5;) {
    const auto begin = clock_type::now();
    for (std::size_t i = 0; i < calls; ++i) call();
    synchronize(on);
    const double seconds = std::chrono::duration<double>(clock_type::now() - begin).count();
    least = std::min(least, seconds / static_cast<double>(calls));
    if (seconds < 2e-3 && batches == 0)
      calls *= 2;
    else
      ++batches;
    if (seconds > 0.3) break;
  }
  return least;
}

double copy_bandwidth(device on, std::size_t bytes) {
  const std::int64_t extents[] = {static_cast<std::int64_t>(bytes / 4)};
  any_array from(element_type::float32, extents, on), to(element_type::float32, extents, on);
  const stream order = stream::default_of(on);
  const double seconds = seconds_of([&] { copy_bytes(to.data(), on, from.data(), on, bytes, order); }, on);
  return 2 * static_cast<double>(bytes) / seconds;
}

}  // namespace

int main(int count, char** words) {
  if (count > 6 || (count > 1 && words[1][0] == '-')) {
    std::fputs(usage, stderr);
    return 2;
  }
  const std::uint64_t first = count > 1 ? std::strtoull(words[1], nullptr, 10) : 1;
  const std::uint64_t kernels = count > 2 ? std::strtoull(words[2], nullptr, 10) : 400;
  const auto log2_elements = static_cast<unsigned>(count > 3 ? std::atoi(words[3]) : 25);
  const device on = count > 4 && words[4] == std::string_view("cpu") ? device::cpu() : device::cuda(0);
  std::ofstream explained;
  if (count > 5) explained.open(words[5]);
  const double bandwidth = copy_bandwidth(on, on.is_cpu() ? std::size_t{1} << 28 : std::size_t{1} << 30);
  std::printf("copy: %.3f TB/s\n", bandwidth * 1e-12);
  std::vector<double> quotients;
  std::mt19937_64 random(first);
  for (std::uint64_t seed = first; seed < first + kernels; ++seed) {
    const test::random_kernel kernel = test::make_kernel(seed, log2_elements);
    try {
      std::vector<placed> arrays;
      std::vector<runtime::operand> operands;
      double bytes = 0;
      for (const test::layout& at : kernel.inputs) {
        arrays.push_back(place(at, on, random));
        operands.push_back(arrays.back().operand);
        bytes += bytes_of_sectors(at);
      }
      const auto called = runtime::intern(kernel.recorded);
      const stream order = stream::default_of(on);
      std::vector<runtime::result> results(kernel.recorded.outputs.size());
      const auto call = [&] { runtime::call(called, operands, {}, {}, results, {.on = &order}); };
      call();
      for (const runtime::result& at : results) bytes += static_cast<double>(at.storage.size());
      if (bytes < std::exp2(log2_elements)) continue;  // reads little, so its bytes do not bound its time
      if (explained.is_open())
        explained << "== " << seed << '\n'
                  << runtime::explain(called, operands, {}, {.on = &order}) << std::flush;
      const double seconds = seconds_of(call, on), quotient = seconds * bandwidth / bytes;
      quotients.push_back(quotient);
      std::printf("%llu %.2f %.1f us, %.0f MB | %s\n", static_cast<unsigned long long>(seed), quotient,
                  seconds * 1e6, bytes * 1e-6, kernel.description.c_str());
    } catch (const std::exception& failure) {
      std::printf("%llu failed: %s | %s\n", static_cast<unsigned long long>(seed), failure.what(),
                  kernel.description.c_str());
    }
    std::fflush(stdout);
  }
  std::sort(quotients.begin(), quotients.end());
  const auto at = [&](double share) {
    return quotients.empty()
               ? 0
               : quotients[std::min(quotients.size() - 1,
                                    static_cast<std::size_t>(share * static_cast<double>(quotients.size())))];
  };
  std::printf("%zu kernels: median %.2f, 75%% %.2f, 90%% %.2f, 95%% %.2f, worst %.2f\n", quotients.size(),
              at(0.5), at(0.75), at(0.9), at(0.95), at(1));
  return 0;
}
