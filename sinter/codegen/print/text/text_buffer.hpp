#pragma once
// Text that grows by short parts.

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>

namespace sinter::inline v0::codegen {

/// Appends in line: a std::string calls its library for each part, which took a tenth of making a text.
class text_buffer {
 public:
  text_buffer& operator+=(std::string_view part) {
    if (part.empty()) return *this;
    std::memcpy(room_for(part.size()), part.data(), part.size());
    size_ += part.size();
    return *this;
  }
  text_buffer& operator+=(char letter) {
    *room_for(1) = letter;
    ++size_;
    return *this;
  }
  text_buffer& operator+=(std::int64_t number) {
    constexpr std::size_t max_digits = 20;
    char* const begin = room_for(max_digits);
    size_ += static_cast<std::size_t>(std::to_chars(begin, begin + max_digits, number).ptr - begin);
    return *this;
  }
  /// Appends texts and numbers one after the other.
  template <typename... Parts>
  void put(const Parts&... parts) {
    ((*this += parts), ...);
  }
  void append(std::size_t count, char letter) {
    if (count == 0) return;
    std::memset(room_for(count), letter, count);
    size_ += count;
  }
  void pop_back() { --size_; }
  void truncate(std::size_t size) { size_ = size; }
  std::size_t size() const { return size_; }
  std::string_view view() const { return {letters_.get(), size_}; }

 private:
  char* room_for(std::size_t count) {
    if (capacity_ - size_ < count) grow(count);
    return letters_.get() + size_;
  }
  void grow(std::size_t count) {
    const std::size_t capacity = std::max({min_capacity, 2 * capacity_, size_ + count});
    auto grown = std::make_unique_for_overwrite<char[]>(capacity);
    if (size_ != 0) std::memcpy(grown.get(), letters_.get(), size_);
    letters_ = std::move(grown);
    capacity_ = capacity;
  }

  static constexpr std::size_t min_capacity = 4096;
  std::unique_ptr<char[]> letters_;
  std::size_t size_ = 0, capacity_ = 0;
};

}  // namespace sinter::inline v0::codegen
