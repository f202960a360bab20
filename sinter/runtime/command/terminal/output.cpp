#include <algorithm>
#include <array>
#include <cstdio>
#include <nlohmann/json.hpp>

#include <sinter/runtime/posix/environment.hpp>

#include "../system.hpp"
#include "output.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::array<const char*, 6> colours{"", "\x1b[32m", "\x1b[31m", "\x1b[33m", "\x1b[1m", "\x1b[2m"};

/// https://no-color.org: set and not empty.
bool colour_is_wanted() {
  return runtime::environment_value("NO_COLOR").empty() && runtime::environment_value("TERM") != "dumb";
}

}  // namespace

console::console(bool json)
    : json_(json),
      colour_(!json && output_is_terminal() && colour_is_wanted()),
      terminal_(output_is_terminal()),
      progress_(errors_are_on_terminal()) {}

void console::print(std::string_view text) const { std::fwrite(text.data(), 1, text.size(), stdout); }

void console::line(std::string_view text) const {
  print(text);
  print("\n");
}

void console::foreign(std::string_view text) const {
  if (terminal_)
    print(harmless(text, true));
  else
    print(text);
}

void console::document(const nlohmann::ordered_json& content) const {
  line(content.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
}

std::string console::tinted(tint as, std::string_view text) const {
  if (!colour_ || as == tint::plain) return std::string(text);
  return colours[static_cast<std::size_t>(as)] + std::string(text) + "\x1b[0m";
}

std::string table::text(const console& to) const {
  if (rows_.empty()) return {};
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < columns_.size(); ++c) {
    std::size_t width = columns_of(columns_[c].name);
    for (const std::vector<cell>& row : rows_)
      if (c < row.size()) width = std::max(width, columns_of(row[c].text));
    widths.push_back(width);
  }
  std::string made;
  const auto add_line = [&](const std::vector<cell>& row) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      const std::string space(widths[c] - columns_of(row[c].text), ' ');
      const std::string shown = to.tinted(row[c].colour, row[c].text);
      line += (c == 0 ? "" : "  ") + (columns_[c].right ? space + shown : shown + space);
    }
    line.erase(line.find_last_not_of(' ') + 1);
    made += line + "\n";
  };
  std::vector<cell> head;
  for (const column& each : columns_) head.emplace_back(each.name, tint::strong);
  add_line(head);
  for (const std::vector<cell>& row : rows_) add_line(row);
  return made;
}

}  // namespace sinter::inline v0::command
