// Reads and writes pictures, for the demonstration and the examples: plain C++ without Sinter.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace demo {

/// Red, green and blue between 0 and 1, row by row.
struct picture {
  std::int64_t rows = 0, columns = 0;
  std::vector<float> samples;  ///< rows * columns * 3
};

/// Points in the plane or in space, from a .npy file that holds no picture.
struct point_set {
  std::int64_t rows = 0;
  std::vector<float> samples;  ///< rows * 3
};

struct input {
  picture image;
  point_set points;  ///< empty unless the file held points; then `image` is a drawing of them
};

/// The path of a file in the folder of the running program.
std::string beside_program(const std::string& name);

/// Reads PNG, PPM (P5, P6) or .npy; throws std::runtime_error that says what is wrong.
input read(const std::string& path);

/// Draws points, seen along the last axis, as brightness; points that are not finite are left out.
picture draw(const point_set& points, std::int64_t rows, std::int64_t columns);

/// Writes 8 bits a channel. `samples` holds rows * columns * 3 numbers, clamped to [0, 1].
void write_png(const std::string& path, const float* samples, std::int64_t rows, std::int64_t columns);

}  // namespace demo
