#include <fmt/format.h>

#include <array>
#include <utility>

#include <sinter/runtime/base/memory_counters.hpp>
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

/// Memory of another library on the CPU: a resource that gives none and takes one piece back.
memory_resource resource_of(const foreign_memory& taken) {
  memory_functions functions;
  functions.allocate = [](void*, std::size_t, const stream&) -> void* { return nullptr; };
  functions.deallocate = [](void* context, void*, std::size_t, const stream&) noexcept {
    const foreign_memory& given_back = *static_cast<foreign_memory*>(context);
    given_back.release(given_back.owner);
  };
  functions.release = [](void* context) noexcept { delete static_cast<foreign_memory*>(context); };
  functions.context = new foreign_memory(taken);
  return memory_resource(functions);
}

void check_stream(const stream& on, device where) {
  if (on.where() != where)
    throw device_error(fmt::format("memory of {} cannot be allocated on a stream of {}", where.to_string(),
                                   on.where().to_string()));
}

}  // namespace

buffer::buffer(device where, std::size_t bytes, const stream& on)
    : buffer(where, bytes, on, current_memory_resource(where)) {}

buffer::buffer(device where, std::size_t bytes, const stream& on, memory_resource from)
    : bytes_(bytes), device_(where) {
  check_stream(on, where);
  if (bytes == 0) return;
  if (where.is_cpu()) {
    if (from.is_built_in()) {
      data_ = runtime::host_allocate(bytes);  // which counts it
      return;
    }
    data_ = from.allocate(bytes, on);
    resource_ = std::move(from);
    is_counted_ = true;
  } else {
    runtime::give_back_waiting();
    void* const data = from.allocate(bytes, on);
    try {
      record_ = new runtime::allocation_record({from, data, bytes, on.another()});
    } catch (...) {
      from.deallocate(data, bytes, on);
      throw;
    }
    data_ = data;
  }
  runtime::count_allocation(where, bytes);
}

buffer::buffer(const foreign_memory& taken) : data_(taken.data), bytes_(taken.bytes), device_(taken.where) {
  try {
    if (taken.where.is_cpu())
      resource_ = resource_of(taken);
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
      resource_(std::move(other.resource_)),
      record_(std::exchange(other.record_, nullptr)),
      device_(other.device_),
      is_counted_(std::exchange(other.is_counted_, false)) {}

buffer& buffer::operator=(buffer&& other) noexcept {
  if (this == &other) return *this;
  release();
  data_ = std::exchange(other.data_, nullptr);
  bytes_ = std::exchange(other.bytes_, 0);
  resource_ = std::move(other.resource_);
  record_ = std::exchange(other.record_, nullptr);
  device_ = other.device_;
  is_counted_ = std::exchange(other.is_counted_, false);
  return *this;
}

buffer::~buffer() { release(); }

void buffer::release() noexcept {
  void* const data = std::exchange(data_, nullptr);
  const std::size_t bytes = std::exchange(bytes_, 0);
  if (runtime::allocation_record* const record = std::exchange(record_, nullptr)) {
    runtime::give_back_waiting();
    record->drop_owner();
  } else if (!resource_.is_built_in()) {
    // What the resource calls may use this object: nothing of it is read afterwards.
    const memory_resource from = std::move(resource_);
    if (std::exchange(is_counted_, false)) runtime::count_return(device_, bytes);
    from.deallocate(data, bytes, stream::default_of(device_));
  } else if (data != nullptr) {
    runtime::host_free(data, bytes);
  }
}

void copy_bytes(const copied_bytes& to, const copied_bytes& from, std::size_t bytes, const stream& on) {
  if (bytes == 0) {
    // there is nothing to copy, but the reader learns what the work before it has found
    if (to.where.is_cpu() && from.where.is_cuda()) on.synchronize();
    return;
  }
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
  runtime::stream_timeline& timeline = runtime::timeline_of(on);
  const runtime::stream_work work(timeline, uses);
  if (from.where.is_cpu()) return runtime::copy_to_device(to.data, from.data, bytes, native, index);
  if (to.where.is_cpu()) {
    runtime::copy_to_host(to.data, from.data, bytes, native, index);  // waits
    return timeline.faults().check();
  }
  if (to.where == from.where) return runtime::copy_on_device(to.data, from.data, bytes, native, index);
  runtime::copy_between_devices(to.data, to.where.index(), from.data, from.where.index(), bytes, native,
                                index);
}

}  // namespace sinter::inline v0
