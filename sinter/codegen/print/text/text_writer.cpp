#include <sinter/codegen/print/text/text_writer.hpp>

namespace sinter::inline v0::codegen {

void text_writer::line(std::string_view text) {
  if (!text.empty() && text.front() != '#') text_.append(2 * depth_, ' ');
  text_ += text;
  text_ += '\n';
}
void text_writer::open(std::string_view text) {
  line(text);
  ++depth_;
}
void text_writer::close(std::string_view text) {
  --depth_;
  line(text);
}

}  // namespace sinter::inline v0::codegen
