// DLPack tensors change hands: the deleter is called once, after the work that uses the elements.
#include <sinter/dlpack.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <utility>
#include <vector>

#include "../order/ordered_call.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "dlpack_structs.hpp"
#include "message_of.hpp"

using namespace sinter;
using sinter::test::throws_with;

namespace {

/// A producer's tensor of 2 x 3 floats; counts how often its deleter is called.
template <class Managed>
struct produced {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3}, strides[2] = {3, 1};
  int deleted = 0;
  Managed managed{};

  produced() {
    managed.dl_tensor = {elements, {mine::cpu, 0}, 2, {2, 32, 1}, extents, strides, 0};
    managed.manager_ctx = this;
    managed.deleter = [](Managed* gone) { ++static_cast<produced*>(gone->manager_ctx)->deleted; };
    if constexpr (requires { managed.version; }) managed.version = {1, 1};
  }
  produced(const produced&) = delete;
};

const auto doubled = fuse("dlpack_doubled", [](auto x) { return x + x; });

}  // namespace

TEST_CASE_TEMPLATE("from_dlpack owns the tensor until the array goes", Managed, mine::managed,
                   mine::versioned) {
  produced<Managed> theirs;
  {
    any_array taken = from_dlpack(&theirs.managed);
    CHECK(taken.data() == theirs.elements);
    CHECK(doubled(taken.view().template to<float, 2>()).to_vector() ==
          std::vector<float>{2, 4, 6, 8, 10, 12});
    const any_array moved = std::move(taken);
    taken = any_array();
    CHECK(theirs.deleted == 0);
  }
  CHECK(theirs.deleted == 1);
  {
    array<float, 2> typed = from_dlpack(&theirs.managed).template to<float, 2>();
    CHECK(typed.data() == theirs.elements);
    CHECK(theirs.deleted == 1);
  }
  CHECK(theirs.deleted == 2);
}

TEST_CASE("what from_dlpack refuses is deleted all the same, once") {
  produced<mine::versioned> newer, wide;
  newer.managed.version.major = 2;
  CHECK(throws_with<type_error>("version 2.1", [&] { from_dlpack(&newer.managed); }));
  CHECK(newer.deleted == 1);
  wide.managed.dl_tensor.dtype.lanes = 4;
  CHECK(throws_with<type_error>("lanes", [&] { from_dlpack(&wide.managed); }));
  CHECK(wide.deleted == 1);
  mine::managed* const none = nullptr;
  CHECK_THROWS_AS(from_dlpack(none), type_error);
  produced<mine::managed> silent;
  silent.managed.deleter = nullptr;
  {
    const any_array taken = from_dlpack(&silent.managed);
  }
}

TEST_CASE("a transposed or read-only tensor is owned, and is no typed array") {
  produced<mine::versioned> turned, constant;
  std::swap(turned.extents[0], turned.extents[1]);
  std::swap(turned.strides[0], turned.strides[1]);
  any_array taken = from_dlpack(&turned.managed);
  CHECK(throws_with<shape_error>("row-major", [&] { (void)std::move(taken).to<float, 2>(); }));
  CHECK(doubled(taken.view().to<float, 2>()).to_vector() == std::vector<float>{2, 8, 4, 10, 6, 12});
  constant.managed.flags = 1;
  any_array kept = from_dlpack(&constant.managed);
  CHECK(throws_with<type_error>("read only", [&] { (void)std::move(kept).to<float, 2>(); }));
  CHECK(kept.view().to<const float, 2>().to_vector().back() == 6);
  CHECK(turned.deleted + constant.deleted == 0);
}

