#pragma once
// The arithmetic that results are defined in, whatever a program has set for its thread.

#include <cstdint>

namespace sinter::inline v0 {

/// While one lives, its thread rounds to nearest, keeps denormals and raises no signals. Afterwards it has
/// its own modes again (fesetround, feenableexcept, flush-to-zero, denormals-are-zero). Exceptions that were
/// raised stay raised. Registers are written only where they differ, because a write drains the pipeline.
class default_arithmetic {
 public:
  default_arithmetic(const default_arithmetic&) = delete;
  default_arithmetic& operator=(const default_arithmetic&) = delete;
#if defined(__x86_64__)
  /// Keeps a computation of or from a number in a register on its side of the change of modes.
  static void pin(std::uint64_t& bits) { __asm__ volatile("" : "+r"(bits)); }
  default_arithmetic() {
    if ((vectors_ & ~flags) != vector_mode) set_vectors(vector_mode | (vectors_ & flags));
    if ((scalars_ & scalar_bits) != scalar_mode)
      set_scalars(static_cast<std::uint16_t>((scalars_ & ~scalar_bits) | scalar_mode));
  }
  ~default_arithmetic() {
    // a parallel loop of oneTBB in between clears what was raised before
    const std::uint32_t now = vectors(), then = vectors_ | (now & flags);
    if (now != then) set_vectors(then);
    if ((scalars_ & scalar_bits) != scalar_mode) {
      // an x87 flag beside an unmasked exception is a signal at the next instruction
      if ((scalars_ & flags) != flags) __asm__ volatile("fnclex");
      set_scalars(scalars_);
    }
  }

 private:
  static constexpr std::uint32_t flags = 0x3f, vector_mode = 0x1f80;
  static constexpr std::uint16_t scalar_bits = 0x0f3f, scalar_mode = 0x033f;

  static std::uint32_t vectors() {
    std::uint32_t now = 0;
    __asm__ volatile("stmxcsr %0" : "=m"(now));
    return now;
  }
  static std::uint16_t scalars() {
    std::uint16_t now = 0;
    __asm__ volatile("fnstcw %0" : "=m"(now));
    return now;
  }
  static void set_vectors(std::uint32_t to) { __asm__ volatile("ldmxcsr %0" : : "m"(to) : "memory"); }
  static void set_scalars(std::uint16_t to) { __asm__ volatile("fldcw %0" : : "m"(to) : "memory"); }

  const std::uint32_t vectors_ = vectors();
  const std::uint16_t scalars_ = scalars();
#else
  default_arithmetic() = default;
  static void pin(std::uint64_t&) {}
#endif
};

}  // namespace sinter::inline v0
