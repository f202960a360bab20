#define XXH_INLINE_ALL
#include <xxhash.h>

#include <sinter/runtime/base/checksum.hpp>

namespace sinter::inline v0::runtime {

content_hash hash_of_content(std::string_view content) {
  const XXH128_hash_t hash = XXH3_128bits(content.data(), content.size());
  return {hash.low64, hash.high64};
}

std::uint64_t short_hash_of_content(std::string_view content, std::uint64_t seed) {
  return XXH3_64bits_withSeed(content.data(), content.size(), seed);
}

void put_checksum(byte_writer& to) {
  const content_hash hash = hash_of_content(to.bytes);
  to.put(hash.low);
  to.put(hash.high);
}

bool is_checksum(std::string_view checksum, std::string_view bytes) {
  byte_reader from(checksum);
  const auto low = from.take<std::uint64_t>(), high = from.take<std::uint64_t>();
  return from.good() && from.at_end() && hash_of_content(bytes) == content_hash{low, high};
}

bool has_checksum(std::string_view bytes) {
  if (bytes.size() < checksum_bytes) return false;
  const std::size_t size = bytes.size() - checksum_bytes;
  return is_checksum(bytes.substr(size), bytes.substr(0, size));
}

}  // namespace sinter::inline v0::runtime
