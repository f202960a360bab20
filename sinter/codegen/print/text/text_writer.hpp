#pragma once
// Lines of text, indented by depth.

#include <sinter/codegen/print/text/text_buffer.hpp>

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
  text_buffer& begin_line() {
    text_.append(2 * depth_, ' ');
    return text_;
  }
  void end_line() { text_ += '\n'; }
  void indent() { ++depth_; }
  void outdent() { --depth_; }
  std::string_view text() const { return text_.view(); }

 private:
  text_buffer text_;
  unsigned depth_ = 0;
};

}  // namespace sinter::inline v0::codegen
