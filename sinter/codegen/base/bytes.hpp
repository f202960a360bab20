#pragma once
// Writes values as little-endian bytes and reads them back; the reader checks everything.

#include <bit>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace sinter::inline v0 {

static_assert(std::endian::native == std::endian::little, "the format is little-endian");

/// Appends values to bytes.
class byte_writer {
 public:
  template <class T>
  void put(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  }
  /// A length, of 32 bits unless another type is given, and that many bytes.
  template <class Length = std::uint32_t>
  void put_text(std::string_view text) {
    put(static_cast<Length>(text.size()));
    bytes += text;
  }

  std::string bytes;
};

/// Takes values from the front of bytes. After the first failure every further value is zero, and good() is
/// false.
class byte_reader {
 public:
  explicit byte_reader(std::string_view bytes) : all_(bytes), rest_(bytes) {}

  bool good() const { return good_; }
  bool at_end() const { return rest_.empty(); }

  /// A number, or a record of C whose fields are numbers.
  template <class T>
  T take() {
    static_assert(std::is_trivially_copyable_v<T> && !std::is_enum_v<T> && !std::is_pointer_v<T>);
    T value{};
    if (const std::string_view raw = take_bytes(sizeof value); good_)
      raw.copy(reinterpret_cast<char*>(&value), sizeof value);
    return value;
  }
  /// An enumerator, not above `last`. It is stored as its own type is unless another is given.
  template <class Stored = void, class T>
  T take_enumerator(T last) {
    static_assert(std::is_enum_v<T>);
    const auto value = take<typename std::conditional_t<std::is_void_v<Stored>, std::underlying_type<T>,
                                                        std::type_identity<Stored>>::type>();
    if (value > static_cast<std::underlying_type_t<T>>(last)) good_ = false;
    return good_ ? static_cast<T>(value) : T{};
  }
  /// What byte_writer::put_text() wrote with a length of the same type.
  template <class Length = std::uint32_t>
  std::string_view take_text() {
    const auto size = take<Length>();
    return take_bytes(size);
  }
  /// Text up to a zero byte, which has to be there.
  std::string_view take_terminated_text() {
    const std::size_t end = rest_.find('\0');
    const std::string_view text = take_bytes(end == std::string_view::npos ? UINT64_MAX : end);
    take_bytes(1);
    return text;
  }
  std::string_view take_bytes(std::uint64_t size) {
    if (!good_ || size > rest_.size()) {
      good_ = false;
      return {};
    }
    const std::string_view taken = rest_.substr(0, static_cast<std::size_t>(size));
    rest_.remove_prefix(taken.size());
    return taken;
  }
  /// The number of elements that follow, each of at least `min_bytes`; fails if the bytes left cannot hold
  /// them.
  std::uint32_t take_count(std::size_t min_bytes) {
    const auto count = take<std::uint32_t>();
    if (count > rest_.size() / min_bytes) good_ = false;
    return good_ ? count : 0;
  }
  void refuse() { good_ = false; }

  /// Whether there are so many bytes at an offset, whatever was taken.
  bool holds(std::uint64_t offset, std::uint64_t count) const {
    return offset <= all_.size() && count <= all_.size() - offset;
  }
  /// A reader of all the bytes from an offset on; it is not good where that lies behind them.
  byte_reader at(std::uint64_t offset) const {
    byte_reader there(holds(offset, 0) ? all_.substr(static_cast<std::size_t>(offset)) : std::string_view());
    there.good_ = holds(offset, 0);
    return there;
  }

 private:
  std::string_view all_, rest_;
  bool good_ = true;
};

}  // namespace sinter::inline v0
