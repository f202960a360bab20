#pragma once
// All that is printed goes through here: tables, colours, JSON.

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace sinter::command {

enum class tint : unsigned char { plain, good, bad, warn, strong, faint };

/// Where results go. People get tables, in colour on a terminal unless $NO_COLOR is set; programs get JSON.
class console {
 public:
  explicit console(bool json);

  bool json() const { return json_; }
  /// Whether standard error is a terminal, on which something that takes long may show how far it is.
  bool shows_progress() const { return progress_; }

  void print(std::string_view text) const;
  void line(std::string_view text) const;
  /// Text that is not ours, as a kernel's: to a terminal without what would steer it, else byte by byte.
  void foreign(std::string_view text) const;
  /// One document, and a line end. What is no UTF-8 in it is replaced.
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
    bool right = false;  ///< numbers
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
  /// Every line ends with a line end and has no spaces before it. Without rows there is nothing.
  std::string text(const console& to) const;

 private:
  std::vector<column> columns_;
  std::vector<std::vector<cell>> rows_;
};

}  // namespace sinter::command
