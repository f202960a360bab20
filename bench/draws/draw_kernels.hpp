#pragma once
// Random numbers by hand, with Sinter's generator and layout of words: a CUDA kernel and loops of the CPU, of
// one block of Philox for four numbers.

#include "../comparison.hpp"

#include <cstddef>
#include <cstdint>

namespace sinter_bench {

enum class drawn_numbers : std::uint8_t { uniform, normal };

/// Draws `count` float32, a multiple of four, with seed `seed` and sequence 0.
side cuda_draw_by_hand(drawn_numbers what, float* to, std::int64_t count, std::uint64_t seed);
/// Only writes as many floats: no draw can be faster.
side cuda_write(float* to, std::int64_t count);

/// Elements [first, last), multiples of four, of the same on the CPU, as a plain loop.
void draw_plainly(drawn_numbers what, float* to, std::size_t first, std::size_t last, std::uint64_t seed);

}  // namespace sinter_bench
