#pragma once
// The texts of formulas, token by token.

#include <string_view>
#include <vector>

namespace sinter::inline v0::codegen {

inline bool is_digit(char letter) { return letter >= '0' && letter <= '9'; }

/// Names (with their members: "a.q0" is one), numbers, strings and signs of C++, without the blanks.
std::vector<std::string_view> tokens_of(std::string_view text);

}  // namespace sinter::inline v0::codegen
