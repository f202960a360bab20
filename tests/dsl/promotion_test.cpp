// Types of operations on C++ scalars: each front door records the types that the rules say (type_rules.hpp),
// which tests/types compares with NumPy's. Nothing is compiled or launched.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/dsl/detail/recorder.hpp>
#include <sinter/sinter.hpp>

#include <string>
#include <type_traits>

using namespace sinter;

namespace {

using detail::recorded_as;

/// What one door recorded.
struct recorded_type {
  const char* door;
  operand_type type;
};

/// Names the operation, the operands and the door where a type differs.
void check_types(operation op, std::initializer_list<operand_type> operands, operand_type expected,
                 std::initializer_list<recorded_type> recorded) {
  for (const auto& [door, type] : recorded) {
    if (type == expected) continue;
    std::string call = std::string(door) + ": " + std::string(facts_of(op).name) + " of";
    for (const operand_type& operand : operands)
      call += (operand.weak ? " weak " : " ") + std::string(facts_of(operand.type).name);
    FAIL_CHECK(call << " is " << (type.weak ? "weak " : "") << facts_of(type.type).name << " instead of "
                    << (expected.weak ? "weak " : "") << facts_of(expected.type).name);
  }
}

/// A value of the current recording, if `from` is not a scalar: of an array, or where scalars are parameters
/// of the function.
template <class T, unsigned Rank>
value<T, Rank> taken(const view<T, Rank>&) {
  return value<T, Rank>(detail::declare_input(element_type_of<T>, Rank));
}
template <bool Declared, class T>
auto operand_in_function(const T& from) {
  using info = detail::operand_info<T>;
  if constexpr (info::kind == detail::operand_kind::array)
    return taken(from);
  else if constexpr (Declared && !detail::nan_name<T>)
    return value<detail::spelling_of<info::type.type, info::type.weak>, 0>(
        detail::declare_parameter(info::type));
  else if constexpr (detail::nan_name<T>)
    return &from;
  else
    return from;
}
template <class T>
auto& seen(const T& from) {
  if constexpr (std::is_pointer_v<T>)
    return *from;
  else
    return from;
}

operand_type type_of_node(detail::recording& at, const detail::recorded_value& made, operand_type stated) {
  return {at.steps.builder().recorded().nodes[made.id].type, stated.weak};
}

/// `Declared`: scalars are arguments of the function.
template <operation Op, bool Declared, class... T>
operand_type type_in_function(bool literals, const T&... operands) {
  const detail::frame at({}, literals);
  const auto made = [](auto... taken) {
    return detail::apply<Op>(detail::location{}, seen(taken)...);
  }(operand_in_function<Declared>(operands)...);
  return type_of_node(*at, made.recorded(), detail::info_of<decltype(made)>::type);
}

template <operation Op, class... T>
operand_type type_of_expression(const T&... operands) {
  const auto made = detail::apply<Op>(detail::location{}, operands...);
  const detail::frame at({.kind = recorded_as::expression}, false);
  const detail::typed_value value = made.replay();
  return type_of_node(*at, value.value, value.type);
}

graph_value built_operand(graph_builder& builder, operand_type type, bool array, bool literal) {
  if (array) return builder.input(type.type, 1);
  return literal ? builder.literal(type.type, 1, type.weak) : builder.parameter(type.type, type.weak);
}

template <operation Op, class... T>
operand_type type_of_built(bool literals, const T&...) {
  graph_builder builder;
  const graph_value made =
      builder.apply(Op, {built_operand(builder, detail::operand_info<T>::type,
                                       detail::operand_info<T>::kind == detail::operand_kind::array,
                                       literals || detail::nan_name<T>)...});
  return made.type;
}

/// The doors for one call; operands of functions have rank 1, so that weak integers settle alike in all.
template <operation Op, class... T>
void check_call(const T&... operands) {
  if constexpr (apply_rule(facts_of(Op).rule, detail::operand_info<T>::type...).valid) {
    const operand_type expected =
        settled_elements(apply_rule(facts_of(Op).rule, detail::operand_info<T>::type...).result, 1);
    check_types(Op, {detail::operand_info<T>::type...}, expected,
                {{"application", detail::application<Op, T...>::result_type},
                 {"literal in a function", type_in_function<Op, false>(true, operands...)},
                 {"scalar that a function captures", type_in_function<Op, false>(false, operands...)},
                 {"scalar argument of a function", type_in_function<Op, true>(false, operands...)},
                 {"expression", type_of_expression<Op>(operands...)},
                 {"literal of a builder", type_of_built<Op>(true, operands...)},
                 {"parameter of a builder", type_of_built<Op>(false, operands...)}});
  }
}

template <operation Op, class T, class... Scalar>
void check_either_side(const Scalar&... scalars) {
  (check_call<Op>(view<T, 1>(), scalars), ...);
  (check_call<Op>(scalars, view<T, 1>()), ...);
}

template <operation Op, class... T>
void check_with_numbers() {
  (check_either_side<Op, T>(1, 1.5f), ...);
}

/// An operation for each rule that treats scalars in another way.
template <class T>
void check_each_rule() {
  const auto check = [](auto... scalars) {
    check_either_side<operation::add, T>(scalars...);
    check_either_side<operation::true_divide, T>(scalars...);
    check_either_side<operation::power, T>(scalars...);
    check_either_side<operation::arctan2, T>(scalars...);
    check_either_side<operation::less, T>(scalars...);
    check_either_side<operation::make_complex, T>(scalars...);
  };
  check(1, 1.5f, scalar<float>(1.5));
}

/// Three operands: each of these with each scalar in each place.
template <class A, class B>
void check_three() {
  const view<bool, 1> mask;
  const view<A, 1> a;
  const view<B, 1> b;
  const auto check = [&](const auto& scalar) {
    check_call<operation::clip>(a, scalar, b);
    check_call<operation::clip>(scalar, a, b);
    check_call<operation::clip>(a, b, scalar);
    check_call<operation::clip>(a, scalar, 1.5f);
    check_call<operation::clip>(1, a, scalar);
    check_call<operation::where>(mask, a, scalar);
    check_call<operation::where>(mask, scalar, a);
    check_call<operation::where>(scalar, a, b);
    check_call<operation::where>(mask, scalar, 1);
  };
  check(1);
  check(1.5f);
  check(true);
  check(nan);
  check_call<operation::clip>(a, b, view<float16, 1>());
}

}  // namespace

