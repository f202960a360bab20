// Conversion of values to bytes and back, in sequence and at offsets.

#include <sinter/codegen/base/bytes.hpp>

#include <doctest/doctest.h>

#include <cstdint>
#include <limits>
#include <string>

namespace sinter::test {
namespace {

enum class colour : std::uint8_t { red, green, blue };

struct record {
  std::uint32_t first;
  std::uint16_t second, third;
};

}  // namespace

TEST_CASE("what is written in a row is read in that row, and then the bytes are at their end") {
  byte_writer to;
  to.put(std::uint16_t{0x1234});
  to.put(-1.5);
  to.put(colour::blue);
  to.put_text("short");
  to.put_text<std::uint64_t>("long");
  CHECK(to.bytes.substr(0, 2) == "\x34\x12");
  CHECK(to.bytes.size() == 2 + 8 + 1 + 4 + 5 + 8 + 4);

  byte_reader from(to.bytes);
  CHECK(from.take<std::uint16_t>() == 0x1234);
  CHECK(from.take<double>() == -1.5);
  CHECK(from.take_enumerator(colour::blue) == colour::blue);
  CHECK(from.take_text() == "short");
  CHECK(from.take_text<std::uint64_t>() == "long");
  CHECK(from.good());
  CHECK(from.at_end());
}

TEST_CASE("once something is not there, everything is zero and nothing is good") {
  const std::string bytes("\x07\0\0\0\x01\x02\x03", 7);
  byte_reader from(bytes);
  CHECK(from.take<std::uint64_t>() == 0);
  CHECK_FALSE(from.good());
  CHECK(from.take<std::uint8_t>() == 0);

  byte_reader text(bytes);
  CHECK(text.take_text().empty());  // the length says seven bytes, but there are three
  CHECK_FALSE(text.good());

  byte_reader refused(bytes);
  refused.refuse();
  CHECK(refused.take<std::uint8_t>() == 0);
}

TEST_CASE("an enumerator above the last one is refused, however wide it is stored") {
  for (const bool wide : {false, true}) {
    const std::string bytes = wide ? std::string("\x02\0\0\0\x01\x01\0\0", 8) : std::string("\x02\x03", 2);
    byte_reader from(bytes);
    const auto take = [&] {
      return wide ? from.take_enumerator<std::uint32_t>(colour::blue) : from.take_enumerator(colour::blue);
    };
    CHECK(take() == colour::blue);
    CHECK(from.good());
    CHECK(take() == colour::red);  // the low byte of 0x0101 is a known value
    CHECK_FALSE(from.good());
  }
}

TEST_CASE("a count is no larger than the bytes that are left can hold") {
  const std::string bytes("\x02\0\0\0abcd", 8);
  byte_reader two(bytes), three(bytes);
  CHECK(two.take_count(2) == 2);
  CHECK(two.good());
  CHECK(three.take_count(3) == 0);
  CHECK_FALSE(three.good());
}

TEST_CASE("bytes at an offset are read whatever was taken before, and none behind the end") {
  const std::string bytes("\x01\0\0\0\x02\0\x03\0name\0rest", 17);
  byte_reader from(bytes);
  from.take<std::uint64_t>();
  const auto at = from.at(0).take<record>();
  CHECK(at.first == 1);
  CHECK(at.second == 2);
  CHECK(at.third == 3);
  CHECK(from.at(8).take_terminated_text() == "name");
  CHECK(from.good());

  byte_reader unterminated = from.at(13);
  CHECK(unterminated.take_terminated_text().empty());
  CHECK_FALSE(unterminated.good());
  CHECK(from.at(17).at_end());
  CHECK(from.at(17).good());
  CHECK_FALSE(from.at(18).good());
  CHECK(from.at(UINT64_MAX).take<std::uint8_t>() == 0);
}

TEST_CASE("whether bytes are there is asked without a sum that wraps around") {
  const byte_reader from("0123456789");
  CHECK(from.holds(0, 10));
  CHECK(from.holds(10, 0));
  CHECK_FALSE(from.holds(1, 10));
  CHECK_FALSE(from.holds(std::numeric_limits<std::uint64_t>::max(), 2));
  CHECK_FALSE(from.holds(2, std::numeric_limits<std::uint64_t>::max()));
}

}  // namespace sinter::test
