#pragma once
// Arrays: they own elements on one device, in row-major order.
//
// Threads: several threads may read an array; one that assigns, moves or writes it has it alone.
// Throws: shape_error and out_of_memory where elements are made, device_error; an assignment what a call
// throws (dsl/fuse.hpp); reading the elements (to_vector(), item(), to()) also index_error and
// execution_error of the work before it, and error where there is no memory.
// After a failure: no array has been made. An array that was assigned to has the extents and elements that it
// had; if kernels already wrote it in place (index_error, a failed launch), its elements are unspecified.
// Moves never fail.

#include <sinter/dsl/detail/storage.hpp>
#include <sinter/dsl/messages/refused.hpp>
#include <sinter/dsl/view.hpp>
#include <sinter/runtime/environment.hpp>

#include <initializer_list>
#include <span>
#include <utility>

namespace sinter::inline v0 {

namespace detail {
template <element T, unsigned Rank>
class array_leaf;
/// Evaluates an operand of the same rank into an array: in place if the extents are equal (expression.hpp).
template <class T, unsigned Rank, class Operand>
void assign_array(const location& at, array<T, Rank>& to, Operand&& operand);
template <class Node, class... Items>
auto make_index(Node&& node, const Items&... items);

/// What `{}` for extents of rank 0 means; no other expression converts to it.
enum class no_extents : unsigned char {};

/// What array::from takes: braces inside of braces, one level for each axis.
template <class T, unsigned Rank>
struct nested_list {
  using type = std::initializer_list<typename nested_list<T, Rank - 1>::type>;
};
template <class T>
struct nested_list<T, 1> {
  using type = std::initializer_list<T>;
};
/// Extents of braces inside of braces: those of the first of each. Throws shape_error where another differs.
template <class T, unsigned Rank>
void append_elements(const typename nested_list<T, Rank>::type& rows, std::int64_t* extents, bool first,
                     std::vector<T>& elements) {
  const auto length = static_cast<std::int64_t>(rows.size());
  if (first) *extents = length;
  check_length(*extents, length);
  if constexpr (Rank == 1) {
    elements.insert(elements.end(), rows.begin(), rows.end());
  } else {
    for (const auto& row : rows) {
      append_elements<T, Rank - 1>(row, extents + 1, first, elements);
      first = false;
    }
  }
}

/// The type of the elements that an operand is evaluated to.
template <class Operand>
using evaluated_element = storage_type<settled(info_of<Operand>::type).type>;
template <class T>
inline constexpr bool is_array = false;
template <class T, unsigned Rank>
inline constexpr bool is_array<array<T, Rank>> = true;
}  // namespace detail

/// Owns `Rank`-dimensional elements on one device. Move-only; copy() copies. Assigning an expression
/// evaluates it in one kernel, in place where the extents are equal.
template <element T, unsigned Rank>
class SINTER_RESULT array : public detail::compound_operators<array<T, Rank>> {
 public:
  using value_type = T;
  static constexpr unsigned rank = Rank;

  /// An array without elements, on the CPU. Even one of rank 0 has no element, and computing with it is an
  /// error.
  array() = default;
  /// Uninitialised elements. Throws shape_error for a negative extent, and out_of_memory.
  template <class Extents>
    requires(std::is_class_v<Extents> && std::is_constructible_v<sinter::shape<Rank>, const Extents&>)
  explicit array(const Extents& extents, sinter::device where = sinter::device::current_default())
      : extents_(extents), device_(where) {
    storage_ = detail::storage(where, bytes_of(extents_));
    strides_ = detail::row_major(extents_);
  }
  explicit array(const detail::extent_item (&extents)[Rank == 0 ? 1 : Rank],
                 sinter::device where = sinter::device::current_default())
    requires(Rank > 1)
      : array(detail::shape_of(extents), where) {}
  /// `array<float, 1>({n})`, with the number's own type: a conversion would be as good as one of the braces
  /// to an array.
  template <detail::integer Integer>
    requires(Rank == 1)
  explicit array(const Integer (&extents)[1], sinter::device where = sinter::device::current_default())
      : array(sinter::shape<1>(extents[0]), where) {}
  explicit array(detail::no_extents, sinter::device where = sinter::device::current_default())
    requires(Rank == 0)
      : array(sinter::shape<0>(), where) {}
  /// `array<float, 1>(n)`: n elements.
  template <detail::integer Integer>
    requires(Rank == 1)
  explicit array(Integer extent, sinter::device where = sinter::device::current_default())
      : array(sinter::shape<1>(extent), where) {}
  /// The same in memory from this resource, which the array keeps.
  array(const sinter::shape<Rank>& extents, sinter::device where, const memory_resource& from)
      : storage_(where, bytes_of(extents), from),
        extents_(extents),
        strides_(detail::row_major(extents)),
        device_(where) {}
#if !defined(NDEBUG)
  ~array() { detail::mark_destroyed(device_); }
#endif
  /// The same in this environment's memory.
  array(const sinter::shape<Rank>& extents, sinter::device where, const environment& inside) {
    const environment_scope scope(inside);
    array made(extents, where);
    take(made);
  }
  array(array&& other) noexcept { take(other); }
  array& operator=(array&& other) noexcept {
    if (this != &other) take(other);
    return *this;
  }
  array(const array&,
        detail::say_x_copy_to_copy_an_array = {}) = SINTER_REFUSED("say x.copy() to copy an array");
  /// Never chosen, so that the next one is, whose signature has the reason.
  array& operator=(const array&)
    requires(false);
  template <class Array, class Reason = detail::say_x_copy_to_copy_an_array>
    requires std::is_same_v<Array, array>
  array& operator=(const Array&) = SINTER_REFUSED("say x.copy() to copy an array");
  /// Converts between C++ types of one element type: `array<__half, 1>` and `array<float16, 1>`.
  template <class Other>
    requires(!std::is_same_v<Other, T> && element_type_of<Other> == element_type_of<T>)
  array(array<Other, Rank>&& other) {
    take(other);
  }
  /// Takes over the memory of a call's result.
  explicit array(runtime::result&& made) : storage_(std::move(made.storage)), device_(storage_.where()) {
    for (unsigned axis = 0; axis != Rank; ++axis) extents_[axis] = made.extents[axis];
    strides_ = detail::row_major(extents_);
  }
  /// Evaluates an expression, or copies a view's elements.
  template <class Operand>
    requires(detail::kind_of_operand<Operand> == detail::operand_kind::lazy ||
             (detail::kind_of_operand<Operand> == detail::operand_kind::array &&
              !std::is_same_v<std::remove_cvref_t<Operand>, array>))
  array(Operand&& operand, detail::location at = detail::location::current()) {
    detail::assign_array(at, *this, std::forward<Operand>(operand));
  }
  template <operand Operand>
    requires(!std::is_same_v<std::remove_cvref_t<Operand>, array>)
  array& operator=(Operand&& operand) {
    detail::assign_array(detail::location{}, *this, std::forward<Operand>(operand));
    return *this;
  }

