// The Mandelbrot set: a loop that ends for each pixel by itself, beside the same loop in C++. Writes the
// picture to mandelbrot.ppm, or to the file that is named.
#include <sinter/sinter.hpp>

#include <cstdio>
#include <fstream>
#include <tuple>
#include <vector>

#include "check.hpp"
#include "timing.hpp"

using namespace sinter;

int max_steps = 500;

// How many steps of z = z * z + c from 0 stay within a circle of radius 2. In C++, for one pixel:
int steps_inside(float cx, float cy) {
  float x = 0, y = 0;
  int steps = 0;
  while (x * x + y * y <= 4 && steps < max_steps) {
    const float next = x * x - y * y + cx;
    y = 2 * x * y + cy;
    x = next;
    ++steps;
  }
  return steps;
}

int main(int count, char** arguments) {
  const std::int64_t rows = 480, columns = 640;
  // And for all pixels, in one kernel. The next states are computed from the states before them.
  auto escape = fuse("mandelbrot", [](auto cx, auto cy, auto most) {
    const auto inside = [&](auto x, auto y, auto steps) { return x * x + y * y <= 4 && steps < most; };
    const auto step = [&](auto x, auto y, auto steps) {
      return std::tuple(x * x - y * y + cx, 2 * x * y + cy(all(), newaxis), steps + 1);
    };
    return std::get<2>(repeat_while(inside, 0, 0, scalar<int>(0), step));
  });
  const auto strict = escape.strict();  // rounds as the loop in C++ does

  const array<float, 1> cx = linspace<float>(-2.25f, 0.75f, columns);
  const array<float, 1> cy = linspace<float>(-1.125f, 1.125f, rows);
  array<int, 2> steps = strict(cx, cy, max_steps);

  const std::vector<float> real = cx.to_vector(), imaginary = cy.to_vector();
  std::vector<int> expected(static_cast<std::size_t>(rows * columns));
  const double in_loop = milliseconds([&] {
    auto pixel = expected.begin();
    for (const float y : imaginary)
      for (const float x : real) *pixel++ = steps_inside(x, y);
  });
  const double in_kernel = milliseconds([&] {
    strict.into(steps)(cx, cy, max_steps);
    synchronize();
  });
  // Equal, unless the C++ compiler makes fused multiply-adds of the loop.
  const std::vector<int> found = steps.to_vector();
  std::size_t differing = 0;
  for (std::size_t i = 0; i < found.size(); ++i) differing += found[i] != expected[i];
  check(differing < found.size() / 100, "steps of each pixel");
  std::printf("%zu of %zu pixels differ; C++ loop %.1f ms, Sinter %.1f ms\n", differing, found.size(),
              in_loop, in_kernel);

  // Black inside the set, else a colour that turns with the number of steps.
  auto paint = fuse([](auto steps, auto most) {
    const auto phase = sqrt(astype<float>(steps)) * 0.6f;
    const auto colour = [&](float shift) {
      return astype<unsigned char>(where(steps < most, 127.5f - 127.5f * cos(phase + shift), 0));
    };
    return std::tuple(colour(0.f), colour(0.7f), colour(1.4f));
  });
  array<unsigned char, 3> picture({rows, columns, 3});
  paint.into(picture(all(), all(), 0), picture(all(), all(), 1), picture(all(), all(), 2))(steps, max_steps);
  const std::vector<unsigned char> bytes = picture.to_vector();
  std::ofstream file(count > 1 ? arguments[1] : "mandelbrot.ppm", std::ios::binary);
  file << "P6\n" << columns << ' ' << rows << "\n255\n";
  file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  check(file.good(), "the picture's file");
}
