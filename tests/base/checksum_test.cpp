// Hashes in keys and files, and the checksums at the end of files.

#include <sinter/runtime/base/checksum.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sinter::test {

using namespace runtime;

TEST_CASE("hashes of content are xxHash3, which files of other machines hold") {
  CHECK(hash_of_content("") == content_hash{0x6001c324468d497f, 0x99aa06d3014798d8});
  CHECK(short_hash_of_content("") == 0x2d06800538d394c2);
  CHECK(short_hash_of_content("kernel", 0) == short_hash_of_content("kernel"));
  CHECK(short_hash_of_content("kernel", 1) != short_hash_of_content("kernel"));
}

TEST_CASE("bytes with a checksum are told from bytes that were changed anywhere") {
  byte_writer to;
  to.bytes = "what is kept";
  put_checksum(to);
  REQUIRE(to.bytes.size() == 12 + checksum_bytes);
  CHECK(has_checksum(to.bytes));
  for (std::size_t at = 0; at < to.bytes.size(); ++at) {
    std::string changed = to.bytes;
    changed[at] ^= 1;
    CHECK_FALSE(has_checksum(changed));
  }
  CHECK_FALSE(has_checksum(std::string_view(to.bytes).substr(1)));
  CHECK_FALSE(has_checksum("too short"));
}

TEST_CASE("a checksum may stand elsewhere than behind its bytes") {
  byte_writer to;
  to.bytes = "head";
  put_checksum(to);
  const std::string_view checksum = std::string_view(to.bytes).substr(4);
  CHECK(is_checksum(checksum, "head"));
  CHECK_FALSE(is_checksum(checksum, "heap"));
  CHECK_FALSE(is_checksum(checksum.substr(1), "head"));
}

}  // namespace sinter::test
