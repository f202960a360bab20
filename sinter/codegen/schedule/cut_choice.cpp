#include <sinter/codegen/schedule/cut_choice.hpp>

#include <sinter/codegen/base/error.hpp>

#include <bit>
#include <charconv>
#include <cstdlib>

namespace sinter::inline v0 {
namespace {

constexpr std::string_view as_chosen = "pieces as chosen", whole_rows = "whole rows", times = "pieces times ",
                           by = "pieces by ";

}  // namespace

std::string to_string(const cut_choice& choice) {
  if (choice.whole) return std::string(whole_rows);
  if (choice.doublings == 0) return std::string(as_chosen);
  return std::string(choice.doublings > 0 ? times : by) +
         std::to_string(std::uint64_t{1} << (std::abs(choice.doublings) & 63));
}

cut_choice parse_cut_choice(std::string_view text) {
  if (text == as_chosen) return {};
  if (text == whole_rows) return {.whole = true};
  const bool is_more = text.starts_with(times);
  if (is_more || text.starts_with(by)) {
    const std::string_view number = text.substr((is_more ? times : by).size());
    unsigned factor = 0;
    const auto [stop, failure] = std::from_chars(number.data(), number.data() + number.size(), factor);
    if (failure == std::errc() && stop == number.data() + number.size() && std::has_single_bit(factor) &&
        factor != 1) {
      const int doublings = std::countr_zero(factor);
      return {.doublings = static_cast<std::int8_t>(is_more ? doublings : -doublings)};
    }
  }
  throw type_error("\"" + std::string(text) +
                   "\" does not say how rows are cut: say \"pieces as chosen\", \"whole rows\", or \"pieces "
                   "times 2\" or \"pieces by 2\" with a power of two");
}

}  // namespace sinter::inline v0
