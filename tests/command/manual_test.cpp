// The manual page: complete, and valid roff without warnings.

#include <sinter/runtime/command/command_line.hpp>
#include "run_command.hpp"

namespace sinter::test {
namespace {

std::string without_escapes(const std::string& roff) {
  std::string made;
  for (std::size_t i = 0; i < roff.size(); ++i)
    if (roff[i] != '\\' || i + 1 >= roff.size())
      made += roff[i];
    else if (roff[++i] == 'f')
      ++i;  // the letter of the font
    else if (roff[i] == '-')
      made += '-';
    else if (roff.compare(i, 3, "(aq") == 0)
      made += '\'', i += 2;
  return made;
}

void check_all_told(const command::command_node& of, const std::string& path, const std::string& page) {
  INFO(path);
  if (of.commands.empty()) {
    CHECK(has(page, path));
    CHECK(has(page, of.summary.substr(1)));  // its first letter is a capital there
  }
  for (const command::option_node& each : of.options)
    for (const std::string& name : each.names) CHECK(has(page, name));
  for (const command::command_node& each : of.commands) check_all_told(each, path + " " + each.name, page);
}

}  // namespace

TEST_CASE("every command and option of --help is in the manual page") {
  const std::string page = without_escapes(run_command({"manual"}).output);
  check_all_told(command::command_tree(), "sinter", page);
  for (const char* title : {"NAME", "SYNOPSIS", "EXIT STATUS", "ENVIRONMENT", "EXAMPLES", "SINTER_CACHE_DIR"})
    CHECK(has(page, title));
}

TEST_CASE("groff takes the manual page without a warning") {
  const std::string groff = runtime::find_program({"groff"});
  if (lacks(need::groff, groff.empty() ? "it is not installed: the page is not set" : "")) return;
  const temporary_folder folder;
  write_file(folder / "sinter.1", run_command({"manual"}).output);
  const runtime::program_answer set =
      runtime::run_program(groff, {"-man", "-ww", "-Tutf8", folder / "sinter.1"});
  CHECK(set.status == 0);
  CHECK(set.errors == "");
  CHECK(has(set.output, "SINTER(1)"));
}

TEST_CASE("the page that is installed is what the command writes") {
  const std::string installed =
      std::filesystem::path(SINTER_COMMAND).parent_path().parent_path() / "share" / "sinter.1";
  CHECK(read_file(installed) == run_command({"manual"}).output);
}

}  // namespace sinter::test
