#pragma once
// What a nest computes and moves for each element, whatever its schedule is.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

namespace codegen {
class phase_plan;
}

/// Instructions of a multiprocessor by the unit that executes them.
struct instruction_counts {
  std::int64_t issued = 0;    ///< all
  std::int64_t integers = 0;  ///< of integers, at half of the rate
  std::int64_t doubles = 0;   ///< of float64, at half of the rate
  std::int64_t special = 0;   ///< approximations and conversions of 64 bits, at an eighth of the rate

  void add(const instruction_counts& more, std::int64_t times) {
    issued += more.issued * times;
    integers += more.integers * times;
    doubles += more.doubles * times;
    special += more.special * times;
  }
};

/// Instructions of one operation that is computed in a type. Rough: see weight_of().
instruction_counts instructions_of(operation op, element_type type);

/// Loads or stores of elements of one size through accesses of equal strides.
struct equal_accesses {
  std::uint32_t first = 0;   ///< an access
  std::int64_t count = 0;    ///< all of them
  std::int64_t windows = 0;  ///< without neighbours in a window, which are near in memory
  std::int64_t rows = 0;     ///< of a window, beyond its first
  std::int64_t columns = 0;  ///< of a window's row, beyond its first
};

/// One loop over the elements of a nest, or over those of a row.
struct loop_work {
  std::vector<equal_accesses> moved;
  std::int64_t memory_sectors = 0;           ///< that the nest's elements lie in, in all
  instruction_counts evaluated;              ///< for each element
  instruction_counts combined;               ///< to combine two partial results of each reduction
  std::int64_t sums = 0, sum_registers = 0;  ///< reductions, and 32-bit registers of their partial results
  std::int64_t scans = 0;
  std::int64_t live_registers = 0;  ///< of values of one element at the same time
};

class nest_work {
 public:
  /// With `resident`, later loops find what is needed again in registers. An object that is assigned again
  /// for a nest of one loop allocates only if the nest is larger.
  void assign(const nest& loop_nest, bool resident);

  std::span<const loop_work> loops() const { return {loops_.data(), count_}; }
  /// For each element of a row: registers of what is resident, and its bytes in shared memory.
  std::int64_t resident_registers() const { return resident_registers_; }
  std::int64_t resident_bytes() const { return resident_bytes_; }

 private:
  /// A loop like a new one.
  loop_work& add_loop();
  void add_pointwise(const nest& body);
  void add_only_phase(const nest& body);
  void add_phase(const nest& body, const codegen::phase_plan& plan, unsigned phase);
  std::int64_t live_registers(const nest& body, std::span<const std::uint32_t> evaluated);

  std::vector<loop_work> loops_;
  std::size_t count_ = 0;
  std::int64_t resident_registers_ = 0, resident_bytes_ = 0;
  std::vector<std::uint32_t> evaluated_, last_use_, alive_;
};

/// The same nest with rows that are loaded by each loop, and with resident ones.
class work_by_residence {
 public:
  void assign(const nest& loop_nest);
  const nest_work& of(const schedule& chosen) const {
    return chosen.resident && has_resident_ ? resident_ : loaded_;
  }

 private:
  nest_work loaded_, resident_;
  bool has_resident_ = false;
};

}  // namespace sinter::inline v0
