#include <sinter/runtime/tuned/tuning_file.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::string_view first_line = "sinter tuning 2";
constexpr std::string_view family = "sinter tuning ";
constexpr std::array<std::string_view, 5> outcome_names = {"timed", "dropped", "other_result", "failed",
                                                           "not_tried"};

// ---- writing ----

/// Text in a column: without what separates columns and lines.
std::string as_column(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  std::ranges::replace(text, '|', '/');
  return text;
}

std::string outcome_and_times(const tuning_trial& at) {
  return fmt::format("{} | {} {} {} {}", outcome_names[static_cast<std::size_t>(at.outcome)], at.seconds,
                     at.low, at.high, at.samples);
}

std::vector<std::string> lines_of(const tuning_record& of) {
  const tuning_report& at = of.report;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("call | {} | {} | {} | {} | emitter {} | {} {} {} {} {} | {} {} {} {} | {} | {}",
                  as_column(at.function), at.graph, as_column(at.device), as_column(at.call), of.emitter,
                  at.usual_seconds, at.chosen_seconds, at.gain, at.gain_low, at.gain_high,
                  at.bytes_per_second, at.copy_bytes_per_second, at.clock_drift, at.seconds_used,
                  at.may_change_bits ? "may change bits" : "same bits", to_string(at.cut)));
  for (const tuning_trial& trial : at.cut_trials)
    lines.push_back(fmt::format("cut | {} | {} | {}", outcome_and_times(trial), to_string(trial.cut),
                                as_column(trial.why)));
  for (std::size_t i = 0; i < at.stages.size(); ++i) {
    const tuned_stage& stage = at.stages[i];
    lines.push_back(fmt::format("stage | {} | {} | {} | {} | {} | {}", i + 1, as_column(stage.purpose),
                                stage.bytes_moved, stage.candidates, to_string(stage.usual),
                                to_string(stage.chosen)));
    for (const tuning_trial& trial : stage.trials)
      lines.push_back(fmt::format("trial | {} | {} | {} | {}", i + 1, outcome_and_times(trial),
                                  to_string(trial.tried), as_column(trial.why)));
  }
  return lines;
}

std::string hash_of_lines(const std::vector<std::string>& lines) {
  std::string all;
  for (const std::string& each : lines) all += each + '\n';
  return fmt::format("{:016x}", short_hash_of_content(all));
}

auto key_of(const tuning_record& at) {
  return std::tie(at.report.function, at.report.graph, at.report.device, at.report.call);
}

// ---- reading ----

struct file_line {
  std::size_t number = 0;  ///< in the file, from 1
  std::string_view text;
};

class tuning_reader {
 public:
  explicit tuning_reader(const std::string& name) : name_(name) {}

  std::vector<tuning_record> read(std::string_view text) {
    group(text);
    std::vector<tuning_record> records;
    for (const auto& [hash, lines] : groups_) records.push_back(read_record(hash, lines));
    return records;
  }

 private:
  struct lines_of_record {
    std::size_t count = 0;
    std::map<std::size_t, file_line> lines;  ///< by their number in the record
  };

  [[noreturn]] void refuse(std::size_t line, const std::string& why) const {
    throw type_error(fmt::format("tuning file {}, line {}: {}", name_, line, why));
  }

  /// The lines of each record.
  void group(std::string_view text) {
    std::size_t number = 0;
    bool has_first = false;
    while (!text.empty()) {
      const std::size_t end = std::min(text.find('\n'), text.size());
      const std::string_view line = text.substr(0, end);
      text.remove_prefix(std::min(end + 1, text.size()));
      ++number;
      if (line.empty()) continue;
      if (line == first_line) {
        has_first = true;
        continue;
      }
      if (line.starts_with(family))
        refuse(number, fmt::format("its form is \"{}\", and this library reads \"{}\": tune again", line,
                                   first_line));
      if (!has_first) refuse(number, fmt::format("a tuning file begins with \"{}\"", first_line));
      add(number, line);
    }
    if (!has_first) refuse(1, fmt::format("a tuning file begins with \"{}\"", first_line));
  }

  void add(std::size_t number, std::string_view line) {
    const std::size_t space = line.find(' ');
    const std::size_t slash = line.find('/', space), second = line.find(' ', slash);
    std::size_t at = 0, count = 0;
    if (second == std::string_view::npos || !take_number(line.substr(space + 1, slash - space - 1), at) ||
        !take_number(line.substr(slash + 1, second - slash - 1), count) || at == 0 || at > count)
      refuse(number, "it does not begin with a record's number and the line's place in it, \"3f09… 2/7\"");
    lines_of_record& record = groups_[line.substr(0, space)];
    const std::string_view content = line.substr(second + 1);
    const auto [known, is_new] = record.lines.emplace(at, file_line{number, content});
    if ((!is_new && known->second.text != content) || (record.count != 0 && record.count != count))
      refuse(number,
             fmt::format("it differs from line {}, which has the same number and place: the file is damaged",
                         known->second.number));
    record.count = count;
  }

