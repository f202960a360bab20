#pragma once
// Arguments and results of fused functions: what each becomes while recording, what a call passes to the
// compiled part of the library, and the arrays that it returns. Tuples, pairs and, with hana.hpp, structs of
// operands are handled member by member.

#include <sinter/dsl/expression.hpp>

#include <tuple>

namespace sinter::inline v0::detail {

template <class... Types>
struct type_list {};

/// Types that hold operands as members. A specialisation has:
/// - `is`: true
/// - `members`: type_list of the member types
/// - `mapped<Map>`: the type whose members M are Map<M>::type
/// - `each(object, function)`: calls function(member) in order
/// - `tie(object)`: a tuple of its members, or of references to them
/// - `make<Result>(maker)`: Result{maker.template make<M>()…}, in order
template <class T>
struct composite {
  static constexpr bool is = false;
};
template <template <class...> class Tuple, class... Members>
struct composite_tuple {
  static constexpr bool is = true;
  using members = type_list<Members...>;
  template <template <class> class Map>
  using mapped = Tuple<typename Map<std::remove_cvref_t<Members>>::type...>;
  template <class Object, class Function>
  static void each(Object& object, Function&& function) {
    std::apply([&](auto&... members) { (function(members), ...); }, object);
  }
  template <class Object>
  static Object& tie(Object& object) {
    return object;
  }
  template <class Result, class Maker>
  static Result make(Maker& maker) {
    return Result{maker.template make<std::remove_cvref_t<Members>>()...};
  }
};
template <class... Members>
struct composite<std::tuple<Members...>> : composite_tuple<std::tuple, Members...> {};
template <class First, class Second>
struct composite<std::pair<First, Second>> : composite_tuple<std::pair, First, Second> {};
template <class T>
inline constexpr bool is_composite = composite<std::remove_cvref_t<T>>::is;

/// Number of leaves of each kind in an argument or a result; a complex scalar has two parts.
struct leaf_counts {
  unsigned arrays = 0, scalars = 0, values = 0, lazies = 0, others = 0, scalar_parts = 0;
  constexpr unsigned all() const { return arrays + scalars + values + lazies + others; }
  constexpr leaf_counts operator+(const leaf_counts& more) const {
    return {arrays + more.arrays, scalars + more.scalars, values + more.values,
            lazies + more.lazies, others + more.others,   scalar_parts + more.scalar_parts};
  }
};
template <class... T>
constexpr leaf_counts count_leaves();
template <class... Members>
constexpr leaf_counts count_members(type_list<Members...>) {
  return count_leaves<Members...>();
}
template <class T>
constexpr leaf_counts count_leaf() {
  if constexpr (is_composite<T>) {
    return count_members(typename composite<std::remove_cvref_t<T>>::members());
  } else {
    constexpr operand_kind kind = kind_of_operand<T>;
    unsigned parts = 0;
    if constexpr (kind == operand_kind::scalar) parts = is_complex(info_of<T>::type.type) ? 2 : 1;
    return {kind == operand_kind::array, kind == operand_kind::scalar, kind == operand_kind::value,
            kind == operand_kind::lazy,  kind == operand_kind::none,   parts};
  }
}
template <class... T>
constexpr leaf_counts count_leaves() {
  return (leaf_counts{} + ... + count_leaf<T>());
}

// ---- arguments while recording ----

/// T has no reference and no const.
template <class T>
struct parameter_of {
  using type =
      value<spelling_of<operand_info<T>::type.type, operand_info<T>::type.weak>, operand_info<T>::rank>;
};
template <class T>
  requires composite<T>::is
struct parameter_of<T> {
  using type = typename composite<T>::template mapped<parameter_of>;
};
template <class T>
using parameter_type = typename parameter_of<std::remove_cvref_t<T>>::type;

/// Declares one input or run-time scalar for each leaf of an argument.
template <class T>
void declare_leaves(recorded_value*& next);
template <class... Members>
void declare_members(recorded_value*& next, type_list<Members...>) {
  (declare_leaves<std::remove_cvref_t<Members>>(next), ...);
}
template <class T>
void declare_leaves(recorded_value*& next) {
  if constexpr (is_composite<T>)
    declare_members(next, typename composite<T>::members());
  else if constexpr (operand_info<T>::kind == operand_kind::array)
    *next++ = declare_input(operand_info<T>::type.type, operand_info<T>::rank);
  else
    *next++ = declare_parameter(operand_info<T>::type);
}

/// Makes the value, or struct of values, that stands for an argument, from declared leaves.
struct parameter_maker {
  const recorded_value* next;
  template <class T>
  parameter_type<T> make() {
    if constexpr (is_composite<T>)
      return composite<T>::template make<parameter_type<T>>(*this);
    else
      return parameter_type<T>(*next++);
  }
};

/// All arguments of a recording, declared in order.
template <class... Arguments>
struct declared_leaves {
  recorded_value leaves[count_leaves<Arguments...>().all() + 1];
  parameter_maker maker{leaves};
  declared_leaves() {
    recorded_value* next = leaves;
    (declare_leaves<Arguments>(next), ...);
  }
};

/// The same for an argument of a call that is inlined into the current recording.
template <class T>
void record_leaves(const T& argument, recorded_value*& next) {
  if constexpr (is_composite<T>) {
    composite<T>::each(argument, [&next](const auto& member) { record_leaves(member, next); });
  } else if constexpr (operand_info<T>::kind == operand_kind::scalar) {
    *next++ = record_argument(source_of(argument));
  } else {
    *next++ = recorded_operand(argument, {element_type::boolean}).value;
  }
}

template <class... Arguments>
struct recorded_leaves {
  recorded_value leaves[count_leaves<Arguments...>().all() + 1];
  parameter_maker maker{leaves};
  explicit recorded_leaves(const Arguments&... arguments) {
    recorded_value* next = leaves;
    (record_leaves(arguments, next), ...);
  }
};

// ---- arguments of a call ----

template <unsigned Arrays, unsigned ScalarParts>
struct gathered_leaves {
  // In a union, so that they are not zeroed before they are written: that is a share of a call.
  union {
    runtime::operand operands[Arrays + 1];
  };
  union {
    runtime::scalar scalars[ScalarParts + 1];
  };
  unsigned operand_count = 0, scalar_count = 0;