TEST_CASE_TEMPLATE("to_dlpack gives an array away, and the deleter frees it", Managed, mine::managed,
                   mine::versioned) {
  array<float, 2> x = array<float, 2>::from({1, 2, 3, 4, 5, 6}, {2, 3}, device::cpu());
  const float* const data = x.data();
  Managed* const given = to_dlpack<Managed>(std::move(x));
  CHECK(x.data() == nullptr);
  CHECK(given->dl_tensor.data == data);
  CHECK(given->dl_tensor.ndim == 2);
  CHECK(given->dl_tensor.shape[1] == 3);
  CHECK(given->dl_tensor.strides[0] == 3);
  CHECK(given->dl_tensor.device.device_type == mine::cpu);
  CHECK(given->dl_tensor.dtype.code == 2);
  CHECK(given->dl_tensor.dtype.bits == 32);
  CHECK(given->dl_tensor.dtype.lanes == 1);
  if constexpr (requires { given->version; }) {
    CHECK(given->version.major == 1);
    CHECK(given->flags == 0);
  }
  any_array back = from_dlpack(given);  // and round again
  CHECK(back.data() == data);
  CHECK(std::move(back).template to<float, 2>().to_vector() == std::vector<float>{1, 2, 3, 4, 5, 6});
}

TEST_CASE("read-only elements are handed out with the flag, or refused where there is none") {
  produced<mine::versioned> constant;
  constant.managed.flags = 1;
  any_array kept = from_dlpack(&constant.managed);
  CHECK(throws_with<type_error>("read only", [&] { to_dlpack<mine::managed>(std::move(kept)); }));
  CHECK(kept.data() == constant.elements);
  mine::versioned* const given = to_dlpack<mine::versioned>(std::move(kept));
  CHECK(given->flags == 1);
  CHECK(constant.deleted == 0);
  given->deleter(given);
  CHECK(constant.deleted == 1);
}

TEST_CASE("a GPU tensor's deleter is called by a later call, after an event behind its last use") {
  if (test::nvrtc_is_missing()) return;
  fake_cuda fake;
  test::ordered_call axpy(fake, "dlpack_axpy");
  const stream on = stream::create(test::cuda);
  produced<mine::managed> theirs, unused;
  std::vector<float> memory(1024);
  std::int64_t extent = 1024, stride = 1;
  for (produced<mine::managed>* const each : {&theirs, &unused})
    each->managed.dl_tensor = {memory.data(), {mine::cuda, 0}, 1, {2, 32, 1}, &extent, &stride, 0};
  {
    const any_array taken = from_dlpack(&unused.managed);
  }
  CHECK(unused.deleted == 1);  // nothing used it
  {
    const any_array taken = from_dlpack(&theirs.managed);
    axpy.inputs[0] = taken.view().erased();
    axpy(on);
    axpy.read_own();
  }
  CHECK(theirs.deleted == 0);
  CHECK(fake.calls("cuStreamSynchronize") == 0);
  axpy(on);
  CHECK(theirs.deleted == 1);
  axpy(on);
  CHECK(theirs.deleted == 1);
  CHECK_IN_ORDER(fake);
}

TEST_CASE("a consumer's stream waits for the writer, and the memory goes back after the consumer's work") {
  if (test::nvrtc_is_missing()) return;
  fake_cuda fake;
  test::ordered_call axpy(fake, "dlpack_axpy");
  const stream writer = stream::create(test::cuda);
  test::foreign_stream consumer(fake);
  const stream theirs = consumer.borrowed();
  for (const bool is_gone : {false, true}) {
    mine::versioned* const given = to_dlpack<mine::versioned>(any_array(axpy.fresh(writer)), &theirs);
    CHECK(fake.follows(theirs, writer));
    CHECK(given->dl_tensor.device.device_type == mine::cuda);
    const auto memory = reinterpret_cast<runtime::CUdeviceptr>(given->dl_tensor.data);
    const runtime::context_guard current(runtime::primary_context(0));
    fake.api().cuMemsetD8Async(memory, 1, 64, consumer.handle);
    if (is_gone) {
      forget(theirs);
      consumer.destroy();
    }
    const int freed = fake.calls("cuMemFreeAsync");
    given->deleter(given);
    CHECK(fake.calls("cuMemFreeAsync") == freed + 1);
  }
  CHECK_IN_ORDER(fake);
}
