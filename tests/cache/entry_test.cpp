// The format of entries: what was written can be read, and nothing else is accepted.

#include <doctest/doctest.h>

#include "cache_entries.hpp"

#include <random>

namespace sinter::test {

using runtime::cache_entry;
using runtime::entry_fault;

TEST_CASE("an entry is read back as it was written") {
  cache_entry written = entry_of(1);
  written.images.push_back({code_format::ptx, 80, "a second image"});
  written.text.assign(100'000, 'x');
  cache_entry read;
  CHECK(decode(encode(written), written.key_content, read) == entry_fault::none);
  CHECK(read == written);
  CHECK(encode(read) == encode(written));
}

TEST_CASE("an entry that is cut short is refused at every length") {
  const std::string bytes = encode(entry_of(1));
  cache_entry read;
  for (std::size_t size = 0; size < bytes.size(); ++size) {
    const entry_fault fault = decode(std::string_view(bytes).substr(0, size), content_of(1), read);
    REQUIRE(fault != entry_fault::none);
    if (size >= 8) REQUIRE(fault != entry_fault::not_an_entry);
  }
  CHECK(decode(bytes + '\0', content_of(1), read) == entry_fault::truncated);
}

TEST_CASE("an entry with any bit of any byte flipped is refused") {
  const std::string bytes = encode(entry_of(1));
  cache_entry read;
  for (std::size_t at = 0; at < bytes.size(); ++at)
    for (const int bit : {0, 3, 7}) {
      std::string flipped = bytes;
      flipped[at] = static_cast<char>(flipped[at] ^ 1 << bit);
      REQUIRE(decode(flipped, content_of(1), read) != entry_fault::none);
      REQUIRE(decode(flipped, "", read) != entry_fault::none);
    }
}

TEST_CASE("a whole entry of another kernel is refused, whatever its name says") {
  cache_entry read;
  CHECK(decode(encode(entry_of(2)), content_of(1), read) == entry_fault::other_key);
  CHECK(decode(encode(entry_of(2)), "", read) == entry_fault::none);
}

TEST_CASE("an entry of another version of the format is told from a damaged one") {
  std::string bytes = encode(entry_of(1));
  bytes[8] = static_cast<char>(bytes[8] + 1);
  cache_entry read;
  CHECK(decode(bytes, content_of(1), read) == entry_fault::other_format);
}

TEST_CASE("bytes drawn at random are no entry, with the head of one or without") {
  std::mt19937_64 random(5);
  cache_entry none;
  CHECK(decode(std::string(100, 'x'), "", none) == entry_fault::not_an_entry);
  const std::string head = encode(entry_of(1)).substr(0, 20);
  cache_entry read;
  for (int i = 0; i < 2000; ++i) {
    std::string bytes(random() % 300, '\0');
    for (char& byte : bytes) byte = static_cast<char>(random());
    CHECK(decode(bytes, "", read) != entry_fault::none);
    CHECK(decode(head + bytes, "", read) != entry_fault::none);
  }
}

}  // namespace sinter::test
