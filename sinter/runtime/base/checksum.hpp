#pragma once
// Hashes of content, and the checksums that files of the cache, packs and recordings end with.

#include <sinter/codegen/base/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter::runtime {

/// xxHash3 of 128 bits. The same in every process and on every machine: keys and files hold it.
struct content_hash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const content_hash&) const = default;
};
content_hash hash_of_content(std::string_view content);
/// xxHash3 of 64 bits, likewise.
std::uint64_t short_hash_of_content(std::string_view content, std::uint64_t seed = 0);

/// Bytes of a checksum: hash_of_content(), the low half first.
inline constexpr std::size_t checksum_bytes = 16;
/// Appends the checksum of all that was written.
void put_checksum(byte_writer& to);
/// Whether `checksum` is that of the bytes.
bool is_checksum(std::string_view checksum, std::string_view bytes);
/// Whether bytes end with the checksum of what stands before it. False where there is no room for one.
bool has_checksum(std::string_view bytes);

}  // namespace sinter::runtime
