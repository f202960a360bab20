// Another library, with whose tensors the guide's blocks compute: a camera and a screen that know DLPack, and
// a type of Python objects with an exchange table.
#pragma once

#include <sinter/dlpack_exchange.hpp>

#include <cstdint>
#include <vector>

using DLManagedTensor = sinter::dlpack_abi::managed_tensor;
using DLManagedTensorVersioned = sinter::dlpack_abi::versioned_tensor;

/// Gives a frame of 4 x 6 x 3 bytes three times.
struct camera_type {
  int left = 3;
  std::int64_t extents[3] = {4, 6, 3};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(72, 100);
  DLManagedTensor frame{{bytes.data(), {1, 0}, 3, {1, 8, 1}, extents, nullptr, 0}, nullptr, nullptr};
  DLManagedTensor* next() { return left-- != 0 ? &frame : nullptr; }
};
struct screen_type {
  void show(DLManagedTensorVersioned* picture) { picture->deleter(picture); }
};

/// A Python object is here a tensor of 2 x 3 floats, or one that was given.
struct python_type {
  float elements[6] = {1, 2, 3, 4, 5, 6};
  std::int64_t extents[2] = {2, 3};
  sinter::dlpack_abi::exchange_table table{{{1, 3}, nullptr},
                                           [](auto, auto, void*, auto) { return -1; },
                                           [](void*, DLManagedTensorVersioned**) { return -1; },
                                           [](DLManagedTensorVersioned* given, void** out) {
                                             *out = given;
                                             given->deleter(given);
                                             return 0;
                                           },
                                           [](void* object, sinter::dlpack_abi::tensor* out) {
                                             auto& from = *static_cast<python_type*>(object);
                                             *out = {from.elements, {1, 0},  2, {2, 32, 1},
                                                     from.extents,  nullptr, 0};
                                             return 0;
                                           },
                                           [](std::int32_t, std::int32_t, void** out) {
                                             *out = nullptr;
                                             return 0;
                                           }};
};

inline camera_type camera;
inline screen_type screen;
inline python_type python;
