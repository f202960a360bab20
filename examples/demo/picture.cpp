#include "picture.hpp"

#include <png.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <stdexcept>

namespace demo {
namespace {

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw std::runtime_error(path + ": " + why);
}

// Converts grey or RGB samples, with or without alpha, to RGB.
picture from_channels(std::int64_t rows, std::int64_t columns, std::int64_t channels,
                      const std::vector<float>& values) {
  picture result{rows, columns, std::vector<float>(static_cast<std::size_t>(rows * columns * 3))};
  for (std::int64_t pixel = 0; pixel < rows * columns; ++pixel)
    for (std::int64_t c = 0; c < 3; ++c)
      result.samples[static_cast<std::size_t>(3 * pixel + c)] =
          values[static_cast<std::size_t>(pixel * channels + (channels < 3 ? 0 : c))];
  return result;
}

picture from_bytes(std::int64_t rows, std::int64_t columns, std::int64_t channels,
                   const std::uint8_t* bytes) {
  std::vector<float> values(static_cast<std::size_t>(rows * columns * channels));
  std::transform(bytes, bytes + values.size(), values.begin(),
                 [](std::uint8_t byte) { return static_cast<float>(byte) / 255.f; });
  return from_channels(rows, columns, channels, values);
}

picture read_png(const std::string& path, const std::string& file) {
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  if (!png_image_begin_read_from_memory(&image, file.data(), file.size())) refuse(path, image.message);
  image.format = PNG_FORMAT_RGB;
  std::vector<std::uint8_t> bytes(PNG_IMAGE_SIZE(image));
  const png_color white{255, 255, 255};  // behind what is transparent
  if (!png_image_finish_read(&image, &white, bytes.data(), 0, nullptr)) refuse(path, image.message);
  return from_bytes(image.height, image.width, 3, bytes.data());
}

// White space and comments separate the header's numbers; one white space character ends the last.
picture read_ppm(const std::string& path, const std::string& file) {
  std::size_t at = 2;
  std::int64_t numbers[3];
  for (std::int64_t& number : numbers) {
    while (at < file.size() && (std::isspace(static_cast<unsigned char>(file[at])) || file[at] == '#')) {
      if (file[at] == '#') at = std::min(file.find('\n', at), file.size() - 1);
      ++at;
    }
    number = 0;
    while (at < file.size() && std::isdigit(static_cast<unsigned char>(file[at])) && number < 1'000'000)
      number = 10 * number + (file[at++] - '0');
  }
  ++at;
  const auto [columns, rows, greatest] = numbers;
  const std::int64_t channels = file[1] == '6' ? 3 : 1;
  const std::int64_t bytes = greatest > 255 ? 2 : 1;
  if (columns < 1 || rows < 1 || greatest < 1 || greatest > 65535)
    refuse(path, "the header of this PPM file is damaged");
  const std::int64_t count = rows * columns * channels;
  if (static_cast<std::int64_t>(file.size()) - static_cast<std::int64_t>(at) < count * bytes)
    refuse(path, "this PPM file ends before its last pixel");
  std::vector<float> values(static_cast<std::size_t>(count));
  const auto* data = reinterpret_cast<const std::uint8_t*>(file.data()) + at;
  for (std::int64_t i = 0; i < count; ++i) {
    const int sample = bytes == 1 ? data[i] : 256 * data[2 * i] + data[2 * i + 1];
    values[static_cast<std::size_t>(i)] = static_cast<float>(sample) / static_cast<float>(greatest);
  }
  return from_channels(rows, columns, channels, values);
}

template <class T>
std::vector<float> converted(const char* data, std::int64_t count, float scale) {
  std::vector<float> values(static_cast<std::size_t>(count));
  for (float& value : values) {
    T sample;
    std::memcpy(&sample, data, sizeof(T));
    data += sizeof(T);
    value = static_cast<float>(sample) * scale;
  }
  return values;
}

// The number that follows `"shape": (`, one after another.
std::vector<std::int64_t> npy_shape(const std::string& header) {
  std::vector<std::int64_t> shape;
  std::size_t at = header.find('(', header.find("'shape'"));
  while (at < header.size() && header[at] != ')') {
    if (!std::isdigit(static_cast<unsigned char>(header[at]))) {
      ++at;
      continue;
    }
    shape.push_back(0);
    while (at < header.size() && std::isdigit(static_cast<unsigned char>(header[at])) &&
           shape.back() < (1LL << 40))
      shape.back() = 10 * shape.back() + (header[at++] - '0');
  }
  return shape;
}

input read_npy(const std::string& path, const std::string& file) {
  if (file.size() < 12) refuse(path, "this .npy file ends inside its header");
  const auto byte = [&](std::size_t i) {
    return static_cast<std::size_t>(static_cast<std::uint8_t>(file[i]));
  };
  const std::size_t length_bytes = file[6] == 1 ? 2 : 4;
  std::size_t length = byte(8) | byte(9) << 8;
  if (length_bytes == 4) length |= byte(10) << 16 | byte(11) << 24;
  const std::size_t start = 8 + length_bytes + length;
  if (start > file.size()) refuse(path, "this .npy file ends inside its header");
  const std::string header = file.substr(8 + length_bytes, length);
  const std::vector<std::int64_t> shape = npy_shape(header);
  if (header.find("'fortran_order': False") == std::string::npos)
    refuse(path, "this array is in column order; save numpy.ascontiguousarray(a)");
  const std::size_t rank = shape.size();
  const bool is_points = rank == 2 && (shape[1] == 2 || shape[1] == 3);
  const bool is_grey = rank == 2 && !is_points;
  const bool is_colour = rank == 3 && (shape[2] == 3 || shape[2] == 4);
  if (!is_points && !is_grey && !is_colour)
    refuse(path, "neither a picture (rows, columns) or (rows, columns, 3), nor points (n, 2) or (n, 3)");

  std::int64_t count = 1;
  for (const std::int64_t extent : shape) {
    if (extent < 1 || extent > std::numeric_limits<std::int64_t>::max() / count / 8)
      refuse(path, "this array is empty or too large");
    count *= extent;
  }
  const std::string type = header.substr(header.find('\'', header.find("'descr'") + 7) + 1, 3);
  const auto needs = [&](std::int64_t bytes) {
    if (static_cast<std::int64_t>(file.size() - start) < count * bytes)
      refuse(path, "this .npy file ends too early");
    return file.data() + start;
  };
  std::vector<float> values;
  if (type == "|u1")
    values = converted<std::uint8_t>(needs(1), count, is_points ? 1.f : 1 / 255.f);
  else if (type == "<f4")
    values = converted<float>(needs(4), count, 1);
  else if (type == "<f8")
    values = converted<double>(needs(8), count, 1);
  else
    refuse(path, "its elements are '" + type + "'; uint8, float32 and float64 are read");

  if (!is_points) return {from_channels(shape[0], shape[1], is_colour ? shape[2] : 1, values), {}};
  point_set points{shape[0], std::vector<float>(static_cast<std::size_t>(3 * shape[0]))};
  for (std::int64_t row = 0; row < shape[0]; ++row)
    for (std::int64_t axis = 0; axis < shape[1]; ++axis)
      points.samples[static_cast<std::size_t>(3 * row + axis)] =
          values[static_cast<std::size_t>(row * shape[1] + axis)];
  picture drawing = draw(points, 480, 640);
  return {std::move(drawing), std::move(points)};
}

}  // namespace

