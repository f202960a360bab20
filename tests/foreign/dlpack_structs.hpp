#pragma once
// The structs of DLPack 1.x as a program declares them that has no header of DLPack.

#include <cstdint>

namespace mine {

enum device_kind { cpu = 1, cuda = 2, cuda_host = 3, rocm = 10, cuda_managed = 13 };
struct device {
  device_kind device_type;
  std::int32_t device_id;
};
struct type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct tensor {
  void* data;
  mine::device device;
  std::int32_t ndim;
  type dtype;
  std::int64_t* shape;
  std::int64_t* strides;
  std::uint64_t byte_offset;
};
struct managed {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed*);
};
struct version {
  std::uint32_t major, minor;
};
struct versioned {
  mine::version version;
  void* manager_ctx;
  void (*deleter)(versioned*);
  std::uint64_t flags;
  tensor dl_tensor;
};

}  // namespace mine
