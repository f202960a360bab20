#pragma once
// Levels of x86-64 processors: which features code for a level uses, and which processors run it.
//
// Threads: the table is constant: any thread may call these at any time.
// Throws: nothing.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>
#include <initializer_list>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// Features that levels of x86-64 are made of.
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

/// A set of features that a program may use: AVX counts only if the operating system saves its registers.
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
  std::string_view name;            ///< in the x86-64 psABI; compilers accept it as a processor's name
  cpu_features needed;              ///< beyond the level before it
  std::uint32_t vector_bytes = 16;  ///< of a register
};

/// Ascending: a processor of a level runs the code of all levels before it.
SINTER_API std::span<const cpu_level> cpu_levels();
/// nullptr if there is no level of that name.
SINTER_API const cpu_level* find_cpu_level(std::string_view name);
/// The levels whose code a processor runs, the highest first. None for other families of processors.
SINTER_API std::vector<const cpu_level*> levels_of(const cpu_features& present);

/// The target facts for which a pack lowers kernels of a level, if it packs these levels: those of a
/// processor of the level and, unless a packed level serves them, those of processors with wider registers
/// that run the level's code.
SINTER_API std::vector<target_facts> facts_of_level(const cpu_level& level,
                                                    std::span<const cpu_level* const> packed);

}  // namespace sinter::inline v0
