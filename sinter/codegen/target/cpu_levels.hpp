#pragma once
// Levels of x86-64 processors: what code for many processors at once may use, and which processors run it.

#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace sinter {

/// What processors of one level have and those of the level below need not have.
enum class cpu_feature : std::uint8_t {
  x86_64,  ///< the family itself
  cmpxchg16b,
  lahf,
  popcnt,
  sse3,
  ssse3,
  sse4_1,
  sse4_2,
  avx,
  avx2,
  bmi1,
  bmi2,
  f16c,
  fma,
  lzcnt,
  movbe,
  avx512f,
  avx512bw,
  avx512cd,
  avx512dq,
  avx512vl,
};

/// A set of features, which a program may use: AVX only where the system saves its registers.
class cpu_features {
 public:
  constexpr cpu_features() = default;
  constexpr cpu_features(std::initializer_list<cpu_feature> all) {
    for (const cpu_feature each : all) add(each);
  }
  constexpr void add(cpu_feature each) { bits_ |= std::uint32_t{1} << static_cast<unsigned>(each); }
  constexpr void remove(cpu_feature each) { bits_ &= ~(std::uint32_t{1} << static_cast<unsigned>(each)); }
  constexpr bool has_all(const cpu_features& others) const { return (bits_ & others.bits_) == others.bits_; }

 private:
  std::uint32_t bits_ = 0;
};

struct cpu_level {
  std::string_view name;  ///< as the x86-64 psABI calls it, and as compilers take it for a processor's name
  cpu_features needed;    ///< beyond the level before it
  std::uint32_t vector_bytes = 16;  ///< of a register
};

/// Ascending: each runs the code of those before it.
std::span<const cpu_level> cpu_levels();
/// nullptr where there is no level of that name.
const cpu_level* find_cpu_level(std::string_view name);
/// The levels whose code a processor runs, the best first. On another family of processors none.
std::vector<const cpu_level*> levels_of(const cpu_features& present);

/// What kernels of a level are to be lowered for, where a pack has kernels of these levels: as a processor of
/// that level sees itself and, unless a level of the pack serves them, as those with wider registers do,
/// which run its code.
std::vector<target_facts> facts_of_level(const cpu_level& level, std::span<const cpu_level* const> packed);

}  // namespace sinter
