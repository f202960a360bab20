// Conway's game of life on a torus: a cell has the neighbours across the edges, too, which rolled arrays
// bring beside it. One kernel makes a generation and a trail of the cells that were, beside the same loop in
// C++. Writes the last picture to life.ppm, or to the file that is named.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <fstream>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

using cells = std::vector<unsigned char>;  // 1: alive

// In C++, one generation.
void next_generation(const cells& now, std::size_t rows, std::size_t columns, cells& next) {
  for (std::size_t y = 0; y < rows; ++y) {
    const std::size_t above = (y + rows - 1) % rows * columns, below = (y + 1) % rows * columns;
    for (std::size_t x = 0; x < columns; ++x) {
      const std::size_t left = (x + columns - 1) % columns, right = (x + 1) % columns, row = y * columns;
      const int neighbours = now[above + left] + now[above + x] + now[above + right] + now[row + left] +
                             now[row + right] + now[below + left] + now[below + x] + now[below + right];
      next[row + x] = neighbours == 3 || (neighbours == 2 && now[row + x] != 0);
    }
  }
}

// All of them in one kernel. Three rows are added first, then three columns of what they give: a block of
// nine cells, with the cell itself.
const auto generation = [](auto now) {
  const auto rows = roll(now, 1, axis<0>) + now + roll(now, -1, axis<0>);
  const auto block = roll(rows, 1, axis<1>) + rows + roll(rows, -1, axis<1>);
  return astype<unsigned char>(block == 3 || (block == 4 && now == 1));
};

int main(int count, char** arguments) {
  const auto step = fuse("life", generation);

  // A glider moves by one cell in four generations: it has gone around a torus of 24 x 24 after 96.
  const std::int64_t side = 24;
  cells glider(static_cast<std::size_t>(side * side));
  for (const auto& [y, x] : {std::pair{0, 1}, {1, 2}, {2, 0}, {2, 1}, {2, 2}})
    glider[static_cast<std::size_t>(y * side + x)] = 1;
  array<unsigned char, 2> moving = array<unsigned char, 2>::from(glider, {side, side});
  for (std::int64_t i = 0; i < 4 * side; ++i) moving = step(moving);
  check(moving.to_vector() == glider, "a glider around the torus");

  // A quarter of the cells are alive at first.
  const std::int64_t rows = 768, columns = 1024;
  cells first(static_cast<std::size_t>(rows * columns));
  std::mt19937 random(1970);
  for (unsigned char& cell : first) cell = random() % 4 == 0;

  array<unsigned char, 2> now = array<unsigned char, 2>::from(first, {rows, columns});
  array<unsigned char, 2> next = step(now);
  cells expected(first.size());
  const double in_loop = milliseconds([&] {
    next_generation(first, static_cast<std::size_t>(rows), static_cast<std::size_t>(columns), expected);
  });
  const double in_kernel = milliseconds([&] {
    step.into(next)(now);
    synchronize();
  });
  check(next.to_vector() == expected, "a generation");
  std::printf("a generation of %lld x %lld cells: C++ loop %.2f ms, Sinter %.2f ms\n",
              static_cast<long long>(rows), static_cast<long long>(columns), in_loop, in_kernel);

  // Where a cell was alive, its light fades. Both results are of one kernel.
  const auto step_and_fade = fuse("life_with_trails", [](auto now, auto light) {
    const auto next = generation(now);
    return std::tuple(next, where(next == 1, 1.f, 0.97f * light));
  });
  array<float, 2> light = astype<float>(now), next_light(light.shape());
  for (int i = 0; i < 200; ++i) {
    step_and_fade.into(next, next_light)(now, light);
    std::swap(now, next);
    std::swap(light, next_light);
  }

  const auto paint = fuse([](auto now, auto light) {
    const auto colour = [&](float trail) {
      return astype<unsigned char>(where(now == 1, 255.f, 255 * trail * light));
    };
    return std::tuple(colour(0.1f), colour(0.35f), colour(0.75f));
  });
  array<unsigned char, 3> picture({rows, columns, 3});
  paint.into(picture(all(), all(), 0), picture(all(), all(), 1), picture(all(), all(), 2))(now, light);
  const std::vector<unsigned char> bytes = picture.to_vector();
  std::ofstream file(count > 1 ? arguments[1] : "life.ppm", std::ios::binary);
  file << "P6\n" << columns << ' ' << rows << "\n255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  check(file.good(), "the picture's file");
}
