#pragma once
// Copies instructions of one nest into another, with their operands.

#include <sinter/codegen/nest/nest.hpp>

#include <span>
#include <vector>

namespace sinter::inline v0 {

class nest_copier {
 public:
  nest_copier(const nest& from, nest& to)
      : from_(from), to_(to), instructions_(from.body.size(), none), accesses_(from.accesses.size(), none) {}

  /// Uses `by` in place of an instruction, which is then not copied.
  void replace(std::uint32_t i, std::uint32_t by) { instructions_[i] = by; }
  /// Copies an instruction and its operands, operands first; returns its index in the copy.
  std::uint32_t instruction_of(std::uint32_t wanted);
  std::uint32_t access_of(std::uint32_t i);
  /// Copies a reduction or scan by a body, which combines other values instead and goes on from `before`, if
  /// there are any; stands for the original from then on. Returns its index in the copy.
  std::uint32_t combine_instead(std::uint32_t i, std::span<const std::uint32_t> values,
                                std::span<const std::uint32_t> before = {});

 private:
  static constexpr std::uint32_t none = ~0u;
  std::uint32_t copy(instruction made);

  const nest& from_;
  nest& to_;
  std::vector<std::uint32_t> instructions_, accesses_;
};

}  // namespace sinter::inline v0
