#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/runtime/base/sizes.hpp>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <vector>

#include "tune_page.hpp"
#include "tune_text.hpp"

namespace sinter::inline v0::command {
namespace {

// In the units of the SVG.
constexpr double width = 720, height = 300, left = 90, right = 40, top = 15, bottom = 45;
// Grid lines of an axis, about.
constexpr double max_decades_with_steps = 2, max_lines = 8;

/// A logarithmic axis from one place on the plot to another.
class log_axis {
 public:
  log_axis(double low, double high, double from, double to)
      : low_(std::log10(low)), high_(std::log10(high)), from_(from), to_(to) {}
  double place_of(double value) const {
    return from_ + (std::log10(value) - low_) / (high_ - low_) * (to_ - from_);
  }
  /// Round numbers: even steps within a power of ten; else 1, 2 and 5 of each power of ten, or some of the
  /// powers alone.
  std::vector<double> grid() const {
    const double decades = high_ - low_;
    if (decades < 1) return even_grid();
    const double step = std::max(1.0, std::ceil(decades / max_lines));
    std::vector<double> all;
    for (double power = std::floor(low_); power <= high_; power += step)
      for (const double digit : {1.0, 2.0, 5.0}) {
        const double at = power + std::log10(digit);
        if ((digit == 1 || decades <= max_decades_with_steps) && at >= low_ && at <= high_)
          all.push_back(std::pow(10, at));
      }
    return all;
  }

 private:
  std::vector<double> even_grid() const {
    constexpr double steps = 4;
    const double low = std::pow(10, low_), high = std::pow(10, high_);
    const double least = (high - low) / steps, power = std::pow(10, std::floor(std::log10(least)));
    const double step = power * (least <= 2 * power ? 2 : least <= 5 * power ? 5 : 10);
    std::vector<double> all;
    for (double each = std::ceil(low / step); each * step <= high; ++each) all.push_back(each * step);
    return all;
  }

  double low_, high_, from_, to_;
};

using label = std::function<std::string(double)>;

std::string grid_of(const log_axis& axis, bool across, const label& text) {
  std::string made;
  for (const double value : axis.grid()) {
    const double at = axis.place_of(value);
    if (across)
      made += fmt::format(
          "<path class=\"grid\" d=\"M{} {:.1f}H{}\"/><text x=\"{}\" y=\"{:.1f}\" class=\"end\">{}</text>\n",
          left, at, width - right, left - 6, at + 4, escaped_text(text(value)));
    else
      made += fmt::format(
          "<path class=\"grid\" d=\"M{:.1f} {}V{}\"/><text x=\"{:.1f}\" y=\"{}\" class=\"mid\">{}</text>\n",
          at, top, height - bottom, at, height - bottom + 16, escaped_text(text(value)));
  }
  return made;
}

std::string begin_plot(std::string_view title, std::string_view below) {
  return fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {} {}\" role=\"img\" aria-label=\"{}\">\n"
      "<text x=\"{}\" y=\"{}\" class=\"mid\">{}</text>\n",
      width, height, escaped_text(title), (left + width - right) / 2, height - 8, escaped_text(below));
}

/// Shapes tell what colours tell.
std::string mark(double x, double y, std::string_view kind, std::string_view title) {
  std::string shape;
  if (kind == "default")
    shape = fmt::format("M{:.1f} {:.1f}h9v9h-9z", x - 4.5, y - 4.5);
  else if (kind == "winner")
    shape = fmt::format("M{:.1f} {:.1f}l6 6l-6 6l-6 -6z", x, y - 6);
  else
    shape = fmt::format("M{:.1f} {:.1f}a3.5 3.5 0 1 0 7 0a3.5 3.5 0 1 0 -7 0z", x - 3.5, y);
  return fmt::format("<path class=\"{}\" d=\"{}\"><title>{}</title></path>\n", kind, shape,
                     escaped_text(title));
}

std::string_view kind_of_trial(const tuning_trial& trial, const tuned_stage& of) {
  if (trial.tried == of.chosen && of.chosen != of.usual) return "winner";
  if (trial.tried == of.usual) return "default";
  return trial.outcome == trial_outcome::timed ? "timed" : "dropped";
}

}  // namespace