  /// A copy of host data in row-major order. Throws shape_error if the shape has another number of elements.
  static array from(std::span<const T> data, sinter::shape<Rank> extents,
                    sinter::device where = sinter::device::current_default()) {
    detail::check_size(data.size(), extents.data(), Rank);
    array made(extents, where);
    detail::copy_elements(made.bytes(), {data.data(), sinter::device::cpu()}, data.size_bytes());
    return made;
  }
  static array from(std::initializer_list<T> data, sinter::shape<Rank> extents,
                    sinter::device where = sinter::device::current_default()) {
    return from(std::span<const T>(data.begin(), data.size()), extents, where);
  }
  /// Rows in braces: `array<float, 2>::from({{1, 2, 3}, {4, 5, 6}})`. Throws shape_error unless they are
  /// equally long.
  static array from(const typename detail::nested_list<T, Rank == 0 ? 1 : Rank>::type& rows,
                    sinter::device where = sinter::device::current_default())
    requires(Rank >= 2)
  {
    std::vector<T> elements;
    sinter::shape<Rank> extents;
    detail::append_elements<T, Rank>(rows, extents.data(), true, elements);
    return from(elements, extents, where);
  }
  template <class Bits>
    requires(std::is_same_v<T, bool> && std::is_same_v<Bits, std::vector<bool>>)
  static array from(const Bits& data, sinter::shape<Rank> extents,
                    sinter::device where = sinter::device::current_default()) {
    detail::check_size(data.size(), extents.data(), Rank);
    array made(extents, where);
    detail::copy_bits(made.bytes(), data);
    return made;
  }
  /// All of the data as an array of rank 1.
  template <class Data>
    requires(Rank == 1)
  static array from(const Data& data) {
    return from(data, sinter::shape<1>(data.size()));
  }
  static array from(std::initializer_list<T> data)
    requires(Rank == 1)
  {
    return from(data, sinter::shape<1>(data.size()));
  }

  /// Indexing, as NumPy does it: a view of these elements. Throws shape_error for an index outside its axis.
  /// With arrays of indices among the items an expression of the elements at them (parts/indexing.hpp).
  template <class... Items>
  auto operator()(const Items&... items) & {
    return view<T, Rank>(*this)(items...);
  }
  template <class... Items>
  auto operator()(const Items&... items) const& {
    return view<const T, Rank>(*this)(items...);
  }
  /// For a temporary array: an expression that owns it.
  template <class... Items>
  auto operator()(const Items&... items) && {
    if constexpr ((detail::index_array<Items> || ...))
      return detail::make_index(detail::array_leaf<T, Rank>(std::move(*this)))(items...);
    else
      return detail::make_index(detail::array_leaf<T, Rank>(std::move(*this)), items...);
  }

