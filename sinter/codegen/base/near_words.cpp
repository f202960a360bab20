#include <sinter/codegen/base/near_words.hpp>

#include <algorithm>
#include <cctype>
#include <string>
#include <vector>

namespace sinter::inline v0 {
namespace {

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return small;
}

/// Longer words are no misspelt names; the time of a search grows with their length.
constexpr std::size_t max_letters = 64;

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  std::vector<std::size_t> before_last, last(b.size() + 1), now(b.size() + 1);
  for (std::size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    now[0] = i;
    for (std::size_t j = 1; j <= b.size(); ++j) {
      now[j] = std::min({last[j] + 1, now[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        now[j] = std::min(now[j], before_last[j - 2] + 1);
    }
    before_last = last;
    last = now;
  }
  return last[b.size()];
}

std::string quoted_word(std::string_view word) {
  std::string text = "\"";
  for (const char letter : word.substr(0, max_letters))
    text += static_cast<unsigned char>(letter) < ' ' || letter == 127 ? '?' : letter;
  return text + (word.size() > max_letters ? "…\"" : "\"");
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> candidates) {
  if (word.size() > max_letters) return {};
  const std::string small = in_small_letters(word);
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::string_view best;
  std::size_t least = 1 + letters / 3;  // larger distances mean another word
  for (const std::string_view each : candidates)
    if (const std::size_t away = edit_distance(small, each);
        away <= least && (best.empty() || away < least)) {
      best = each;
      least = away;
    }
  if ((!best.empty() && least <= 1) || letters < 2) return best;
  for (const std::string_view each : candidates)
    if (each.starts_with(small)) return each;
  return best;
}

}  // namespace sinter::inline v0
