// DLPack tensors are borrowed, whichever header declared their structs.
#include <sinter/complex.hpp>
#include <sinter/dlpack.hpp>

#include <doctest/doctest.h>

#include <complex>
#include <cstdint>
#include <vector>

#include "../support/count_allocations.hpp"
#include "dlpack_structs.hpp"
#include "message_of.hpp"

// A header of DLPack is not needed; where there is one, its own structs are taken, too.
#if __has_include(<dlpack/dlpack.h>)
#include <dlpack/dlpack.h>
#define SINTER_TEST_HAS_DLPACK 1
#else
#define SINTER_TEST_HAS_DLPACK 0
#endif

using namespace sinter;
using sinter::test::throws_with;

namespace {

constexpr mine::type float32{2, 32, 1};

/// Six floats on the CPU as a tensor of 2 x 3, which a case then changes.
struct six {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  mine::tensor tensor{elements, {mine::cpu, 0}, 2, float32, extents, strides, 0};
};

/// A tensor of one axis of no elements, of any type.
any_view empty_of(mine::type type, mine::device where = {mine::cpu, 0}) {
  static std::int64_t none = 0;
  return mine::tensor{nullptr, where, 1, type, &none, nullptr, 0};
}

const auto doubled = fuse([](auto x) { return x * 2; });

}  // namespace