std::string roofline_plot(std::span<const runtime::tuning_record> records) {
  struct point {
    double bytes, rate;
    std::string_view kind;
    std::string title;
  };
  std::vector<point> points;
  std::vector<double> roofs;
  for (const auto& [report, emitter] : records) {
    const double bytes = bytes_of(report);
    if (!(bytes > 0) || !(report.usual_seconds > 0) || !(report.chosen_seconds > 0)) continue;
    const auto add = [&, &of = report](double seconds, std::string_view kind) {
      const double rate = bytes / seconds;
      std::string share;
      if (of.copy_bytes_per_second > 0)
        share = fmt::format(", {:.0f}% of a copy", 100 * rate / of.copy_bytes_per_second);
      points.push_back({bytes, rate, kind,
                        fmt::format("{} for {}, {}: {}, {}{}", of.function, of.call, kind, time_text(seconds),
                                    rate_text(rate), share)});
    };
    add(report.usual_seconds, "default");
    if (report.has_winner()) add(report.chosen_seconds, "winner");
    if (report.copy_bytes_per_second > 0) roofs.push_back(report.copy_bytes_per_second);
  }
  if (points.empty()) return "";
  std::ranges::sort(roofs);
  roofs.erase(std::unique(roofs.begin(), roofs.end()), roofs.end());
  const auto [least, most] = std::ranges::minmax(points, {}, &point::bytes);
  auto [slowest, fastest] = std::ranges::minmax(points, {}, &point::rate);
  double low = slowest.rate, high = fastest.rate;
  if (!roofs.empty()) low = std::min(low, roofs.front()), high = std::max(high, roofs.back());
  const log_axis across(least.bytes / 4, most.bytes * 4, left, width - right);
  const log_axis up(low / 2, high * 1.5, height - bottom, top);
  std::string made = begin_plot("bytes per second over bytes moved", "bytes moved by a call");
  made += grid_of(up, true, rate_text);
  made += grid_of(across, false, [](double bytes) {
    return runtime::readable_bytes(static_cast<std::uint64_t>(std::clamp(bytes, 0.0, 1e18)));
  });
  for (const double roof : roofs)
    made += fmt::format(
        "<path class=\"roof\" d=\"M{} {:.1f}H{}\"><title>a copy of large arrays: {}</title></path>\n", left,
        up.place_of(roof), width - right, escaped_text(rate_text(roof)));
  for (const point& each : points)
    made += mark(across.place_of(each.bytes), up.place_of(each.rate), each.kind, each.title);
  return made + "</svg>\n";
}

std::string trials_plot(const tuned_stage& stage) {
  std::vector<const tuning_trial*> timed;
  for (const tuning_trial& each : stage.trials)
    if (each.samples != 0 && each.seconds > 0) timed.push_back(&each);
  if (timed.empty()) return "";
  std::ranges::sort(timed, {},
                    [](const tuning_trial* each) { return std::pair(each->seconds, each->tried); });
  double low = timed.front()->seconds, high = timed.back()->seconds;
  for (const tuning_trial* each : timed) {
    if (each->low > 0) low = std::min(low, each->low);
    high = std::max(high, each->high);
  }
  const log_axis up(low / 1.05, high * 1.05, height - bottom, top);
  std::string made = begin_plot("times of the trials", "schedules, the fastest first");
  made += grid_of(up, true, time_text);
  const double step = (width - right - left) / static_cast<double>(timed.size());
  // the marked ones last, so that none hides them
  for (const bool marked : {false, true})
    for (std::size_t i = 0; i < timed.size(); ++i) {
      const tuning_trial& at = *timed[i];
      const std::string_view kind = kind_of_trial(at, stage);
      if ((kind == "default" || kind == "winner") != marked) continue;
      const double x = left + (static_cast<double>(i) + 0.5) * step;
      if (at.low > 0 && at.high >= at.low)
        made += fmt::format("<path class=\"{} range\" d=\"M{:.1f} {:.1f}V{:.1f}\"/>\n", kind, x,
                            up.place_of(at.low), up.place_of(at.high));
      made +=
          mark(x, up.place_of(at.seconds), kind,
               fmt::format("{}: {}, {} to {}, {} runs: {}", kind, time_text(at.seconds), time_text(at.low),
                           time_text(at.high), at.samples, sinter::to_string(at.tried)));
    }
  return made + "</svg>\n";
}

}  // namespace sinter::inline v0::command
