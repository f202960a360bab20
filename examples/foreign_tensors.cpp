// Frames of another library by DLPack: each is viewed, computed with in one kernel, and written in place or
// given back as a tensor, in a loop. Nothing is copied, and no header of DLPack is needed.
#include <sinter/dlpack.hpp>

#include <cstdio>
#include <vector>

#include "check.hpp"

// A library of images, which knows nothing of Sinter and declares DLPack's structs for itself.
namespace images {

struct device {
  std::int32_t device_type, device_id;
};
struct type {
  std::uint8_t code, bits;
  std::uint16_t lanes;
};
struct tensor {
  void* data;
  images::device device;
  std::int32_t ndim;
  type dtype;
  std::int64_t *shape, *strides;
  std::uint64_t byte_offset;
};
struct managed_tensor {
  tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(managed_tensor*);
};

/// A frame of height x width x 3 bytes.
struct frame {
  std::int64_t extents[3] = {4, 6, 3}, strides[3] = {18, 3, 1};
  std::vector<std::uint8_t> bytes = std::vector<std::uint8_t>(4 * 6 * 3);
  managed_tensor lent{{bytes.data(), {1, 0}, 3, {1, 8, 1}, extents, strides, 0}, nullptr, nullptr};

  managed_tensor* next(int number) {
    for (std::size_t i = 0; i < bytes.size(); ++i)
      bytes[i] = static_cast<std::uint8_t>(static_cast<std::size_t>(number) * 40 + i);
    return &lent;
  }
};

/// Takes a tensor of grey values over and gives its mean.
double mean_of(managed_tensor* grey) {
  const auto* const values = static_cast<const float*>(grey->dl_tensor.data);
  const std::int64_t count = grey->dl_tensor.shape[0] * grey->dl_tensor.shape[1];
  double sum = 0;
  for (std::int64_t i = 0; i < count; ++i) sum += static_cast<double>(values[i]);
  grey->deleter(grey);
  return sum / static_cast<double>(count);
}

}  // namespace images

using namespace sinter;

int main() {
  images::frame camera;
  double last = 0, expected = 0;

  const auto brighten = fuse("brighten", [](auto image) {
    return astype<std::uint8_t>(minimum(astype<int>(image) + 20, 255));  // bytes would wrap
  });
  const auto to_grey = fuse("to_grey", [](auto image) { return mean<float>(image, axis<2>); });
  for (int number = 0; number < 5; ++number) {
    images::managed_tensor* const tensor = camera.next(number);
    const auto image = as_view<std::uint8_t, 3>(tensor);  // borrowed: the library keeps its frame
    brighten.into(image)(image);
    array<float, 2> grey = to_grey(image);
    last = images::mean_of(to_dlpack<images::managed_tensor>(std::move(grey)));  // and given away
  }

  for (const std::uint8_t byte : camera.bytes) expected += byte;
  expected /= static_cast<double>(camera.bytes.size());
  check(camera.bytes[0] == 180 && camera.bytes[71] == 251, "the frame is written in place");
  check(last > expected - 1e-3 && last < expected + 1e-3, "the mean of the grey values");
  std::puts("foreign tensors: ok");
}
