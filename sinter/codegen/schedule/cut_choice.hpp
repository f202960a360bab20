#pragma once
// How the rows of a call's reductions and scans are cut into pieces, beside what the lowering pass chooses.

#include <sinter/codegen/base/export.hpp>

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace sinter::inline v0 {

/// Rows that the pass would cut stay whole, or have more or fewer pieces. Rows that it would not cut stay
/// whole in any case.
struct cut_choice {
  bool whole = false;         ///< rows stay whole
  std::int8_t doublings = 0;  ///< of the number of pieces: 1 for twice as many, -1 for half as many

  auto operator<=>(const cut_choice&) const = default;
};

/// "pieces as chosen", "whole rows", "pieces times 4", "pieces by 2".
SINTER_API std::string to_string(const cut_choice& choice);
/// Reads what to_string() writes. Throws type_error for any other text.
SINTER_API cut_choice parse_cut_choice(std::string_view text);

}  // namespace sinter::inline v0
