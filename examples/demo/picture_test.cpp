// Tests of the demonstration's readers: each format, and damaged files.
#include "picture.hpp"

#include <cmath>
#include <cstdio>
#include <fstream>
#include <stdexcept>
#include <string>

#include "../check.hpp"

namespace {

const std::string path = "demo_picture_test.file";

void write(const std::string& content) { std::ofstream(path, std::ios::binary) << content; }

bool refused() {
  try {
    demo::read(path);
    return false;
  } catch (const std::runtime_error& caught) {
    return std::string(caught.what()).find(path) == 0;
  }
}

// Version 1 of the format: the header is padded so that data begins at a multiple of 64.
std::string npy(const std::string& type, const std::string& shape, const std::string& data) {
  std::string header = "{'descr': '" + type + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  header += std::string(117 - header.size(), ' ') + "\n";
  return std::string("\x93NUMPY\x01\x00\x76\x00", 10) + header + data;
}

template <class T, std::size_t Count>
std::string bytes(const T (&values)[Count]) {
  return std::string(reinterpret_cast<const char*>(values), sizeof(values));
}

bool holds(const demo::picture& image, std::int64_t rows, std::int64_t columns,
           std::initializer_list<float> expected) {
  if (image.rows != rows || image.columns != columns || image.samples.size() != expected.size()) return false;
  for (std::size_t i = 0; i < expected.size(); ++i)
    if (std::abs(image.samples[i] - expected.begin()[i]) > 1e-6f) return false;
  return true;
}

}  // namespace

int main() {
  const std::string six("\x00\x33\xff\xff\x33\x00", 6);
  write("P6 # a comment\n2 1\n255\n" + six);
  check(holds(demo::read(path).image, 1, 2, {0, 0.2f, 1, 1, 0.2f, 0}), "P6");
  write("P5\n# a comment\n1 2 65535\n" + std::string("\xff\xff\x00\x00", 4));
  check(holds(demo::read(path).image, 2, 1, {1, 1, 1, 0, 0, 0}), "P5 of 16 bits");
  write("P6 2 1 255\n" + six.substr(1));
  check(refused(), "a PPM that ends early");
  write("P6 2 1 ");
  check(refused(), "a PPM that ends in its header");
  write("P6 0 1 255\n");
  check(refused(), "a PPM without pixels");

  const float samples[] = {0, 0.2f, 1, 1, 0.2f, 0};
  demo::write_png(path, samples, 1, 2);
  check(holds(demo::read(path).image, 1, 2, {0, 0.2f, 1, 1, 0.2f, 0}), "PNG, written and read");

  write(npy("|u1", "1, 2, 3", six));
  check(holds(demo::read(path).image, 1, 2, {0, 0.2f, 1, 1, 0.2f, 0}), ".npy of bytes");
  const double grey[] = {0.5, 1, 0, 0.25};
  write(npy("<f8", "1, 4", bytes(grey)));
  check(holds(demo::read(path).image, 1, 4, {0.5f, 0.5f, 0.5f, 1, 1, 1, 0, 0, 0, 0.25f, 0.25f, 0.25f}),
        ".npy of doubles");
  const float points[] = {-1, -1, 1, 1, 0, NAN};
  write(npy("<f4", "3, 2", bytes(points)));
  const demo::input read = demo::read(path);
  check(read.points.rows == 3 && read.points.samples[3] == 1 && read.points.samples[2] == 0,
        "points of the plane");
  check(read.image.samples[static_cast<std::size_t>(3 * (read.image.columns - 1))] == 1,
        "a point drawn in its corner");
  write(npy("<f4", "3, 2", bytes(points)).substr(0, 140));
  check(refused(), "an .npy file that ends early");
  write(npy("<i4", "3, 2", bytes(points)));
  check(refused(), "elements of another type");
  write(npy("<f4", "0, 2", ""));
  check(refused(), "no points");
  write(npy("<f4", "9223372036854775807, 3", bytes(points)));
  check(refused(), "an absurd shape");
  write("GIF89a");
  check(refused(), "another format");
  std::remove(path.c_str());
  check(refused(), "no file");
  std::puts("pictures: ok");
}
