#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "near_words.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

/// Edit distance: letters to change, add, remove or swap with their neighbours.
std::size_t distance(std::string_view a, std::string_view b) {
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

std::string in_small_letters(std::string_view word) {
  std::string small(word);
  for (char& letter : small) letter = static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
  return small;
}

/// Adds "sinter cache list", "sinter pack list": the commands with exactly this name, below `from`.
void add_paths(const command_node& from, const std::string& path, std::string_view name,
               std::vector<std::string>& to) {
  for (const command_node& each : from.commands) {
    const std::string below = path + " " + each.name;
    if (each.name == name) to.push_back(below);
    add_paths(each, below, name, to);
  }
}

std::string about_command(const command_node& of, const std::string& path, const std::string& word,
                          const command_node& root) {
  std::string text = fmt::format("'{}' has no command '{}'", path, harmless(word));
  std::vector<std::string> names;
  for (const command_node& each : of.commands) names.push_back(each.name);
  if (const std::string meant = nearest(word, names); !meant.empty())
    return text + fmt::format(": did you mean '{}'?", meant);
  std::vector<std::string> elsewhere;
  add_paths(root, root.name, word, elsewhere);
  if (!elsewhere.empty()) text += fmt::format("; there is '{}'", fmt::join(elsewhere, "' and '"));
  return text + ".";
}

std::string about_option(const command_node& of, const std::string& path, const std::string& word) {
  std::string text = fmt::format("'{}' has no option '{}'", path, harmless(word));
  std::vector<std::string> names;
  for (const option_node& each : of.options)
    for (const std::string& name : each.names)
      if (name.starts_with("--")) names.push_back(name);
  const std::string meant = nearest(word, names);
  return text + (meant.empty() ? "." : fmt::format(": did you mean '{}'?", meant));
}

/// The option that a word names: "--bytes", "--bytes=4", "-b" and "-b4" all name the same one.
const option_node* option_of(const command_node& of, std::string_view word) {
  const bool is_long = word.starts_with("--");
  const std::string_view name = is_long ? word.substr(0, word.find('=')) : word.substr(0, 2);
  for (const option_node& each : of.options)
    if (std::find(each.names.begin(), each.names.end(), name) != each.names.end()) return &each;
  return nullptr;
}

}  // namespace

std::string nearest(std::string_view word, const std::vector<std::string>& candidates) {
  const std::string small = in_small_letters(word);
  const std::size_t letters = word.size() - std::min(word.find_first_not_of('-'), word.size());
  std::string best;
  std::size_t least = 1 + letters / 3;  // larger distances mean another word
  for (const std::string& each : candidates)
    if (const std::size_t away = distance(small, each); away <= least && (best.empty() || away < least)) {
      best = each;
      least = away;
    }
  if (!best.empty() || letters < 2) return best;
  for (const std::string& each : candidates)
    if (each.starts_with(small)) return each;
  return {};
}

std::optional<unknown_word> find_unknown_word(const command_node& root,
                                              const std::vector<std::string>& words) {
  const command_node* at = &root;
  std::string path = root.name;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    if (word == "--") return {};
    if (word.size() > 1 && word.front() == '-') {
      const option_node* const known = option_of(*at, word);
      if (known == nullptr) return unknown_word{path, about_option(*at, path, word)};
      const bool has_value = word.starts_with("--") ? word.find('=') != std::string::npos : word.size() > 2;
      if (!known->value.empty() && !has_value) ++i;
      continue;
    }
    if (at->commands.empty()) continue;  // an argument, or a further value of an option
    const auto next = std::find_if(at->commands.begin(), at->commands.end(),
                                   [&](const command_node& each) { return each.name == word; });
    if (next == at->commands.end()) return unknown_word{path, about_command(*at, path, word, root)};
    at = &*next;
    path += " " + at->name;
  }
  return {};
}

}  // namespace sinter::inline v0::command
