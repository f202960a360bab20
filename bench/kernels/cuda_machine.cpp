#include "machine.hpp"

#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/cuda/launch.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/object/cuda_module.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

namespace sinter_bench {
namespace {

using namespace sinter;
using namespace sinter::runtime;

// One block reads READS and writes WRITES runs of 256 vectors of 16 bytes, as far as there are any. Vectors
// beyond the buffers' ends are those at their beginnings. The sum is tested where nothing is written, so that
// the compiler keeps the loads.
constexpr const char* move_text = R"(
extern "C" __global__ void __launch_bounds__(256) move(const uint4* __restrict__ from, uint4* __restrict__ to,
                                                       long long reads, long long writes, long long mask) {
  const long long group = blockIdx.x;
  uint4 sum = make_uint4(1, 2, 3, 4);
#if READS > 0
  uint4 x[READS];
#pragma unroll
  for (int i = 0; i < READS; ++i) {
    const long long at = (group * READS + i) * 256 + threadIdx.x;
    x[i] = at < reads ? __ldcs(from + (at & mask)) : make_uint4(0, 0, 0, 0);
  }
#pragma unroll
  for (int i = 0; i < READS; ++i) {
    sum.x += x[i].x; sum.y += x[i].y; sum.z += x[i].z; sum.w += x[i].w;
  }
#endif
#pragma unroll
  for (int i = 0; i < WRITES; ++i) {
    const long long at = (group * WRITES + i) * 256 + threadIdx.x;
    if (at < writes) __stcs(to + (at & mask), sum);
  }
#if WRITES == 0
  if (sum.x == 0x12345678 && sum.y == 0x9abcdef0) *to = sum;
#endif
}
)";

// STEP of eight independent chains, INSTRUCTIONS of the pipe each.
constexpr const char* compute_text = R"(
extern "C" __global__ void __launch_bounds__(256) compute(TYPE* to, TYPE y, TYPE z, int rounds) {
  TYPE x[8];
#pragma unroll
  for (int i = 0; i < 8; ++i) x[i] = (TYPE)(threadIdx.x + i);
  for (int round = 0; round < rounds; ++round)
#pragma unroll
    for (int i = 0; i < 8; ++i) { STEP; }
  TYPE sum = 0;
#pragma unroll
  for (int i = 0; i < 8; ++i) sum += x[i];
  if (sum == (TYPE)1.2345e7) *to = sum;
}
)";

struct computed {
  const char *type, *step;
  double instructions;
  std::size_t bytes;
};
constexpr computed pipes[] = {{"float", "x[i] = x[i] * y + z", 1, 4},
                              {"double", "x[i] = x[i] * y + z", 1, 8},
                              {"int", "x[i] = x[i] * y + z", 1, 4},
                              {"long long", "x[i] = (x[i] + y) ^ z", 2, 8},
                              {"float", R"(asm volatile("ex2.approx.ftz.f32 %0, %0;" : "+f"(x[i])))", 1, 4}};

std::string replaced(std::string text, const std::string& word, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(word, at)) != std::string::npos; at += by.size())
    text.replace(at, word.size(), by);
  return text;
}

CUkernel kernel_of(const std::string& text, const char* name, std::vector<std::string> options) {
  const std::string code = compile_cuda(text, name, name, {cuda_device(0).architecture()}, options).code;
  auto* const module = new cuda_module(code);  // its kernel is used until the process ends
  return module->kernel(name, primary_context(0));
}

