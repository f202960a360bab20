// Tensors that the C interface takes over and gives away.
#include <sinter/sinter.h>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "check_fails.hpp"

namespace {

/// A producer's tensor of 2 x 3 floats; counts how often its deleter is called.
template <class Managed>
struct produced {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  Managed managed{};

  produced() {
    managed.dl_tensor = {elements, {sinter_cpu, 0}, 2, {2, 32, 1}, extents, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* gone) { ++static_cast<produced*>(gone->manager_ctx)->deleted; };
    if constexpr (requires { managed.version; }) managed.version = {1, 3};
  }
  produced(const produced&) = delete;
};

sinter_status take(sinter_managed_tensor* tensor, sinter_array** array) {
  return sinter_array_from_dlpack(tensor, array);
}
sinter_status take(sinter_versioned_tensor* tensor, sinter_array** array) {
  return sinter_array_from_dlpack_versioned(tensor, array);
}
sinter_status give(sinter_array* array, sinter_managed_tensor** tensor) {
  return sinter_array_to_dlpack(array, tensor);
}
sinter_status give(sinter_array* array, sinter_versioned_tensor** tensor) {
  return sinter_array_to_dlpack_versioned(array, nullptr, tensor);
}

/// x + x of float32, rank 2.
struct doubling {
  sinter_function* function = nullptr;
  doubling() {
    sinter_builder* builder = nullptr;
    sinter_value operands[2] = {}, sum = 0;
    REQUIRE(sinter_builder_create(sinter_standard, &builder) == sinter_ok);
    REQUIRE(sinter_builder_input(builder, sinter_float32, 2, &operands[0]) == sinter_ok);
    operands[1] = operands[0];
    REQUIRE(sinter_builder_apply(builder, "add", operands, 2, &sum) == sinter_ok);
    REQUIRE(sinter_builder_output(builder, sum) == sinter_ok);
    REQUIRE(sinter_builder_finish(builder, &function) == sinter_ok);
    sinter_builder_destroy(builder);
  }
  doubling(const doubling&) = delete;
  ~doubling() { sinter_function_destroy(function); }

  sinter_status operator()(const sinter_array* from, const sinter_array* into) const {
    const sinter_operand operand{nullptr, from}, target{nullptr, into};
    sinter_arguments arguments{};
    arguments.size = sizeof arguments;
    arguments.operands = &operand;
    arguments.operand_count = 1;
    arguments.into = &target;
    arguments.into_count = 1;
    return sinter_call(function, &arguments, nullptr, 0);
  }
};

sinter_array* new_array() {
  const std::int64_t extents[] = {2, 3};
  sinter_array* made = nullptr;
  REQUIRE(sinter_array_create(sinter_float32, 2, extents, {sinter_cpu, 0}, &made) == sinter_ok);
  return made;
}

std::vector<float> read(const sinter_array* array) {
  std::vector<float> elements(6);
  REQUIRE(sinter_array_read(array, elements.data(), 6 * sizeof(float)) == sinter_ok);
  return elements;
}

}  // namespace

