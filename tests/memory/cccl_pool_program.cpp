// A program whose arrays come from pools of CCCL on a GPU: results, workspaces, and memory that one stream
// hands to another. It is a program of its own because it needs the CUDA runtime. Without a GPU it says so
// and is skipped.
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include <sinter/cccl.hpp>

#include <cuda/memory_pool>

using namespace sinter;

namespace {

void check(bool holds, const char* what) {
  if (holds) return;
  std::fprintf(stderr, "wrong: %s\n", what);
  std::exit(1);
}

const auto twice_and_sum = fuse("cccl_pool_twice", [](auto x) { return 2 * x + sum(x); });

}  // namespace

int main() {
  if (const std::string absence = cuda_absence_reason(); !absence.empty()) {
    std::printf("skipped, without cuda_device: pools of CCCL allocate on a GPU: %s\n", absence.c_str());
    return 0;
  }
  const device gpu = device::cuda(0);
  cuda::device_memory_pool pool{cuda::device_ref{0}};
  const memory_resource memory = from_cccl(pool);
  const std::vector<float> host(1 << 16, 0.5f);
  {
    const stream first = stream::create(gpu), second = stream::create(gpu);
    array<float, 1> x({1 << 16}, gpu, memory);
    x() = array<float, 1>::from(host, {host.size()}, gpu);
    const array<float, 1> y = twice_and_sum.memory(memory).on(first)(x);
    const array<float, 1> z = twice_and_sum.memory(memory).on(second)(y);
    const float expected_y = 1 + 32768.f, expected_z = 2 * expected_y + 65536 * expected_y;
    const float last = z.to_vector().back();
    check(last > 0.999f * expected_z && last < 1.001f * expected_z, "a result in a pool's memory");
    check(pool.attribute(cuda::memory_pool_attributes::used_mem_current) >= 3 * host.size() * sizeof(float),
          "the arrays are in the pool");
  }
  synchronize(gpu);
  trim_memory(gpu);
  check(pool.attribute(cuda::memory_pool_attributes::used_mem_current) == 0, "the pool has its memory back");
  bool ran_out = false;
  try {
    const array<float, 1> larger_than_any_gpu({std::int64_t{1} << 44}, gpu, memory);
  } catch (const out_of_memory&) {
    ran_out = true;
  }
  check(ran_out, "a pool that runs out of memory is out_of_memory");
  // A thread without a current context.
  std::thread([&] {
    const array<float, 1> made =
        twice_and_sum.memory(memory)(array<float, 1>::from(host, {host.size()}, gpu));
    check(made.to_vector()[0] > 0, "a pool that a thread without a context uses");
  }).join();
  set_memory_resource(gpu, memory);
  check(twice_and_sum(array<float, 1>::from(host, {host.size()}, gpu)).to_vector()[0] > 0,
        "a pool that is set for the device");
  set_memory_resource(gpu, nullptr);
  synchronize(gpu);
  std::puts("pools of CCCL: ok");
}
