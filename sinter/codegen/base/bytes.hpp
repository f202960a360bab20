#pragma once
// Writes values as little-endian bytes and reads them back; the reader checks everything.

#include <bit>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>

namespace sinter {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

/// Appends values to bytes.
class byte_writer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_integral_v<T> || std::is_enum_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// A length of 32 bits, and that many bytes.
  void put_text(std::string_view text) {
    put(static_cast<std::uint32_t>(text.size()));
    bytes += text;
  }

  std::string bytes;
};

/// Takes values from the front of bytes. After the first failure every further value is zero, and good() is
/// false.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  template <class T>
  T take() {
    static_assert(std::is_integral_v<T>);
    T value{};
    if (const std::string_view raw = take_raw(sizeof value); good_)
      raw.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  /// An enumerator up to `last`.
  template <class T>
  T take_enumerator(T last) {
    static_assert(std::is_enum_v<T>);
    const auto value = take<std::underlying_type_t<T>>();
    if (value > static_cast<std::underlying_type_t<T>>(last)) good_ = false;
    return good_ ? static_cast<T>(value) : T{};
  }
  std::string_view take_text() {
    const auto size = take<std::uint32_t>();
    return take_raw(size);
  }
  /// The number of elements that follow, each of at least `least_bytes`; fails if the bytes left cannot hold
  /// them.
  std::uint32_t take_count(std::size_t least_bytes) {
    const auto count = take<std::uint32_t>();
    if (count > rest_.size() / least_bytes) good_ = false;
    return good_ ? count : 0;
  }
  void refuse() { good_ = false; }

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

}  // namespace sinter
