// A picture with grains of salt and pepper, and without them: each colour becomes the median of the nine
// around it, by a network of minimum and maximum of shifted slices. One kernel, beside a loop in C++. Writes
// the picture before and after to median_filter.png, or to the file that is named; a second name is that of
// another picture.
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include "../check.hpp"
#include "../demo/picture.hpp"
#include "../timing.hpp"

using namespace sinter;

using bytes = std::vector<unsigned char>;  // red, green and blue of each pixel

// In C++. Outside of the picture is the nearest pixel of its edge.
void filter_in_loop(const bytes& image, std::int64_t rows, std::int64_t columns, bytes& filtered) {
  auto sample = filtered.begin();
  for (std::int64_t row = 0; row < rows; ++row)
    for (std::int64_t column = 0; column < columns; ++column)
      for (std::int64_t channel = 0; channel < 3; ++channel) {
        std::array<unsigned char, 9> around{};
        for (std::int64_t i = 0; i < 9; ++i) {
          const std::int64_t from_row = std::clamp<std::int64_t>(row + i / 3 - 1, 0, rows - 1);
          const std::int64_t from_column = std::clamp<std::int64_t>(column + i % 3 - 1, 0, columns - 1);
          around[static_cast<std::size_t>(i)] =
              image[static_cast<std::size_t>((from_row * columns + from_column) * 3 + channel)];
        }
        std::nth_element(around.begin(), around.begin() + 4, around.end());
        *sample++ = around[4];
      }
}

// With Sinter. Nine slices of the picture with an edge around it, and 19 exchanges that leave the median in
// the middle: Paeth's network, in Graphics Gems (1990).
const auto median_filter = [](auto image) {
  const auto edged = pad(pad(image, axis<0>, 1, 1, boundary::edge), axis<1>, 1, 1, boundary::edge);
  const auto before = slice(0, -2), here = slice(1, -1), after = slice(2, end);
  const auto moved = [&](auto rows, auto columns) { return edged(rows, columns, all()); };
  std::array around{moved(before, before), moved(before, here), moved(before, after),
                    moved(here, before),   moved(here, here),   moved(here, after),
                    moved(after, before),  moved(after, here),  moved(after, after)};
  constexpr std::size_t exchanges[][2] = {{1, 2}, {4, 5}, {7, 8}, {0, 1}, {3, 4}, {6, 7}, {1, 2},
                                          {4, 5}, {7, 8}, {0, 3}, {5, 8}, {4, 7}, {3, 6}, {1, 4},
                                          {2, 5}, {4, 7}, {4, 2}, {6, 4}, {4, 2}};
  for (const auto& [low, high] : exchanges) {
    const auto smaller = minimum(around[low], around[high]);
    around[high] = maximum(around[low], around[high]);
    around[low] = smaller;
  }
  return around[4];
};

// Each colour in ten is black or white.
const auto with_grains = [](auto image) {
  const auto drawn = rng::uniform<float>(image, 42);
  return where(drawn < 0.05f, 0, where(drawn < 0.1f, 255, image));
};

int main(int count, char** arguments) {
  const demo::picture picture =
      demo::read(count > 2 ? arguments[2] : demo::beside_program("example.png")).image;
  const std::int64_t rows = picture.rows, columns = picture.columns;
  bytes clean(picture.samples.size());
  std::transform(picture.samples.begin(), picture.samples.end(), clean.begin(),
                 [](float sample) { return static_cast<unsigned char>(std::lround(255.f * sample)); });
  const array<unsigned char, 3> image = array<unsigned char, 3>::from(clean, {rows, columns, 3});

  const array<unsigned char, 3> grained = fuse("with_grains", with_grains)(image);
  const auto filter = fuse("median_filter", median_filter);
  array<unsigned char, 3> filtered = filter(grained);
  const bytes grains = grained.to_vector();
  bytes expected(grains.size());
  const double in_loop = milliseconds([&] { filter_in_loop(grains, rows, columns, expected); });
  const double in_kernel = milliseconds([&] {
    filter.into(filtered)(grained);
    synchronize();
  });

  const bytes found = filtered.to_vector();
  check(found == expected, "the medians");
  // Medians have lost most of the grains: the mean distance from the picture without them is a fraction.
  const auto distance = [&](const bytes& other) {
    std::int64_t sum = 0;
    for (std::size_t i = 0; i < clean.size(); ++i) sum += std::abs(other[i] - clean[i]);
    return static_cast<double>(sum) / static_cast<double>(clean.size());
  };
  const double before = distance(grains), after = distance(found);
  check(after < before / 2, "the picture without grains");
  std::printf("%lld x %lld pixels filtered: C++ loop %.2f ms, Sinter %.2f ms; mean error %.1f, before %.1f\n",
              static_cast<long long>(rows), static_cast<long long>(columns), in_loop, in_kernel, after,
              before);

  // Before at the left, after at the right.
  const array<float, 3> both = astype<float>(concatenate<1>(grained, filtered)) / 255.f;
  demo::write_png(count > 1 ? arguments[1] : "median_filter.png", both.to_vector().data(), rows, 2 * columns);
}
