#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>

#include <sinter/runtime/base/blake2b.hpp>

namespace sinter::inline v0::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "words are loaded as they lie in memory");

using words8 = std::array<std::uint64_t, 8>;
using words16 = std::array<std::uint64_t, 16>;
constexpr std::size_t block_bytes = 128;

// The fractional parts of the square roots of the first eight primes, as in SHA-512.
constexpr words8 initial{0x6a09e667f3bcc908, 0xbb67ae8584caa73b, 0x3c6ef372fe94f82b, 0xa54ff53a5f1d36f1,
                         0x510e527fade682d1, 0x9b05688c2b3e6c1f, 0x1f83d9abfb41bd6b, 0x5be0cd19137e2179};

// The order in which a round takes the words of a block. Rounds 10 and 11 are rounds 0 and 1 again.
constexpr std::uint8_t word_order[10][16] = {{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15},
                                             {14, 10, 4, 8, 9, 15, 13, 6, 1, 12, 0, 2, 11, 7, 5, 3},
                                             {11, 8, 12, 0, 5, 2, 15, 13, 10, 14, 3, 6, 7, 1, 9, 4},
                                             {7, 9, 3, 1, 13, 12, 11, 14, 2, 6, 5, 10, 4, 0, 15, 8},
                                             {9, 0, 5, 7, 2, 4, 10, 15, 14, 1, 11, 12, 6, 8, 3, 13},
                                             {2, 12, 6, 10, 0, 11, 8, 3, 4, 13, 7, 5, 15, 14, 1, 9},
                                             {12, 5, 1, 15, 14, 13, 4, 10, 0, 7, 6, 3, 9, 2, 8, 11},
                                             {13, 11, 7, 14, 12, 1, 3, 9, 5, 0, 15, 4, 8, 6, 2, 10},
                                             {6, 15, 14, 9, 11, 3, 0, 8, 12, 2, 13, 7, 1, 4, 10, 5},
                                             {10, 2, 8, 4, 7, 6, 1, 5, 15, 11, 9, 14, 3, 12, 13, 0}};
// The words that each of a round's eight steps mixes: columns, then diagonals.
constexpr std::uint8_t mixed[8][4] = {{0, 4, 8, 12},  {1, 5, 9, 13},  {2, 6, 10, 14}, {3, 7, 11, 15},
                                      {0, 5, 10, 15}, {1, 6, 11, 12}, {2, 7, 8, 13},  {3, 4, 9, 14}};

void mix(words16& v, const std::uint8_t (&at)[4], std::uint64_t first, std::uint64_t second) {
  std::uint64_t &a = v[at[0]], &b = v[at[1]], &c = v[at[2]], &d = v[at[3]];
  a += b + first;
  d = std::rotr(d ^ a, 32);
  c += d;
  b = std::rotr(b ^ c, 24);
  a += b + second;
  d = std::rotr(d ^ a, 16);
  c += d;
  b = std::rotr(b ^ c, 63);
}

/// Takes a block into the state; `length` is that of the input up to its end.
void compress(words8& state, const words16& block, std::uint64_t length, bool is_last) {
  words16 v;
  std::copy(state.begin(), state.end(), v.begin());
  std::copy(initial.begin(), initial.end(), v.begin() + 8);
  v[12] ^= length;
  if (is_last) v[14] = ~v[14];
  for (std::size_t round = 0; round < 12; ++round) {
    const auto& order = word_order[round % 10];
    for (std::size_t step = 0; step < 8; ++step)
      mix(v, mixed[step], block[order[2 * step]], block[order[2 * step + 1]]);
  }
  for (std::size_t i = 0; i < 8; ++i) state[i] ^= v[i] ^ v[i + 8];
}

}  // namespace

std::array<std::uint8_t, 32> blake2b_256(std::string_view bytes) {
  std::array<std::uint8_t, 32> digest;
  words8 state = initial;
  state[0] ^= 0x01010000 ^ digest.size();  // no key, one node
  std::uint64_t length = 0;
  bool is_last = false;
  // An empty input is one block of zeros.
  while (!is_last) {
    words16 block{};
    const std::size_t taken = std::min(bytes.size(), block_bytes);
    if (taken > 0) std::memcpy(block.data(), bytes.data(), taken);
    bytes.remove_prefix(taken);
    length += taken;
    is_last = bytes.empty();
    compress(state, block, length, is_last);
  }
  std::memcpy(digest.data(), state.data(), digest.size());
  return digest;
}

}  // namespace sinter::inline v0::runtime
