#pragma once
// Arrays and views whose element type and rank are known at run time, and evaluate(), which computes with
// them through the graph builder.
//
// Threads: several threads may read an array or a view; one that changes it has it alone.
// Throws: type_error and shape_error for another type or rank than asked for, out_of_memory, device_error;
// evaluate() what a call throws (dsl/fuse.hpp) and what `body` throws; reading also index_error and
// execution_error of earlier work.
// After a failure: no array or view has been made, and operands are as they were. The targets of evaluate()
// are too, unless kernels already ran (index_error, a failed launch): then they are unspecified.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>
#include <sinter/dsl/array.hpp>
#include <sinter/dsl/constants.hpp>
#include <sinter/dsl/printing/print.hpp>
#include <sinter/runtime/environment.hpp>

#include <array>
#include <initializer_list>
#include <source_location>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

namespace sinter::inline v0 {

namespace detail {
inline constexpr unsigned highest_rank = 32;
/// A foreign tensor that is no operand, because its element type and rank are known at run time.
template <class T>
concept run_time_typed = has_foreign_any_view<T> && kind_of_operand<T> == operand_kind::none;
/// Throws type_error or shape_error.
SINTER_API void check_any(element_type is, unsigned rank, element_type wanted, unsigned wanted_rank);
}  // namespace detail

/// A view of any element type and rank.
class SINTER_RESULT_API any_view {
 public:
  /// A view without elements and memory: computing with it is an error.
  any_view() {}  // NOLINT(modernize-use-equals-default): that would zero the lists
  any_view(const any_view& other) : layout_(other.layout_), record_(other.record_) { copy_lists(other); }
  any_view(any_view&& other) noexcept
      : layout_(other.layout_), record_(static_cast<runtime::record_handle&&>(other.record_)) {
    copy_lists(other);
  }
  any_view& operator=(any_view other) noexcept {
    layout_ = other.layout_;
    record_ = static_cast<runtime::record_handle&&>(other.record_);
    copy_lists(other);
    return *this;
  }
  ~any_view() = default;
  /// Throws shape_error if the lists differ in length or have more than 32 entries, type_error for an
  /// invalid element type, and out_of_memory for elements further apart than the address space is large.
  any_view(void* data, element_type type, std::span<const std::int64_t> extents,
           std::span<const std::int64_t> strides, sinter::device where, bool read_only = false);
  /// The same elements with the record of their memory, by which calls on several streams are ordered.
  explicit any_view(const runtime::operand& elements, bool read_only = false);
  template <class Operand>
    requires(detail::kind_of_operand<Operand> == detail::operand_kind::array)
  any_view(Operand&& elements) {
    static_assert(!detail::is_array<std::remove_cvref_t<Operand>> || std::is_lvalue_reference_v<Operand>,
                  "name the array before viewing it: a temporary one is gone after the statement");
    using viewed = decltype(view{detail::borrow(elements)});
    const viewed typed = detail::borrow(elements);
    assign(typed.erased(), std::is_const_v<typename viewed::value_type>);
  }
  /// A foreign tensor whose element type and rank are known at run time.
  template <class Tensor>
    requires detail::run_time_typed<Tensor>
  any_view(const Tensor& tensor) : any_view(foreign_tensor<Tensor>::as_any_view(tensor)) {}

  [[nodiscard]] element_type type() const { return layout_.type; }
  [[nodiscard]] unsigned rank() const { return layout_.rank; }
  [[nodiscard]] std::span<const std::int64_t> shape() const { return {extents_.data(), layout_.rank}; }
  [[nodiscard]] std::span<const std::int64_t> strides() const { return {strides_.data(), layout_.rank}; }
  [[nodiscard]] void* data() const { return layout_.data; }
  [[nodiscard]] sinter::device device() const { return layout_.where; }
  [[nodiscard]] std::int64_t size() const;
  [[nodiscard]] bool read_only() const { return layout_.read_only; }
  /// The record of the memory; empty for memory on the CPU and for a view made from a raw pointer.
  const runtime::record_handle& record() const { return record_; }

  /// The typed view. Throws type_error or shape_error if element type or rank differ, and type_error if the
  /// elements are read only and T is not const.
  template <element T, unsigned Rank>
  view<T, Rank> to() const {
    check(element_type_of<T>, Rank, std::is_const_v<T>);
    sinter::shape<Rank> extents, strides;
    for (unsigned axis = 0; axis != Rank; ++axis) {
      extents[axis] = extents_[axis];
      strides[axis] = strides_[axis];
    }
    return view<T, Rank>(detail::checked_layout{}, static_cast<T*>(layout_.data), extents, strides,
                         layout_.where, record_);
  }

