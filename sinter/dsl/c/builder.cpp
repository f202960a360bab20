// Builders: operands, constants, operations, results. indexing.cpp and parts.cpp have what moves elements.
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/c/builder_values.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/operation_names.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace sinter;
using c::checked;
using c::guarded;
using c::operation_kind;

namespace {

// The numbers of the header are those of the library.
static_assert(sinter_boolean == static_cast<int>(element_type::boolean));
static_assert(sinter_uint64 == static_cast<int>(element_type::uint64));
static_assert(sinter_bfloat16 == static_cast<int>(element_type::bfloat16));
static_assert(sinter_complex128 == static_cast<int>(element_type::complex128));
static_assert(sinter_complex128 + 1 == element_types.size());
static_assert(sinter_strict == static_cast<int>(arithmetic_mode::strict));
static_assert(sinter_fast == static_cast<int>(arithmetic_mode::fast));

constexpr const char* the_builder = "the builder";
constexpr const char* the_result = "the pointer for the result";

/// Runs a function that adds one value to a builder's graph: `add` returns it.
template <class Add>
sinter_status added(const char* function, sinter_builder* builder, sinter_value* result, const Add& add) {
  return guarded(function, [&] {
    sinter_builder& at = checked(builder, the_builder);
    sinter_value& number = checked(result, the_result);
    number = c::number_of(at, add(at));
  });
}

/// The bits of a reduction's axes.
std::uint32_t mask_of(const int32_t* axes, size_t axis_count, unsigned rank) {
  std::uint32_t mask = 0;
  if (axes == nullptr) {
    if (axis_count != 0) c::throw_null("the list of axes");
    for (unsigned axis = 0; axis < rank; ++axis) mask |= 1u << axis;
    return mask;
  }
  for (size_t i = 0; i < axis_count; ++i) {
    const std::uint32_t bit = 1u << c::axis_of(axes[i], rank);
    if ((mask & bit) != 0) throw shape_error("axis " + std::to_string(axes[i]) + " is listed twice");
    mask |= bit;
  }
  return mask;
}

}  // namespace

sinter_status sinter_builder_create(sinter_arithmetic_mode mode, sinter_builder** builder) {
  return guarded("sinter_builder_create", [&] {
    sinter_builder*& result = checked(builder, the_result);
    if (mode < sinter_standard || mode > sinter_fast)
      throw c::invalid_argument("there is no arithmetic mode " + std::to_string(mode) +
                                ": they are numbered from 0 to 2");
    auto made = std::make_unique<sinter_builder>();
    made->graph.restart(static_cast<arithmetic_mode>(mode));
    result = made.release();
  });
}

void sinter_builder_destroy(sinter_builder* builder) { delete builder; }

sinter_status sinter_builder_name(sinter_builder* builder, const char* name) {
  return guarded("sinter_builder_name", [&] {
    std::string& kept = checked(builder, the_builder).graph.recorded().name;
    kept = &checked(name, "the name");
  });
}

sinter_status sinter_builder_input(sinter_builder* builder, sinter_element_type type, int32_t rank,
                                   sinter_value* input) {
  return added("sinter_builder_input", builder, input, [&](sinter_builder& at) {
    if (rank < 0) throw shape_error("an input of rank " + std::to_string(rank) + ": it is 0 or more");
    return at.graph.input(c::type_of(type), static_cast<unsigned>(rank));
  });
}

sinter_status sinter_builder_parameter(sinter_builder* builder, sinter_element_type type, int32_t weak,
                                       sinter_value* parameter) {
  return added("sinter_builder_parameter", builder, parameter,
               [&](sinter_builder& at) { return at.graph.parameter(c::type_of(type), weak != 0); });
}

sinter_status sinter_builder_real(sinter_builder* builder, double number, sinter_value* literal) {
  return added("sinter_builder_real", builder, literal,
               [&](sinter_builder& at) { return at.graph.literal(number); });
}

sinter_status sinter_builder_integer(sinter_builder* builder, int64_t number, sinter_value* literal) {
  return added("sinter_builder_integer", builder, literal,
               [&](sinter_builder& at) { return at.graph.literal(number); });
}

sinter_status sinter_builder_apply(sinter_builder* builder, const char* operation,
                                   const sinter_value* operands, size_t operand_count, sinter_value* result) {
  return added("sinter_builder_apply", builder, result, [&](sinter_builder& at) {
    const auto found = c::operation_named(operation, operation_kind::on_elements);
    std::vector<graph_value> values;
    for (size_t i = 0; i < operand_count; ++i)
      values.push_back(c::value_of(at, (&checked(operands, "the list of operands"))[i], i));
    return at.graph.apply(found, values, c::no_place);
  });
}

// NOLINTNEXTLINE(readability-function-size): C has no spans
sinter_status sinter_builder_reduce(sinter_builder* builder, const char* operation, sinter_value operand,
                                    const int32_t* axes, size_t axis_count, int32_t keepdims,
                                    sinter_value* result) {
  return added("sinter_builder_reduce", builder, result, [&](sinter_builder& at) {
    const auto found = c::operation_named(operation, operation_kind::reduction);
    const graph_value value = c::value_of(at, operand);
    return at.graph.reduce(found, value, mask_of(axes, axis_count, value.rank), keepdims != 0, c::no_place);
  });
}

sinter_status sinter_builder_scan(sinter_builder* builder, const char* operation, sinter_value operand,
                                  int32_t axis, sinter_value* result) {
  return added("sinter_builder_scan", builder, result, [&](sinter_builder& at) {
    const auto found = c::operation_named(operation, operation_kind::scan);
    const graph_value value = c::value_of(at, operand);
    return at.graph.scan(found, value, c::axis_of(axis, value.rank), c::no_place);
  });
}

sinter_status sinter_builder_cast(sinter_builder* builder, sinter_value operand, sinter_element_type type,
                                  sinter_value* result) {
  return added("sinter_builder_cast", builder, result, [&](sinter_builder& at) {
    return at.graph.cast(c::value_of(at, operand), c::type_of(type), c::no_place);
  });
}

sinter_status sinter_builder_output(sinter_builder* builder, sinter_value result) {
  return guarded("sinter_builder_output", [&] {
    sinter_builder& at = checked(builder, the_builder);
    at.graph.output(c::value_of(at, result));
  });
}
