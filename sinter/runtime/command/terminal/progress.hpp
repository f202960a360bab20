#pragma once
// How far something long has come, and when it will be done.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace sinter::command {

/// The arithmetic of a progress bar: writes nothing, and asks the clock that it is given.
class progress {
 public:
  using seconds = std::chrono::duration<double>;
  /// Time since anything at all, growing.
  using clock = std::function<seconds()>;

  progress(std::string label, std::uint64_t total, clock now);

  /// So much is done; never less than before, nor more than all.
  void advance_to(std::uint64_t done);
  double fraction() const;
  seconds elapsed() const { return last_ - begin_; }
  /// What is left at the recent pace, of which the last seconds count most; nullopt until there is one.
  std::optional<seconds> remaining() const;
  /// "verifying [#######·······]  50 %  3.2 s left", at most this wide.
  std::string line(std::size_t columns) const;

 private:
  std::string label_;
  std::uint64_t total_, done_ = 0;
  clock now_;
  seconds begin_, last_;
  double units_ = 0, time_ = 0;  ///< of the recent past, older parts counting less and less
};

/// Draws one on standard error, if that is a terminal: later than half a second after the beginning, ten
/// times a second, and gone without a trace when this goes.
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

}  // namespace sinter::command