class cuda : public machine {
 public:
  cuda() : multiprocessors_(static_cast<unsigned>(cuda_device(0).multiprocessors)) {
    check(require_driver().cuCtxSetCurrent(primary_context(0)), "choosing device 0");
    while (buffer_bytes_ > cuda_device(0).memory_bytes / 16) buffer_bytes_ /= 2;
    const std::int64_t extents[] = {static_cast<std::int64_t>(buffer_bytes_)};
    from_ = any_array(element_type::uint8, extents, where());
    to_ = any_array(element_type::uint8, extents, where());
    for (const any_array* array : {&from_, &to_})
      check(require_driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(array->data()), 7, buffer_bytes_,
                                             nullptr),
            "setting bytes");
    synchronize(where());
  }
  device where() const override { return device::cuda(0); }
  std::string details() const override {
    const auto text = [](int version) {
      return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
    };
    return "driver for CUDA " + text(require_driver().version) + ", NVRTC " + text(nvrtc_version());
  }

  void move(double read_bytes, double written_bytes) override {
    move(from_.data(), read_bytes, written_bytes);
  }
  void launch_nothing() override { move(0, 0); }

  /// Reads more than the second-level cache holds, which move() comes to last: lines that were written would
  /// still have to leave the cache.
  void make_cold(std::span<const any_array* const>) override {
    const std::size_t half = buffer_bytes_ / 2;
    move(static_cast<std::byte*>(to_.data()) + half,
         static_cast<double>(std::min(half, 4 * cuda_device(0).l2_bytes)), 0);
  }

  double seconds_of(const std::function<void()>& call) override {
    begin_.record(nullptr);
    call();
    end_.record(nullptr);
    end_.synchronize();
    return static_cast<double>(end_.milliseconds_since(begin_)) * 1e-3;
  }

  double instructions_a_second(instruction of) override {
    const computed& chosen = pipes[static_cast<std::size_t>(of)];
    const std::string text = replaced(replaced(compute_text, "TYPE", chosen.type), "STEP", chosen.step);
    const CUkernel kernel = kernel_of(text, "compute", {});
    void* to = to_.data();
    std::uint64_t y = 0, z = 0;  // zeros of any type
    int rounds = 2000;
    void* arguments[] = {static_cast<void*>(&to), &y, &z, &rounds};
    double least = 1e9;
    for (int i = 0; i < 5; ++i)
      least = std::min(least, seconds_of([&] { launch(kernel, multiprocessors_ * 8, arguments); }));
    return chosen.instructions * 8.0 * 256 * 8 * multiprocessors_ * rounds / least;
  }

 private:
  static constexpr long long vector = 16, threads = 256;

  void move(void* from, double read_bytes, double written_bytes) {
    auto reads = static_cast<long long>(read_bytes) / vector;
    auto writes = static_cast<long long>(written_bytes) / vector;
    long long mask = static_cast<long long>(buffer_bytes_) / vector - 1;
    const auto [in, out] = runs_for(reads, writes);
    const long long groups =
        std::max({1LL, in > 0 ? blocks(reads, in) : 0, out > 0 ? blocks(writes, out) : 0});
    void* to = to_.data();
    void* arguments[] = {static_cast<void*>(&from), static_cast<void*>(&to), &reads, &writes, &mask};
    launch(move_kernel(in, out), static_cast<unsigned>(groups), arguments);
  }
  static long long blocks(long long vectors, int runs) {
    return (vectors + threads * runs - 1) / (threads * runs);
  }
  /// How many runs a block reads and writes: in the proportion of the whole, and few, so that many blocks
  /// run.
  static std::pair<int, int> runs_for(long long reads, long long writes) {
    if (writes == 0 || reads > 8 * writes) return {4, writes > 0};
    if (reads == 0 || writes > 8 * reads) return {reads > 0, 4};
    const double share = static_cast<double>(reads) / static_cast<double>(writes);
    return share >= 1 ? std::pair{static_cast<int>(std::lround(share)), 1}
                      : std::pair{1, static_cast<int>(std::lround(1 / share))};
  }
  CUkernel move_kernel(int reads, int writes) {
    CUkernel& made = kernels_[{reads, writes}];
    if (made == nullptr) {
      const std::string defined =
          "#define READS " + std::to_string(reads) + "\n#define WRITES " + std::to_string(writes) + "\n";
      made = kernel_of(defined + move_text, "move", {});
    }
    return made;
  }
  static void launch(CUkernel kernel, unsigned groups, void** arguments) {
    launch_shape shape;
    shape.block_x = threads;
    shape.grid_x = groups;
    launch_kernel(require_driver(), kernel, shape, nullptr, arguments, "a bare kernel");
  }

  unsigned multiprocessors_;
  std::size_t buffer_bytes_ = std::size_t{4} << 30;
  any_array from_, to_;
  cuda_event begin_{0, cuda_event::timing::on}, end_{0, cuda_event::timing::on};
  std::map<std::pair<int, int>, CUkernel> kernels_;
};

}  // namespace

std::unique_ptr<machine> cuda_machine() { return std::make_unique<cuda>(); }

}  // namespace sinter_bench
