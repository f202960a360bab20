#pragma once
// A user's own function in fused functions and expressions.
//
// Threads: any thread may make, copy and call these; the function itself is called from any thread.
// Throws: error for a name that is no identifier, and compile_error or device_error where the headers of its
// text cannot be read, as it is made; text is compiled by the first call, which throws compile_error, also
// where there is no form for its device.
// After a failure: no function has been made, and on_cpu() leaves the one that it was called on.

#include <sinter/dsl/expression.hpp>
#include <sinter/runtime/object/extern_function.hpp>

#include <cstring>
#include <string>
#include <type_traits>
#include <utility>

namespace sinter::inline v0 {

namespace detail {

/// The type that external code takes and returns for T: float for the 16-bit types, which are computed as
/// float everywhere.
template <class T>
using carried = std::conditional_t<storage_only_scalar<T>, float, T>;

/// False only for complex elements; types that are not elements are reported elsewhere.
template <class T>
inline constexpr bool is_real_element = true;
template <element T>
inline constexpr bool is_real_element<T> = !is_complex(element_type_of<T>);

/// A call of an external function on nodes.
template <element_type Type, unsigned Rank, class... Nodes>
struct external_node {
  class SINTER_RESULT type : public lazy<type> {
   public:
    static constexpr operand_type result_type{Type, false};
    static constexpr unsigned result_rank = Rank;
    static constexpr unsigned max_operands = (0u + ... + Nodes::max_operands);
    static constexpr unsigned max_scalars = (0u + ... + Nodes::max_scalars);
    static constexpr unsigned max_key = (1u + ... + Nodes::max_key);

    type(const external_function& called, const location& at, nodes<Nodes...>&& operands)
        : called_(&called), operands_(std::move(operands)), at_(at) {}
    void gather(gatherer& into) const {
      into.add_key(reinterpret_cast<std::uintptr_t>(called_));  // interned by content and never freed
      operands_.each([&into](const auto& node) { node.gather(into); });
    }
    typed_value replay() const {
      typed_value values[sizeof...(Nodes)];
      unsigned count = 0;
      operands_.each([&](const auto& node) { values[count++] = node.replay(); });
      return {record_external(*called_, values, count, at_), result_type, Rank};
    }

   private:
    const external_function* called_;
    nodes<Nodes...> operands_;
    location at_;
  };
};

template <class T>
T from_bits(std::uint64_t bits) {
  T value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// Calls a function of this process with its arguments as bits.
template <class Result, class... Arguments, std::size_t... Position>
void call_with_bits(std::uint64_t address, const std::uint64_t* arguments, std::uint64_t* result,
                    std::index_sequence<Position...>) {
  const Result made =
      reinterpret_cast<Result (*)(Arguments...)>(address)(from_bits<Arguments>(arguments[Position])...);
  *result = 0;
  std::memcpy(result, &made, sizeof made);
}

}  // namespace detail

template <class Signature>
class extern_function;

/// A user's own function, written outside Sinter: `extern_function<float(float, float)>("blend", {.cuda =
/// text, .cpp = text})`. Called on values or arrays it is an elementwise operation like any other, with
/// broadcasting, and becomes part of the fused kernel. It must be pure: equal calls are made once, and a call
/// may be repeated in each phase of a reduction. The content of its code is part of the key of kernels that
/// call it; where the code came from is not. Copies are cheap.
///
/// Arrays may have 16-bit types, for which the code uses float: `extern_function<float16(float16, int)>`
/// calls `float blend(float, int)`, takes arrays of float16 and makes one.
template <class Result, class... Arguments>
class extern_function<Result(Arguments...)> {
  static_assert(sizeof...(Arguments) >= 1 && sizeof...(Arguments) <= max_external_arguments,
                "an external function takes one to three arguments");
  static_assert(element<Result> && (element<Arguments> && ...),
                "an external function takes and returns numbers and bool by value");
  static_assert(detail::is_real_element<Result> && (detail::is_real_element<Arguments> && ...),
                "an external function takes and returns real numbers: pass a complex one as its parts");

 public:
  /// The type of the function that the code defines, and of the function pointer.
  using code_type = detail::carried<Result>(detail::carried<Arguments>...);

