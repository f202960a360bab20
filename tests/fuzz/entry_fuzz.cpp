// Arbitrary bytes as a cache entry: rejected, or read and written again without loss.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>

#include <sinter/runtime/cache/entry.hpp>

#include "expect.hpp"

namespace {

using namespace sinter::runtime;

constexpr std::size_t length_at = 12, header_bytes = 20, checksum_bytes = 16;

// The minimum size of an entry with this content: all its parts, with texts compressed to nothing.
std::size_t min_bytes(const cache_entry& entry) {
  std::size_t bytes = header_bytes + checksum_bytes + 4 * sizeof(std::int32_t) + sizeof(double) +
                      sizeof(std::uint32_t) + 6 * sizeof(std::uint64_t) + entry.key_content.size() +
                      entry.kernel.size() + entry.schedule.size() + entry.compiler.size();
  for (const sinter::code_image& each : entry.images)
    bytes += 2 * sizeof(std::uint32_t) + sizeof(std::uint64_t) + each.bytes.size();
  return bytes;
}

void check(std::string_view bytes) {
  cache_entry read;
  if (decode(bytes, "", read) != entry_fault::none) return;
  SINTER_FUZZ_EXPECT(min_bytes(read) <= bytes.size());
  for (const sinter::code_image& each : read.images)
    SINTER_FUZZ_EXPECT(each.format <= sinter::code_format::elf);
  const std::string written = encode(read);
  cache_entry again;
  SINTER_FUZZ_EXPECT(decode(written, read.key_content, again) == entry_fault::none);
  SINTER_FUZZ_EXPECT(encode(again) == written);
  SINTER_FUZZ_EXPECT(decode(written, read.key_content + "x", again) == entry_fault::other_key);
  // NaN is unequal to itself, so bits are compared
  SINTER_FUZZ_EXPECT(std::bit_cast<std::uint64_t>(again.compile_milliseconds) ==
                     std::bit_cast<std::uint64_t>(read.compile_milliseconds));
  again.compile_milliseconds = read.compile_milliseconds = 0;
  SINTER_FUZZ_EXPECT(again == read);
}

// Corrects the length and the checksum, so that the code after those checks is reached as well.
std::string mended(std::string_view bytes) {
  std::string made(bytes);
  const std::uint64_t length = made.size();
  std::memcpy(made.data() + length_at, &length, sizeof length);
  const XXH128_hash_t hash = XXH3_128bits(made.data(), made.size() - checksum_bytes);
  std::memcpy(made.data() + made.size() - 16, &hash.low64, sizeof hash.low64);
  std::memcpy(made.data() + made.size() - 8, &hash.high64, sizeof hash.high64);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (size >= header_bytes + checksum_bytes) check(mended(bytes));
  return 0;
}
