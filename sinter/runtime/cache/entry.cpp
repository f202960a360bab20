#define XXH_INLINE_ALL
#include <xxhash.h>
#include <zstd.h>

#include <bit>
#include <cstring>
#include <type_traits>

#include <sinter/runtime/cache/entry.hpp>

namespace sinter::runtime {
namespace {

static_assert(std::endian::native == std::endian::little, "entries are little-endian");

constexpr char magic[8] = {'s', 'i', 'n', 't', 'e', 'r', '\x1a', '\n'};
constexpr std::uint32_t format_version = 1;
constexpr std::size_t header_bytes = sizeof magic + sizeof(std::uint32_t) + sizeof(std::uint64_t);
constexpr std::size_t checksum_bytes = 16;
constexpr std::size_t largest_text = std::size_t{64} << 20;
constexpr int compression_level =
    3;  // higher ones save some percent of a few KiB, and take as long as a compile

template <class T>
void put(std::string& to, T value) {
  static_assert(std::is_arithmetic_v<T>);
  to.append(reinterpret_cast<const char*>(&value), sizeof value);
}

void put_bytes(std::string& to, std::string_view bytes) {
  put(to, static_cast<std::uint64_t>(bytes.size()));
  to += bytes;
}

void put_compressed(std::string& to, std::string_view text) {
  std::string packed(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size =
      ZSTD_compress(packed.data(), packed.size(), text.data(), text.size(), compression_level);
  packed.resize(ZSTD_isError(size) != 0 ? 0 : size);
  put_bytes(to, packed);
}

/// Takes values from the front of bytes; once something was not there, nothing is.
class reader {
 public:
  explicit reader(std::string_view bytes) : rest_(bytes) {}
  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  template <class T>
  T take() {
    T value{};
    if (const std::string_view raw = take_raw(sizeof value); good_)
      raw.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  std::string_view take_bytes() {
    const auto size = take<std::uint64_t>();
    return take_raw(size);
  }
  std::string take_compressed() {
    const std::string_view packed = take_bytes();
    const unsigned long long size = ZSTD_getFrameContentSize(packed.data(), packed.size());
    if (size == ZSTD_CONTENTSIZE_ERROR || size == ZSTD_CONTENTSIZE_UNKNOWN || size > largest_text)
      good_ = false;
    if (!good_) return {};
    std::string text(static_cast<std::size_t>(size), '\0');
    const std::size_t made = ZSTD_decompress(text.data(), text.size(), packed.data(), packed.size());
    if (ZSTD_isError(made) != 0 || made != text.size()) good_ = false;
    return text;
  }

 private:
  std::string_view take_raw(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }

  std::string_view rest_;
  bool good_ = true;
};

void put_checksum(std::string& to) {
  const XXH128_hash_t hash = XXH3_128bits(to.data(), to.size());
  put(to, hash.low64);
  put(to, hash.high64);
}

bool has_checksum(std::string_view bytes) {
  const XXH128_hash_t hash = XXH3_128bits(bytes.data(), bytes.size() - checksum_bytes);
  reader tail(bytes.substr(bytes.size() - checksum_bytes));
  const auto low = tail.take<std::uint64_t>();
  return low == hash.low64 && tail.take<std::uint64_t>() == hash.high64;
}

/// What follows the header; false where it is no such thing.
bool take_sections(reader& from, cache_entry& to) {
  to.key_content = from.take_bytes();
  to.kernel = from.take_bytes();
  to.schedule = from.take_bytes();
  to.compiler = from.take_bytes();
  to.cuda_version = from.take<std::int32_t>();
  to.registers = from.take<std::int32_t>();
  to.spill_bytes = from.take<std::int32_t>();
  to.shared_bytes = from.take<std::int32_t>();
  to.compile_milliseconds = from.take<double>();
  const auto count = from.take<std::uint32_t>();
  to.images.clear();
  for (std::uint32_t i = 0; i < count && from.good(); ++i) {
    code_image& made = to.images.emplace_back();
    const auto format = from.take<std::uint32_t>();
    if (format > static_cast<std::uint32_t>(code_format::elf)) return false;
    made.format = static_cast<code_format>(format);
    made.architecture = from.take<std::int32_t>();
    made.bytes = from.take_bytes();
  }
  to.text = from.take_compressed();
  to.log = from.take_compressed();
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
  std::string bytes;
  bytes.append(magic, sizeof magic);
  put(bytes, format_version);
  put(bytes, std::uint64_t{0});  // the length, once it is known
  put_bytes(bytes, entry.key_content);
  put_bytes(bytes, entry.kernel);
  put_bytes(bytes, entry.schedule);
  put_bytes(bytes, entry.compiler);
  for (const int value : {entry.cuda_version, entry.registers, entry.spill_bytes, entry.shared_bytes})
    put(bytes, static_cast<std::int32_t>(value));
  put(bytes, entry.compile_milliseconds);
  put(bytes, static_cast<std::uint32_t>(entry.images.size()));
  for (const code_image& each : entry.images) {
    put(bytes, static_cast<std::uint32_t>(each.format));
    put(bytes, static_cast<std::int32_t>(each.architecture));
    put_bytes(bytes, each.bytes);
  }
  put_compressed(bytes, entry.text);
  put_compressed(bytes, entry.log);
  const std::uint64_t length = bytes.size() + checksum_bytes;
  std::memcpy(bytes.data() + sizeof magic + sizeof format_version, &length, sizeof length);
  put_checksum(bytes);
  return bytes;
}

entry_fault decode(std::string_view bytes, std::string_view expected, cache_entry& to) {
  if (bytes.size() < sizeof magic || std::memcmp(bytes.data(), magic, sizeof magic) != 0)
    return entry_fault::not_an_entry;
  if (bytes.size() < header_bytes + checksum_bytes) return entry_fault::truncated;
  reader from(bytes.substr(sizeof magic, bytes.size() - sizeof magic - checksum_bytes));
  const auto version = from.take<std::uint32_t>();
  const auto length = from.take<std::uint64_t>();
  // a version that is damaged is damage: of another version nothing but magic and version is known
  if (version != format_version) return entry_fault::other_format;
  if (length != bytes.size()) return entry_fault::truncated;
  if (!has_checksum(bytes) || !take_sections(from, to)) return entry_fault::damaged;
  if (!expected.empty() && to.key_content != expected) return entry_fault::other_key;
  return entry_fault::none;
}

}  // namespace sinter::runtime
