#pragma once
// Views: they borrow elements, with any strides.
//
// Threads: several threads may read the elements; one that writes them, or calls refer_to(), has them or the
// view alone.
// Throws: shape_error and out_of_memory where a view is made or indexed; an assignment and copy() what a call
// throws (dsl/fuse.hpp); reading also index_error and execution_error of the work before it.
// After a failure: no view has been made, and a view refers to what it did. Elements that were assigned to
// are as they were, unless kernels already wrote them (index_error, a failed launch): then they are
// unspecified.

#include <sinter/dsl/detail/layout.hpp>
#include <sinter/dsl/detail/operand.hpp>
#include <sinter/dsl/messages/refused.hpp>
#include <sinter/dsl/shape.hpp>
#include <sinter/dsl/value.hpp>

#include <vector>

namespace sinter::inline v0 {

namespace detail {
/// Tag: a view's extents and strides are already checked.
struct checked_layout {};

/// Evaluates an operand over the elements of a view, broadcast to its extents (expression.hpp).
template <class T, unsigned Rank, class Operand>
void assign_elements(const location& at, const view<T, Rank>& to, Operand&& operand);

/// A vector of the elements, in row-major order; std::vector<bool> for bool.
template <class T>
std::vector<T> vector_of(const copied_bytes& from, std::int64_t elements) {
  std::vector<T> host(static_cast<std::size_t>(elements));
  if constexpr (std::is_same_v<T, bool>)
    copy_bits(host, from);
  else
    copy_elements({host.data(), device::cpu()}, from, host.size() * sizeof(T));
  return host;
}

/// The element of an array that has one; shape_error for another number of them.
template <class T>
T item_of(const copied_bytes& from, std::int64_t elements) {
  check_one_element(elements);
  T only{};
  copy_elements({&only, device::cpu()}, from, sizeof only);
  return only;
}

template <class T>
inline constexpr bool is_view = false;
template <class T, unsigned Rank>
inline constexpr bool is_view<view<T, Rank>> = true;
}  // namespace detail

#define SINTER_NAMED_VIEW \
  "this view has a name: say v.refer_to(w) to view other elements, or v() = w to write elements"

/// Borrows elements on one device: an address, extents and strides (in elements, of any sign). Copies of a
/// view refer to the same elements. A view of an array's elements carries the record of their memory, by
/// which calls on several streams are ordered; for a view made from a raw pointer that order is the caller's.
/// Assigning an expression, an array or a number writes the elements. Assigning a view does so only if the
/// left side is a temporary, as in `x(slice(0, 3)) = y` and `v() = w`. Assigning a view to a named view does
/// not compile, because std::swap, std::sort and containers would overwrite elements instead of moving views.
/// `v.refer_to(w)` makes v refer to other elements, and swap(v, w) exchanges what two views refer to.
template <element T, unsigned Rank>
class SINTER_RESULT view : public detail::compound_operators<view<T, Rank>> {
 public:
  using value_type = T;
  static constexpr unsigned rank = Rank;

  view() = default;
  /// Row-major elements. Throws shape_error for a negative extent, and out_of_memory for more elements than
  /// the address space holds.
  view(T* data, sinter::shape<Rank> extents, sinter::device where = sinter::device::cpu())
      : view(detail::checked_layout{}, data, extents, detail::row_major(extents), where) {
    detail::checked_bytes(element_type_of<T>, extents_.data(), Rank);
  }
  /// Throws shape_error for a negative extent, and out_of_memory where elements would be further apart than
  /// the address space is large.
  view(T* data, sinter::shape<Rank> extents, sinter::shape<Rank> strides,
       sinter::device where = sinter::device::cpu())
      : view(detail::checked_layout{}, data, extents, strides, where) {
    detail::check_distances(element_type_of<T>, extents_.data(), strides_.data(), Rank);
  }
  view(const view&) = default;
  /// Converts to a view of const elements. Also converts between C++ types of one element type.
  template <class Other>
    requires(!std::is_same_v<Other, T> && element_type_of<Other> == element_type_of<T> &&
             (std::is_const_v<T> || !std::is_const_v<Other>))
  view(const view<Other, Rank>& other)
      : view(detail::checked_layout{}, reinterpret_cast<T*>(other.data()), other.shape(), other.strides(),
             other.device(), other.record()) {}
  template <class Array>
    requires std::is_same_v<Array, array<std::remove_const_t<T>, Rank>>
  view(Array& from)
      : view(detail::checked_layout{}, from.data(), from.shape(), from.strides(), from.device(),
             runtime::record_handle(from.erased().record)) {}
  template <class Array>
    requires(std::is_const_v<T> && std::is_same_v<Array, array<std::remove_const_t<T>, Rank>>)
  view(const Array& from)
      : view(detail::checked_layout{}, from.data(), from.shape(), from.strides(), from.device(),
             runtime::record_handle(from.erased().record)) {}
  /// The memory of a temporary array is gone at the end of the statement.
  template <class Array>
    requires std::is_same_v<std::remove_const_t<Array>, array<std::remove_const_t<T>, Rank>>
  view(Array&&, detail::name_the_array_before_viewing_it = {}) =
      SINTER_REFUSED("name the array before viewing it: a temporary one is gone after the statement");
  /// For extents and strides that are already checked.
  view(detail::checked_layout, T* data, sinter::shape<Rank> extents, sinter::shape<Rank> strides,
       sinter::device where, runtime::record_handle record = {})
      : data_(data),
        extents_(extents),
        strides_(strides),
        device_(where),
        record_(static_cast<runtime::record_handle&&>(record)) {}

