#pragma once
// A point in the work of one stream, as one word.

#include <cstdint>

namespace sinter::inline v0::runtime {

/// The work of one stream up to a sequence number. The word holds the index of the stream's timeline and the
/// number, so that an atomic reads and writes both at once. A default point is no work.
class work_point {
 public:
  static constexpr unsigned number_bits = 48;

  constexpr work_point() = default;
  constexpr explicit work_point(std::uint64_t word) : word_(word) {}
  constexpr work_point(std::uint32_t timeline, std::uint64_t number)
      : word_(std::uint64_t{timeline} << number_bits | number) {}

  constexpr bool is_none() const { return word_ == 0; }
  /// The index of the timeline: from 1, because the word of a point is not 0.
  constexpr std::uint32_t timeline() const { return static_cast<std::uint32_t>(word_ >> number_bits); }
  constexpr std::uint64_t number() const { return word_ & ((std::uint64_t{1} << number_bits) - 1); }
  constexpr std::uint64_t word() const { return word_; }
  constexpr bool operator==(const work_point&) const = default;

 private:
  std::uint64_t word_ = 0;
};

/// How work uses memory.
enum class memory_access : std::uint8_t { read, write };

}  // namespace sinter::inline v0::runtime
