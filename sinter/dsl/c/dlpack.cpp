// Arrays that change hands as DLPack tensors. The C interface's structs have DLPack's members.
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>
#include <sinter/dsl/foreign/dlpack_ownership.hpp>

#include <memory>

using namespace sinter;
using c::checked;
using c::guarded;

namespace {

template <class Managed>
void give_away(sinter_array* array, const stream* consumer, Managed** tensor) {
  any_array& elements = checked(array, "the array").elements;
  Managed*& result = checked(tensor, "the pointer for the tensor");
  result = to_dlpack<Managed>(std::move(elements), consumer);
  delete array;
}

template <class Managed>
void take_over(Managed* tensor, sinter_array** array) {
  (void)checked(tensor, "the tensor");
  sinter_array*& result = checked(array, "the pointer for the array");
  auto made = std::make_unique<sinter_array>(sinter_array{from_dlpack(tensor)});
  result = made.release();
}

}  // namespace

sinter_status sinter_array_to_dlpack(sinter_array* array, sinter_managed_tensor** tensor) {
  return guarded("sinter_array_to_dlpack", [&] { give_away(array, nullptr, tensor); });
}

sinter_status sinter_array_to_dlpack_versioned(sinter_array* array, const sinter_stream* consumer,
                                               sinter_versioned_tensor** tensor) {
  return guarded("sinter_array_to_dlpack_versioned",
                 [&] { give_away(array, consumer != nullptr ? &consumer->queue : nullptr, tensor); });
}

sinter_status sinter_array_from_dlpack(sinter_managed_tensor* tensor, sinter_array** array) {
  return guarded("sinter_array_from_dlpack", [&] { take_over(tensor, array); });
}

sinter_status sinter_array_from_dlpack_versioned(sinter_versioned_tensor* tensor, sinter_array** array) {
  return guarded("sinter_array_from_dlpack_versioned", [&] { take_over(tensor, array); });
}
