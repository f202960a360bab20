#pragma once
// Arrays that do not exist yet, for prepare(), explain() and their like: element type, rank, and extents that
// may be ranges. And GPUs that are not here.
//
// Threads: descriptions are values: any thread may read one.
// Throws: shape_error from extent_range() for bounds that are not 0 <= low <= high; wrong models and extents
// are found by the call that takes them.
// After a failure: no description has been made.

#include <sinter/codegen/base/export.hpp>
#include <sinter/dsl/view.hpp>

#include <span>
#include <string>
#include <utility>

namespace sinter::inline v0 {

namespace detail {
struct described_axis;
}

/// The extents that an axis may have in later calls, from `low` to `high`. One object, or a copy of it, is
/// the same extent wherever it is used; two objects vary independently.
class SINTER_API extent_range {
 public:
  /// Throws shape_error unless 0 <= low <= high.
  extent_range(std::int64_t low, std::int64_t high);
  std::int64_t low() const { return bounds_.low; }
  std::int64_t high() const { return bounds_.high; }

 private:
  friend detail::described_axis;
  runtime::axis_range bounds_;
};

namespace detail {
/// An extent of a description: a range, or a number of any integer type.
struct described_axis {
  runtime::axis_range bounds;
  described_axis(const extent_range& range) : bounds(range.bounds_) {}
  template <integer Integer>
  described_axis(Integer extent)
      : bounds{static_cast<std::int64_t>(extent), static_cast<std::int64_t>(extent), 0} {}
};
}  // namespace detail

/// Stands for a row-major array in prepare(), and with numbers as extents in explain(), source(), ptx(),
/// assembly() and result_shapes(): `softmax.prepare(described<float, 2>({extent_range(1, 4096),
/// 512}))`. It is aligned as arrays are, to 16 bytes or more. Each description stands for a different array.
template <element T, unsigned Rank>
  requires(Rank > 0)
class described {
 public:
  explicit described(const detail::described_axis (&extents)[Rank],
                     sinter::device where = sinter::device::current_default())
      : device_(where) {
    for (unsigned axis = 0; axis != Rank; ++axis) ranges_[axis] = extents[axis].bounds;
  }

  std::span<const runtime::axis_range> ranges() const { return ranges_; }
  /// The layout with the lowest extents, without elements.
  view<T, Rank> least() const {
    shape<Rank> extents;
    for (unsigned axis = 0; axis != Rank; ++axis) extents[axis] = ranges_[axis].low;
    return view<T, Rank>(nullptr, extents, detail::row_major(extents), device_);
  }

 private:
  runtime::axis_range ranges_[Rank];
  sinter::device device_;
};

/// A GPU by the name of its model, which need not be here: explain(), source(), ptx() and assembly() then
/// tell of the kernels that run on it. Models are those of sinter/codegen/target/known_devices.cpp, such as
/// "H200" and "RTX 4090".
struct gpu_model {
  explicit gpu_model(std::string model) : name(std::move(model)) {}
  std::string name;
};

namespace detail {

template <class T>
struct description {
  static constexpr bool is = false;
  using operand = T;
};
template <class T, unsigned Rank>
struct description<described<T, Rank>> {
  static constexpr bool is = true;
  using operand = view<T, Rank>;
};
template <class T>
inline constexpr bool is_described = description<std::remove_cvref_t<T>>::is;
/// The type of the operand that an argument of prepare() stands for.
template <class T>
using described_operand = typename description<std::remove_cvref_t<T>>::operand;

}  // namespace detail

}  // namespace sinter::inline v0
