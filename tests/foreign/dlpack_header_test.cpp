// Sinter's own declarations of DLPack against the header of DLPack 1.x: numbers, sizes, offsets, and tensors
// of that header's structs.
#include <sinter/sinter.h>
#include <sinter/dlpack_exchange.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "dlpack_header.hpp"
#include "dlpack_structs.hpp"
#include "message_of.hpp"

using namespace sinter;
using sinter::test::throws_with;

namespace {

// ---- numbers
// --------------------------------------------------------------------------------------------------
static_assert(DLPACK_MAJOR_VERSION == 1);
static_assert(DLPACK_FLAG_BITMASK_READ_ONLY == sinter::detail::dlpack_read_only);
static_assert(dlpack_1::kDLCPU == 1 && dlpack_1::kDLCUDA == 2 && dlpack_1::kDLCUDAHost == 3 &&
              dlpack_1::kDLCUDAManaged == 13);
static_assert(dlpack_1::kDLCPU == int(sinter_cpu) && dlpack_1::kDLCUDA == int(sinter_cuda));
static_assert(dlpack_1::kDLInt == 0 && dlpack_1::kDLUInt == 1 && dlpack_1::kDLFloat == 2 &&
              dlpack_1::kDLBfloat == 4 && dlpack_1::kDLComplex == 5 && dlpack_1::kDLBool == 6);

// ---- sizes and offsets
// ----------------------------------------------------------------------------------------
template <class Own, class Theirs>
constexpr bool same_size = sizeof(Own) == sizeof(Theirs) && alignof(Own) == alignof(Theirs);
#define SAME_OFFSET(own, theirs, member) static_assert(offsetof(own, member) == offsetof(theirs, member))

#define SAME_TENSOR(own)                             \
  static_assert(same_size<own, dlpack_1::DLTensor>); \
  SAME_OFFSET(own, dlpack_1::DLTensor, data);        \
  SAME_OFFSET(own, dlpack_1::DLTensor, device);      \
  SAME_OFFSET(own, dlpack_1::DLTensor, ndim);        \
  SAME_OFFSET(own, dlpack_1::DLTensor, dtype);       \
  SAME_OFFSET(own, dlpack_1::DLTensor, shape);       \
  SAME_OFFSET(own, dlpack_1::DLTensor, strides);     \
  SAME_OFFSET(own, dlpack_1::DLTensor, byte_offset)
SAME_TENSOR(dlpack_abi::tensor);
SAME_TENSOR(sinter_tensor);
SAME_TENSOR(mine::tensor);

#define SAME_DEVICE(own)                             \
  static_assert(same_size<own, dlpack_1::DLDevice>); \
  SAME_OFFSET(own, dlpack_1::DLDevice, device_type); \
  SAME_OFFSET(own, dlpack_1::DLDevice, device_id)
SAME_DEVICE(dlpack_abi::device);
SAME_DEVICE(sinter_device);

#define SAME_ELEMENT(own)                              \
  static_assert(same_size<own, dlpack_1::DLDataType>); \
  SAME_OFFSET(own, dlpack_1::DLDataType, code);        \
  SAME_OFFSET(own, dlpack_1::DLDataType, bits);        \
  SAME_OFFSET(own, dlpack_1::DLDataType, lanes)
SAME_ELEMENT(dlpack_abi::element);
SAME_ELEMENT(sinter_dlpack_type);

#define SAME_MANAGED(own)                                   \
  static_assert(same_size<own, dlpack_1::DLManagedTensor>); \
  SAME_OFFSET(own, dlpack_1::DLManagedTensor, dl_tensor);   \
  SAME_OFFSET(own, dlpack_1::DLManagedTensor, manager_ctx); \
  SAME_OFFSET(own, dlpack_1::DLManagedTensor, deleter)
SAME_MANAGED(dlpack_abi::managed_tensor);
SAME_MANAGED(sinter_managed_tensor);
SAME_MANAGED(mine::managed);

#define SAME_VERSIONED(own)                                          \
  static_assert(same_size<own, dlpack_1::DLManagedTensorVersioned>); \
  SAME_OFFSET(own, dlpack_1::DLManagedTensorVersioned, version);     \
  SAME_OFFSET(own, dlpack_1::DLManagedTensorVersioned, manager_ctx); \
  SAME_OFFSET(own, dlpack_1::DLManagedTensorVersioned, deleter);     \
  SAME_OFFSET(own, dlpack_1::DLManagedTensorVersioned, flags);       \
  SAME_OFFSET(own, dlpack_1::DLManagedTensorVersioned, dl_tensor)
SAME_VERSIONED(dlpack_abi::versioned_tensor);
SAME_VERSIONED(sinter_versioned_tensor);
SAME_VERSIONED(mine::versioned);

#if DLPACK_MINOR_VERSION >= 3
static_assert(same_size<dlpack_abi::exchange_header, dlpack_1::DLPackExchangeAPIHeader>);
SAME_OFFSET(dlpack_abi::exchange_header, dlpack_1::DLPackExchangeAPIHeader, prev_api);
using own_table = dlpack_abi::exchange_table;
using their_table = dlpack_1::DLPackExchangeAPI;
static_assert(same_size<own_table, their_table>);
SAME_OFFSET(own_table, their_table, header);
SAME_OFFSET(own_table, their_table, managed_tensor_allocator);
SAME_OFFSET(own_table, their_table, managed_tensor_from_py_object_no_sync);
SAME_OFFSET(own_table, their_table, managed_tensor_to_py_object_no_sync);
SAME_OFFSET(own_table, their_table, dltensor_from_py_object_no_sync);
SAME_OFFSET(own_table, their_table, current_work_stream);
#endif

const auto doubled = fuse("dlpack_header_doubled", [](auto x) { return x + x; });

/// A DLPack 1.x producer of a tensor of 2 x 3 floats.
struct produced {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;

