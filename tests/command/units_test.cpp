// Sizes, times, patterns and text of others.

#include <sinter/runtime/command/terminal/units.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <string>

namespace sinter::test {

using namespace command;

TEST_CASE("sizes are written with three digits at most") {
  CHECK(readable_bytes(0) == "0 B");
  CHECK(readable_bytes(1023) == "1023 B");
  CHECK(readable_bytes(1024) == "1.0 KiB");
  CHECK(readable_bytes(10 * 1024 - 1) == "10 KiB");
  CHECK(readable_bytes(1024 * 1024 - 1) == "1.0 MiB");
  CHECK(readable_bytes(std::uint64_t{3} << 29) == "1.5 GiB");
  CHECK(readable_bytes(UINT64_MAX) == "16777216 TiB");
}

TEST_CASE("sizes are read with and without units") {
  CHECK(parse_bytes("4096") == 4096);
  CHECK(parse_bytes("0") == 0);
  CHECK(parse_bytes("200M") == 200u << 20);
  CHECK(parse_bytes("1.5GiB") == 3 * (std::uint64_t{1} << 29));
  CHECK(parse_bytes("64 kB") == 64u << 10);
  CHECK(parse_bytes("7b") == 7);
  for (const char* wrong : {"", "many", "-1", "1x", "1Mx", "nan", "inf", "1e30", "M", "9000000T"})
    CHECK_MESSAGE(!parse_bytes(wrong).has_value(), wrong);
}

TEST_CASE("durations and ages are written in the largest unit that says something") {
  CHECK(readable_duration(0.0123) == "12 ms");
  CHECK(readable_duration(0.99951) == "1.0 s");
  CHECK(readable_duration(9.96) == "10 s");
  CHECK(readable_duration(125) == "2 min 5 s");
  CHECK(readable_duration(3 * 3600 + 20 * 60) == "3 h 20 min");
  CHECK(readable_age(5) == "just now");
  CHECK(readable_age(-3) == "just now");
  CHECK(readable_age(60) == "1 minute ago");
  CHECK(readable_age(7200) == "2 hours ago");
  CHECK(readable_age(86400 * 3) == "3 days ago");
  CHECK(readable_age(86400 * 800) == "2 years ago");
  CHECK(readable_age(-86400) == "in the future");
  CHECK(iso_time(0) == "1970-01-01T00:00:00Z");
}

TEST_CASE("patterns are those of the shell: a star, a question mark, letters in brackets") {
  CHECK(fits("*", ""));
  CHECK(fits("softmax*", "softmax_2"));
  CHECK(fits("*max*", "softmax_2"));
  CHECK(fits("a*b*c", "axxbxbxc"));
  CHECK(fits("?x", "ax"));
  CHECK_FALSE(fits("", "a"));
  CHECK_FALSE(fits("a", ""));
  CHECK_FALSE(fits("?", ""));
  CHECK_FALSE(fits("a*b", "axbx"));
  CHECK_FALSE(fits("A", "a"));
  CHECK(fits("softmax_[0-9]", "softmax_2"));
  CHECK_FALSE(fits("softmax_[0-9]", "softmax_x"));
  CHECK(fits("a\\*", "a\\b"));  // nothing quotes
  CHECK_FALSE(fits(std::string(40, '*') + "b", std::string(4000, 'a')));
}

TEST_CASE("foreign text cannot steer a terminal") {
  CHECK(harmless("plain \xc3\xa4 \xe2\x82\xac") == "plain \xc3\xa4 \xe2\x82\xac");
  CHECK(harmless("\x1b[31mred") == "\\x1b[31mred");
  CHECK(harmless("\xc2\x9b"
                 "31m") == "\\xc2\\x9b31m");  // the same in one character
  CHECK(harmless("a\nb\tc\r") == "a\\x0ab\\x09c\\x0d");
  CHECK(harmless("a\nb\tc\r", true) == "a\nb\tc\\x0d");
  CHECK(harmless("\xff\xc0\xaf\xed\xa0\x80") == "\\xff\\xc0\\xaf\\xed\\xa0\\x80");
  CHECK(harmless(std::string("\0", 1)) == "\\x00");
  CHECK(columns_of("\xc3\xa4\xe2\x82\xac") == 2);
}

}  // namespace sinter::test
