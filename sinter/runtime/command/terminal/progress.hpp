#pragma once
// Progress of a long operation, with an estimate of its end.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sinter::inline v0::command {

/// The arithmetic of a progress bar: prints nothing, and uses the given clock.
class progress {
 public:
  using seconds = std::chrono::duration<double>;
  /// Monotonic time since any starting point.
  using clock = std::function<seconds()>;

  progress(std::string label, std::uint64_t total, clock now);

  /// Sets the work that is done; never decreases, never exceeds the total.
  void advance_to(std::uint64_t done);
  double fraction() const;
  seconds elapsed() const { return last_ - begin_; }
  /// The remaining time at the recent pace, in which the last seconds count most; nullopt until there is an
  /// estimate.
  std::optional<seconds> remaining() const;
  /// "verifying [#######·······]  50 %  3.2 s left", with at most this many columns.
  std::string line(std::size_t columns) const;

 private:
  std::string label_;
  std::uint64_t total_, done_ = 0;
  clock now_;
  seconds begin_, last_;
  double units_ = 0, time_ = 0;  ///< of the recent past, with decaying weights
};

/// Draws a progress bar on standard error, if that is a terminal: after half a second, ten times per second.
/// The destructor erases it.
class progress_bar {
 public:
  progress_bar(std::string label, std::uint64_t total, bool shown);
  progress_bar(const progress_bar&) = delete;
  progress_bar& operator=(const progress_bar&) = delete;
  ~progress_bar();
  void advance_to(std::uint64_t done);

 private:
  progress state_;
  bool shown_, drawn_ = false;
  progress::seconds next_{0.5};
};

}  // namespace sinter::inline v0::command
