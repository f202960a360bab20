#include <sinter/runtime/tuning/compare_results.hpp>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/element_type.hpp>
#include <sinter/runtime/buffer.hpp>
#include <sinter/runtime/tuning/array_memory.hpp>

#include <array>
#include <bit>
#include <cstdint>

namespace sinter::inline v0::runtime {
namespace {

/// Results are compared in words of this type where their bits are.
constexpr element_type word = element_type::uint64;

/// What a function of two arrays computes, which is one boolean.
bool evaluate(const function_handle& of, const trial_call& on, const trial_call::scratch& at,
              element_type type) {
  const auto extent = static_cast<std::int64_t>(at.bytes / size_of(type));
  const device where = on.request().where;
  const std::array operands{array_of(at.of_default, extent, type, where),
                            array_of(at.of_trial, extent, type, where)};
  std::array<result, 1> made;
  call(of, operands, {}, {}, made, {.on = on.request().on});
  bool answer = false;
  copy_bytes(&answer, device::cpu(), made[0].storage.data(), where, sizeof answer, *on.request().on);
  if (where.is_cuda()) on.request().on->synchronize();
  return answer;
}

/// The type of the parts of complex elements, else the type itself.
element_type type_of_parts(element_type type) {
  return type == element_type::complex64    ? element_type::float32
         : type == element_type::complex128 ? element_type::float64
                                            : type;
}

/// Half the digits of the type's significand.
double tolerance_of(element_type type) {
  switch (type) {
    case element_type::float64:
      return 0x1p-26;
    case element_type::float32:
      return 0x1p-12;
    case element_type::float16:
      return 0x1p-5;
    default:
      return 0x1p-4;
  }
}

/// any(not (a == b or both are NaN or |a - b| <= tolerance * max |a|)), over finite elements of a.
function_handle differ_by_more(element_type type) {
  graph_builder builder;
  const element_type computed = type == element_type::float64 ? type : element_type::float32;
  const graph_value a = builder.cast(builder.input(type, 1), computed),
                    b = builder.cast(builder.input(type, 1), computed);
  const auto apply = [&](operation op, std::initializer_list<graph_value> of) {
    return builder.apply(op, of);
  };
  const graph_value zero = builder.literal(0.0, computed);
  const graph_value size = apply(operation::absolute, {a});
  const graph_value scale = builder.reduce(
      operation::max, apply(operation::where, {apply(operation::isfinite, {a}), size, zero}), 1);
  const graph_value most = apply(operation::multiply, {scale, builder.literal(tolerance_of(type), computed)});
  const graph_value is_near =
      apply(operation::less_equal, {apply(operation::absolute, {apply(operation::subtract, {a, b})}), most});
  const graph_value both_nan =
      apply(operation::logical_and, {apply(operation::isnan, {a}), apply(operation::isnan, {b})});
  const graph_value is_same = apply(operation::logical_or, {apply(operation::equal, {a, b}), both_nan});
  const graph_value differs =
      apply(operation::logical_not, {apply(operation::logical_or, {is_near, is_same})});
  builder.output(builder.reduce(operation::any, differs, 1));
  return intern(builder.recorded());
}

}  // namespace

result_comparison::result_comparison(const trial_call& of) : of_(of) {
  graph_builder builder;
  const graph_value a = builder.input(word, 1), b = builder.input(word, 1);
  builder.output(builder.reduce(operation::any, builder.apply(operation::not_equal, {a, b}), 1));
  differ_ = intern(builder.recorded());
}

bool result_comparison::have_equal_bits(const trial_call::scratch& at) {
  return !evaluate(differ_, of_, at, word);
}

bool result_comparison::are_close(const trial_call::scratch& at) {
  const element_type type = type_of_parts(at.type);
  return !evaluate(differ_by_more(type), of_, at, type);
}

bool result_comparison::are_equal(bool exact) {
  for (const trial_call::scratch& at : of_.scratches()) {
    if (have_equal_bits(at)) continue;
    if (exact || !is_inexact(at.type) || !are_close(at)) return false;
  }
  return true;
}

}  // namespace sinter::inline v0::runtime
