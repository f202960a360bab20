#pragma once
// Subscripts of einsum, "ij,jk->ik": which axes of the operands are one axis of the product.

#include <sinter/codegen/types/rank.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0::detail {

/// Most operands of one product.
inline constexpr unsigned max_einsum_operands = 3;

/// The labels of axes: letters.
struct axis_labels {
  char labels[max_rank + 1]{};
  unsigned count = 0;

  constexpr void add(char label) {
    if (count < max_rank) labels[count] = label;
    ++count;
  }
  constexpr bool has(char label) const { return occurrences(label) != 0; }
  constexpr unsigned occurrences(char label) const {
    unsigned found = 0;
    for (unsigned i = 0; i < count && i < max_rank; ++i) found += labels[i] == label ? 1 : 0;
    return found;
  }
  constexpr std::string_view text() const { return {labels, count < max_rank ? count : max_rank}; }
};

enum class subscript_fault : std::uint8_t {
  none,
  character,       ///< what is neither a letter, a comma, a space nor "->"
  arrow,           ///< a second "->", or a comma behind it
  operands,        ///< more than max_einsum_operands
  axes,            ///< more labels of an operand, or different ones of all, than an array has axes
  result_repeats,  ///< a label stands twice behind "->"
  result_only,     ///< a label behind "->" is that of no operand
};

/// Subscripts taken apart. `culprit`: the label or character of a fault.
struct einsum_form {
  axis_labels operands[max_einsum_operands];
  unsigned operand_count = 1;
  axis_labels result;
  subscript_fault fault = subscript_fault::none;
  char culprit = 0;

  constexpr unsigned occurrences(char label) const {
    unsigned found = 0;
    for (unsigned i = 0; i < operand_count; ++i) found += operands[i].occurrences(label);
    return found;
  }
};

constexpr bool is_label(char at) { return (at >= 'a' && at <= 'z') || (at >= 'A' && at <= 'Z'); }

constexpr einsum_form refused_form(subscript_fault fault, char culprit = 0) {
  einsum_form made;
  made.fault = fault;
  made.culprit = culprit;
  return made;
}

/// The result of subscripts without "->", as NumPy's: the labels that stand once, by their letters.
constexpr axis_labels implicit_result(const einsum_form& form) {
  axis_labels made;
  for (const char first : {'A', 'a'})
    for (char i = 0; i < 26; ++i) {
      const char label = static_cast<char>(first + i);
      if (form.occurrences(label) == 1) made.add(label);
    }
  return made;
}

/// What is wrong with labels that were read.
constexpr einsum_form checked_form(const einsum_form& form) {
  unsigned different = 0;
  for (const char first : {'A', 'a'})
    for (char i = 0; i < 26; ++i) different += form.occurrences(static_cast<char>(first + i)) != 0 ? 1 : 0;
  bool fits = different <= max_rank;
  for (unsigned i = 0; i < form.operand_count; ++i) fits = fits && form.operands[i].count <= max_rank;
  if (!fits) return refused_form(subscript_fault::axes);
  for (const char label : form.result.text()) {
    if (form.result.occurrences(label) > 1) return refused_form(subscript_fault::result_repeats, label);
    if (form.occurrences(label) == 0) return refused_form(subscript_fault::result_only, label);
  }
  return form;
}

constexpr einsum_form parse_einsum(std::string_view text) {
  einsum_form made;
  bool has_arrow = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char at = text[i];
    if (at == ' ') continue;
    if (is_label(at)) {
      (has_arrow ? made.result : made.operands[made.operand_count - 1]).add(at);
    } else if (at == ',') {
      if (has_arrow) return refused_form(subscript_fault::arrow);
      if (made.operand_count == max_einsum_operands) return refused_form(subscript_fault::operands);
      ++made.operand_count;
    } else if (at == '-' && i + 1 < text.size() && text[i + 1] == '>') {
      if (has_arrow) return refused_form(subscript_fault::arrow);
      has_arrow = true;
      ++i;
    } else {
      return refused_form(subscript_fault::character, at);
    }
  }
  if (!has_arrow) made.result = implicit_result(made);
  return checked_form(made);
}

}  // namespace sinter::inline v0::detail