TEST_SUITE("promotion") {
  TEST_CASE("every operation on an array and a number has one type in every door") {
#define SINTER_OPERATION(name, arity, rule, weight, spelling, reference, documentation) \
  if constexpr (arity == 2) check_with_numbers<operation::name, std::int32_t, float16>();
#include <sinter/codegen/graph/operations.def>
#undef SINTER_OPERATION
  }

  TEST_CASE("kinds of types with kinds of scalars have one type in every door") {
    check_each_rule<bool>();
    check_each_rule<std::int8_t>();
    check_each_rule<std::int32_t>();
    check_each_rule<std::uint16_t>();
    check_each_rule<std::uint64_t>();
    check_each_rule<bfloat16>();
    check_each_rule<double>();
  }

  TEST_CASE("three operands have one type in every door, whichever are scalars") {
    check_three<std::int8_t, float16>();
    check_three<std::int64_t, float>();
    check_three<bool, std::uint8_t>();
  }

  TEST_CASE("integers with a C++ float are float32, and strong operands promote before nan") {
    const auto numbers = arange<int>(6);
    CHECK(fuse([](auto k) { return k * 1.5f; })(numbers).to_vector()[5] == 7.5f);
    const float factor = 1.5f;
    CHECK(fuse([&](auto k) { return factor - k; })(numbers).to_vector()[5] == -3.5f);
    const array<float, 1> scaled = arange<std::int64_t>(6) / factor;
    CHECK(scaled.to_vector()[3] == 2.0f);
    const array<std::int8_t, 1> bytes({2});
    static_assert(
        std::is_same_v<decltype(evaluate(clip(bytes, nan, array<float16, 1>({2})))), array<float16, 1>>);
  }
}
