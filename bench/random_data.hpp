#pragma once
// Arrays of random elements, the same on every device. They are never all zeros, because memory and
// arithmetic can be faster on zeros.

#include <sinter/sinter.hpp>

#include <cstdint>

namespace sinter_bench {

enum class distribution : int {
  normal,  ///< mean 0, deviation 1, within ±3.5
  half_to_one_and_a_half,
  coin,  ///< of bool
};

/// Sets elements of float32, float16, bfloat16 or bool. `data` is on `where`; on a GPU the work is queued on
/// the default stream.
void fill_random(void* data, std::size_t count, sinter::element_type type, sinter::device where,
                 distribution drawn, std::uint32_t seed);

template <class T, unsigned Rank>
sinter::array<T, Rank> random_array(sinter::shape<Rank> extents, sinter::device where,
                                    distribution drawn = distribution::normal) {
  static std::uint32_t seed = 1;
  sinter::array<T, Rank> made(extents, where);
  fill_random(made.data(), static_cast<std::size_t>(made.size()), sinter::element_type_of<T>, where, drawn,
              seed++);
  return made;
}

/// Fills memory with a pattern that no result has. is_poison_left() later looks for it in a sample of the
/// memory: where it is left, a kernel did not write an element.
void poison(void* data, std::size_t bytes, sinter::device where);
bool is_poison_left(const void* data, std::size_t bytes, std::size_t element_bytes, sinter::device where);

}  // namespace sinter_bench