  gathered_leaves() {}  // NOLINT(modernize-use-equals-default): the default one is deleted

  template <class T>
  void add(const T& argument) {
    if constexpr (is_composite<T>) {
      composite<T>::each(argument, [this](const auto& member) { this->add(member); });
    } else if constexpr (operand_info<T>::kind == operand_kind::array) {
      static_assert(std::is_reference_v<decltype(detail::borrow(argument))>,
                    "foreign tensors are arguments of their own");
      ::new (static_cast<void*>(operands + operand_count++))
          runtime::operand(detail::borrow(argument).erased());
    } else if constexpr (operand_info<T>::kind == operand_kind::scalar) {
      const scalar_source from = source_of(argument);
      scalars[scalar_count++] = from.bits;
      if constexpr (is_complex(operand_info<T>::type.type)) scalars[scalar_count++] = from.imaginary;
    }
  }
};

/// Holds an argument so that borrowed extents stay valid: a foreign tensor's view lives for the whole call.
template <class T>
decltype(auto) held(T& argument) {
  if constexpr (kind_of_operand<T> == operand_kind::array)
    return detail::borrow(argument);
  else
    return static_cast<const T&>(argument);
}

// ---- results ----

/// The array, or struct of arrays, that a call returns for a function's result of type T, without reference.
template <class T>
struct array_of {
  using type = array<storage_type<settled(operand_info<T>::type).type>, operand_info<T>::rank>;
};
template <class T>
  requires composite<T>::is
struct array_of<T> {
  using type = typename composite<T>::template mapped<array_of>;
};

template <class T>
void record_results(const T& result) {
  if constexpr (is_composite<T>)
    composite<T>::each(result, [](const auto& member) { record_results(member); });
  else
    record_output(recorded_operand(result, settled(operand_info<T>::type)));
}

/// Makes the arrays of a call from its allocated results.
struct result_maker {
  runtime::result* next;
  template <class T>
  typename array_of<T>::type make() {
    if constexpr (is_composite<T>)
      return composite<T>::template make<typename array_of<T>::type>(*this);
    else
      return typename array_of<T>::type(std::move(*next++));
  }
};

/// The shape, or struct of shapes, of a function's result.
template <class T>
struct shape_of_result {
  using type = shape<operand_info<T>::rank>;
};
template <class T>
  requires composite<T>::is
struct shape_of_result<T> {
  using type = typename composite<T>::template mapped<shape_of_result>;
};
struct shape_maker {
  const std::int64_t* next;
  template <class T>
  typename shape_of_result<T>::type make() {
    if constexpr (is_composite<T>) {
      return composite<T>::template make<typename shape_of_result<T>::type>(*this);
    } else {
      typename shape_of_result<T>::type made;
      for (unsigned axis = 0; axis != operand_info<T>::rank; ++axis) made[axis] = *next++;
      return made;
    }
  }
};

// ---- into ----

template <class T, unsigned Rank>
view<T, Rank> target_of(array<T, Rank>& target) {
  return target;
}
template <class T, unsigned Rank>
view<T, Rank> target_of(const view<T, Rank>& target) {
  return target;
}

/// The views that results are written to, one for each leaf, as a tuple.
template <class T>
auto targets_of(T& target) {
  if constexpr (is_composite<T>) {
    return std::apply([](auto&... members) { return std::tuple_cat(targets_of(members)...); },
                      composite<std::remove_cv_t<T>>::tie(target));
  } else {
    static_assert(kind_of_operand<T> == operand_kind::array,
                  "into(...) takes arrays, views, and tensors with foreign_tensor<T> or as_view(x)");
    if constexpr (kind_of_operand<T> == operand_kind::array) {
      if constexpr (requires { target_of(target); })
        return std::tuple(target_of(target));
      else
        return std::tuple(target_of(detail::borrow(target)));
    }
  }
}

template <class... T>
auto all_targets_of(T&... targets) {
  if constexpr (sizeof...(T) == 1)
    return targets_of(targets...);
  else
    return std::tuple_cat(targets_of(targets)...);
}

/// Checks that results of these types can be written to these targets.
template <class... Results, class... T, unsigned... Ranks>
constexpr bool check_targets(type_list<Results...>, type_list<view<T, Ranks>...>) {
  static_assert(sizeof...(Results) == sizeof...(T), "into(...) takes one array for each result");
  if constexpr (sizeof...(Results) == sizeof...(T)) {
    constexpr bool writable = (!std::is_const_v<T> && ...);
    constexpr bool types = ((settled(operand_info<Results>::type).type == element_type_of<T>) && ...);
    constexpr bool ranks = ((operand_info<Results>::rank == Ranks) && ...);
    static_assert(writable, "into(...): these elements are read only");
    static_assert(types, "into(...): the element type is not that of the result");
    static_assert(ranks, "into(...): the rank is not that of the result");
    return writable && types && ranks;
  } else {
    return false;
  }
}

/// The leaves of a result type, as a type_list.
template <class... A, class... B>
constexpr type_list<A..., B...> operator+(type_list<A...>, type_list<B...>) {
  return {};
}
template <class T>
constexpr auto leaf_types();
template <class... Members>
constexpr auto leaf_types_of_members(type_list<Members...>) {
  return (type_list<>() + ... + leaf_types<std::remove_cvref_t<Members>>());
}
template <class T>
constexpr auto leaf_types() {
  if constexpr (is_composite<T>)
    return leaf_types_of_members(typename composite<T>::members());
  else
    return type_list<T>();
}

/// The number of axes of all leaves of a result type.
template <class... Leaves>
constexpr unsigned axes_of(type_list<Leaves...>) {
  return (0u + ... + operand_info<Leaves>::rank);
}
template <class T>
constexpr unsigned count_axes() {
  return axes_of(leaf_types<T>());
}

}  // namespace sinter::inline v0::detail