  [[nodiscard]] const sinter::shape<Rank>& shape() const { return extents_; }
  /// In elements.
  [[nodiscard]] const sinter::shape<Rank>& strides() const { return strides_; }
  [[nodiscard]] T* data() { return static_cast<T*>(storage_.data()); }
  [[nodiscard]] const T* data() const { return static_cast<const T*>(storage_.data()); }
  [[nodiscard]] sinter::device device() const { return device_; }
  [[nodiscard]] std::int64_t size() const {
    if constexpr (Rank == 0) {
      if (data() == nullptr) return 0;
    }
    return extents_.product();
  }

  [[nodiscard]] array copy() const { return to(device_); }
  /// A copy on the device `where`.
  [[nodiscard]] array to(sinter::device where) const {
    array made(extents_, where);
    detail::copy_elements(made.bytes(), bytes(), bytes_of(extents_));
    return made;
  }
  /// The elements in row-major order, once the work that writes them and all work queued on the device's
  /// default stream is done.
  [[nodiscard]] std::vector<T> to_vector() const { return detail::vector_of<T>(bytes(), size()); }
  /// The only element, as to_vector() reads it. Throws shape_error if there are none or several.
  [[nodiscard]] T item() const { return detail::item_of<T>(bytes(), size()); }

  template <class Bool>
    requires std::is_same_v<Bool, bool>
  explicit operator Bool() const {
    static_assert(detail::never<Bool>, "an array has no single truth value: use where(condition, a, b)");
    return false;
  }

  /// The array as a type-erased operand; borrows this array's extents and strides.
  [[nodiscard]] runtime::operand erased() const {
    return {storage_.data(), extents_.data(),  strides_.data(), element_type_of<T>, Rank,
            device_,         storage_.record()};
  }
  /// Gives up the memory; the array is empty afterwards.
  buffer release() {
    extents_ = strides_ = {};
    return storage_.release();
  }

 private:
  template <element Other, unsigned OtherRank>
  friend class array;

  copied_bytes bytes() const { return {storage_.data(), device_, storage_.record()}; }
  static std::size_t bytes_of(const sinter::shape<Rank>& extents) {
    return detail::checked_bytes(element_type_of<T>, extents.data(), Rank);
  }
  template <class Other>
  void take(array<Other, Rank>& other) noexcept {
    storage_ = std::move(other.storage_);
    extents_ = std::exchange(other.extents_, {});
    strides_ = std::exchange(other.strides_, {});
    device_ = other.device_;
  }

  detail::storage storage_;
  sinter::shape<Rank> extents_, strides_;
  sinter::device device_{};
};

// `array z = x(0)` and `array z = x + 1`: the types of views' and expressions' elements and their ranks.
template <class T, unsigned Rank>
array(const view<T, Rank>&) -> array<std::remove_const_t<T>, Rank>;
template <class Operand>
  requires(detail::kind_of_operand<Operand> == detail::operand_kind::lazy ||
           (detail::kind_of_operand<Operand> == detail::operand_kind::array &&
            !detail::is_view<std::remove_cvref_t<Operand>> &&
            !detail::is_array<std::remove_cvref_t<Operand>>))
array(Operand&&) -> array<detail::evaluated_element<Operand>, detail::info_of<Operand>::rank>;

template <class T, unsigned Rank>
const array<T, Rank>& as_view(const array<T, Rank>& elements) {
  return elements;
}
template <class T, unsigned Rank>
array<T, Rank>& as_view(array<T, Rank>& elements) {
  return elements;
}

namespace detail {

/// An array as an operand of an expression: refers to an lvalue, owns an rvalue (shared between copies of the
/// expression).
template <element T, unsigned Rank>
class array_leaf : public lazy_base {
 public:
  static constexpr operand_type result_type{element_type_of<T>, false};
  static constexpr unsigned result_rank = Rank;
  static constexpr unsigned max_operands = 1, max_scalars = 0, max_key = 1;

  array_leaf(const array<T, Rank>& from) : array_(&from) {}
  explicit array_leaf(array<T, Rank>&& from) : owned_(new owner{std::move(from)}) {
    array_ = &owned_->elements;
  }
  array_leaf(const array_leaf& other) : array_(other.array_), owned_(other.owned_) {
    if (owned_ != nullptr) __atomic_fetch_add(&owned_->users, 1, __ATOMIC_RELAXED);
  }
  array_leaf& operator=(const array_leaf&) = delete;
  ~array_leaf() {
    if (owned_ != nullptr && __atomic_fetch_sub(&owned_->users, 1, __ATOMIC_ACQ_REL) == 1) delete owned_;
  }

  void gather(gatherer& into) const { into.add(array_->erased()); }
  typed_value replay() const { return {record_operand(array_->erased()), result_type, Rank}; }

 private:
  struct owner {
    array<T, Rank> elements;
    int users = 1;
  };
  const array<T, Rank>* array_ = nullptr;
  owner* owned_ = nullptr;
};

template <class T, unsigned Rank>
struct located<array<T, Rank>> {
  array_leaf<T, Rank> operand;
  location at;
  located(const array<T, Rank>& from, location where = location::current()) : operand(from), at(where) {}
  located(array<T, Rank>&& from, location where = location::current())
      : operand(std::move(from)), at(where) {}
};

}  // namespace detail

}  // namespace sinter::inline v0
