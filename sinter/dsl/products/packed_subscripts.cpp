#include <sinter/dsl/products/packed_subscripts.hpp>

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

}  // namespace sinter::inline v0::detail
