#pragma once
// Extents and strides of statically known rank.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinter::inline v0 {

namespace detail {
template <class T>
concept integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;

/// Converts an extent of any integer type. Saturates to int64, whose maximum no memory can hold.
template <integer Integer>
constexpr std::int64_t extent_from(Integer extent) {
  if constexpr (std::is_unsigned_v<Integer> && sizeof(Integer) >= sizeof(std::int64_t))
    if (extent > static_cast<Integer>(INT64_MAX)) return INT64_MAX;
  return static_cast<std::int64_t>(extent);
}
}  // namespace detail

/// `Rank` extents or strides, outermost axis first. Made from integers of any type: `{rows, 3}`.
template <unsigned Rank>
class shape {
 public:
  constexpr shape() = default;
  template <detail::integer... Integers>
    requires(sizeof...(Integers) == Rank && Rank > 0)
  constexpr shape(Integers... extents) : values_{detail::extent_from(extents)...} {}
  template <detail::integer Integer>
  constexpr shape(const std::array<Integer, Rank>& extents) {
    for (unsigned i = 0; i != Rank; ++i) values_[i] = detail::extent_from(extents[i]);
  }

  constexpr std::int64_t operator[](std::size_t axis) const { return values_[axis]; }
  constexpr std::int64_t& operator[](std::size_t axis) { return values_[axis]; }
  static constexpr std::size_t size() { return Rank; }
  constexpr const std::int64_t* data() const { return values_.data(); }
  constexpr std::int64_t* data() { return values_.data(); }
  constexpr const std::int64_t* begin() const { return data(); }
  constexpr const std::int64_t* end() const { return data() + Rank; }
  constexpr bool operator==(const shape&) const = default;

  /// Number of elements of an array of these extents.
  constexpr std::int64_t product() const {
    std::uint64_t elements = 1;  // may wrap before an extent of 0 makes it 0
    for (std::int64_t extent : values_) elements *= static_cast<std::uint64_t>(extent);
    return static_cast<std::int64_t>(elements);
  }

 private:
  std::array<std::int64_t, Rank> values_{};
};

namespace detail {
/// One extent in braces, of any integer type: `zeros<float>({rows, 3})` deduces the rank from their number.
struct extent_item {
  std::int64_t value;
  template <integer Integer>
  constexpr extent_item(Integer extent) : value(extent_from(extent)) {}
};
template <std::size_t Rank>
constexpr shape<static_cast<unsigned>(Rank)> shape_of(const extent_item (&extents)[Rank]) {
  shape<static_cast<unsigned>(Rank)> made;
  for (std::size_t i = 0; i != Rank; ++i) made[i] = extents[i].value;
  return made;
}

/// Strides of a row-major array of these extents.
template <unsigned Rank>
constexpr shape<Rank> row_major(const shape<Rank>& extents) {
  shape<Rank> strides;
  std::uint64_t stride = 1;  // may wrap where there are no elements
  for (unsigned axis = Rank; axis-- > 0;) {
    strides[axis] = static_cast<std::int64_t>(stride);
    stride *= static_cast<std::uint64_t>(extents[axis]);
  }
  return strides;
}
}  // namespace detail

}  // namespace sinter::inline v0
