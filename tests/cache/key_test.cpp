#include <doctest/doctest.h>

#include "cache_entries.hpp"

namespace sinter::test {

using runtime::cache_key;
using runtime::key_parts;

TEST_CASE("every part of what a kernel depends on is in its key") {
  const std::string content = content_of(1);
  CHECK(runtime::key_of(content) == runtime::key_of(content_of(1)));
  for (const std::string& other :
       {content_of(2), content_of(1, 4), content_of(1, 3, "-O2"), content_of(1, 3, "-O", "x")}) {
    const cache_key a = runtime::key_of(content), b = runtime::key_of(other);
    CHECK((a.high != b.high && a.low != b.low));
  }
}

TEST_CASE("what moves from one part to the next makes another key") {
  const std::string a = runtime::key_content({"12345678ab", "c", "d", ""});
  const std::string b = runtime::key_content({"12345678a", "bc", "d", ""});
  CHECK(runtime::key_of(a).low != runtime::key_of(b).low);
}

TEST_CASE("kernels that differ in version, options or linked code alone are of one identity") {
  const std::uint64_t identity = key_of(1).identity;
  CHECK(runtime::key_of(content_of(1, 4)).identity == identity);
  CHECK(runtime::key_of(content_of(1, 3, "-O2")).identity == identity);
  CHECK(runtime::key_of(content_of(1, 3, "-O", "linked")).identity == identity);
  CHECK(key_of(2).identity != identity);
}

TEST_CASE("a key and its name tell the same") {
  for (int i = 0; i < 100; ++i) {
    const std::string name = runtime::to_string(key_of(i));
    CHECK(name.size() == 49);
    CHECK(runtime::parse_key(name) == key_of(i));
  }
  const std::string name = runtime::to_string(key_of(1));
  CHECK_FALSE(runtime::parse_key(""));
  CHECK_FALSE(runtime::parse_key(name.substr(1)));
  CHECK_FALSE(runtime::parse_key(name + "0"));
  std::string upper = name;
  upper[0] = 'G';
  CHECK_FALSE(runtime::parse_key(upper));
}

TEST_CASE("parts are read back, and nothing else is taken for them") {
  const std::string content = content_of(7, 3, "options", "linked");
  const std::optional<key_parts> parts = runtime::parts_of(content);
  REQUIRE(parts);
  CHECK(parts->target == "cuda 90");
  CHECK(parts->options == "options");
  CHECK(parts->linked == "linked");
  for (std::size_t size = 0; size < content.size(); ++size)
    CHECK_FALSE(runtime::parts_of(std::string_view(content).substr(0, size)));
  CHECK_FALSE(runtime::parts_of(content + "x"));
}

}  // namespace sinter::test