TEST_SUITE("dlpack") {
  TEST_CASE("a tensor, a managed one and a versioned one are borrowed, by reference and by pointer") {
    six x;
    const view<float, 2> v = as_view<float, 2>(x.tensor);
    CHECK(v.data() == x.elements);
    CHECK(v.device() == device::cpu());
    CHECK(doubled(v).to_vector() == std::vector<float>{2, 4, 6, 8, 10, 12});
    const mine::tensor* const_pointer = &x.tensor;
    CHECK(as_view<float, 2>(const_pointer).data() == x.elements);
    static int deleted = 0;
    mine::managed managed{x.tensor, nullptr, [](mine::managed*) { ++deleted; }};
    CHECK(as_view<float, 2>(managed).data() == x.elements);
    CHECK(as_view<float, 2>(&managed).data() == x.elements);
    mine::versioned versioned{{1, 0}, nullptr, [](mine::versioned*) { ++deleted; }, 0, x.tensor};
    const view<float, 2> target = as_view<float, 2>(&versioned);
    doubled.into(target)(as_view<const float, 2>(versioned));
    CHECK(x.elements[5] == 12);
    CHECK(deleted == 0);
  }

  TEST_CASE("borrowing allocates nothing") {
    six x;
    const allocation_counter counted;
    const view<float, 2> v = as_view<float, 2>(x.tensor);
    const bool same = dispatch<double, float>(&x.tensor, [&]<class T>() { return v.data() == x.elements; });
    const std::size_t allocations = counted.count();
    CHECK(same);
    CHECK(allocations == 0);
  }

  TEST_CASE("dispatch chooses by the type code") {
    six x;
    const auto bytes = [&] { return dispatch<double, float>(x.tensor, []<class T>() { return sizeof(T); }); };
    CHECK(bytes() == 4);
    x.tensor.dtype = {2, 64, 1};
    CHECK(bytes() == 8);
    x.tensor.dtype = {0, 32, 1};
    CHECK_THROWS_AS(bytes(), type_error);
  }

  TEST_CASE("the byte offset counts") {
    six x;
    x.extents[0] = 1;
    x.tensor.byte_offset = 3 * sizeof(float);
    CHECK(as_view<float, 2>(x.tensor).to_vector() == std::vector<float>{4, 5, 6});
  }

  TEST_CASE("null strides are row-major, others of any sign are kept") {
    six x;
    x.tensor.strides = nullptr;
    CHECK(as_view<float, 2>(x.tensor).strides() == shape<2>(3, 1));
    std::int64_t backwards[] = {-3, -1};
    x.tensor.strides = backwards;
    x.tensor.byte_offset = 5 * sizeof(float);
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{12, 10, 8, 6, 4, 2});
    std::int64_t broadcast[] = {0, 1};
    x.tensor.strides = broadcast;
    x.tensor.byte_offset = 0;
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{2, 4, 6, 2, 4, 6});
  }

  TEST_CASE("no elements need no data, and their strides and offset mean nothing") {
    six x;
    x.extents[0] = 0;
    x.strides[0] = INT64_MAX;
    x.tensor.byte_offset = 64;
    CHECK(doubled(as_view<float, 2>(x.tensor)).size() == 0);
    x.tensor.data = nullptr;
    CHECK(doubled(as_view<float, 2>(x.tensor)).shape() == shape<2>(0, 3));
    CHECK(as_view<float, 2>(x.tensor).data() == nullptr);
    x.extents[0] = 2;
    CHECK(throws_with<shape_error>("(2, 3) has elements, and its data is a null pointer",
                                   [&] { (void)any_view(x.tensor); }));
  }

  TEST_CASE("the stride of an axis of extent 1 means nothing") {
    six x;
    x.extents[0] = 1;
    for (const std::int64_t odd : {std::int64_t{7}, std::int64_t{-1}, std::int64_t{0}, INT64_MAX}) {
      x.strides[0] = odd;
      CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector() == std::vector<float>{2, 4, 6});
    }
  }

  TEST_CASE("a tensor of rank 0 has one element, and needs no shape") {
    six x;
    x.tensor.ndim = 0;
    x.tensor.shape = x.tensor.strides = nullptr;
    x.tensor.byte_offset = 4;
    CHECK(doubled(as_view<float, 0>(x.tensor)).to_vector() == std::vector<float>{4});
  }

  TEST_CASE("a read-only tensor gives const elements only") {
    six x;
    mine::versioned versioned{{1, 3}, nullptr, nullptr, 1, x.tensor};
    CHECK(any_view(versioned).read_only());
    CHECK(as_view<const float, 2>(versioned).data() == x.elements);
    CHECK(throws_with<type_error>("read only", [&] { (void)as_view<float, 2>(versioned); }));
    versioned.flags = 6;  // is a copy, padded: no matter
    CHECK_FALSE(any_view(versioned).read_only());
  }

  TEST_CASE("a higher minor version is read, another major version is refused unread") {
    six x;
    mine::versioned versioned{{1, 99}, nullptr, nullptr, ~std::uint64_t{0} << 1, x.tensor};
    CHECK(as_view<float, 2>(versioned).data() == x.elements);
    versioned.version = {2, 0};
    versioned.dl_tensor.shape = nullptr;  // would be another error
    CHECK(throws_with<type_error>("version 2.0; Sinter reads versions 1.x",
                                  [&] { (void)any_view(versioned); }));
    versioned.version = {0, 8};
    CHECK(throws_with<type_error>("version 0.8", [&] { (void)any_view(&versioned); }));
  }

  TEST_CASE("every type code that is an element type of Sinter is that one") {
    struct row {
      mine::type code;
      element_type type;
    };
    const row rows[] = {{{0, 8, 1}, element_type::int8},       {{0, 16, 1}, element_type::int16},
                        {{0, 32, 1}, element_type::int32},     {{0, 64, 1}, element_type::int64},
                        {{1, 8, 1}, element_type::uint8},      {{1, 16, 1}, element_type::uint16},
                        {{1, 32, 1}, element_type::uint32},    {{1, 64, 1}, element_type::uint64},
                        {{2, 16, 1}, element_type::float16},   {{2, 32, 1}, element_type::float32},
                        {{2, 64, 1}, element_type::float64},   {{4, 16, 1}, element_type::bfloat16},
                        {{5, 64, 1}, element_type::complex64}, {{5, 128, 1}, element_type::complex128},
                        {{6, 8, 1}, element_type::boolean}};
    CHECK(std::size(rows) == element_types.size());
    for (const row& each : rows) CHECK(empty_of(each.code).type() == each.type);
  }

  TEST_CASE("booleans and complex numbers are computed with") {
    bool flags[] = {true, false};
    std::complex<float> z[] = {{1, 2}, {3, 4}};
    std::int64_t two = 2;
    const mine::tensor mask{flags, {mine::cpu, 0}, 1, {6, 8, 1}, &two, nullptr, 0};
    const mine::tensor turned{z, {mine::cpu, 0}, 1, {5, 64, 1}, &two, nullptr, 0};
    const auto chosen = fuse([](auto m, auto x) { return where(m, x * 2, 0); });
    CHECK(chosen(as_view<bool, 1>(mask), as_view<std::complex<float>, 1>(turned)).to_vector() ==
          std::vector<std::complex<float>>{{2, 4}, {0, 0}});
  }

  TEST_CASE("lanes and types that are no elements are refused by name") {
    CHECK(throws_with<type_error>("vectors of 4 lanes", [] { empty_of({2, 32, 4}); }));
    CHECK(throws_with<type_error>("vectors of 2 lanes", [] { empty_of({5, 64, 2}); }));
    CHECK(throws_with<type_error>("vectors of 0 lanes", [] { empty_of({2, 32, 0}); }));
    CHECK(throws_with<type_error>("type code 10 (float8_e4m3fn) of 8 bits", [] { empty_of({10, 8, 1}); }));
    CHECK(throws_with<type_error>("type code 2 (float) of 8 bits", [] { empty_of({2, 8, 1}); }));
    CHECK(throws_with<type_error>("type code 1 (uint) of 1 bits", [] { empty_of({1, 1, 1}); }));
    CHECK(throws_with<type_error>("type code 3 (opaque handle)", [] { empty_of({3, 64, 1}); }));
    CHECK(throws_with<type_error>("type code 200 (unknown)", [] { empty_of({200, 32, 1}); }));
  }

  TEST_CASE("devices are CUDA's and the CPU; pinned memory is the CPU's, managed memory the GPU's") {
    CHECK(empty_of(float32, {mine::cuda, 3}).device() == device::cuda(3));
    CHECK(empty_of(float32, {mine::cuda_managed, 1}).device() == device::cuda(1));
    CHECK(empty_of(float32, {mine::cuda_host, 1}).device() == device::cpu());
    CHECK(empty_of(float32, {mine::cpu, 7}).device() == device::cpu());
    CHECK(throws_with<device_error>("no CUDA device -1", [] { empty_of(float32, {mine::cuda, -1}); }));
    CHECK(throws_with<device_error>("type 10 (ROCm)", [] { empty_of(float32, {mine::rocm, 0}); }));
    const auto unknown = static_cast<mine::device_kind>(15);
    CHECK(throws_with<device_error>("type 15", [&] { empty_of(float32, {unknown, 0}); }));
    six x;
    x.tensor.device.device_type = mine::cuda_host;
    CHECK(doubled(as_view<float, 2>(x.tensor)).to_vector()[5] == 12);
  }

  TEST_CASE("ranks beyond 32, negative ones, negative extents and a null shape are refused") {
    six x;
    std::vector<std::int64_t> ones(33, 1);
    x.tensor.shape = ones.data();
    x.tensor.strides = nullptr;
    x.tensor.ndim = 32;
    CHECK(any_view(x.tensor).rank() == 32);
    x.tensor.ndim = 33;
    CHECK(throws_with<shape_error>("33 axes", [&] { (void)any_view(x.tensor); }));
    x.tensor.ndim = -1;
    CHECK(throws_with<shape_error>("-1 axes", [&] { (void)any_view(x.tensor); }));
    x.tensor.ndim = 2;
    ones[1] = -2;
    CHECK(throws_with<shape_error>("(1, -2) has a negative extent", [&] { (void)any_view(x.tensor); }));
    x.tensor.shape = nullptr;
    CHECK(throws_with<shape_error>("shape is a null pointer", [&] { (void)any_view(x.tensor); }));
  }

  TEST_CASE("a null pointer to a tensor is refused") {
    const mine::managed* none = nullptr;
    CHECK(throws_with<type_error>("pointer to it is null", [&] { (void)any_view(none); }));
  }

  TEST_CASE("extents beyond the address space are refused") {
    six x;
    x.extents[0] = x.extents[1] = INT64_MAX / 2;
    x.tensor.strides = nullptr;
    CHECK_THROWS_AS((void)any_view(x.tensor), out_of_memory);
  }

#if SINTER_TEST_HAS_DLPACK
  TEST_CASE("the structs of DLPack's own header are taken") {
    six x;
    DLManagedTensor managed{};
    managed.dl_tensor.data = x.elements;
    managed.dl_tensor.device = {kDLCPU, 0};
    managed.dl_tensor.ndim = 2;
    managed.dl_tensor.dtype = {kDLFloat, 32, 1};
    managed.dl_tensor.shape = x.extents;
    CHECK(doubled(as_view<float, 2>(managed)).to_vector()[5] == 12);
    CHECK(as_view<float, 2>(&managed.dl_tensor).data() == x.elements);
#if defined(DLPACK_MAJOR_VERSION)
    DLManagedTensorVersioned versioned{};
    versioned.version = {DLPACK_MAJOR_VERSION, DLPACK_MINOR_VERSION};
    versioned.flags = DLPACK_FLAG_BITMASK_READ_ONLY;
    versioned.dl_tensor = managed.dl_tensor;
    CHECK(any_view(&versioned).read_only());
    CHECK(as_view<const float, 2>(versioned).data() == x.elements);
#endif
  }
#endif
}
