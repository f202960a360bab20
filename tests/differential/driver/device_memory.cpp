#include "device_memory.hpp"

#include <dlfcn.h>

#include <cstdint>
#include <stdexcept>
#include <type_traits>
#include <utility>

namespace differential {
namespace {

constexpr std::size_t alignment = 64;

/// The functions of the CUDA driver that the buffers need.
struct cuda_driver {
  int (*allocate_managed)(unsigned long long*, std::size_t, unsigned) = nullptr;
  int (*release)(unsigned long long) = nullptr;
  int (*copy)(unsigned long long, unsigned long long, std::size_t) = nullptr;
};
cuda_driver cuda;
bool on_cuda = false;

void check(int status, const char* what) {
  if (status != 0)
    throw std::runtime_error(std::string("driver: ") + what + " failed with " + std::to_string(status));
}

void load_cuda_driver() {
  sinter::synchronize(sinter::device::cuda(0));  // makes the primary context
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) throw std::runtime_error("driver: there is no libcuda.so.1");
  const auto load = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw std::runtime_error(std::string("driver: libcuda.so.1 lacks ") + name);
  };
  int (*retain_context)(void**, int) = nullptr;
  int (*set_context)(void*) = nullptr;
  load(cuda.allocate_managed, "cuMemAllocManaged");
  load(cuda.release, "cuMemFree_v2");
  load(cuda.copy, "cuMemcpy");
  load(retain_context, "cuDevicePrimaryCtxRetain");
  load(set_context, "cuCtxSetCurrent");
  void* context = nullptr;
  check(retain_context(&context, 0), "cuDevicePrimaryCtxRetain");
  check(set_context(context), "cuCtxSetCurrent");
}

}  // namespace

void choose_device(const std::string& name) {
  if (name != "cpu" && name != "cuda") throw std::runtime_error("driver: no device " + name);
  on_cuda = name == "cuda";
  if (on_cuda) load_cuda_driver();
  // where functions of no array run
  sinter::device::set_default(chosen_device());
}

sinter::device chosen_device() { return on_cuda ? sinter::device::cuda(0) : sinter::device::cpu(); }

void wait_for_device() {
  if (on_cuda) sinter::synchronize(sinter::device::cuda(0));
}

memory_block::memory_block(std::size_t size) : size_(size) {
  if (on_cuda) {
    constexpr unsigned attach_global = 1;
    check(cuda.allocate_managed(&managed_, size + alignment, attach_global), "cuMemAllocManaged");
    data_ = reinterpret_cast<char*>(managed_);
    return;
  }
  heap_.resize(size + alignment);
  const auto address = reinterpret_cast<std::uintptr_t>(heap_.data());
  data_ = heap_.data() + (alignment - address % alignment) % alignment;
}

// A moved vector keeps its memory, so `data_` stays valid.
memory_block::memory_block(memory_block&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      size_(std::exchange(other.size_, 0)),
      heap_(std::move(other.heap_)),
      managed_(std::exchange(other.managed_, 0)) {}

memory_block::~memory_block() {
  if (managed_ == 0) return;
  wait_for_device();
  cuda.release(managed_);
}

void append_from_device(std::string& out, const void* data, std::size_t size) {
  if (!on_cuda) {
    out.append(static_cast<const char*>(data), size);
    return;
  }
  wait_for_device();
  std::vector<char> host(size);
  if (size != 0)
    check(cuda.copy(reinterpret_cast<unsigned long long>(host.data()),
                    reinterpret_cast<unsigned long long>(data), size),
          "cuMemcpy");
  out.append(host.data(), size);
}

}  // namespace differential
