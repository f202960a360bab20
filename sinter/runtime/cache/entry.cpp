#include <zstd.h>

#include <cstring>
#include <utility>

#include <sinter/codegen/base/bytes.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/entry.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr std::string_view magic("sinter\x1a\n", 8);
constexpr std::uint32_t format_version = 1;
constexpr std::size_t header_bytes = magic.size() + sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr std::size_t largest_text = std::size_t{64} << 20;
// higher levels save a few percent of a few KiB, and take as long as a compile
constexpr int compression_level = 3;

void put_bytes(byte_writer& to, std::string_view bytes) { to.put_text<std::uint64_t>(bytes); }
std::string_view take_bytes(byte_reader& from) { return from.take_text<std::uint64_t>(); }

void put_compressed(byte_writer& to, std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), compression_level);
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  put_bytes(to, packed);
}

std::string take_compressed(byte_reader& from) {
  const std::string_view packed = take_bytes(from);
  const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
  if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > largest_text)
    from.refuse();
  if (!from.good()) return {};
  std::string text(static_cast<std::size_t>(size), '\0');
  const std::size_t made = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
  if (ZSTD_isError(made) != 0 || made != text.size()) from.refuse();
  return text;
}

/// Parses the sections after the header; false if they are malformed.
bool take_sections(byte_reader& from, cache_entry& to) {
  to.key_content = take_bytes(from);
  to.kernel = take_bytes(from);
  to.schedule = take_bytes(from);
  to.compiler = take_bytes(from);
  to.cuda_version = from.take<std::int32_t>();
  to.registers = from.take<std::int32_t>();
  to.spill_bytes = from.take<std::int32_t>();
  to.shared_bytes = from.take<std::int32_t>();
  to.compile_milliseconds = from.take<double>();
  const auto count = from.take<std::uint32_t>();
  to.images.clear();
  for (std::uint32_t i = 0; i < count && from.good(); ++i) {
    code_image& made = to.images.emplace_back();
    made.format = from.take_enumerator<std::uint32_t>(code_format::elf);
    made.architecture = from.take<std::int32_t>();
    made.bytes = take_bytes(from);
  }
  to.text = take_compressed(from);
  to.log = take_compressed(from);
  return from.good() && from.at_end() && !to.images.empty();
}

}  // namespace

const char* describe(entry_fault fault) {
  switch (fault) {
    case entry_fault::none:
      return "it is whole";
    case entry_fault::not_an_entry:
      return "it is no entry of a cache";
    case entry_fault::other_format:
      return "its format is of another version";
    case entry_fault::truncated:
      return "it was cut short";
    case entry_fault::damaged:
      return "its checksum does not fit";
    case entry_fault::other_key:
      return "it is of another kernel";
  }
  return "";
}

std::string encode(const cache_entry& entry) {
  byte_writer to;
  to.bytes = magic;
  to.put(format_version);
  to.put(std::uint64_t{0});  // the length, filled in at the end
  put_bytes(to, entry.key_content);
  put_bytes(to, entry.kernel);
  put_bytes(to, entry.schedule);
  put_bytes(to, entry.compiler);
  for (const int value : {entry.cuda_version, entry.registers, entry.spill_bytes, entry.shared_bytes})
    to.put(static_cast<std::int32_t>(value));
  to.put(entry.compile_milliseconds);
  to.put(static_cast<std::uint32_t>(entry.images.size()));
  for (const code_image& each : entry.images) {
    to.put(static_cast<std::uint32_t>(each.format));
    to.put(static_cast<std::int32_t>(each.architecture));
    put_bytes(to, each.bytes);
  }
  put_compressed(to, entry.text);
  put_compressed(to, entry.log);
  const std::uint64_t length = to.bytes.size() + checksum_bytes;
  std::memcpy(to.bytes.data() + magic.size() + sizeof format_version, &length, sizeof length);
  put_checksum(to);
  return std::move(to.bytes);
}

entry_fault decode(std::string_view bytes, std::string_view expected, cache_entry& to) {
  if (!bytes.starts_with(magic)) return entry_fault::not_an_entry;
  if (bytes.size() < header_bytes + checksum_bytes) return entry_fault::truncated;
  byte_reader from(bytes.substr(magic.size(), bytes.size() - magic.size() - checksum_bytes));
  const auto version = from.take<std::uint32_t>();
  const auto length = from.take<std::uint64_t>();
  // of another version only magic and version are known, so this comes before the checksum
  if (version != format_version) return entry_fault::other_format;
  if (length != bytes.size()) return entry_fault::truncated;
  if (!has_checksum(bytes) || !take_sections(from, to)) return entry_fault::damaged;
  if (!expected.empty() && to.key_content != expected) return entry_fault::other_key;
  return entry_fault::none;
}

}  // namespace sinter::inline v0::runtime
