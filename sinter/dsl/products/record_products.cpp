#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/dsl/parts/compose_parts.hpp>
#include <sinter/dsl/products/record_products.hpp>

namespace sinter::inline v0::detail {

std::vector<std::uint64_t> packed_subscripts(std::string_view text) {
  std::vector<std::uint64_t> words((text.size() + 7) / 8);
  for (std::size_t i = 0; i < text.size(); ++i)
    words[i / 8] |= std::uint64_t{static_cast<unsigned char>(text[i])} << 8 * (i % 8);
  return words;
}

std::string unpacked_subscripts(std::span<const std::uint64_t> words) {
  std::string text;
  for (const std::uint64_t word : words)
    for (unsigned shift = 0; shift < 64 && (word >> shift & 0xff) != 0; shift += 8)
      text += static_cast<char>(word >> shift & 0xff);
  return text;
}

recorded_value record_einsum(std::string_view subscripts, const typed_value* operands, unsigned count,
                             const location& at) {
  recording& into = current_recording();
  std::vector<std::uint64_t>& taken = into.node_operands;
  taken.clear();
  for (unsigned i = 0; i < count; ++i) taken.push_back(checked_in_function(into, operands[i], "einsum", at));
  for (const std::uint64_t word : packed_subscripts(subscripts)) taken.push_back(word);
  return into.made_in_function({.what = packed({.kind = step_kind::part}),
                                .payload = packed_part({.what = composed_part::einsum, .number = count}),
                                .at = at},
                               taken);
}

}  // namespace sinter::inline v0::detail