  tuning_record read_record(std::string_view hash, const lines_of_record& from) {
    const file_line& first = from.lines.begin()->second;
    if (from.lines.size() != from.count)
      refuse(first.number, fmt::format("its record has {} lines, of which {} are there: the file is damaged",
                                       from.count, from.lines.size()));
    std::vector<std::string> lines;
    for (const auto& [at, line] : from.lines) lines.emplace_back(line.text);
    if (hash_of_lines(lines) != hash)
      refuse(first.number,
             "its record's number is not the hash of the record's lines: the file is damaged or was "
             "edited. Take a schedule over by with(parse_schedule(…)) instead");
    tuning_record made;
    for (const auto& [at, line] : from.lines) read_line(line, made);
    return made;
  }

  void read_line(const file_line& line, tuning_record& to) {
    const std::vector<std::string_view> columns = split(line.text, " | ");
    const auto is = [&](std::string_view kind, std::size_t count) {
      return columns[0] == kind && columns.size() == count;
    };
    if (is("call", 10))
      read_call(line, columns, to);
    else if (is("cut", 5))
      read_cut(line, columns, to.report);
    else if (is("stage", 7))
      read_stage(line, columns, to.report);
    else if (is("trial", 6))
      read_trial(line, columns, to.report);
    else
      refuse(line.number,
             fmt::format("\"{}\" with {} columns is no kind of line", columns[0], columns.size()));
  }

  void read_call(const file_line& line, const std::vector<std::string_view>& columns, tuning_record& to) {
    tuning_report& at = to.report;
    at.function = columns[1];
    at.graph = columns[2];
    at.device = columns[3];
    at.call = columns[4];
    constexpr std::string_view emitter = "emitter ";
    std::size_t version = 0;
    if (!columns[5].starts_with(emitter) || !take_number(columns[5].substr(emitter.size()), version))
      refuse(line.number, "the column of the emitter's version is malformed");
    to.emitter = static_cast<int>(version);
    take_values(line, columns[6],
                {&at.usual_seconds, &at.chosen_seconds, &at.gain, &at.gain_low, &at.gain_high});
    take_values(line, columns[7],
                {&at.bytes_per_second, &at.copy_bytes_per_second, &at.clock_drift, &at.seconds_used});
    at.may_change_bits = columns[8] == "may change bits";
    at.cut = cut_in(line, columns[9]);
  }

  void read_cut(const file_line& line, const std::vector<std::string_view>& columns, tuning_report& to) {
    tuning_trial& at = to.cut_trials.emplace_back();
    read_outcome(line, std::span(columns).subspan(1), at);
    at.cut = cut_in(line, columns[3]);
    at.why = columns[4];
  }

  /// An outcome, and the column of times after it.
  void read_outcome(const file_line& line, std::span<const std::string_view> columns,
                    tuning_trial& to) const {
    const auto* const known = std::ranges::find(outcome_names, columns[0]);
    if (known == outcome_names.end()) refuse(line.number, fmt::format("\"{}\" is no outcome", columns[0]));
    to.outcome = static_cast<trial_outcome>(known - outcome_names.begin());
    double samples = 0;
    take_values(line, columns[1], {&to.seconds, &to.low, &to.high, &samples});
    if (!(samples >= 0 && samples <= std::numeric_limits<std::uint32_t>::max()))
      refuse(line.number, fmt::format("{} is no number of runs", samples));
    to.samples = static_cast<std::uint32_t>(samples);
  }

  void read_stage(const file_line& line, const std::vector<std::string_view>& columns, tuning_report& to) {
    std::size_t number = 0, bytes = 0;
    tuned_stage& at = to.stages.emplace_back();
    if (!take_number(columns[1], number) || number != to.stages.size() || !take_number(columns[3], bytes) ||
        !take_number(columns[4], at.candidates))
      refuse(line.number, "a number of the stage is malformed");
    at.purpose = columns[2];
    at.bytes_moved = static_cast<std::int64_t>(bytes);
    at.usual = schedule_in(line, columns[5]);
    at.chosen = schedule_in(line, columns[6]);
  }

  void read_trial(const file_line& line, const std::vector<std::string_view>& columns, tuning_report& to) {
    std::size_t number = 0;
    if (!take_number(columns[1], number) || number == 0 || number != to.stages.size())
      refuse(line.number, "the trial is of no stage before it");
    tuning_trial& at = to.stages.back().trials.emplace_back();
    read_outcome(line, std::span(columns).subspan(2), at);
    at.tried = schedule_in(line, columns[4]);
    at.why = columns[5];
  }

