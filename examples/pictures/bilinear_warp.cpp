// A picture that is swirled around its centre: each pixel shows the picture at a position between four
// pixels, which are gathered and mixed. One kernel, beside the same loop in C++. Writes bilinear_warp.png, or
// the file that is named; a second name is that of the picture to swirl.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <vector>

#include "../check.hpp"
#include "../demo/picture.hpp"
#include "../timing.hpp"

using namespace sinter;

// In C++. `turn` is the angle at the centre, in radians; at a distance of `reach` pixels a third of it is
// left.
void swirl_in_loop(const demo::picture& image, float turn, float reach, std::vector<float>& warped) {
  const float middle_row = 0.5f * static_cast<float>(image.rows - 1);
  const float middle_column = 0.5f * static_cast<float>(image.columns - 1);
  auto sample = warped.begin();
  for (std::int64_t row = 0; row < image.rows; ++row) {
    for (std::int64_t column = 0; column < image.columns; ++column) {
      const float y = static_cast<float>(row) - middle_row, x = static_cast<float>(column) - middle_column;
      const float angle = turn * std::exp(-(x * x + y * y) / (reach * reach));
      const float from_row = std::cos(angle) * y - std::sin(angle) * x + middle_row;
      const float from_column = std::sin(angle) * y + std::cos(angle) * x + middle_column;
      const float top = std::floor(from_row), left = std::floor(from_column);
      const float down = from_row - top, right = from_column - left;
      // What would be outside is the nearest pixel of the edge.
      const std::int64_t i = std::clamp<std::int64_t>(static_cast<std::int64_t>(top), 0, image.rows - 1);
      const std::int64_t j = std::clamp<std::int64_t>(static_cast<std::int64_t>(left), 0, image.columns - 1);
      const std::int64_t below =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(top) + 1, 0, image.rows - 1);
      const std::int64_t beside =
          std::clamp<std::int64_t>(static_cast<std::int64_t>(left) + 1, 0, image.columns - 1);
      for (std::int64_t channel = 0; channel < 3; ++channel) {
        const auto pixel = [&](std::int64_t of_row, std::int64_t of_column) {
          return image.samples[static_cast<std::size_t>((of_row * image.columns + of_column) * 3 + channel)];
        };
        const float upper = pixel(i, j) + right * (pixel(i, beside) - pixel(i, j));
        const float lower = pixel(below, j) + right * (pixel(below, beside) - pixel(below, j));
        *sample++ = upper + down * (lower - upper);
      }
    }
  }
}

// With Sinter. Positions and weights have two axes; the gathered pixels have the channels as a third.
const auto swirl = [](auto image, auto turn, auto reach) {
  const auto plane = image(all(), all(), 0);
  const auto last_row = extent<0>(image) - 1, last_column = extent<1>(image) - 1;
  const auto middle_row = 0.5f * astype<float>(last_row), middle_column = 0.5f * astype<float>(last_column);
  const auto y = astype<float>(coordinate<0>(plane)) - middle_row;
  const auto x = astype<float>(coordinate<1>(plane)) - middle_column;
  const auto angle = turn * exp(-(x * x + y * y) / (reach * reach));
  const auto from_row = cos(angle) * y - sin(angle) * x + middle_row;
  const auto from_column = sin(angle) * y + cos(angle) * x + middle_column;
  const auto top = floor(from_row), left = floor(from_column);
  const auto down = (from_row - top)(all(), all(), newaxis),
             right = (from_column - left)(all(), all(), newaxis);
  // What would be outside is the nearest pixel of the edge.
  const auto pixel = [&](auto row, auto column) {
    return gather(image, clip(astype<std::int64_t>(row), 0, last_row),
                  clip(astype<std::int64_t>(column), 0, last_column));
  };
  const auto mix = [](auto from, auto to, auto weight) { return from + weight * (to - from); };
  return mix(mix(pixel(top, left), pixel(top, left + 1), right),
             mix(pixel(top + 1, left), pixel(top + 1, left + 1), right), down);
};

int main(int count, char** arguments) {
  const demo::picture picture =
      demo::read(count > 2 ? arguments[2] : demo::beside_program("example.png")).image;
  const array<float, 3> image = array<float, 3>::from(picture.samples, {picture.rows, picture.columns, 3});
  const float turn = 2.5f, reach = 0.4f * static_cast<float>(picture.rows);

  const auto warp = fuse("swirl", swirl);
  array<float, 3> warped = warp(image, turn, reach);
  std::vector<float> expected(picture.samples.size());
  const double in_loop = milliseconds([&] { swirl_in_loop(picture, turn, reach, expected); });
  const double in_kernel = milliseconds([&] {
    warp.into(warped)(image, turn, reach);
    synchronize();
  });

  // A position is rounded in two ways, and the mixed colour changes little over what lies between them.
  const std::vector<float> found = warped.to_vector();
  float largest = 0;
  for (std::size_t i = 0; i < found.size(); ++i)
    largest = std::max(largest, std::abs(found[i] - expected[i]));
  check(largest < 1e-3f, "colours of the swirled picture");
  std::printf("%lld x %lld pixels swirled: C++ loop %.2f ms, Sinter %.2f ms; largest difference %.1e\n",
              static_cast<long long>(picture.rows), static_cast<long long>(picture.columns), in_loop,
              in_kernel, static_cast<double>(largest));
  demo::write_png(count > 1 ? arguments[1] : "bilinear_warp.png", found.data(), picture.rows,
                  picture.columns);
}
