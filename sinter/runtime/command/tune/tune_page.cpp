#include "tune_page.hpp"

#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/runtime/base/sizes.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "../terminal/units.hpp"
#include "tune_text.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr std::string_view style = R"(
:root { color-scheme: light dark; --text: #1b1b1b; --back: #ffffff; --soft: #6a6a6a; --line: #dddddd;
  --default: #1f6fb4; --winner: #c2410c; --timed: #6b7280; --roof: #15803d; }
@media (prefers-color-scheme: dark) { :root { --text: #e6e6e6; --back: #16181c; --soft: #a0a0a0;
  --line: #363a42; --default: #6cb2f0; --winner: #fb923c; --timed: #9ca3af; --roof: #4ade80; } }
body { font: 15px/1.45 system-ui, sans-serif; color: var(--text); background: var(--back);
  max-width: 62rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.5rem; } h2 { font-size: 1.2rem; margin-top: 2.5rem; overflow-wrap: anywhere; }
h3 { font-size: 1rem; } .soft { color: var(--soft); } .scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 0.85rem; }
th, td { text-align: left; padding: 0.2rem 0.7rem 0.2rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; }
td.number, th.number { text-align: right; white-space: nowrap; }
a { color: var(--default); } code { font-size: 0.85em; }
svg { width: 100%; height: auto; max-width: 720px; display: block; }
svg text { font-size: 11px; fill: var(--soft); } .end { text-anchor: end; } .mid { text-anchor: middle; }
.grid { stroke: var(--line); } .roof { stroke: var(--roof); stroke-width: 2; stroke-dasharray: 6 4; }
path.default { fill: var(--default); stroke: var(--default); }
path.winner { fill: var(--winner); stroke: var(--winner); }
path.timed { fill: var(--timed); stroke: var(--timed); }
path.dropped { fill: var(--back); stroke: var(--timed); }
path.range { fill: none; stroke-width: 2; }
)";

// By trial_outcome.
constexpr std::array<std::string_view, 5> outcomes = {"timed", "dropped: clearly slower", "other result",
                                                      "failed", "not tried"};

std::string share_text(double bytes, double seconds, double copy_bytes_per_second) {
  if (!(seconds > 0) || !(copy_bytes_per_second > 0)) return "-";
  return fmt::format("{:.0f}%", 100 * bytes / seconds / copy_bytes_per_second);
}

std::string number_cell(std::string_view text) {
  return fmt::format("<td class=\"number\">{}</td>", escaped_text(text));
}
std::string cell(std::string_view text) { return fmt::format("<td>{}</td>", escaped_text(text)); }

std::string summary_of(std::span<const runtime::tuning_record> records) {
  std::string made =
      "<div class=\"scroll\"><table>\n<tr><th>Function</th><th>Device</th><th class=\"number\">Default</th>"
      "<th class=\"number\">Tuned</th><th class=\"number\">Gain</th><th class=\"number\">Of a copy, "
      "before</th>"
      "<th class=\"number\">now</th><th>Call</th></tr>\n";
  for (std::size_t i = 0; i < records.size(); ++i) {
    const tuning_report& at = records[i].report;
    const double bytes = bytes_of(at);
    made += fmt::format("<tr><td><a href=\"#record-{}\">{}</a></td>{}", i + 1, escaped_text(at.function),
                        cell(at.device));
    made += number_cell(time_text(at.usual_seconds)) + number_cell(time_text(at.chosen_seconds)) +
            number_cell(gain_text(at)) +
            number_cell(share_text(bytes, at.usual_seconds, at.copy_bytes_per_second)) +
            number_cell(share_text(bytes, at.chosen_seconds, at.copy_bytes_per_second)) + cell(at.call);
    made += "</tr>\n";
  }
  return made + "</table></div>\n";
}

/// A table of trials; what is tried is a text, and equal to that of the default or of the winner.
template <class Tried>
std::string table_of(std::span<const tuning_trial> trials, Tried tuning_trial::* tried, const Tried& usual,
                     const Tried& chosen) {
  std::string made =
      "<div class=\"scroll\"><table>\n<tr><th>Outcome</th><th class=\"number\">Median</th>"
      "<th class=\"number\">95% interval</th><th class=\"number\">Runs</th><th>Tried</th><th>Why</th></tr>\n";
  for (const tuning_trial& each : trials) {
    const bool timed = each.samples != 0;
    std::string outcome(outcomes[static_cast<std::size_t>(each.outcome)]);
    if (each.*tried == usual) outcome += ", the default";
    if (each.*tried == chosen && chosen != usual) outcome += ", the winner";
    made += "<tr>" + cell(outcome) + number_cell(timed ? time_text(each.seconds) : "-") +
            number_cell(timed ? time_text(each.low) + " - " + time_text(each.high) : "-") +
            number_cell(std::to_string(each.samples)) +
            fmt::format("<td><code>{}</code></td>", escaped_text(sinter::to_string(each.*tried))) +
            cell(each.why) + "</tr>\n";
  }
  return made + "</table></div>\n";
}

std::string trials_of(const tuned_stage& stage) {
  return fmt::format("<details><summary>All {} trials</summary>\n{}</details>\n", stage.trials.size(),
                     table_of(stage.trials, &tuning_trial::tried, stage.usual, stage.chosen));
}

std::string cuts_of(const tuning_report& report) {
  if (report.cut_trials.empty()) return {};
  return "<h3>How rows are cut</h3>\n" +
         table_of(report.cut_trials, &tuning_trial::cut, cut_choice(), report.cut);
}

std::string section_of(const runtime::tuning_record& record, std::size_t number) {
  const tuning_report& at = record.report;
  std::string made =
      fmt::format("<section id=\"record-{}\">\n<h2>{}</h2>\n", number, escaped_text(at.function));
  made += fmt::format(
      "<p>on {}, for <code>{}</code><br/>default {}, tuned {}, gain {}; a copy of large arrays moves {}<br/>"
      "<span class=\"soft\">{}; the default's time changed by {:+.1f}% from begin to end; {:.1f} s used; "
      "emitter {}</span></p>\n",
      escaped_text(at.device), escaped_text(at.call), time_text(at.usual_seconds),
      time_text(at.chosen_seconds), gain_text(at), rate_text(at.copy_bytes_per_second),
      at.may_change_bits ? "the order of combining may differ from the default's" : "bits are the default's",
      100 * at.clock_drift, at.seconds_used, record.emitter);
  made += roofline_plot(std::span(&record, 1)) + cuts_of(at);
  for (std::size_t i = 0; i < at.stages.size(); ++i) {
    const tuned_stage& stage = at.stages[i];
    made += fmt::format(
        "<h3>Kernel {} of {}: {}</h3>\n<p class=\"soft\">{} moved, {} other schedule{}</p>\n", i + 1,
        at.stages.size(), escaped_text(stage.purpose),
        runtime::readable_bytes(static_cast<std::uint64_t>(std::max<std::int64_t>(stage.bytes_moved, 0))),
        stage.candidates, stage.candidates == 1 ? "" : "s");
    made += trials_plot(stage);
    if (!stage.trials.empty()) made += trials_of(stage);
  }
  return made + "</section>\n";
}

}  // namespace