  /// Writes the elements as NumPy prints them.
  friend std::ostream& operator<<(std::ostream& to, const any_view& elements) {
    detail::print_elements(to, elements.erased());
    return to;
  }

  /// A copy of the elements in a new array on the same device, row-major. Throws out_of_memory.
  [[nodiscard]] any_array copy() const;
  /// The elements in row-major order, once the work that writes them and all work queued on the device's
  /// default stream is done. Throws type_error for another element type.
  template <element T>
  [[nodiscard]] std::vector<T> to_vector() const;
  /// The only element. Throws type_error for another element type, and shape_error for another number of
  /// elements.
  template <element T>
  [[nodiscard]] T item() const {
    check(element_type_of<T>, rank(), true);
    return detail::item_of<T>({layout_.data, layout_.where, record_.get()}, size());
  }

  /// The view as a type-erased operand; borrows this view's extents and strides.
  [[nodiscard]] runtime::operand erased() const {
    return {layout_.data,
            extents_.data(),
            strides_.data(),
            layout_.type,
            static_cast<std::uint8_t>(layout_.rank),
            layout_.where,
            record_.get()};
  }

 private:
  friend class any_array;
  void assign(const runtime::operand& elements, bool read_only);
  void check(element_type wanted, unsigned wanted_rank, bool is_const) const;

  void copy_lists(const any_view& from) {
    for (unsigned axis = 0; axis != from.layout_.rank; ++axis) {
      extents_[axis] = from.extents_[axis];
      strides_[axis] = from.strides_[axis];
    }
  }

  struct layout {
    void* data = nullptr;
    element_type type{};
    bool read_only = false;
    unsigned rank = 0;
    sinter::device where{};
  };
  layout layout_;
  runtime::record_handle record_;
  // Half a kilobyte, of which the first `rank` entries are written: zeroing it would take most of the time of
  // borrowing a tensor.
  std::array<std::int64_t, detail::highest_rank> extents_, strides_;
};

/// An array of any element type and rank: owns its elements, move-only. They are row-major, unless another
/// library made them.
class SINTER_RESULT_API any_array {
 public:
  any_array() = default;
  any_array(any_array&& other) noexcept
      : storage_(std::move(other.storage_)), view_(std::exchange(other.view_, {})) {}
  any_array& operator=(any_array&& other) noexcept {
    if (this == &other) return *this;
    storage_ = std::move(other.storage_);
    view_ = std::exchange(other.view_, {});
    return *this;
  }
  /// Uninitialised elements. Throws shape_error for a negative extent, and out_of_memory.
  any_array(element_type type, std::span<const std::int64_t> extents,
            sinter::device where = sinter::device::current_default());
  /// A copy of host data in row-major order. Throws shape_error if the extents have another number of
  /// elements, and out_of_memory.
  template <element T>
  static any_array from(std::span<const T> data, std::span<const std::int64_t> extents,
                        sinter::device where = sinter::device::current_default()) {
    detail::check_size(data.size(), extents.data(), static_cast<unsigned>(extents.size()));
    any_array made(element_type_of<T>, extents, where);
    detail::copy_elements(made.bytes(), {data.data(), sinter::device::cpu()}, data.size_bytes());
    return made;
  }
  template <element T>
  static any_array from(const std::vector<T>& data, std::span<const std::int64_t> extents,
                        sinter::device where = sinter::device::current_default()) {
    if constexpr (std::is_same_v<T, bool>) {
      detail::check_size(data.size(), extents.data(), static_cast<unsigned>(extents.size()));
      any_array made(element_type::boolean, extents, where);
      detail::copy_bits(made.bytes(), data);
      return made;
    } else {
      return from(std::span<const T>(data), extents, where);
    }
  }
  /// All of the data as an array of rank 1.
  template <element T>
  static any_array from(const std::vector<T>& data) {
    const std::int64_t extents[] = {static_cast<std::int64_t>(data.size())};
    return from(data, extents);
  }
  explicit any_array(runtime::result&& made);
  /// Elements in memory that the array takes over, with any strides. `elements` views that memory.
  any_array(const any_view& elements, buffer memory);
  template <class T, unsigned Rank>
  any_array(array<T, Rank>&& typed) : view_(typed) {
    storage_ = detail::storage(typed.release());
  }

