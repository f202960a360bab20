// sinter doctor: reports which pieces are present or missing, and the consequences.

#include <sinter/codegen/lowering.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "installation.hpp"
#include "options.hpp"
#include "terminal/units.hpp"

namespace sinter::inline v0::command {
namespace {

struct look {
  const char* word;
  tint colour;
};
look look_of(piece::state is) {
  constexpr look looks[] = {{"found", tint::good}, {"absent", tint::warn}, {"MISSING", tint::bad}};
  return looks[static_cast<std::size_t>(is)];
}

nlohmann::ordered_json described(const piece& each) {
  nlohmann::ordered_json made{{"piece", each.id}, {"name", each.name}, {"state", to_string(each.is)}};
  if (!each.found.empty()) made["found"] = each.found;
  if (!each.cost.empty()) made["cost"] = each.cost;
  if (!each.advice.empty()) made["advice"] = each.advice;
  if (!each.details.empty()) made["details"] = each.details;
  return made;
}

}  // namespace

exit_code run_doctor(const common_options& options) {
  const console to(options.json);
  const std::vector<piece> all = find_all();
  const bool well = std::none_of(all.begin(), all.end(),
                                 [](const piece& each) { return each.is == piece::state::essential; });
  if (options.json) {
    nlohmann::ordered_json pieces = nlohmann::ordered_json::array();
    for (const piece& each : all) pieces.push_back(described(each));
    to.document({{"ok", well},
                 {"version", sinter_version()},
                 {"emitter", emitter_version},
                 {"pieces", std::move(pieces)}});
    return well ? exit_code::success : exit_code::no;
  }
  table rows({{"PIECE"}, {"STATE"}, {"WHAT"}});
  for (const piece& each : all) {
    const look shown = look_of(each.is);
    rows.add({each.name, {shown.word, shown.colour}, harmless(each.found)});
  }
  to.print(rows.text(to));
  for (const piece& each : all) {
    if (each.cost.empty()) continue;
    to.line("");
    to.line(fmt::format("{}: {}.", to.tinted(look_of(each.is).colour, each.name), harmless(each.cost)));
    if (!each.advice.empty()) to.line("  " + harmless(each.advice));
  }
  to.line("");
  to.line(well ? to.tinted(tint::good, "Nothing essential is missing.")
               : to.tinted(tint::bad, "Something essential is missing: see above."));
  return well ? exit_code::success : exit_code::no;
}

exit_code run_version(const common_options& options) {
  const console to(options.json);
  const std::vector<piece> found{find_cpu_compiler(), find_cuda_driver(), find_nvrtc(), find_nvjitlink()};
  if (options.json) {
    nlohmann::ordered_json made{{"sinter", sinter_version()}, {"emitter", emitter_version}};
    for (const piece& each : found)
      made[each.id] = each.details.contains("version") ? each.details["version"] : nlohmann::ordered_json();
    to.document(made);
    return exit_code::success;
  }
  to.line(fmt::format("sinter {} (emitter version {})", sinter_version(), emitter_version));
  for (const piece& each : found)
    to.line(fmt::format(
        "{} {}", each.name,
        each.details.contains("version") ? each.details["version"].get<std::string>() : "not found"));
  return exit_code::success;
}

}  // namespace sinter::inline v0::command
