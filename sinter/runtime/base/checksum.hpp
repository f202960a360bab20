#pragma once
// Hashes of content, and the checksums at the end of cache files, packs and recordings.

#include <sinter/codegen/base/bytes.hpp>

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0::runtime {

/// 128-bit xxHash3. The same in every process and on every machine: keys and files contain it.
struct content_hash {
  std::uint64_t low = 0, high = 0;
  bool operator==(const content_hash&) const = default;
};
content_hash hash_of_content(std::string_view content);
/// 64-bit xxHash3, equally stable.
std::uint64_t short_hash_of_content(std::string_view content, std::uint64_t seed = 0);

/// Size of a checksum in bytes: hash_of_content(), the low half first.
inline constexpr std::size_t checksum_bytes = 16;
/// Appends the checksum of everything written so far.
void put_checksum(byte_writer& to);
/// Whether `checksum` is the checksum of the bytes.
bool is_checksum(std::string_view checksum, std::string_view bytes);
/// Whether the bytes end with the checksum of the bytes before it. False if they are too short.
bool has_checksum(std::string_view bytes);

}  // namespace sinter::inline v0::runtime
