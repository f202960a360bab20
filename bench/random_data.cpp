#include "random_data.hpp"

#include "limits/cuda_limits.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

namespace sinter_bench {
namespace {

// Gives the same values as the kernel in cuda_limits.cpp.
std::uint32_t mixed(std::uint64_t index, std::uint32_t seed) {
  std::uint64_t h = index * 0x9e3779b97f4a7c15u + std::uint64_t{seed} * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9u;
  h = (h ^ (h >> 27)) * 0x94d049bb133111ebu;
  return static_cast<std::uint32_t>((h ^ (h >> 31)) >> 32);
}

float draw(std::uint64_t index, std::uint32_t seed, distribution drawn) {
  const std::uint32_t a = mixed(index, seed);
  if (drawn == distribution::half_to_one_and_a_half) return 0.5f + static_cast<float>(a >> 8) * 0x1p-24f;
  const std::uint32_t b = mixed(index, seed + 0x5851f42du);
  const int sum = static_cast<int>(a & 0xffffu) + static_cast<int>(a >> 16) + static_cast<int>(b & 0xffffu) +
                  static_cast<int>(b >> 16) - 131070;
  return static_cast<float>(sum) * (1.7320508f / 65536.0f);
}

constexpr unsigned char pattern = 0xff;  // NaN of every floating type; no bool

}  // namespace

void fill_random(void* data, std::size_t count, sinter::element_type type, sinter::device where,
                 distribution drawn, std::uint32_t seed) {
  if (where.is_cuda()) return cuda_fill(data, count, type, static_cast<int>(drawn), seed);
  for (std::size_t i = 0; i < count; ++i) {
    if (type == sinter::element_type::boolean)
      static_cast<unsigned char*>(data)[i] = mixed(i, seed) & 1u;
    else if (type == sinter::element_type::bfloat16)
      static_cast<sinter::bfloat16*>(data)[i] = sinter::bfloat16(draw(i, seed, drawn));
    else if (type == sinter::element_type::float16)
      static_cast<sinter::float16*>(data)[i] = sinter::float16(draw(i, seed, drawn));
    else
      static_cast<float*>(data)[i] = draw(i, seed, drawn);
  }
}

void poison(void* data, std::size_t bytes, sinter::device where) {
  if (where.is_cuda())
    cuda_set_bytes(data, bytes, pattern);
  else
    std::memset(data, pattern, bytes);
}

bool is_poison_left(const void* data, std::size_t bytes, std::size_t element_bytes, sinter::device where) {
  // The first and the last elements, and pieces spread evenly between them, so that the sample covers tiles
  // and tails.
  constexpr std::size_t pieces = 64, piece_bytes = 4096;
  std::vector<unsigned char> piece(std::min(bytes, piece_bytes));
  for (std::size_t i = 0; i < pieces; ++i) {
    const std::size_t from = (bytes - piece.size()) / (pieces - 1) * i / element_bytes * element_bytes;
    const std::size_t at = i + 1 == pieces ? bytes - piece.size() : from;
    const auto* const source = static_cast<const unsigned char*>(data) + at;
    if (where.is_cuda())
      cuda_read(piece.data(), source, piece.size());
    else
      std::memcpy(piece.data(), source, piece.size());
    for (std::size_t element = 0; element + element_bytes <= piece.size(); element += element_bytes)
      if (std::all_of(piece.begin() + static_cast<std::ptrdiff_t>(element),
                      piece.begin() + static_cast<std::ptrdiff_t>(element + element_bytes),
                      [](unsigned char byte) { return byte == pattern; }))
        return true;
  }
  return false;
}

}  // namespace sinter_bench
