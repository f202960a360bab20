#pragma once

#include <cstddef>

#include <sinter/runtime/cuda/driver_types.hpp>

namespace sinter::inline v0::runtime {

/// Memory of a device for work that is queued on the stream after this call. It comes from a pool that Sinter
/// creates on the device. The pool retains freed memory, so that allocating again needs no system call. A
/// device without pools uses an ordinary allocation. 0 bytes give nullptr. Throws out_of_memory after
/// trimming the pool.
void* cuda_allocate(std::size_t bytes, CUstream stream, int device);

/// Frees memory once the work queued on the stream so far is done. This stream must already wait for work on
/// other streams that uses the memory. Failures go to the failure hook.
void cuda_free(void* memory, CUstream stream, int device) noexcept;

/// What the pool on a device has taken from the system, what of it is in use, and the most it ever had. Zeros
/// as long as there is no pool.
struct pool_state {
  std::size_t reserved = 0;
  std::size_t used = 0;
  std::size_t peak_reserved = 0;
};
pool_state cuda_pool_state(int device);

/// Gives what the pool retains back to the system, and returns how many bytes. Waits for nothing: memory that
/// queued work still uses stays.
std::size_t cuda_trim(int device);

/// Free and total bytes of a device.
struct memory_state {
  std::size_t free_bytes = 0;
  std::size_t total_bytes = 0;
};
memory_state cuda_memory_state(int device);

/// Copies from host memory, in stream order. On return `from` may be changed or freed, whatever kind of host
/// memory it is.
void copy_to_device(void* to, const void* from, std::size_t bytes, CUstream stream, int device);

/// Copies to host memory, in stream order. On return `to` holds the bytes.
void copy_to_host(void* to, const void* from, std::size_t bytes, CUstream stream, int device);

/// Queues a copy within a device.
void copy_on_device(void* to, const void* from, std::size_t bytes, CUstream stream, int device);

/// Queues a copy between devices, on a stream of the source or the destination device.
void copy_between_devices(void* to, int to_device, const void* from, int from_device, std::size_t bytes,
                          CUstream stream, int stream_device);

/// Queues a fill with `count` copies of an element of 1, 2, 4, 8 or 16 bytes. `element` is read before the
/// call returns.
void fill_on_device(void* to, const void* element, std::size_t element_bytes, std::size_t count,
                    CUstream stream, int device);

/// The kind and device of the memory at an address.
struct address_facts {
  enum class place { pageable_host, pinned_host, device, managed };
  place where = place::pageable_host;
  int device = -1;  ///< the device that owns it; -1 for pageable memory
};
address_facts find_address(const void* address);

/// Page-locked host memory that devices access directly. Expensive to allocate, so reuse it.
class pinned_memory {
 public:
  explicit pinned_memory(std::size_t bytes, int device = 0);
  pinned_memory(pinned_memory&& other) noexcept;
  pinned_memory& operator=(pinned_memory&& other) noexcept;
  ~pinned_memory();

  void* data() const noexcept { return data_; }
  std::size_t size() const noexcept { return bytes_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace sinter::inline v0::runtime