  extern_function(std::string name, device_source source) : source_(std::move(source)) { intern(name, 0); }
  /// From object code for CUDA: LTO-IR, PTX, a relocatable cubin or a fatbin that defines the function.
  extern_function(std::string name, object_code code) {
    source_.code = std::move(code);
    intern(name, 0);
  }
  /// From a function of this process, for the CPU alone.
  extern_function(std::string name, code_type* function) { intern(name, address_of(function)); }

  /// Adds a function of this process for the CPU. It is called for each element and not inlined, so text is
  /// faster. The reference interpreter uses it, too.
  extern_function on_cpu(code_type* function) const {
    extern_function made = *this;
    made.intern(called_->name, address_of(function));
    return made;
  }
  /// Adds C++ text for the CPU.
  extern_function on_cpu(std::string text) const {
    extern_function made = *this;
    made.source_.cpp = std::move(text);
    made.intern(called_->name, called_->address);
    return made;
  }

  template <class A>
    requires(sizeof...(Arguments) == 1 && detail::any_sinter_operand<A>)
  auto operator()(A&& a, detail::location at = detail::location::current()) const {
    return apply(at, std::forward<A>(a));
  }
  template <class A, class B>
    requires(sizeof...(Arguments) == 2 && detail::any_sinter_operand<A, B>)
  auto operator()(A&& a, B&& b, detail::location at = detail::location::current()) const {
    return apply(at, std::forward<A>(a), std::forward<B>(b));
  }
  template <class A, class B, class C>
    requires(sizeof...(Arguments) == 3 && detail::any_sinter_operand<A, B, C>)
  auto operator()(A&& a, B&& b, C&& c, detail::location at = detail::location::current()) const {
    return apply(at, std::forward<A>(a), std::forward<B>(b), std::forward<C>(c));
  }

  /// The record that stands for the function in a graph; for graph_builder::call.
  const external_function& erased() const { return *called_; }

 private:
  static std::uint64_t address_of(code_type* function) { return reinterpret_cast<std::uintptr_t>(function); }

  void intern(const std::string& name, std::uint64_t address) {
    runtime::external_signature types;
    types.result = element_type_of<detail::carried<Result>>;
    ((types.arguments[types.arity++] = element_type_of<detail::carried<Arguments>>), ...);
    types.call = [](std::uint64_t at, const std::uint64_t* arguments, std::uint64_t* result) {
      detail::call_with_bits<detail::carried<Result>, detail::carried<Arguments>...>(
          at, arguments, result, std::index_sequence_for<Arguments...>());
    };
    called_ = &runtime::intern_external(types, name, source_, address);
  }

  template <class Argument, class Operand>
  static constexpr bool holds() {
    constexpr operand_type wanted{element_type_of<Argument>, false};
    if constexpr (detail::is_operand_type<std::remove_cvref_t<Operand>>())
      return promote(detail::info_of<Operand>::type, wanted).type == wanted.type;
    return false;
  }

  template <class... Operands>
  auto apply(const detail::location& at, Operands&&... operands) const {
    constexpr bool fits = (holds<Arguments, Operands>() && ...);
    static_assert(
        fits, "an operand does not fit the argument of the external function: convert it with astype<T>(x)");
    if constexpr (fits) {
      constexpr unsigned rank = detail::highest_of({detail::info_of<Operands>::rank...});
      if constexpr (((detail::kind_of_operand<Operands> == detail::operand_kind::value) || ...)) {
        const detail::typed_value recorded[] = {
            detail::recorded_operand(operands, {element_type_of<Arguments>}, at)...};
        const value<detail::canonical<detail::carried<Result>>, rank> made(
            detail::record_external(*called_, recorded, sizeof...(Operands), at));
        return detail::convert<element_type_of<Result>>(at, made);
      } else {
        return detail::convert<element_type_of<Result>>(
            at, make_node<rank>(at, detail::node_of<element_type_of<Arguments>>(
                                        at, std::forward<Operands>(operands))...));
      }
    }
  }
  template <unsigned Rank, class... Nodes>
  auto make_node(const detail::location& at, Nodes&&... made) const {
    return typename detail::external_node<element_type_of<detail::carried<Result>>, Rank, Nodes...>::type(
        *called_, at, detail::nodes<Nodes...>{std::move(made)...});
  }

  device_source source_;
  const external_function* called_ = nullptr;
};

}  // namespace sinter::inline v0
