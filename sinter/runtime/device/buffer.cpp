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
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/returned_memory.hpp>
#include <sinter/runtime/order/stream_work.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

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

/// Memory of another library on the CPU: a resource that frees one piece, and itself with it.
class released_resource final : public memory_resource {
 public:
  explicit released_resource(const foreign_memory& taken) : taken_(taken) {}
  void* allocate(std::size_t, const stream&) override { return nullptr; }
  void deallocate(void*, std::size_t, const stream&) noexcept override {
    taken_.release(taken_.owner);
    delete this;
  }

 private:
  foreign_memory taken_;
};

void check_stream(const stream& on, device where) {
  if (on.where() != where)
    throw device_error(fmt::format("memory of {} cannot be allocated on a stream of {}", where.to_string(),
                                   on.where().to_string()));
}

void* take(memory_resource& resource, device where, std::size_t bytes, const stream& on) {
  void* const data = resource.allocate(bytes, on);
  if (data != nullptr) return data;
  throw out_of_memory(fmt::format("the memory resource of {} gave no memory for {} bytes, and threw nothing",
                                  where.to_string(), bytes),
                      bytes, 0);
}

}  // namespace

void set_memory_resource(device where, memory_resource* resource) { registered(where).store(resource); }

buffer::buffer(device where, std::size_t bytes, const stream& on) : bytes_(bytes), device_(where) {
  check_stream(on, where);
  memory_resource* const own = registered(where).load(std::memory_order_acquire);
  memory_resource& resource = own != nullptr ? *own : built_in(where);
  if (bytes == 0) return;
  if (where.is_cpu()) {
    data_ = take(resource, where, bytes, on);
    resource_ = &resource;
    return;
  }
  runtime::give_back_waiting();
  void* const data = take(resource, where, bytes, on);
  try {
    record_ = new runtime::allocation_record({&resource, data, bytes, on.another(), own == nullptr});
  } catch (...) {
    resource.deallocate(data, bytes, on);
    throw;
  }
  data_ = data;
}

buffer::buffer(const foreign_memory& taken) : data_(taken.data), bytes_(taken.bytes), device_(taken.where) {
  try {
    if (taken.where.is_cpu())
      resource_ = new released_resource(taken);
    else
      record_ = new runtime::allocation_record(taken);
  } catch (...) {
    taken.release(taken.owner);
    throw;
  }
}

buffer::buffer(buffer&& other) noexcept
    : data_(std::exchange(other.data_, nullptr)),
      bytes_(std::exchange(other.bytes_, 0)),
      resource_(std::exchange(other.resource_, nullptr)),
      record_(std::exchange(other.record_, nullptr)),
      device_(other.device_) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  resource_ = std::exchange(other.resource_, nullptr);
  record_ = std::exchange(other.record_, nullptr);
  device_ = other.device_;
  return *this;
}

buffer::~buffer() { release(); }

void buffer::release() noexcept {
  void* const data = std::exchange(data_, nullptr);
  const std::size_t bytes = std::exchange(bytes_, 0);
  if (runtime::allocation_record* const record = std::exchange(record_, nullptr)) {
    runtime::give_back_waiting();
    record->drop_owner();
  } else if (memory_resource* const resource = std::exchange(resource_, nullptr)) {
    resource->deallocate(data, bytes, stream::default_of(device_));
  }
}

void copy_bytes(const copied_bytes& to, const copied_bytes& from, std::size_t bytes, const stream& on) {
  if (bytes == 0) return;
  if (to.data == nullptr || from.data == nullptr)
    throw error(
        fmt::format("{} bytes were to be copied {} the null address: an array or view that was "
                    "default-constructed or moved from has no memory",
                    bytes, to.data == nullptr ? "to" : "from"));
  if (to.where.is_cpu() && from.where.is_cpu()) return runtime::host_copy(to.data, from.data, bytes);
  if (on.where().is_cpu() || (on.where() != to.where && on.where() != from.where))
    throw device_error(fmt::format("copying from {} to {} needs a stream of the CUDA device, not of {}",
                                   from.where.to_string(), to.where.to_string(), on.where().to_string()));
  const auto native = static_cast<runtime::CUstream>(on.native());
  const int index = on.where().index();
  const std::array<runtime::memory_use, 2> uses{
      {{to.record, runtime::memory_access::write}, {from.record, runtime::memory_access::read}}};
  const runtime::stream_work work(runtime::timeline_of(on), uses);
  if (from.where.is_cpu()) return runtime::copy_to_device(to.data, from.data, bytes, native, index);
  if (to.where.is_cpu()) return runtime::copy_to_host(to.data, from.data, bytes, native, index);
  if (to.where == from.where) return runtime::copy_on_device(to.data, from.data, bytes, native, index);
  runtime::copy_between_devices(to.data, to.where.index(), from.data, from.where.index(), bytes, native,
                                index);
}

}  // namespace sinter::inline v0
