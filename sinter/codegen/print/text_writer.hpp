#pragma once
// Lines of text, indented by depth.

#include <string>
#include <string_view>

namespace sinter::inline v0::codegen {

/// Text under construction, indented by depth.
class text_writer {
 public:
  void line(std::string_view text);
  /// Writes the line and indents what follows.
  void open(std::string_view text);
  void close(std::string_view text = "}");
  /// Ends one block and begins the next: "} else {".
  void reopen(std::string_view text) {
    close(text);
    ++depth_;
  }
  /// A line that is appended to until end_line().
  std::string& begin_line() {
    text_.append(2 * depth_, ' ');
    return text_;
  }
  void end_line() { text_ += '\n'; }
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  std::string& str() { return text_; }

 private:
  std::string text_;
  unsigned depth_ = 0;
};

}  // namespace sinter::inline v0::codegen