std::string escaped_text(std::string_view text) {
  std::string made;
  for (const char letter : harmless(text)) switch (letter) {
      case '&':
        made += "&amp;";
        break;
      case '<':
        made += "&lt;";
        break;
      case '>':
        made += "&gt;";
        break;
      case '"':
        made += "&quot;";
        break;
      default:
        made += letter;
    }
  return made;
}

std::string tuning_page(std::span<const runtime::tuning_record> records) {
  std::string made =
      "<!DOCTYPE html>\n<html xmlns=\"http://www.w3.org/1999/xhtml\" lang=\"en\">\n<head>\n"
      "<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<title>Sinter: tunings</title>\n<style>";
  made += style;
  made += fmt::format("</style>\n</head>\n<body>\n<h1>Tunings</h1>\n<p>{} call{}</p>\n", records.size(),
                      records.size() == 1 ? "" : "s");
  made +=
      "<p class=\"soft\">In all plots a square is the default, a diamond the winner, a disc another "
      "schedule, "
      "a ring one that was dropped after a few runs; a bar is the interval of the median with 95% "
      "confidence, the dashed line a copy of large arrays. Point at a mark for its numbers.</p>\n";
  made += summary_of(records);
  made += roofline_plot(records);
  for (std::size_t i = 0; i < records.size(); ++i) made += section_of(records[i], i + 1);
  return made + "</body>\n</html>\n";
}

void write_page(const std::string& path, std::span<const runtime::tuning_record> records) {
  runtime::write_whole_file(path, tuning_page(records));
}

}  // namespace sinter::inline v0::command
