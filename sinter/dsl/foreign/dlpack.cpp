#include <sinter/dsl/foreign/dlpack_ownership.hpp>
#include <sinter/dsl/foreign/foreign_text.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string>

namespace sinter::inline v0::detail {
namespace {

// DLPack's ABI. The numbers are Sinter's own copy, so that no header of DLPack is needed.

enum device_code : int { cpu = 1, cuda = 2, cuda_host = 3, cuda_managed = 13 };

struct named_code {
  int code;
  const char* name;
};
constexpr named_code other_devices[] = {
    {4, "OpenCL"},        {7, "Vulkan"},  {8, "Metal"},   {9, "VPI"},      {10, "ROCm"}, {11, "ROCm host"},
    {12, "an extension"}, {14, "oneAPI"}, {15, "WebGPU"}, {16, "Hexagon"}, {17, "MAIA"}, {18, "Trainium"}};
constexpr named_code type_names[] = {{0, "int"},
                                     {1, "uint"},
                                     {2, "float"},
                                     {3, "opaque handle"},
                                     {4, "bfloat"},
                                     {5, "complex"},
                                     {6, "bool"},
                                     {7, "float8_e3m4"},
                                     {8, "float8_e4m3"},
                                     {9, "float8_e4m3b11fnuz"},
                                     {10, "float8_e4m3fn"},
                                     {11, "float8_e4m3fnuz"},
                                     {12, "float8_e5m2"},
                                     {13, "float8_e5m2fnuz"},
                                     {14, "float8_e8m0fnu"},
                                     {15, "float6_e2m3fn"},
                                     {16, "float6_e3m2fn"},
                                     {17, "float4_e2m1fn"}};

template <std::size_t Count>
std::string name_of(const named_code (&table)[Count], int code) {
  for (const named_code& row : table)
    if (row.code == code) return row.name;
  return "unknown";
}

struct element_code {
  unsigned code, bits;
  element_type type;
};
constexpr element_code element_codes[] = {
    {0, 8, element_type::int8},       {0, 16, element_type::int16},       {0, 32, element_type::int32},
    {0, 64, element_type::int64},     {1, 8, element_type::uint8},        {1, 16, element_type::uint16},
    {1, 32, element_type::uint32},    {1, 64, element_type::uint64},      {2, 16, element_type::float16},
    {2, 32, element_type::float32},   {2, 64, element_type::float64},     {4, 16, element_type::bfloat16},
    {5, 64, element_type::complex64}, {5, 128, element_type::complex128}, {6, 8, element_type::boolean}};

// A function, because a static string would be destroyed with the process.
std::string operation_name() { return "borrowing a DLPack tensor: "; }

element_type type_of(const dlpack_fields& tensor) {
  if (tensor.lanes != 1)
    throw type_error(operation_name() + "its elements are vectors of " + std::to_string(tensor.lanes) +
                     " lanes: pass one more axis of that extent, and 1 lane");
  for (const element_code& row : element_codes)
    if (row.code == tensor.code && row.bits == tensor.bits) return row.type;
  throw type_error(operation_name() + "Sinter has no element type for its type code " +
                   std::to_string(tensor.code) + " (" + name_of(type_names, static_cast<int>(tensor.code)) +
                   ") of " + std::to_string(tensor.bits) + " bits: convert the elements first");
}

device device_of(const dlpack_fields& tensor) {
  switch (tensor.device_type) {
    case device_code::cpu:
    case device_code::cuda_host:
      return device::cpu();
    case device_code::cuda:
    case device_code::cuda_managed:
      if (tensor.device_id >= 0 && tensor.device_id <= INT16_MAX) return device::cuda(tensor.device_id);
      throw device_error(operation_name() + "there is no CUDA device " + std::to_string(tensor.device_id));
    default:
      throw device_error(
          operation_name() + "it is on a device of type " + std::to_string(tensor.device_type) + " (" +
          name_of(other_devices, tensor.device_type) + "): copy it to the CPU or to a CUDA device");
  }
}

std::span<const std::int64_t> extents_of(const dlpack_fields& tensor) {
  if (tensor.rank < 0 || tensor.rank > static_cast<int>(highest_rank))
    throw shape_error(operation_name() + "it has " + std::to_string(tensor.rank) +
                      " axes; Sinter views 0 to " + std::to_string(highest_rank) + ": reshape it");
  if (tensor.rank != 0 && tensor.shape == nullptr)
    throw shape_error(operation_name() + "it has " + std::to_string(tensor.rank) +
                      " axes, and its shape is a null pointer");
  const std::span extents(tensor.shape, static_cast<std::size_t>(tensor.rank));
  if (std::any_of(extents.begin(), extents.end(), [](std::int64_t extent) { return extent < 0; }))
    throw shape_error(operation_name() + "its shape " + list_text(extents) + " has a negative extent");
  return extents;
}

}  // namespace

any_view borrow_dlpack(const dlpack_fields& tensor) {
  const element_type type = type_of(tensor);
  const device where = device_of(tensor);
  const std::span<const std::int64_t> extents = extents_of(tensor);
  const bool empty = std::find(extents.begin(), extents.end(), 0) != extents.end();
  if (tensor.data == nullptr && !empty)
    throw shape_error(operation_name() + "its shape " + list_text(extents) +
                      " has elements, and its data is a null pointer");
  // Where there are no elements, the offset may lead anywhere.
  void* const data = empty ? tensor.data : static_cast<std::byte*>(tensor.data) + tensor.byte_offset;
  const auto view_with = [&](const std::int64_t* strides) {
    return any_view(data, type, extents, {strides, extents.size()}, where, tensor.read_only);
  };
  if (tensor.strides != nullptr) return view_with(tensor.strides);
  std::array<std::int64_t, highest_rank> row_major{};
  std::uint64_t stride = 1;  // may wrap where there are no elements
  for (std::size_t axis = extents.size(); axis-- > 0;) {
    row_major[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(extents[axis]);
  }
  return view_with(row_major.data());
}

void check_dlpack_version(std::uint32_t major, std::uint32_t minor) {
  if (major == 1) return;
  throw type_error(operation_name() + "it is of version " + std::to_string(major) + "." +
                   std::to_string(minor) + "; Sinter reads versions 1.x: ask its producer for one of them");
}

dlpack_fields describe_for_dlpack(const any_view& elements) {
  dlpack_fields fields{.data = elements.data(),
                       .device_type = elements.device().is_cpu() ? device_code::cpu : device_code::cuda,
                       .device_id = elements.device().is_cpu() ? 0 : elements.device().index(),
                       .rank = static_cast<int>(elements.rank()),
                       .lanes = 1,
                       .shape = elements.shape().data(),
                       .strides = elements.strides().data(),
                       .read_only = elements.read_only()};
  for (const element_code& row : element_codes)
    if (row.type == elements.type()) {
      fields.code = row.code;
      fields.bits = row.bits;
    }
  return fields;
}

any_array adopt_foreign(const any_view& elements, void* owner, void (*release)(void* owner) noexcept) {
  const std::size_t bytes = static_cast<std::size_t>(elements.size()) * size_of(elements.type());
  return any_array(elements,
                   buffer(foreign_memory{elements.device(), elements.data(), bytes, owner, release}));
}

void throw_null_dlpack() { throw type_error(operation_name() + "the pointer to it is null"); }

void throw_read_only_dlpack() {
  throw type_error(
      "handing out a DLPack tensor: the elements are read only, which an unversioned tensor cannot say: use "
      "a "
      "DLManagedTensorVersioned, or copy the elements");
}

}  // namespace sinter::inline v0::detail