  template <class Managed>
  Managed managed() {
    Managed made{};
    made.dl_tensor = {elements, {dlpack_1::kDLCPU, 0}, 2, {dlpack_1::kDLFloat, 32, 1}, extents, strides, 0};
    made.manager_ctx = this;
    made.deleter = [](Managed* gone) { ++static_cast<produced*>(gone->manager_ctx)->deleted; };
    if constexpr (requires { made.version; }) made.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    return made;
  }
};

}  // namespace

TEST_SUITE("dlpack 1.x's own header") {
  TEST_CASE("its tensors are borrowed, by reference and by pointer") {
    produced theirs;
    auto versioned = theirs.managed<dlpack_1::DLManagedTensorVersioned>();
    const view<float, 2> x = as_view<float, 2>(&versioned);
    CHECK(x.data() == theirs.elements);
    CHECK(doubled(x).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(as_view<float, 2>(versioned.dl_tensor).data() == theirs.elements);
    versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    CHECK(throws_with<type_error>("read only", [&] { (void)as_view<float, 2>(versioned); }));
    versioned.version.major = DLPACK_MAJOR_VERSION + 1;
    CHECK(throws_with<type_error>("Sinter reads versions 1.x", [&] { (void)any_view(versioned); }));
    CHECK(theirs.deleted == 0);
  }

  TEST_CASE_TEMPLATE("its tensors are taken over, given away, and taken back", Managed,
                     dlpack_1::DLManagedTensor, dlpack_1::DLManagedTensorVersioned) {
    produced theirs;
    auto managed = theirs.managed<Managed>();
    Managed* const given = to_dlpack<Managed>(from_dlpack(&managed));
    CHECK(given->dl_tensor.data == theirs.elements);
    CHECK(given->dl_tensor.device.device_type == dlpack_1::kDLCPU);
    CHECK(given->dl_tensor.dtype.code == dlpack_1::kDLFloat);
    CHECK(theirs.deleted == 0);
    {
      const any_array back = from_dlpack(given);
      CHECK(doubled(back.view().to<float, 2>()).to_vector().back() == 12);
      CHECK(theirs.deleted == 0);
    }
    CHECK(theirs.deleted == 1);
  }
}
