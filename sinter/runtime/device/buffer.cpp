#include <fmt/format.h>

#include <array>
#include <atomic>
#include <cstring>
#include <utility>

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cpu/host_memory.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/memory.hpp>
#include <sinter/runtime/cuda/stream_order.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0 {
namespace {

class host_resource final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, const stream&) override { return runtime::host_allocate(bytes); }
  void deallocate(void* data, std::size_t bytes, const stream&) noexcept override {
    runtime::host_free(data, bytes);
  }
};

// One instance serves every device: the stream names the device.
class cuda_resource final : public memory_resource {
 public:
  void* allocate(std::size_t bytes, const stream& on) override {
    return runtime::cuda_allocate(bytes, static_cast<runtime::CUstream>(on.native()), on.where().index());
  }
  void deallocate(void* data, std::size_t, const stream& on) noexcept override {
    runtime::cuda_free(data, static_cast<runtime::CUstream>(on.native()), on.where().index());
  }
};

// Never destroyed: buffers may be freed while the process ends.
memory_resource& built_in(device where) {
  static auto& host = *new host_resource;
  static auto& cuda = *new cuda_resource;
  return where.is_cpu() ? static_cast<memory_resource&>(host) : cuda;
}

constexpr std::size_t most_devices = 128;

std::atomic<memory_resource*>& registered(device where) {
  static std::array<std::atomic<memory_resource*>, most_devices + 1> resources{};
  if (where.is_cpu()) return resources[0];
  const int index = where.index();
  if (index < 0 || static_cast<std::size_t>(index) >= most_devices)
    throw device_error(fmt::format("there is no CUDA device {}", index));
  return resources[static_cast<std::size_t>(index) + 1];
}

void check_stream(const stream& on, device where) {
  if (on.where() != where)
    throw device_error(fmt::format("memory of {} cannot be allocated on a stream of {}", where.to_string(),
                                   on.where().to_string()));
}

// Memory of a device whose driver is unloaded can only go to its resource.
void give_back_to_device(runtime::freed_memory memory, device where) noexcept {
  runtime::stream_order* order = nullptr;
  try {
    order = &runtime::stream_order_of(where.index());
  } catch (...) {
    return memory.resource->deallocate(memory.data, memory.bytes, memory.made_on);
  }
  order->give_back(std::move(memory));
}

}  // namespace

void set_memory_resource(device where, memory_resource* resource) { registered(where).store(resource); }

buffer::buffer(device where, std::size_t bytes, const stream& on)
    : bytes_(bytes), made_on_(on.another()), device_(where) {
  check_stream(on, where);
  resource_ = registered(where).load(std::memory_order_acquire);
  if (resource_ == nullptr) resource_ = &built_in(where);
  if (bytes == 0) return;
  const auto take = [&] {
    data_ = resource_->allocate(bytes, on);
    if (data_ == nullptr)
      throw out_of_memory(
          fmt::format("the memory resource of {} gave no memory for {} bytes, and threw nothing",
                      where.to_string(), bytes),
          bytes, 0);
  };
  if (where.is_cpu()) {
    take();
    return;
  }
  // The resource may return memory that another stream still uses.
  const runtime::ordered_work work(on);
  take();
}

buffer::buffer(buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      resource_(other.resource_),
      made_on_(std::move(other.made_on_)),
      device_(other.device_) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  resource_ = other.resource_;
  made_on_ = std::move(other.made_on_);
  device_ = other.device_;
  return *this;
}

buffer::~buffer() { release(); }

void buffer::release() noexcept {
  void* const data = std::exchange(data_, nullptr);
  const std::size_t bytes = std::exchange(bytes_, 0);
  const stream made_on = std::move(made_on_);
  if (data == nullptr) return;
  if (device_.is_cpu()) return resource_->deallocate(data, bytes, made_on);
  give_back_to_device({resource_, data, bytes, made_on.another(), resource_ == &built_in(device_)}, device_);
}

void copy_bytes(void* to, device to_device, const void* from, device from_device, std::size_t bytes,
                const stream& on) {
  if (bytes == 0) return;
  if (to == nullptr || from == nullptr)
    throw error(
        fmt::format("{} bytes were to be copied {} the null address: an array or view that was "
                    "default-constructed or moved from has no memory",
                    bytes, to == nullptr ? "to" : "from"));
  if (to_device.is_cpu() && from_device.is_cpu()) return runtime::host_copy(to, from, bytes);
  if (on.where().is_cpu() || (on.where() != to_device && on.where() != from_device))
    throw device_error(fmt::format("copying from {} to {} needs a stream of the CUDA device, not of {}",
                                   from_device.to_string(), to_device.to_string(), on.where().to_string()));
  const auto native = static_cast<runtime::CUstream>(on.native());
  const int index = on.where().index();
  const runtime::ordered_work work(on);
  if (from_device.is_cpu()) return runtime::copy_to_device(to, from, bytes, native, index);
  if (to_device.is_cpu()) return runtime::copy_to_host(to, from, bytes, native, index);
  if (to_device == from_device) return runtime::copy_on_device(to, from, bytes, native, index);
  const device other = on.where() == to_device ? from_device : to_device;
  runtime::stream_order& there = runtime::stream_order_of(other.index());
  const runtime::CUcontext context = runtime::context_of(native, index);
  there.lead(on, context);
  runtime::copy_between_devices(to, to_device.index(), from, from_device.index(), bytes, native, index);
  there.follow(on, context);
}

}  // namespace sinter::inline v0
