#pragma once
// What Sinter reads of a DLPack tensor, whichever header declared it.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/any_array.hpp>

#include <cstdint>

namespace sinter::inline v0::detail {

/// The fields of a DLTensor, and whether the tensor around it is read only.
struct dlpack_fields {
  void* data = nullptr;
  int device_type = 0, device_id = 0;
  int rank = 0;
  unsigned code = 0, bits = 0, lanes = 0;
  const std::int64_t* shape = nullptr;
  const std::int64_t* strides = nullptr;  ///< null: row-major
  std::uint64_t byte_offset = 0;
  bool read_only = false;
};

/// Borrows the elements. Throws type_error, shape_error or device_error for what Sinter cannot view.
SINTER_API any_view borrow_dlpack(const dlpack_fields& tensor);
/// Throws type_error unless the version is one whose fields lie where Sinter reads them: major version 1.
SINTER_API void check_dlpack_version(std::uint32_t major, std::uint32_t minor);
[[noreturn]] SINTER_API void throw_null_dlpack();
[[noreturn]] SINTER_API void throw_read_only_dlpack();

}  // namespace sinter::inline v0::detail