  [[nodiscard]] element_type type() const { return view_.type(); }
  [[nodiscard]] unsigned rank() const { return view_.rank(); }
  [[nodiscard]] std::span<const std::int64_t> shape() const { return view_.shape(); }
  [[nodiscard]] std::span<const std::int64_t> strides() const { return view_.strides(); }
  [[nodiscard]] void* data() const { return view_.data(); }
  [[nodiscard]] sinter::device device() const { return view_.device(); }
  [[nodiscard]] std::int64_t size() const { return view_.size(); }
  const any_view& view() const { return view_; }
  operator const any_view&() const { return view_; }

  friend std::ostream& operator<<(std::ostream& to, const any_array& elements) {
    return to << elements.view_;
  }
  /// A copy on the same device, row-major. Throws out_of_memory.
  [[nodiscard]] any_array copy() const { return view_.copy(); }
  /// As of any_view.
  template <element T>
  [[nodiscard]] std::vector<T> to_vector() const {
    return view_.to_vector<T>();
  }
  template <element T>
  [[nodiscard]] T item() const {
    return view_.item<T>();
  }

  /// The typed array, which takes over the memory. Throws as any_view::to does, and shape_error if the
  /// elements are not row-major; then leaves this array as it was.
  template <element T, unsigned Rank>
  array<T, Rank> to() && {
    detail::check_any(type(), rank(), element_type_of<T>, Rank);
    check_typed();
    runtime::result taken;
    for (unsigned axis = 0; axis != Rank; ++axis) taken.extents[axis] = view_.shape()[axis];
    taken.storage = storage_.release();
    view_ = {};
    return array<T, Rank>(std::move(taken));
  }

 private:
  void check_typed() const;
  copied_bytes bytes() const { return {storage_.data(), device(), storage_.record()}; }

  detail::storage storage_;
  any_view view_;
};

template <element T>
std::vector<T> any_view::to_vector() const {
  check(element_type_of<T>, rank(), true);
  if (detail::is_row_major(extents_.data(), strides_.data(), layout_.rank))
    return detail::vector_of<T>({layout_.data, layout_.where, record_.get()}, size());
  return copy().to_vector<T>();
}

/// A scalar of any element type.
class any_scalar {
 public:
  /// From a C++ number or a constant (weak, as in a lambda), scalar<T>(…) (strong), or literal(…) (written
  /// into the graph).
  template <class Number>
    requires(detail::kind_of_operand<Number> == detail::operand_kind::scalar)
  any_scalar(const Number& number) : source_(detail::source_of(number)) {}
  /// The low bytes of `bits` are the element. Not for complex types.
  any_scalar(element_type type, std::uint64_t bits, bool weak = false) : source_{{type, weak}, false, bits} {}

  operand_type type() const { return source_.own; }
  /// The scalar in type-erased form.
  const detail::scalar_source& source() const { return source_; }

 private:
  detail::scalar_source source_;
};

/// An operand of evaluate(): elements or a scalar.
class any_operand {
 public:
  any_operand(const any_view& elements) : elements_(elements) {}
  any_operand(const any_array& elements) : elements_(elements.view()) {}
  template <class Operand>
    requires(detail::kind_of_operand<Operand> == detail::operand_kind::array)
  any_operand(Operand&& elements) : elements_(elements) {}
  template <class Tensor>
    requires detail::run_time_typed<Tensor>
  any_operand(const Tensor& tensor) : elements_(tensor) {}
  any_operand(const any_scalar& number) : number_(number), is_scalar_(true) {}
  template <class Number>
    requires(detail::kind_of_operand<Number> == detail::operand_kind::scalar)
  any_operand(const Number& number) : any_operand(any_scalar(number)) {}

  bool is_scalar() const { return is_scalar_; }
  const any_view& elements() const { return elements_; }
  const any_scalar& number() const { return number_; }

 private:
  any_view elements_;
  any_scalar number_{false};
  bool is_scalar_ = false;
};

/// How evaluate() runs its graph.
struct evaluate_options {
  arithmetic_mode mode = arithmetic_mode::standard;
  const stream* on = nullptr;               ///< nullptr: the device's default stream
  bool assume_ordered = false;              ///< waits for no other stream: the caller has ordered the work
  std::span<std::byte> workspace{};         ///< device memory to use instead of allocating, if large enough
  const memory_resource* memory = nullptr;  ///< of results and workspace; nullptr: the device's
  std::string_view name{};                  ///< the kernel's name in profilers
  const environment* in = nullptr;          ///< nullptr: the one that the thread is in
};

namespace detail {
/// Operands of either kind of list.
struct any_operands {
  const any_view* views = nullptr;
  const any_operand* operands = nullptr;
  std::size_t count = 0;

