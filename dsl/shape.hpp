#pragma once
// Extents and strides of statically known rank.

#include <array>
#include <cstddef>
#include <cstdint>
#include <type_traits>

namespace sinter {

namespace detail {
template <class T>
concept integer = std::is_integral_v<T> && !std::is_same_v<T, bool>;
}  // namespace detail

/// `Rank` lengths or strides, outermost axis first. Made from integers of any type: `{rows, 3}`.
template <unsigned Rank>
class shape {
 public:
  constexpr shape() = default;
  template <detail::integer... Integers>
    requires(sizeof...(Integers) == Rank && Rank > 0)
  constexpr shape(Integers... extents) : values_{static_cast<std::int64_t>(extents)...} {}
  template <detail::integer Integer>
  constexpr shape(const std::array<Integer, Rank>& extents) {
    for (unsigned i = 0; i != Rank; ++i) values_[i] = static_cast<std::int64_t>(extents[i]);
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
    std::int64_t elements = 1;
    for (std::int64_t extent : values_) elements *= extent;
    return elements;
  }

 private:
  std::array<std::int64_t, Rank> values_{};
};

namespace detail {
/// One extent in braces, of any integer type: `zeros<float>({rows, 3})` finds the rank by counting.
struct extent_item {
  std::int64_t value;
  template <integer Integer>
  constexpr extent_item(Integer extent) : value(static_cast<std::int64_t>(extent)) {}
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
  std::int64_t stride = 1;
  for (unsigned axis = Rank; axis-- > 0;) {
    strides[axis] = stride;
    stride *= extents[axis];
  }
  return strides;
}
}  // namespace detail

}  // namespace sinter