std::string beside_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").replace_filename(name).string();
}

input read(const std::string& path) {
  static_assert(std::endian::native == std::endian::little);
  std::ifstream stream(path, std::ios::binary);
  if (!stream) refuse(path, "this file cannot be opened");
  const std::string file{std::istreambuf_iterator<char>(stream), {}};
  if (file.starts_with("\x89PNG")) return {read_png(path, file), {}};
  if (file.starts_with("P5") || file.starts_with("P6")) return {read_ppm(path, file), {}};
  if (file.starts_with("\x93NUMPY")) return read_npy(path, file);
  refuse(path, "not a PNG, PPM (P5 or P6) or .npy file");
}

picture draw(const point_set& points, std::int64_t rows, std::int64_t columns) {
  float least[2], greatest[2];
  for (int axis = 0; axis < 2; ++axis) {
    least[axis] = std::numeric_limits<float>::max();
    greatest[axis] = std::numeric_limits<float>::lowest();
    for (std::int64_t row = 0; row < points.rows; ++row) {
      const float value = points.samples[static_cast<std::size_t>(3 * row + axis)];
      if (!std::isfinite(value)) continue;
      least[axis] = std::min(least[axis], value);
      greatest[axis] = std::max(greatest[axis], value);
    }
  }
  std::vector<float> counts(static_cast<std::size_t>(rows * columns));
  for (std::int64_t row = 0; row < points.rows; ++row) {
    float at[2];
    for (int axis = 0; axis < 2; ++axis)
      at[axis] = (points.samples[static_cast<std::size_t>(3 * row + axis)] - least[axis]) /
                 std::max(greatest[axis] - least[axis], std::numeric_limits<float>::min());
    if (!std::isfinite(at[0]) || !std::isfinite(at[1])) continue;
    const auto x = static_cast<std::int64_t>(at[0] * static_cast<float>(columns - 1));
    const auto y = static_cast<std::int64_t>((1 - at[1]) * static_cast<float>(rows - 1));
    counts[static_cast<std::size_t>(y * columns + x)] += 1;
  }
  const float most = std::max(1.f, *std::max_element(counts.begin(), counts.end()));
  for (float& count : counts) count = std::sqrt(count / most);
  return from_channels(rows, columns, 1, counts);
}

void write_png(const std::string& path, const float* samples, std::int64_t rows, std::int64_t columns) {
  std::vector<std::uint8_t> bytes(static_cast<std::size_t>(rows * columns * 3));
  std::transform(samples, samples + bytes.size(), bytes.begin(), [](float sample) {
    // The comparison is false for NaN, which becomes black.
    return static_cast<std::uint8_t>(std::lround(255.f * (sample > 0.f ? std::min(sample, 1.f) : 0.f)));
  });
  png_image image{};
  image.version = PNG_IMAGE_VERSION;
  image.width = static_cast<png_uint_32>(columns);
  image.height = static_cast<png_uint_32>(rows);
  image.format = PNG_FORMAT_RGB;
  if (!png_image_write_to_file(&image, path.c_str(), 0, bytes.data(), 0, nullptr))
    refuse(path, image.message);
}

}  // namespace demo
