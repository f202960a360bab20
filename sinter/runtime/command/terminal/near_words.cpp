#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include <sinter/codegen/base/near_words.hpp>

#include "near_words.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

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
  std::vector<std::string_view> names;
  for (const command_node& each : of.commands) names.push_back(each.name);
  if (const std::string_view meant = nearest_word(word, names); !meant.empty())
    return text + fmt::format(": did you mean '{}'?", meant);
  std::vector<std::string> elsewhere;
  add_paths(root, root.name, word, elsewhere);
  if (!elsewhere.empty()) text += fmt::format("; there is '{}'", fmt::join(elsewhere, "' and '"));
  return text + ".";
}

std::string about_option(const command_node& of, const std::string& path, const std::string& word) {
  std::string text = fmt::format("'{}' has no option '{}'", path, harmless(word));
  std::vector<std::string_view> names;
  for (const option_node& each : of.options)
    for (const std::string& name : each.names)
      if (name.starts_with("--")) names.push_back(name);
  const std::string_view meant = nearest_word(word, names);
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
    if (next == at->commands.end() && at->has_arguments()) continue;
    if (next == at->commands.end()) return unknown_word{path, about_command(*at, path, word, root)};
    at = &*next;
    path += " " + at->name;
  }
  return {};
}

}  // namespace sinter::inline v0::command
