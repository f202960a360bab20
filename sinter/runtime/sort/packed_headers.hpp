#pragma once
// The headers that the kernels for sorting include, as they lie packed in the library
// (cmake/PackHeaders.cmake).

#include <cstddef>
#include <string>
#include <vector>

#include <sinter/runtime/cuda/nvrtc.hpp>

namespace sinter::inline v0::runtime {

/// Compressed by zstd: of each header its name and a line end, its size and a line end, and its text.
struct packed_headers {
  const unsigned char* bytes = nullptr;
  std::size_t size = 0;  ///< 0: the library was built without CCCL
  std::size_t unpacked_size = 0;
};

/// sort_kernels.cuh and all that it includes. Defined in a file that is made when the library is built.
packed_headers packed_sort_headers();

/// Unpacked headers.
struct unpacked_headers {
  std::string storage;                ///< names and texts, each ending in a zero
  std::vector<nvrtc_header> headers;  ///< refer to the storage
  unpacked_headers() = default;
  unpacked_headers(const unpacked_headers&) = delete;
  unpacked_headers& operator=(const unpacked_headers&) = delete;
};

/// Unpacks headers. Throws device_error if they are damaged.
void unpack(const packed_headers& packed, unpacked_headers& to);

}  // namespace sinter::inline v0::runtime
