// A picture that was taken in too little light, with its histogram equalised: bincount counts the pixels of
// each level, cumsum makes a table of 256 gains of the counts, and take reads it at each pixel's level while
// the colours are multiplied. Beside the same loops in C++. Writes the picture before and after to
// equalised_image.png, or to the file that is named; a second name is that of another picture.
#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../check.hpp"
#include "../demo/picture.hpp"
#include "../timing.hpp"

using namespace sinter;

using bytes = std::vector<unsigned char>;  // red, green and blue of each pixel

// The brightness of a colour, from 0 to 255: of numbers in the loops, of values in the kernel.
const auto level_of = [](auto red, auto green, auto blue) {
  return (54 * red + 183 * green + 19 * blue) >> 8;
};

// In C++. What colours of each level are multiplied by, so that each level is as frequent as any other.
std::vector<float> gains_in_loop(const bytes& image) {
  std::array<std::int64_t, 256> pixels_of{};
  for (std::size_t i = 0; i < image.size(); i += 3)
    ++pixels_of[static_cast<std::size_t>(level_of(int{image[i]}, int{image[i + 1]}, int{image[i + 2]}))];
  std::vector<float> gains(256);
  std::int64_t darker_or_equal = 0;
  for (std::size_t level = 0; level < gains.size(); ++level) {
    darker_or_equal += pixels_of[level];
    const float share = 3.f * static_cast<float>(darker_or_equal) / static_cast<float>(image.size());
    gains[level] = 255.f * share / static_cast<float>(std::max<std::size_t>(level, 1));
  }
  return gains;
}

void equalise_in_loop(const bytes& image, const std::vector<float>& gains, bytes& equalised) {
  for (std::size_t i = 0; i < image.size(); i += 3) {
    const int level = level_of(int{image[i]}, int{image[i + 1]}, int{image[i + 2]});
    const float gain = gains[static_cast<std::size_t>(level)];
    for (std::size_t channel = 0; channel < 3; ++channel)
      equalised[i + channel] =
          static_cast<unsigned char>(std::min(static_cast<float>(image[i + channel]) * gain + 0.5f, 255.f));
  }
}

// With Sinter.
const auto levels_of = [](auto image) {
  const auto channel = [&](int number) { return astype<int>(image(all(), all(), number)); };
  return level_of(channel(0), channel(1), channel(2));
};
const auto equalising_gains = [](auto image) {
  const auto darker_or_equal = astype<float>(cumsum(bincount(levels_of(image), 256)));
  const auto share = darker_or_equal / astype<float>(extent<0>(image) * extent<1>(image));
  return 255.f * share / astype<float>(maximum(iota(256), 1));
};
// The table has one axis, the levels have two, and so have the gains.
const auto equalise = [](auto image, auto gains) {
  const auto gain = take(gains, levels_of(image), axis<0>);
  return astype<unsigned char>(minimum(astype<float>(image) * gain(all(), all(), newaxis) + 0.5f, 255.f));
};

int main(int count, char** arguments) {
  const demo::picture picture =
      demo::read(count > 2 ? arguments[2] : demo::beside_program("example.png")).image;
  const std::int64_t rows = picture.rows, columns = picture.columns;
  // Colours as a camera has them that was given too little light.
  bytes dark(picture.samples.size());
  std::transform(picture.samples.begin(), picture.samples.end(), dark.begin(),
                 [](float sample) { return static_cast<unsigned char>(100.f * sample * sample); });

  const array<unsigned char, 3> image = array<unsigned char, 3>::from(dark, {rows, columns, 3});
  const auto measure = fuse("equalising_gains", equalising_gains);
  const auto brighten = fuse("equalise", equalise);
  array<float, 1> gains = measure(image);
  array<unsigned char, 3> equalised = brighten(image, gains);
  std::vector<float> table;
  bytes expected(dark.size());
  const double in_loop = milliseconds([&] {
    table = gains_in_loop(dark);
    equalise_in_loop(dark, table, expected);
  });
  const double in_kernel = milliseconds([&] {
    measure.into(gains)(image);
    brighten.into(equalised)(image, gains);
    synchronize();
  });

  const std::vector<float> found_gains = gains.to_vector();
  for (std::size_t level = 0; level < table.size(); ++level)
    check(std::abs(found_gains[level] - table[level]) <= 1e-6f * table[level], "the gain of a level");

  // Equal, unless one side makes a fused multiply-add: then a colour may be rounded to its neighbour.
  const bytes found = equalised.to_vector();
  std::size_t differing = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    check(std::abs(found[i] - expected[i]) <= 1, "an equalised colour");
    differing += found[i] != expected[i];
  }
  check(differing < found.size() / 1000, "equalised colours");
  std::printf("%lld x %lld pixels equalised: C++ loops %.2f ms, Sinter %.2f ms; %zu of %zu colours differ\n",
              static_cast<long long>(rows), static_cast<long long>(columns), in_loop, in_kernel, differing,
              found.size());

  // Before at the left, after at the right.
  const array<float, 3> both = astype<float>(concatenate<1>(image, equalised)) / 255.f;
  demo::write_png(count > 1 ? arguments[1] : "equalised_image.png", both.to_vector().data(), rows,
                  2 * columns);
}