  /// Writes the elements in one kernel; the right side is broadcast to the view's extents.
  const view& operator=(const view& operand) const&& {
    detail::assign_elements(detail::location{}, *this, operand);
    return *this;
  }
  template <class Other, unsigned OtherRank>
  const view& operator=(const view<Other, OtherRank>& operand) const&& {
    detail::assign_elements(detail::location{}, *this, operand);
    return *this;
  }
  template <operand Operand>
    requires(!detail::is_view<std::remove_cvref_t<Operand>>)
  const view& operator=(Operand&& operand) const {
    detail::assign_elements(detail::location{}, *this, std::forward<Operand>(operand));
    return *this;
  }
  /// For non-const views: without it, this and the assignment of views are ambiguous in ISO C++.
  template <operand Operand>
    requires(!detail::is_view<std::remove_cvref_t<Operand>>)
  view& operator=(Operand&& operand) {
    detail::assign_elements(detail::location{}, *this, std::forward<Operand>(operand));
    return *this;
  }
  /// Does not compile for a named view: see above.
  view& operator=(const view&) & {
    static_assert(detail::never<T>, SINTER_NAMED_VIEW);
    return *this;
  }
  const view& operator=(const view&) const& {
    static_assert(detail::never<T>, SINTER_NAMED_VIEW);
    return *this;
  }
  template <class Other, unsigned OtherRank>
  const view& operator=(const view<Other, OtherRank>&) const& {
    static_assert(detail::never<Other>, SINTER_NAMED_VIEW);
    return *this;
  }
  /// Makes this view refer to other elements.
  void refer_to(const view& other) & noexcept {
    data_ = other.data_;
    extents_ = other.extents_;
    strides_ = other.strides_;
    device_ = other.device_;
    record_ = other.record_;
  }

  /// Indexing, as NumPy does it. Throws shape_error for an index outside its axis.
  template <class... Items>
    requires(!(detail::index_array<Items> || ...))
  auto operator()(Items... items) const {
    if constexpr (detail::check_index<Rank, Items...>()) {
      const detail::item_list<Rank, Items...> list(items...);
      sinter::shape<detail::rank_of_index<Rank, Items...>> extents, strides;
      const std::int64_t offset = detail::index_layout(
          std::span<const detail::index_item>(list.items, list.count), {extents_.data(), Rank},
          {strides_.data(), Rank}, extents.data(), strides.data());
      return view<T, detail::rank_of_index<Rank, Items...>>(detail::checked_layout{}, data_ + offset, extents,
                                                            strides, device_, record_);
    }
  }

  /// With arrays of indices among the items: an expression (parts/indexing.hpp).
  template <class... Items>
    requires(detail::index_array<Items> || ...)
  auto operator()(const Items&... items) const {
    return detail::indexed(*this, items...);
  }

  [[nodiscard]] const sinter::shape<Rank>& shape() const { return extents_; }
  [[nodiscard]] const sinter::shape<Rank>& strides() const { return strides_; }
  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] sinter::device device() const { return device_; }
  /// The record of the memory; empty for memory on the CPU and for a view made from a raw pointer.
  const runtime::record_handle& record() const { return record_; }
  [[nodiscard]] std::int64_t size() const {
    if constexpr (Rank == 0) {
      if (data() == nullptr) return 0;
    }
    return extents_.product();
  }

  /// A copy of the elements in a new array on the same device.
  [[nodiscard]] array<std::remove_const_t<T>, Rank> copy() const {
    return array<std::remove_const_t<T>, Rank>(*this);
  }
  [[nodiscard]] array<std::remove_const_t<T>, Rank> to(sinter::device where) const {
    return copy().to(where);
  }
  /// The elements in row-major order, once the work that writes them and all work queued on the device's
  /// default stream is done.
  [[nodiscard]] std::vector<std::remove_const_t<T>> to_vector() const {
    if (detail::is_row_major(extents_.data(), strides_.data(), Rank))
      return detail::vector_of<std::remove_const_t<T>>({data_, device_, record_.get()}, size());
    return copy().to_vector();
  }
  /// The only element, as to_vector() reads it. Throws shape_error if there are none or several.
  [[nodiscard]] std::remove_const_t<T> item() const {
    return detail::item_of<std::remove_const_t<T>>({data_, device_, record_.get()}, size());
  }

  template <class Bool>
    requires std::is_same_v<Bool, bool>
  explicit operator Bool() const {
    static_assert(detail::never<Bool>, "an array has no single truth value: use where(condition, a, b)");
    return false;
  }

  /// The view as a type-erased operand; borrows this view's extents and strides.
  [[nodiscard]] runtime::operand erased() const {
    return {const_cast<std::remove_const_t<T>*>(data_),
            extents_.data(),
            strides_.data(),
            element_type_of<T>,
            Rank,
            device_,
            record_.get()};
  }

 private:
  T* data_ = nullptr;
  sinter::shape<Rank> extents_, strides_;
  sinter::device device_{};
  runtime::record_handle record_;
};

#undef SINTER_NAMED_VIEW

/// Exchanges what two views refer to; their elements stay as they are.
template <class T, unsigned Rank>
void swap(view<T, Rank>& a, view<T, Rank>& b) noexcept {
  const view<T, Rank> was = a;
  a.refer_to(b);
  b.refer_to(was);
}

/// A view is its own view. A library author makes a tensor type an operand by a function of this name in the
/// type's namespace, or by foreign_tensor<T>.
template <class T, unsigned Rank>
const view<T, Rank>& as_view(const view<T, Rank>& elements) {
  return elements;
}

}  // namespace sinter::inline v0
