#pragma once
// DLPack's structs as Sinter declares them, for programs that have no header of DLPack. The layout is that of
// DLPack 1.3; tests compare it with DLPack's own header.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <cstdint>

namespace sinter::inline v0::dlpack_abi {

struct device {
  std::int32_t device_type;  ///< 1: CPU, 2: CUDA
  std::int32_t device_id;
};
struct element {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct tensor {
  void* data;
  dlpack_abi::device device;
  std::int32_t ndim;
  element dtype;
  std::int64_t* shape;
  std::int64_t* strides;  ///< in elements
  std::uint64_t byte_offset;
};
struct managed_tensor {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed_tensor* self);
};
struct version {
  std::uint32_t major, minor;
};
struct versioned_tensor {
  dlpack_abi::version version;
  void* manager_ctx;
  void (*deleter)(versioned_tensor* self);
  std::uint64_t flags;
  tensor dl_tensor;
};

/// The part of an exchange table that every version has.
struct exchange_header {
  dlpack_abi::version version;
  exchange_header* prev_api;  ///< the table of an older version, or null
};
/// What the attribute `__dlpack_c_exchange_api__` of a Python type holds, in a capsule with the name
/// "dlpack_exchange_api". A function returns 0, or another number for a failure.
struct exchange_table {
  exchange_header header;
  int (*managed_tensor_allocator)(tensor* prototype, versioned_tensor** out, void* error_context,
                                  void (*set_error)(void* error_context, const char* kind,
                                                    const char* message));
  int (*managed_tensor_from_py_object_no_sync)(void* py_object, versioned_tensor** out);
  int (*managed_tensor_to_py_object_no_sync)(versioned_tensor* tensor, void** out_py_object);
  int (*dltensor_from_py_object_no_sync)(void* py_object, tensor* out);  ///< may be null
  int (*current_work_stream)(std::int32_t device_type, std::int32_t device_id, void** out_stream);
};

}  // namespace sinter::inline v0::dlpack_abi
