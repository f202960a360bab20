#pragma once

#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/call.hpp>

#include <cstdint>

/// Floats on CUDA device 0; with the fake driver, in host memory.
struct device_array {
  std::int64_t extent, stride = 1;
  sinter::buffer storage;
  explicit device_array(std::int64_t count)
      : extent(count),
        storage(sinter::device::cuda(0), static_cast<std::size_t>(count) * 4,
                sinter::stream::default_of(sinter::device::cuda(0))) {}
  sinter::runtime::operand view() {
    return {storage.data(),          &extent,         &stride, sinter::element_type::float32, 1,
            sinter::device::cuda(0), storage.record()};
  }
};
