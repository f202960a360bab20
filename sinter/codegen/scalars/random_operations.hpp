#pragma once
// The meaning of random numbers' operations (operations.def), for the reference interpreter.

#include <array>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <numbers>

namespace sinter::inline v0 {

/// Four words of Philox4x32-10 (Salmon et al., "Parallel random numbers: as easy as 1, 2, 3").
constexpr std::array<std::uint32_t, 4> philox4x32(std::array<std::uint32_t, 4> counter,
                                                  std::array<std::uint32_t, 2> key) {
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t first = std::uint64_t{0xD2511F53} * counter[0],
                        second = std::uint64_t{0xCD9E8D57} * counter[2];
    counter = {
        static_cast<std::uint32_t>(second >> 32) ^ counter[1] ^ key[0], static_cast<std::uint32_t>(second),
        static_cast<std::uint32_t>(first >> 32) ^ counter[3] ^ key[1], static_cast<std::uint32_t>(first)};
    key[0] += 0x9E3779B9;
    key[1] += 0xBB67AE85;
  }
  return counter;
}

/// Word `index` of the stream: of block index / 4, which the low half of the counter numbers; the high half
/// is the sequence.
template <std::unsigned_integral T>
constexpr std::uint32_t reference_random_word(T index, T seed, T sequence) {
  const auto low = [](std::uint64_t word) { return static_cast<std::uint32_t>(word); };
  const auto high = [](std::uint64_t word) { return static_cast<std::uint32_t>(word >> 32); };
  const std::uint64_t block = index / 4;
  return philox4x32({low(block), high(block), low(sequence), high(sequence)},
                    {low(seed), high(seed)})[index % 4];
}

/// Box-Muller on the unit interval: the radius of u = (radius | 1) / 2^width, which is rounded to the type of
/// the result, and the angle in parts of a turn.
template <std::unsigned_integral T>
long double reference_normal_of_bits(T radius, T angle, T which) {
  constexpr int width = 8 * sizeof(T);
  using real = std::conditional_t<sizeof(T) == 8, double, float>;
  const long double u = std::ldexp(static_cast<long double>(static_cast<real>(radius | 1)), -width);
  const T next = static_cast<T>(angle + (T{1} << (width - 3)));  // quarters end halfway between axes
  const unsigned quarter = static_cast<unsigned>(next >> (width - 2)) + (which % 2 == 0 ? 1 : 0);
  const auto rest = static_cast<std::make_signed_t<T>>(static_cast<T>(angle << 2));
  const long double turned =
      std::ldexp(static_cast<long double>(rest), -width) * (std::numbers::pi_v<long double> / 2);
  const long double along = quarter % 2 == 0 ? std::sin(turned) : std::cos(turned);
  const long double length = std::sqrt(2 * std::fabs(std::log(u)));  // +0 where u is 1
  return (quarter & 2) == 0 ? length * along : -(length * along);
}

}  // namespace sinter::inline v0
