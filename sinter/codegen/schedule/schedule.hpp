#pragma once
// The schedule: how a nest is divided into loads, threads and tiles. Public data, chosen by a pure function.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/schedule/loop_order.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

using walk = loop_order;  ///< its name in earlier versions

/// When the second-level cache of a GPU evicts what a kernel has read. With `last`, written lines are evicted
/// first, in long runs, which memory takes faster than single writes among reads. `first` keeps data that is
/// read once from evicting anything else.
enum class eviction : std::uint8_t { normal, last, first };

struct schedule {
  loop_order order = loop_order::rows;
  std::uint16_t vector = 1;           ///< consecutive elements per load
  std::uint16_t steps = 1;            ///< loads in flight along axis 0 per thread
  std::uint16_t rows_per_thread = 1;  ///< rows per thread along axis 1; in reductions, side by side
  std::uint16_t threads_along = 256;  ///< threads along axis 0
  std::uint16_t threads_across = 1;   ///< threads along axis 1
  std::uint16_t tile = 0;             ///< tile side for transposed operands, in elements; 0: none
  std::uint16_t cluster = 1;          ///< blocks that share a row and exchange their parts of it
  std::uint16_t shared_steps = 0;     ///< of a resident row: further loads of a thread, kept in shared memory
  bool streaming = false;             ///< results bypass the cache; CPU only, because on an H200 it gains
                                      ///< nothing
  eviction reads = eviction::normal;  ///< GPU; like `streaming` it is data: the text does not depend on it

  /// Reductions: a whole row stays resident, or in near caches, from one phase to the next.
  bool resident = false;
  /// Reductions: operands are not aligned for whole vectors; the lanes do not change.
  bool scalar_loads = false;
  bool staged = false;  ///< short rows of one thread, or lane, each: loads and stores are staged in shared
                        ///< memory, on the CPU on the stack; `steps` is their length if the text knows it
  bool whole_rows = false;  ///< flat order: rows are a multiple of the vector, so that no vector crosses rows

  /// Elements of an array that is updated, of which each task, or each block of a GPU, has a copy of its own:
  /// at least as many as the array has; 0: none.
  std::uint16_t private_updates = 0;
  /// CPU: ranges into which a launch divides its tiles for threads; 1: the calling thread has all of them,
  /// 0: as many as an estimate of the work is worth. Like `streaming` it is data.
  std::uint16_t tasks = 0;

  auto operator<=>(const schedule&) const = default;
};

/// Whether `order` and `reads` are named values of their enumerations.
SINTER_API bool has_known_values(const schedule& chosen);

/// "rows vector=4 steps=1 …", without private_updates and tasks where they are 0;
/// parse_schedule(to_string(s)) == s. parse_schedule also reads `kept` for `resident`, its former name, and
/// throws type_error for any other text.
SINTER_API std::string to_string(const schedule& chosen);
SINTER_API schedule parse_schedule(std::string_view text);

}  // namespace sinter::inline v0
