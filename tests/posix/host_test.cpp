// Properties of the machine from the operating system.

#include <sinter/runtime/posix/host.hpp>

#include <doctest/doctest.h>

#include <string>

namespace sinter::test {

using namespace runtime;

TEST_CASE("the memory that could be had is some of the memory that there is") {
  CHECK(available_memory_bytes() > std::uint64_t{1} << 20);
  CHECK(available_memory_bytes() <= physical_memory_bytes());
}

TEST_CASE("a last-level cache has from some hundred KiB to some GiB") {
  CHECK(last_level_cache().bytes >= std::uint64_t{128} << 10);
  CHECK(last_level_cache().bytes <= std::uint64_t{8} << 30);
  CHECK(last_level_cache().sharers >= 1);
}

TEST_CASE("the features of a processor are words of eight hexadecimal digits, the same at each call") {
  const std::string text = processor_features();
  CHECK(text == processor_features());
#if defined(__x86_64__)
  REQUIRE(text.starts_with("x86-64 "));
  CHECK(text.find_first_not_of("0123456789abcdef ", 7) == std::string::npos);
  CHECK(text.find(' ', 7) == 7 + 8);
#endif
}

}  // namespace sinter::test
