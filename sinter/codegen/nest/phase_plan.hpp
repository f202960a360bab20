#pragma once
// What each phase of a nest with reductions or scans evaluates per element, and what earlier phases keep for
// it. A phase has levels: the users of a scan's value wait until a chunk's elements are scanned.

#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

/// Per-element data that stays resident from one phase to another: the loaded element of a read, in its
/// memory format, or the value of an instruction.
struct resident_value {
  bool is_read = false;
  std::uint32_t index = 0;  ///< of an access or an instruction
  unsigned first = 0;       ///< phase that produces it
  unsigned last = 0;        ///< last phase that uses it
  std::uint32_t bytes = 0;
  std::uint32_t slot = 0;          ///< values in one slot have equal sizes and disjoint lifetimes
  std::vector<unsigned> needed{};  ///< later phases that use it, ascending

  /// What the name of the buffer that holds it begins with; `index` follows.
  std::string_view prefix() const { return is_read ? "in" : "h"; }
  bool is_needed_in(unsigned phase) const { return std::binary_search(needed.begin(), needed.end(), phase); }
};

class phase_plan {
 public:
  /// With `resident`, what a later phase needs stays resident; else each phase reads and evaluates it again.
  /// Cheap operations are always recomputed, so that little stays resident. Without `keeps_reads` reads are
  /// repeated too, as on the CPU, whose cache holds them; values then have slots of their own.
  phase_plan(const nest& body, bool resident, bool keeps_reads = true);
  phase_plan(const kernel_pattern& body, bool resident, bool keeps_reads = true);

  /// Instructions that a phase evaluates for each element, arguments first.
  std::span<const std::uint32_t> evaluated(unsigned phase) const { return evaluated_[phase]; }
  /// Reads that a phase loads from memory.
  std::span<const std::uint32_t> loaded(unsigned phase) const { return loaded_[phase]; }
  std::span<const resident_value> resident() const { return resident_; }
  /// The resident value of an instruction or a read; nullptr if it is not resident.
  const resident_value* resident_instruction(std::uint32_t instruction) const {
    return find(false, instruction);
  }
  const resident_value* resident_read(std::uint32_t access) const { return find(true, access); }
  /// Resident bytes per element, and the offset of each slot.
  std::uint32_t resident_bytes() const { return resident_bytes_; }
  std::uint32_t slot_offset(std::uint32_t slot) const { return slot_offsets_[slot]; }
  /// The number of passes of a phase over the elements of a chunk: one more than the length of its longest
  /// chain of scans.
  unsigned levels(unsigned phase) const { return levels_[phase]; }
  /// The level at which a phase evaluates an instruction, or after which a scan is done; 0 if an earlier
  /// phase evaluated it.
  unsigned level(unsigned phase, std::uint32_t instruction) const {
    return level_[place(phase, instruction)];
  }
  /// The first level of a phase at which an instruction's value is available.
  unsigned available(unsigned phase, std::uint32_t instruction) const;
  /// Whether a phase evaluates an instruction whose value a later level of the same phase uses. Another phase
  /// may not use it beyond the level that evaluates it.
  bool crosses(unsigned phase, std::uint32_t instruction) const {
    return crosses_[place(phase, instruction)];
  }
  /// Whether a phase reduces or stores anything for each element.
  bool has_loop(unsigned phase) const;

 private:
  /// What it takes to load, keep or store an access' elements again.
  struct access_use {
    std::uint32_t bytes = 0;
    bool moves_along_reduced = false;
    bool is_shared_by_rows = false;  ///< every row reads the same elements, such as weights: caches have them
    bool is_packed = false;          ///< neighbours of no axis lie beside each other: packed one by one
  };
  template <typename Access>
  static std::vector<access_use> uses_of(const nest_body& body, std::span<const Access> accesses,
                                         bool shape_generic);
  phase_plan(const nest_body& body, std::vector<access_use> uses, bool resident, bool keeps_reads);

  const resident_value* find(bool is_read, std::uint32_t index) const;
  void keep(bool is_read, std::uint32_t index, unsigned first, unsigned phase);
  void list_wanted(unsigned phase, std::vector<bool>& wanted) const;
  bool is_remade(std::uint32_t instruction) const;
  void assign_slots();
  void assign_levels(unsigned phase);
  std::size_t place(unsigned phase, std::uint32_t instruction) const {
    return phase * body_.body.size() + instruction;
  }

  const nest_body& body_;
  std::vector<access_use> uses_;  ///< of each access
  bool keeps_reads_;
  std::vector<std::vector<std::uint32_t>> evaluated_, loaded_;
  std::vector<resident_value> resident_;
  std::vector<std::uint32_t> slot_offsets_;
  std::uint32_t resident_bytes_ = 0;
  std::vector<bool> crosses_;         ///< by place()
  std::vector<std::uint16_t> level_;  ///< by place()
  std::vector<unsigned> levels_;
};

}  // namespace sinter::inline v0::codegen
