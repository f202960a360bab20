#pragma once
// What each phase of a nest that reduces or scans evaluates for every element, and what it finds there from
// earlier phases. A phase has levels: what needs a scan's value waits until a turn's elements are scanned.

#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>
#include <span>
#include <vector>

namespace sinter::codegen {

/// Something of an element that stays on the chip from one phase to another: what a read loaded, as it is in
/// memory, or the value of an instruction.
struct kept_value {
  bool is_read = false;
  std::uint32_t index = 0;  ///< of an access, or of an instruction
  unsigned first = 0;       ///< phase that makes it
  unsigned last = 0;        ///< last phase that needs it
  std::uint32_t bytes = 0;
  std::uint32_t slot = 0;          ///< values of one slot have equal sizes and never live at the same time
  std::vector<unsigned> needed{};  ///< phases after the first that need it, ascending

  bool is_needed_in(unsigned phase) const { return std::binary_search(needed.begin(), needed.end(), phase); }
};

class phase_plan {
 public:
  /// With `kept` what a later phase needs stays on the chip; else each phase reads and evaluates it anew.
  /// Cheap operations are always evaluated anew, so that what stays is small. Without `keeps_reads` so are
  /// reads, as on the CPU, whose cache keeps them; values then have slots of their own.
  phase_plan(const nest& body, bool kept, bool keeps_reads = true);

  /// Instructions that are evaluated for each element of a phase, arguments first.
  std::span<const std::uint32_t> evaluated(unsigned phase) const { return evaluated_[phase]; }
  /// Reads that a phase loads from memory.
  std::span<const std::uint32_t> loaded(unsigned phase) const { return loaded_[phase]; }
  std::span<const kept_value> kept() const { return kept_; }
  /// The kept value of an instruction or a read; nullptr if it is not kept.
  const kept_value* kept_instruction(std::uint32_t instruction) const { return find(false, instruction); }
  const kept_value* kept_read(std::uint32_t access) const { return find(true, access); }
  /// Bytes that one element keeps, and where each slot begins in them.
  std::uint32_t bytes_kept() const { return bytes_kept_; }
  std::uint32_t slot_offset(std::uint32_t slot) const { return slot_offsets_[slot]; }
  /// How many times a phase goes over the elements of a turn: once more than scans follow each other.
  unsigned levels(unsigned phase) const { return levels_[phase]; }
  /// The level of a phase that evaluates an instruction, or after which a scan is done; 0 of what an earlier
  /// phase evaluated.
  unsigned level(unsigned phase, std::uint32_t instruction) const { return level_[phase][instruction]; }
  /// The first level of a phase that has an instruction's value.
  unsigned available(unsigned phase, std::uint32_t instruction) const;
  /// Whether a phase evaluates an instruction whose value a later level of that phase needs. Another phase
  /// may have no use for it after the level that makes it.
  bool crosses(unsigned phase, std::uint32_t instruction) const { return crosses_[phase][instruction]; }
  /// Whether a phase reduces or stores anything for each element.
  bool has_loop(unsigned phase) const;

 private:
  const kept_value* find(bool is_read, std::uint32_t index) const;
  void keep(bool is_read, std::uint32_t index, unsigned first, unsigned phase);
  void list_wanted(unsigned phase, std::vector<bool>& wanted) const;
  bool is_remade(std::uint32_t instruction) const;
  void assign_slots();
  void assign_levels(unsigned phase);

  const nest& body_;
  bool keeps_reads_;
  std::vector<std::vector<std::uint32_t>> evaluated_, loaded_;
  std::vector<kept_value> kept_;
  std::vector<std::uint32_t> slot_offsets_;
  std::uint32_t bytes_kept_ = 0;
  std::vector<std::vector<bool>> crosses_;
  std::vector<std::vector<std::uint16_t>> level_;
  std::vector<unsigned> levels_;
};

}  // namespace sinter::codegen
