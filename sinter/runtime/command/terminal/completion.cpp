#include <fmt/format.h>
#include <fmt/ranges.h>

#include "../command_node.hpp"
#include "../failure.hpp"

namespace sinter::inline v0::command {
namespace {

/// A command and the words that lead to it: "cache list", "" for the root.
struct place {
  std::string path;
  const command_node* node;
};

void collect(const command_node& from, const std::string& path, std::vector<place>& to) {
  to.push_back({path, &from});
  for (const command_node& each : from.commands)
    collect(each, path.empty() ? each.name : path + " " + each.name, to);
}

std::vector<place> all_places(const command_node& root) {
  std::vector<place> all;
  collect(root, "", all);
  return all;
}

std::string replaced(std::string_view text, char what, std::string_view with) {
  std::string made;
  for (const char letter : text)
    if (letter == what)
      made += with;
    else
      made += letter;
  return made;
}

/// In single quotes, for bash and zsh.
std::string quoted(std::string_view text) { return "'" + replaced(text, '\'', "'\\''") + "'"; }

/// The kind of value of an option or argument, in each shell's syntax.
struct value_kind {
  const char *bash, *zsh, *fish;
};
value_kind kind_of(const option_node& of) {
  const std::string& name = of.is_argument() ? of.names.front() : of.value;
  if (name == "DIR") return {"compgen -d -- \"$word\"", "_files -/", "(__fish_complete_directories)"};
  if (name == "FILE" || name == "RECORDING") return {"compgen -f -- \"$word\"", "_files", ""};
  if (name == "KEY")
    return {"compgen -W \"$(\"${COMP_WORDS[0]}\" cache list --keys 2>/dev/null)\" -- \"$word\"",
            "compadd -- ${(f)\"$($words[1] cache list --keys 2>/dev/null)\"}",
            "(sinter cache list --keys 2>/dev/null)"};
  return {"", "", ""};
}

std::string bash_values(const option_node& of) {
  if (!of.choices.empty())
    return fmt::format("compgen -W {} -- \"$word\"", quoted(fmt::format("{}", fmt::join(of.choices, " "))));
  const std::string kind = kind_of(of).bash;
  return kind.empty() ? ":" : kind;
}

std::string zsh_values(const option_node& of) {
  if (!of.choices.empty()) return fmt::format("compadd -- {}", fmt::join(of.choices, " "));
  const std::string kind = kind_of(of).zsh;
  return kind.empty() ? ":" : kind;
}

/// The patterns of a case in which an option's value comes next: "cache list:--sort".
std::string value_patterns(const place& at, const option_node& of) {
  std::string made;
  for (const std::string& name : of.names)
    made += fmt::format("{}'{}:{}'", made.empty() ? "" : "|", at.path, name);
  return made;
}

/// Every path below the root as a pattern of a case.
std::string path_patterns(const std::vector<place>& all) {
  std::string made;
  for (const place& each : all)
    if (!each.path.empty()) made += fmt::format("{}'{}'", made.empty() ? "" : "|", each.path);
  return made;
}

// Both scripts find the command that the words so far lead to, then list what may follow. They differ in the
// syntax of words and in what they list.
std::string bash_completion(const std::vector<place>& all) {
  std::string made =
      "# bash completion of sinter, written by 'sinter completion bash'\n_sinter() {\n"
      "  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD-1]} command= next i\n"
      "  if [[ $word == = ]]; then word=; elif [[ $previous == = ]]; then "
      "previous=${COMP_WORDS[COMP_CWORD-2]}; fi\n"
      "  for ((i = 1; i < COMP_CWORD; ++i)); do\n"
      "    next=\"${command:+$command }${COMP_WORDS[i]}\"\n"
      "    case $next in\n";
  made += fmt::format("      {}) command=$next ;;\n    esac\n  done\n  COMPREPLY=()\n", path_patterns(all));
  made += "  case \"$command:$previous\" in\n";
  for (const place& at : all)
    for (const option_node& each : at.node->options)
      if (!each.is_argument() && !each.value.empty())
        made += fmt::format("    {}) mapfile -t COMPREPLY < <({}); return ;;\n", value_patterns(at, each),
                            bash_values(each));
  made += "  esac\n  case $command in\n";
  for (const place& at : all) {
    std::vector<std::string> commands, options;
    std::string values;
    for (const command_node& each : at.node->commands) commands.push_back(each.name);
    for (const option_node& each : at.node->options)
      if (each.is_argument())
        values += "; " + bash_values(each);
      else
        options.insert(options.end(), each.names.begin(), each.names.end());
    // options only after a dash, as in the shell's own commands
    made += fmt::format(
        "    '{}') if [[ $word == -* ]]; then mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\")\n"
        "      else mapfile -t COMPREPLY < <(compgen -W '{}' -- \"$word\"{}); fi ;;\n",
        at.path, fmt::join(options, " "), fmt::join(commands, " "), values);
  }
  return made + "  esac\n}\ncomplete -F _sinter sinter\n";
}

std::string zsh_completion(const std::vector<place>& all) {
  // "name:description", with colons in the name escaped
  const auto described = [](const std::string& name, const std::string& help) {
    return quoted(replaced(name, ':', "\\:") + ":" + help);
  };
  std::string made =
      "#compdef sinter\n# zsh completion of sinter, written by 'sinter completion zsh'\n_sinter() {\n"
      "  local place= next i\n  local -a names options\n"
      "  for ((i = 2; i < CURRENT; ++i)); do\n"
      "    next=\"${place:+$place }${words[i]}\"\n"
      "    case $next in\n";
  made += fmt::format("      {}) place=$next ;;\n    esac\n  done\n", path_patterns(all));
  made += "  case \"$place:${words[CURRENT-1]}\" in\n";
  for (const place& at : all)
    for (const option_node& each : at.node->options)
      if (!each.is_argument() && !each.value.empty())
        made += fmt::format("    {}) {}; return ;;\n", value_patterns(at, each), zsh_values(each));
  made += "  esac\n  case $place in\n";
  for (const place& at : all) {
    std::string commands, options, values;
    for (const command_node& each : at.node->commands) commands += " " + described(each.name, each.summary);
    for (const option_node& each : at.node->options) {
      if (each.is_argument()) values += "      " + zsh_values(each) + "\n";
      for (const std::string& name : each.names)
        if (!each.is_argument()) options += " " + described(name, each.help);
    }
    made += fmt::format("    '{}')\n      names=({})\n      options=({})\n{} ;;\n", at.path, commands,
                        options, values);
  }
  return made +
         "  esac\n  (( $#names )) && _describe command names\n"
         "  (( $#options )) && _describe -o option options\n}\n"
         "if [[ ${funcstack[1]} == _sinter ]]; then _sinter \"$@\"; else compdef _sinter sinter; fi\n";
}

std::string fish_completion(const std::vector<place>& all) {
  const auto in_quotes = [](std::string_view text) {
    return "'" + replaced(replaced(text, '\\', "\\\\"), '\'', "\\'") + "'";
  };
  std::string made =
      "# fish completion of sinter, written by 'sinter completion fish'\n"
      "function __sinter_command\n  set -l command\n"
      "  for word in (commandline -opc)[2..-1]\n"
      "    set -l next (string join ' ' $command $word)\n"
      "    if contains -- $next";
  for (const place& each : all)
    if (!each.path.empty()) made += " " + in_quotes(each.path);
  made +=
      "\n      set command $next\n    end\n  end\n  test \"$command\" = \"$argv[1]\"\nend\ncomplete -c "
      "sinter -f\n";
  for (const place& at : all) {
    const std::string here =
        fmt::format("complete -c sinter -n {}", in_quotes("__sinter_command " + in_quotes(at.path)));
    for (const command_node& each : at.node->commands)
      made += fmt::format("{} -a {} -d {}\n", here, each.name, in_quotes(each.summary));
    for (const option_node& each : at.node->options) {
      std::string line = here;
      for (const std::string& name : each.names)
        if (!each.is_argument())
          line += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
      const std::string values =
          each.choices.empty() ? kind_of(each).fish : fmt::format("{}", fmt::join(each.choices, " "));
      const bool files =
          each.value == "FILE" || each.names.front() == "FILE" || each.names.front() == "RECORDING";
      if (!each.is_argument() && !each.value.empty()) line += " -r";
      if (files) line += " -F";
      if (!values.empty()) line += " -a " + in_quotes(values);
      made += fmt::format("{} -d {}\n", line, in_quotes(each.help));
    }
  }
  return made;
}

}  // namespace

std::string completion_of(const command_node& root, std::string_view shell) {
  const std::vector<place> all = all_places(root);
  if (shell == "bash") return bash_completion(all);
  if (shell == "zsh") return zsh_completion(all);
  if (shell == "fish") return fish_completion(all);
  throw failure(fmt::format("no completion for shell '{}': there is bash, zsh and fish", shell),
                exit_code::usage);
}

}  // namespace sinter::inline v0::command