  schedule schedule_in(const file_line& line, std::string_view text) const {
    return parsed(line, text, parse_schedule);
  }
  cut_choice cut_in(const file_line& line, std::string_view text) const {
    return parsed(line, text, parse_cut_choice);
  }
  template <class Value>
  Value parsed(const file_line& line, std::string_view text, Value (*parse)(std::string_view)) const {
    try {
      return parse(text);
    } catch (const type_error& wrong) {
      refuse(line.number, wrong.what());
    }
  }

  void take_values(const file_line& line, std::string_view text, std::initializer_list<double*> to) const {
    const std::vector<std::string_view> words = split(text, " ");
    std::size_t at = 0;
    for (double* const value : to) {
      if (at == words.size()) refuse(line.number, "numbers are missing");
      const std::string_view word = words[at++];
      const auto [stop, failure] = std::from_chars(word.data(), word.data() + word.size(), *value);
      if (failure != std::errc() || stop != word.data() + word.size() || !std::isfinite(*value))
        refuse(line.number, fmt::format("\"{}\" is no number", word));
    }
  }

  static bool take_number(std::string_view text, std::size_t& to) {
    const auto [stop, failure] = std::from_chars(text.data(), text.data() + text.size(), to);
    return failure == std::errc() && stop == text.data() + text.size();
  }

  static std::vector<std::string_view> split(std::string_view text, std::string_view by) {
    std::vector<std::string_view> parts;
    for (;;) {
      const std::size_t end = text.find(by);
      parts.push_back(text.substr(0, end));
      if (end == std::string_view::npos) return parts;
      text.remove_prefix(end + by.size());
    }
  }

  const std::string& name_;
  std::map<std::string_view, lines_of_record> groups_;
};

}  // namespace

tuned_entry entry_of(const tuning_report& report, const std::string& origin) {
  auto tuned = std::make_shared<tuned_call>();
  for (const tuned_stage& each : report.stages) {
    if (report.has_winner())
      tuned->stages.push_back(each.chosen != each.usual ? stage_schedule(each.chosen) : stage_schedule());
    for (const tuning_trial& trial : each.trials)
      if (trial.tried != each.usual && trial.samples != 0) ++tuned->others_timed;
  }
  for (const tuning_trial& trial : report.cut_trials)
    if (trial.cut != cut_choice() && trial.samples != 0) ++tuned->others_timed;
  if (report.has_winner()) tuned->cuts = report.cut;
  tuned->gain = report.has_winner() ? report.gain : 0;
  tuned->origin = origin;
  tuned->usual_seconds = report.usual_seconds;
  tuned->chosen_seconds = report.chosen_seconds;
  tuned->gain_low = report.gain_low;
  tuned->gain_high = report.gain_high;
  tuned->bytes_per_second = report.bytes_per_second;
  tuned->copy_bytes_per_second = report.copy_bytes_per_second;
  return {{report.graph, report.device, report.call}, std::move(tuned)};
}

std::map<tuned_key, tuning_report> best_records(const std::vector<tuning_record>& records) {
  std::map<tuned_key, tuning_report> best;
  for (const tuning_record& each : records) {
    if (each.emitter != emitter_version) continue;
    const auto [known, is_new] =
        best.try_emplace({each.report.graph, each.report.device, each.report.call}, each.report);
    if (!is_new && known->second.gain < each.report.gain) known->second = each.report;
  }
  return best;
}

std::string to_text(std::vector<tuning_record> records) {
  std::ranges::sort(records, [](const tuning_record& a, const tuning_record& b) {
    return key_of(a) != key_of(b) ? key_of(a) < key_of(b) : a.report.gain > b.report.gain;
  });
  records.erase(std::unique(records.begin(), records.end(),
                            [](const auto& a, const auto& b) { return key_of(a) == key_of(b); }),
                records.end());
  std::string text(first_line);
  text += '\n';
  for (const tuning_record& each : records) {
    const std::vector<std::string> lines = lines_of(each);
    const std::string hash = hash_of_lines(lines);
    for (std::size_t i = 0; i < lines.size(); ++i)
      text += fmt::format("{} {}/{} {}\n", hash, i + 1, lines.size(), lines[i]);
  }
  return text;
}

std::vector<tuning_record> read_tunings(std::string_view text, const std::string& name) {
  return tuning_reader(name).read(text);
}

std::vector<tuning_record> read_tuning_file(const std::string& path) {
  return read_tunings(read_whole_file(path), path);
}

}  // namespace sinter::inline v0::runtime

namespace sinter::inline v0 {

void tuning_report::save(const std::string& path) const {
  using namespace runtime;
  std::vector<tuning_record> records;
  if (std::filesystem::exists(path)) records = read_tuning_file(path);
  std::erase_if(records, [this](const tuning_record& known) {
    return known.report.graph == graph && known.report.device == device && known.report.call == call;
  });
  records.push_back({*this, emitter_version});
  write_whole_file(path, to_text(std::move(records)));
}

}  // namespace sinter::inline v0
