#include "json.hpp"

#include <cstdio>

namespace sinter_bench {

std::string quoted(std::string_view text) {
  std::string made = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') made += '\\';
    if (static_cast<unsigned char>(c) >= 0x20) {
      made += c;
    } else {
      char code[8];
      std::snprintf(code, sizeof code, "\\u%04x", static_cast<unsigned>(c));
      made += code;
    }
  }
  return made + '"';
}

std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.6g", value);
  return text;
}

std::string list(const std::vector<double>& values) {
  std::string made = "[";
  for (const double value : values) made += (made.size() > 1 ? ", " : "") + number(value);
  return made + "]";
}

}  // namespace sinter_bench
