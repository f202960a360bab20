// Arbitrary bytes as a pack: rejected, or every row and entry of it can be read.

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>

#include "expect.hpp"

namespace {

using namespace sinter::runtime;

constexpr std::size_t length_at = 16, count_at = 24, contents_at = 32, contents_size_at = 40,
                      tunings_size_at = 48 + sizeof(pack_digest);
constexpr std::size_t header_bytes = 48 + 2 * sizeof(pack_digest) + 8, row_bytes = 72, checksum_bytes = 16;

void check(std::string_view bytes) {
  std::string fault;
  const std::shared_ptr<pack> opened = pack::open_bytes(bytes, "pack", {}, fault);
  SINTER_FUZZ_EXPECT((opened == nullptr) == !fault.empty());
  if (opened == nullptr) return;
  for (std::size_t i = 0; i < opened->size(); ++i) {
    const pack_row row = opened->row(i);
    const store_answer answer = opened->get(row.key);
    SINTER_FUZZ_EXPECT(!answer.found || answer.bytes.size() == row.size);
    cache_entry entry;
    decode(answer.bytes, "", entry);
  }
  opened->contents();
  opened->tunings();
  if (!opened->check().empty()) return;
  try {
    const std::string merged = merge_packs(std::vector{opened});
    SINTER_FUZZ_EXPECT(pack::open_bytes(merged, "merged", {}, fault) != nullptr);
    SINTER_FUZZ_EXPECT(merged == merge_packs(std::vector{opened, opened}));
  } catch (const sinter::device_error&) {
  }
}

std::uint64_t word_at(const std::string& bytes, std::size_t offset) {
  std::uint64_t value = 0;
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

// Corrects the lengths and the checksum of the header, so that the code after those checks is reached too.
std::string mended(std::string_view bytes) {
  std::string made(bytes);
  const std::uint64_t length = made.size(), count = word_at(made, count_at);
  std::memcpy(made.data() + length_at, &length, sizeof length);
  const std::uint64_t contents = word_at(made, contents_at), rest = length - checksum_bytes - contents;
  if (contents <= length - checksum_bytes) {
    const std::uint64_t tunings = std::min(word_at(made, tunings_size_at), rest), list = rest - tunings;
    std::memcpy(made.data() + contents_size_at, &list, sizeof list);
    std::memcpy(made.data() + tunings_size_at, &tunings, sizeof tunings);
  }
  if (count > (made.size() - header_bytes - checksum_bytes) / row_bytes) return made;
  const std::size_t head = header_bytes + static_cast<std::size_t>(count) * row_bytes;
  const XXH128_hash_t hash = XXH3_128bits(made.data(), head);
  std::memcpy(made.data() + head, &hash.low64, sizeof hash.low64);
  std::memcpy(made.data() + head + 8, &hash.high64, sizeof hash.high64);
  return made;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  check(bytes);
  if (size >= header_bytes + 2 * checksum_bytes) check(mended(bytes));
  return 0;
}
