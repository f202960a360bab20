#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "../command_node.hpp"
#include "help_text.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::size_t width = 80, widest_left = 28;

/// Words wrapped to the width of the page; all lines but the first are indented.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
  std::string made;
  std::size_t column = used;
  while (!text.empty()) {
    const std::string_view word = text.substr(0, text.find(' '));
    text.remove_prefix(std::min(text.size(), word.size() + 1));
    if (column > indent && column + 1 + columns_of(word) > width) {
      made += "\n" + std::string(indent, ' ');
      column = indent;
    }
    if (column > indent) {
      made += ' ';
      ++column;
    }
    made += word;
    column += columns_of(word);
  }
  return made;
}

/// A name and its meaning, in two columns.
std::string row(const std::string& left, std::string_view right, std::size_t column) {
  std::string made = "  " + left;
  const std::size_t used = columns_of(made);
  if (used + 2 > column)
    made += "\n" + std::string(column, ' ');
  else
    made += std::string(column - used, ' ');
  return made + wrapped(right, column, column) + "\n";
}

std::string left_of(const option_node& of) {
  std::string made = fmt::format("{}", fmt::join(of.names, ", "));
  return of.value.empty() || of.is_argument() ? made : made + " " + of.value;
}

std::string usage_of(const command_node& of, std::string_view path) {
  std::string made = fmt::format("Usage: {}", path);
  if (std::any_of(of.options.begin(), of.options.end(),
                  [](const option_node& each) { return !each.is_argument(); }))
    made += " [OPTIONS]";
  if (!of.commands.empty() && !of.has_arguments()) made += " COMMAND";
  for (const option_node& each : of.options)
    if (each.is_argument()) made += each.required ? " " + each.names[0] : " [" + each.names[0] + "]";
  if (!of.commands.empty() && of.has_arguments()) made += fmt::format("\n   or: {} COMMAND", path);
  return made + "\n";
}

}  // namespace

std::string help_of(const command_node& of, std::string_view path) {
  std::string made = wrapped(sentence(of.summary), 0, 0) + "\n\n" + usage_of(of, path);
  if (!of.details.empty()) made += "\n" + wrapped(of.details, 0, 0) + "\n";
  std::size_t column = 0;
  for (const option_node& each : of.options) column = std::max(column, columns_of(left_of(each)));
  for (const command_node& each : of.commands) column = std::max(column, columns_of(each.name));
  column = std::min(column, widest_left) + 4;
  if (!of.commands.empty()) {
    made += "\nCommands:\n";
    for (const command_node& each : of.commands) made += row(each.name, each.summary, column);
  }
  for (const bool arguments : {true, false}) {
    std::string rows;
    for (const option_node& each : of.options)
      if (each.is_argument() == arguments) rows += row(left_of(each), each.help, column);
    if (!rows.empty()) made += (arguments ? "\nArguments:\n" : "\nOptions:\n") + rows;
  }
  if (!of.examples.empty()) {
    made += "\nExamples:\n";
    for (const std::string& each : of.examples) made += "  " + each + "\n";
  }
  if (path.find(' ') == std::string_view::npos) {
    made += "\nExit codes:\n";
    for (const told& each : exit_codes) made += row(each.name, each.meaning, 5);
    made += "\n'sinter COMMAND --help' tells more of a command, 'man sinter' all.\n";
  }
  return made;
}

}  // namespace sinter::inline v0::command
