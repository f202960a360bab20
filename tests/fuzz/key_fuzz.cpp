// Arbitrary bytes as the content of a key, and as the name of an entry's file.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include <sinter/runtime/cache/key.hpp>

#include "expect.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace sinter::runtime;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  if (const auto parts = parts_of(bytes)) SINTER_FUZZ_EXPECT(key_content(*parts) == bytes);
  const cache_key key = key_of(bytes);
  const std::string name = to_string(key);
  SINTER_FUZZ_EXPECT(parse_key(name) == key);
  if (const auto parsed = parse_key(bytes)) SINTER_FUZZ_EXPECT(to_string(*parsed) == bytes);
  // inserts the dash of a name, which random digits rarely have
  if (size == name.size()) {
    std::string named(bytes);
    named[16] = '-';
    if (const auto parsed = parse_key(named)) SINTER_FUZZ_EXPECT(to_string(*parsed) == named);
  }
  return 0;
}
