#include "fake_cuda_state.hpp"

#include "fake_cuda_driver.hpp"

#include <cstdlib>
#include <string_view>

namespace sinter::test {

fake_state& fake() {
  static fake_state* const only = new fake_state;
  return *only;
}

CUresult enter(const char* function) {
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  all.calls.add(function);
  const auto found = all.failures.find(std::string_view(function));
  if (found == all.failures.end()) return CUresult::success;
  if (found->second.nth == 0) return found->second.result;
  if (--found->second.nth > 0) return CUresult::success;
  const CUresult result = found->second.result;
  all.failures.erase(found);
  return result;
}

CUresult allocate(CUdeviceptr* pointer, std::size_t bytes) {
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  if (bytes > all.free_bytes) return CUresult::out_of_memory;
  void* memory = std::aligned_alloc(256, (bytes + 255) / 256 * 256);  // with the driver's alignment
  all.free_bytes -= bytes;
  all.allocations[memory] = bytes;
  all.order.forget(reinterpret_cast<std::uintptr_t>(memory));
  *pointer = reinterpret_cast<CUdeviceptr>(memory);
  return CUresult::success;
}

CUresult release(CUdeviceptr pointer) {
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  const auto found = all.allocations.find(reinterpret_cast<void*>(pointer));
  if (found == all.allocations.end()) return CUresult::invalid_value;
  all.free_bytes += found->second;
  if (const auto pooled = all.pool_of.find(found->first); pooled != all.pool_of.end()) {
    pooled->second->used -= found->second;
    all.pool_of.erase(pooled);
  }
  std::free(found->first);
  all.allocations.erase(found);
  return CUresult::success;
}

}  // namespace sinter::test

using namespace sinter::test;

extern "C" {

void fake_cuda_reset() {
  fake_state& all = fake();
  const std::lock_guard lock(all.guard);
  all.version = 13000;
  all.devices = 1;
  all.pools = 1;
  all.free_bytes = std::size_t{1} << 30;
  all.elapsed_milliseconds = 1.5f;
  all.calls.clear();
  all.failures.clear();
  for (int& architecture : all.architectures) architecture = 90;
  for (CUresult& refusal : all.refusals) refusal = CUresult::success;
  all.arrays_read = all.arrays_written = 0;
  all.may_fork_captures = false;
  all.begin_call = all.end_call = nullptr;
  all.order.settle();
}
void fake_cuda_set_version(int version) { fake().version = version; }
void fake_cuda_set_devices(int count) { fake().devices = count; }
void fake_cuda_set_pools(int supported) { fake().pools = supported; }
void fake_cuda_set_free_memory(std::size_t bytes) { fake().free_bytes = bytes; }
void fake_cuda_set_elapsed(float milliseconds) { fake().elapsed_milliseconds = milliseconds; }
void fake_cuda_fail(const char* function, int nth, int result) {
  const std::lock_guard lock(fake().guard);
  fake().failures[function] = {nth, static_cast<CUresult>(result)};
}
void fake_cuda_set_architecture(int device, int architecture) { fake().architectures[device] = architecture; }
void fake_cuda_refuse_on(int device, int result) { fake().refusals[device] = static_cast<CUresult>(result); }
const void* fake_cuda_loaded_from() { return fake().loaded_from; }
unsigned long long fake_cuda_launched_with() { return fake().launched_with; }
int fake_cuda_calls(const char* function) {
  const std::lock_guard lock(fake().guard);
  return fake().calls.get(function);
}
const char* fake_cuda_all_calls() {
  const std::lock_guard lock(fake().guard);
  return fake().calls.text();
}
void fake_cuda_around_calls(void (*begin)(), void (*end)()) {
  fake().begin_call = begin;
  fake().end_call = end;
}
void fake_cuda_forget_calls() {
  const std::lock_guard lock(fake().guard);
  fake().calls.clear();
}

void fake_cuda_set_arrays(int read, int written) {
  const std::lock_guard lock(fake().guard);
  fake().arrays_read = read;
  fake().arrays_written = written;
}
void fake_cuda_allow_forks(int allowed) { fake().may_fork_captures = allowed != 0; }
int fake_cuda_follows(void* stream, void* other) {
  const std::lock_guard lock(fake().guard);
  return fake().order.follows(static_cast<CUstream>(stream)->number, static_cast<CUstream>(other)->number);
}
int fake_cuda_faults() {
  const std::lock_guard lock(fake().guard);
  return fake().order.faults();
}
const char* fake_cuda_latest_fault() { return fake().order.latest_fault().c_str(); }

}  // extern "C"
