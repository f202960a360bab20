#pragma once
// All output goes through here: tables, colours, JSON.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::inline v0::command {

enum class tint : unsigned char { plain, good, bad, warn, strong, faint };

/// Output of results: tables for people, in colour on a terminal unless $NO_COLOR is set; JSON for programs.
class console {
 public:
  explicit console(bool json);

  bool json() const { return json_; }
  /// Whether standard error is a terminal that can show progress.
  bool shows_progress() const { return progress_; }

  void print(std::string_view text) const;
  void line(std::string_view text) const;
  /// Text of others, such as a kernel's: without control characters on a terminal, else byte by byte.
  void foreign(std::string_view text) const;
  /// One document and a newline. Invalid UTF-8 is replaced.
  void document(const nlohmann::ordered_json& content) const;
  std::string tinted(tint as, std::string_view text) const;

 private:
  bool json_, colour_, terminal_, progress_;
};

/// Aligned columns under their names.
class table {
 public:
  struct column {
    std::string name;
    bool right = false;  ///< right-aligned, for numbers
  };
  struct cell {
    cell(std::string of, tint as = tint::plain) : text(std::move(of)), colour(as) {}
    cell(const char* of) : text(of) {}
    std::string text;
    tint colour = tint::plain;
  };

  explicit table(std::vector<column> columns) : columns_(std::move(columns)) {}
  void add(std::vector<cell> row) { rows_.push_back(std::move(row)); }
  std::size_t rows() const { return rows_.size(); }
  /// Every line ends with a newline and has no leading spaces. Empty without rows.
  std::string text(const console& to) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace sinter::inline v0::command