  any_operands(std::span<const any_view> list) : views(list.data()), count(list.size()) {}
  any_operands(std::span<const any_operand> list) : operands(list.data()), count(list.size()) {}

  bool is_scalar(std::size_t i) const { return operands != nullptr && operands[i].is_scalar(); }
  const any_view& elements(std::size_t i) const {
    return operands != nullptr ? operands[i].elements() : views[i];
  }
  const scalar_source& number(std::size_t i) const { return operands[i].number().source(); }
};

/// Builds the graph and runs it; `into` is nullptr where results are allocated.
using any_body = void (*)(const void* context, graph_builder& builder, std::span<const graph_value> operands);
SINTER_API std::vector<any_array> evaluate_any(const any_operands& operands,
                                               const std::span<const any_view>* into, any_body body,
                                               const void* context, const evaluate_options& options,
                                               const location& at);

template <class Body>
concept graph_body = requires(const Body& body, graph_builder& builder,
                              std::span<const graph_value> operands) { body(builder, operands); };

// The element type of the vector is a parameter so that including this file does not instantiate the vector.
template <class Body, class Result = any_array>
std::vector<Result> evaluate_body(const any_operands& operands, const std::span<const any_view>* into,
                                  const Body& body, const evaluate_options& options, const location& at) {
  const auto call = [](const void* context, graph_builder& builder, std::span<const graph_value> inputs) {
    (*static_cast<const Body*>(context))(builder, inputs);
  };
  return evaluate_any(operands, into, call, &body, options, at);
}
}  // namespace detail

/// Runs a graph over operands whose types are known at run time: elements and scalars, in a list or a span.
/// `body(builder, values)` adds nodes for the operands' values, which are in the operands' order, and calls
/// builder.output() for each result. Numbers are run-time parameters: a new value compiles nothing. To write
/// a constant into the graph, call builder.literal(2.5), or pass literal(2.5) as an operand. The graph is
/// built at each call and compiled once.
template <detail::graph_body Body, class Result = any_array>
[[nodiscard]] std::vector<Result> evaluate(std::span<const any_operand> operands, const Body& body,
                                           const evaluate_options& options = {},
                                           std::source_location at = std::source_location::current()) {
  return detail::evaluate_body<Body, Result>(operands, nullptr, body, options, at);
}
template <detail::graph_body Body, class Result = any_array>
[[nodiscard]] std::vector<Result> evaluate(std::span<const any_view> operands, const Body& body,
                                           const evaluate_options& options = {},
                                           std::source_location at = std::source_location::current()) {
  return detail::evaluate_body<Body, Result>(operands, nullptr, body, options, at);
}
template <detail::graph_body Body, class Result = any_array>
[[nodiscard]] std::vector<Result> evaluate(std::initializer_list<any_operand> operands, const Body& body,
                                           const evaluate_options& options = {},
                                           std::source_location at = std::source_location::current()) {
  return detail::evaluate_body<Body, Result>(std::span(operands.begin(), operands.size()), nullptr, body,
                                             options, at);
}
/// The same, writing the results to existing elements: one view for each.
template <detail::graph_body Body>
void evaluate(std::span<const any_operand> operands, std::span<const any_view> into, const Body& body,
              const evaluate_options& options = {},
              std::source_location at = std::source_location::current()) {
  detail::evaluate_body(operands, &into, body, options, at);
}
template <detail::graph_body Body>
void evaluate(std::span<const any_view> operands, std::span<const any_view> into, const Body& body,
              const evaluate_options& options = {},
              std::source_location at = std::source_location::current()) {
  detail::evaluate_body(operands, &into, body, options, at);
}
template <detail::graph_body Body>
void evaluate(std::initializer_list<any_operand> operands, std::span<const any_view> into, const Body& body,
              const evaluate_options& options = {},
              std::source_location at = std::source_location::current()) {
  detail::evaluate_body(std::span(operands.begin(), operands.size()), &into, body, options, at);
}
template <detail::graph_body Body>
void evaluate(std::initializer_list<any_operand> operands, std::initializer_list<any_view> into,
              const Body& body, const evaluate_options& options = {},
              std::source_location at = std::source_location::current()) {
  const std::span<const any_view> targets(into.begin(), into.size());
  detail::evaluate_body(std::span(operands.begin(), operands.size()), &targets, body, options, at);
}

}  // namespace sinter::inline v0
