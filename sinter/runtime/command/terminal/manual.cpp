#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../command_node.hpp"
#include "../installation.hpp"
#include "help_text.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

/// Text for roff, with special characters and dashes escaped.
std::string escaped(std::string_view text) {
  std::string made;
  // a dot or quote at the start of a line would be a request
  if (!text.empty() && (text.front() == '.' || text.front() == '\'')) made += "\\&";
  for (const char letter : text) {
    if (letter == '\\')
      made += "\\e";
    else if (letter == '-')
      made += "\\-";
    else if (letter == '\'')
      made += "\\(aq";
    else
      made += letter;
  }
  return made;
}

std::string term(const std::string& name, std::string_view meaning) {
  return ".TP\n" + name + "\n" + escaped(meaning) + "\n";
}

std::string term_of(const option_node& of) {
  std::string name;
  for (const std::string& each : of.names)
    name +=
        fmt::format("{}\\f{}{}\\fR", name.empty() ? "" : ", ", of.is_argument() ? 'I' : 'B', escaped(each));
  if (!of.value.empty() && !of.is_argument()) name += fmt::format(" \\fI{}\\fR", escaped(of.value));
  return term(name, of.help);
}

void write_command(const command_node& of, const std::string& path, std::string& to) {
  if (of.commands.empty() || of.has_arguments()) {
    std::string synopsis = fmt::format("\\fB{}\\fR [\\fIOPTIONS\\fR]", escaped(path));
    for (const option_node& each : of.options)
      if (each.is_argument())
        synopsis += fmt::format(fmt::runtime(each.required ? " \\fI{}\\fR" : " [\\fI{}\\fR]"),
                                escaped(each.names.front()));
    to += ".SS " + synopsis + "\n" + escaped(sentence(of.summary)) + "\n";
    if (!of.details.empty()) to += ".PP\n" + escaped(of.details) + "\n";
    for (const option_node& each : of.options) to += term_of(each);
    if (!of.examples.empty()) to += ".PP\nExamples:\n";
    for (const std::string& each : of.examples) to += ".PP\n.nf\n.RS\n" + escaped(each) + "\n.RE\n.fi\n";
  }
  for (const command_node& each : of.commands) write_command(each, path + " " + each.name, to);
}

}  // namespace

std::string manual_of(const command_node& root) {
  std::string made = ".\\\" Written by 'sinter manual', from the descriptions that --help prints.\n";
  made += fmt::format(".TH SINTER 1 \"\" \"sinter {}\" \"User Commands\"\n", escaped(sinter_version()));
  made += ".SH NAME\nsinter \\- " + escaped(root.summary) + "\n";
  made += ".SH SYNOPSIS\n\\fBsinter\\fR [\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...\n";
  made += ".SH DESCRIPTION\n" + escaped(root.details) + "\n.SH OPTIONS\n";
  for (const option_node& each : root.options) made += term_of(each);
  made += ".SH COMMANDS\n";
  write_command(root, "sinter", made);
  made += ".SH EXIT STATUS\n";
  for (const told& each : exit_codes) made += term(fmt::format("\\fB{}\\fR", each.name), each.meaning);
  made += ".SH ENVIRONMENT\n";
  for (const told& each : variables) made += term(fmt::format("\\fB{}\\fR", each.name), each.meaning);
  made += ".SH EXAMPLES\n";
  for (const std::string& each : root.examples) made += ".PP\n.nf\n.RS\n" + escaped(each) + "\n.RE\n.fi\n";
  return made;
}

}  // namespace sinter::inline v0::command
