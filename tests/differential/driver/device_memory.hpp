// Where a program's buffers lie: in the heap for the CPU, in managed memory for a CUDA device.
#pragma once

#include <sinter/sinter.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace differential {

/// Chooses the device of all later calls: "cpu" or "cuda". Call it once, before any memory is allocated.
void choose_device(const std::string& name);

sinter::device chosen_device();

/// Waits until the device has done all that was asked of it.
void wait_for_device();

/// Memory that both the host and the chosen device reach, aligned to 64 bytes.
class memory_block {
 public:
  explicit memory_block(std::size_t size);
  memory_block(memory_block&& other) noexcept;
  memory_block& operator=(memory_block&&) = delete;
  ~memory_block();

  char* data() const { return data_; }
  std::size_t size() const { return size_; }

 private:
  char* data_ = nullptr;
  std::size_t size_ = 0;
  std::vector<char> heap_;
  unsigned long long managed_ = 0;
};

/// Appends `size` bytes of a result, which may lie on the device.
void append_from_device(std::string& out, const void* data, std::size_t size);

}  // namespace differential
