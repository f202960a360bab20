#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "../system.hpp"
#include "progress.hpp"
#include "units.hpp"

namespace sinter::inline v0::command {
namespace {

constexpr double memory = 5;       ///< seconds, after which past progress has a third of the weight
constexpr double min_known = 0.2;  ///< seconds of work before the first estimate
constexpr progress::seconds between_drawings{0.1};

progress::seconds steady_now() { return std::chrono::steady_clock::now().time_since_epoch(); }

}  // namespace

progress::progress(std::string label, std::uint64_t total, clock now)
    : label_(std::move(label)), total_(total), now_(std::move(now)), begin_(now_()), last_(begin_) {}

void progress::advance_to(std::uint64_t done) {
  done = std::clamp(done, done_, total_);
  const seconds now = std::max(now_(), last_);
  const double passed = (now - last_).count();
  const double kept = std::exp(-passed / memory);
  units_ = units_ * kept + static_cast<double>(done - done_);
  time_ = time_ * kept + passed;
  done_ = done;
  last_ = now;
}

double progress::fraction() const {
  return total_ == 0 ? 1 : static_cast<double>(done_) / static_cast<double>(total_);
}

std::optional<progress::seconds> progress::remaining() const {
  if (done_ == total_) return seconds(0);
  if (units_ <= 0 || elapsed().count() < min_known) return std::nullopt;
  return seconds(static_cast<double>(total_ - done_) * time_ / units_);
}

std::string progress::line(std::size_t columns) const {
  // 100 % is printed only when complete
  const int percent = static_cast<int>(std::floor(fraction() * 100));
  const std::optional<seconds> left = remaining();
  const std::string tail = fmt::format(
      " {:3} %{}", percent, left && done_ != total_ ? "  " + readable_duration(left->count()) + " left" : "");
  constexpr std::size_t widest = 40, narrowest = 10;
  const std::size_t around = columns_of(label_) + 3 + tail.size();
  if (columns < around + narrowest) return (label_ + tail).substr(0, columns);
  const std::size_t width = std::min(widest, columns - around);
  const auto filled = static_cast<std::size_t>(fraction() * static_cast<double>(width));
  return fmt::format("{} [{}{}]{}", label_, std::string(filled, '#'), std::string(width - filled, '-'), tail);
}

progress_bar::progress_bar(std::string label, std::uint64_t total, bool shown)
    : state_(std::move(label), total, steady_now), shown_(shown) {}

void progress_bar::advance_to(std::uint64_t done) {
  state_.advance_to(done);
  if (!shown_ || state_.elapsed() < next_) return;
  next_ = state_.elapsed() + between_drawings;
  // the last column stays free, because some terminals wrap after it
  std::fprintf(stderr, "\r\x1b[K%s", state_.line(terminal_columns() - 1).c_str());
  std::fflush(stderr);
  drawn_ = true;
}

progress_bar::~progress_bar() {
  if (drawn_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace sinter::inline v0::command