TEST_SUITE("the C interface takes over and gives away") {
  TEST_CASE_TEMPLATE("a tensor that is taken over is an operand and a target, and is deleted with the array",
                     Managed, sinter_managed_tensor, sinter_versioned_tensor) {
    const doubling twice;
    produced<Managed> theirs;
    sinter_array* taken = nullptr;
    REQUIRE(take(&theirs.managed, &taken) == sinter_ok);
    sinter_tensor lent{};
    REQUIRE(sinter_array_tensor(taken, &lent) == sinter_ok);
    CHECK(lent.data == theirs.elements);
    CHECK(twice(taken, taken) == sinter_ok);
    CHECK(theirs.elements[5] == 12);
    CHECK(read(taken) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK(theirs.deleted == 0);
    sinter_array_destroy(taken);
    CHECK(theirs.deleted == 1);
  }

  TEST_CASE_TEMPLATE("an array that is given away is deleted with the tensor", Managed, sinter_managed_tensor,
                     sinter_versioned_tensor) {
    produced<Managed> theirs;
    sinter_array* taken = nullptr;
    Managed* given = nullptr;
    REQUIRE(take(&theirs.managed, &taken) == sinter_ok);
    REQUIRE(give(taken, &given) == sinter_ok);
    CHECK(given->dl_tensor.data == theirs.elements);
    CHECK(given->dl_tensor.shape[1] == 3);
    CHECK(given->dl_tensor.dtype.code == 2);
    if constexpr (requires { given->version; }) {
      CHECK(given->version.major == 1);
      CHECK(given->flags == 0);
    }
    CHECK(theirs.deleted == 0);
    given->deleter(given);
    CHECK(theirs.deleted == 1);
  }

  TEST_CASE("a read-only tensor is an operand and no target, and stays read only when it is given away") {
    const doubling twice;
    produced<sinter_versioned_tensor> constant;
    constant.managed.flags = sinter_read_only;
    sinter_array *taken = nullptr, *out = new_array();
    REQUIRE(sinter_array_from_dlpack_versioned(&constant.managed, &taken) == sinter_ok);
    CHECK(twice(taken, out) == sinter_ok);
    CHECK(read(out) == std::vector<float>{2, 4, 6, 8, 10, 12});
    CHECK_FAILS(twice(out, taken), sinter_type_error, "target 0 is read only");
    const float zeros[6] = {};
    CHECK_FAILS(sinter_array_write(taken, zeros, sizeof zeros), sinter_type_error, "the array is read only");
    CHECK(constant.elements[5] == 6);
    sinter_managed_tensor* unversioned = nullptr;
    CHECK_FAILS(sinter_array_to_dlpack(taken, &unversioned), sinter_type_error, "read only");
    sinter_versioned_tensor* given = nullptr;
    REQUIRE(sinter_array_to_dlpack_versioned(taken, nullptr, &given) == sinter_ok);
    CHECK(given->flags == sinter_read_only);
    CHECK(constant.deleted == 0);
    given->deleter(given);
    CHECK(constant.deleted == 1);
    sinter_array_destroy(out);
  }

  TEST_CASE("a transposed tensor is computed with, and is not copied as if it were row-major") {
    const doubling twice;
    produced<sinter_managed_tensor> turned;
    std::swap(turned.extents[0], turned.extents[1]);
    std::swap(turned.strides[0], turned.strides[1]);
    sinter_array* taken = nullptr;
    REQUIRE(sinter_array_from_dlpack(&turned.managed, &taken) == sinter_ok);
    float elements[6] = {};
    CHECK_FAILS(sinter_array_read(taken, elements, sizeof elements), sinter_shape_error, "not row-major");
    CHECK(twice(taken, taken) == sinter_ok);
    CHECK(std::vector<float>(turned.elements, turned.elements + 6) == std::vector<float>{2, 4, 6, 8, 10, 12});
    sinter_array_destroy(taken);
    turned.strides[0] = 7;
    turned.extents[0] = 1;  // an axis of extent 1 may have any stride
    turned.strides[1] = 1;
    turned.extents[1] = 6;
    REQUIRE(sinter_array_from_dlpack(&turned.managed, &taken) == sinter_ok);
    CHECK(read(taken).back() == 12);
    sinter_array_destroy(taken);
  }

  TEST_CASE("what is refused is deleted all the same, once") {
    sinter_array* taken = nullptr;
    produced<sinter_versioned_tensor> newer;
    newer.managed.version.major = 2;
    CHECK_FAILS(sinter_array_from_dlpack_versioned(&newer.managed, &taken), sinter_type_error, "version 2.3");
    CHECK(newer.deleted == 1);
    produced<sinter_managed_tensor> wide;
    wide.managed.dl_tensor.dtype.lanes = 4;
    CHECK_FAILS(sinter_array_from_dlpack(&wide.managed, &taken), sinter_type_error, "lanes");
    CHECK(wide.deleted == 1);
    CHECK(taken == nullptr);
  }

  TEST_CASE("null pointers are refused, and then nothing changes hands") {
    sinter_array *taken = nullptr, *kept = new_array();
    produced<sinter_managed_tensor> theirs;
    CHECK_FAILS(sinter_array_from_dlpack(nullptr, &taken), sinter_invalid_argument, "the tensor is a null");
    CHECK_FAILS(sinter_array_from_dlpack_versioned(nullptr, &taken), sinter_invalid_argument,
                "the tensor is a null");
    CHECK_FAILS(sinter_array_from_dlpack(&theirs.managed, nullptr), sinter_invalid_argument,
                "the pointer for the array");
    CHECK(theirs.deleted == 0);
    CHECK_FAILS(sinter_array_to_dlpack_versioned(kept, nullptr, nullptr), sinter_invalid_argument,
                "the pointer for the tensor");
    sinter_versioned_tensor* given = nullptr;
    CHECK_FAILS(sinter_array_to_dlpack_versioned(nullptr, nullptr, &given), sinter_invalid_argument,
                "the array is a null");
    sinter_array_destroy(kept);
  }
}
