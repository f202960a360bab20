#include <sinter/codegen/base/thread_memory.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/creation.hpp>
#include <sinter/runtime/error.hpp>

#include <bit>
#include <cmath>
#include <limits>

namespace sinter::inline v0::detail {
namespace {

/// Each thread keeps one, so that a repeated creation allocates nothing.
struct filling_memory {
  graph_builder builder;
};

/// A function whose first input is never read; it only gives the result its shape. Recording calls no user
/// code, so that one builder serves the thread.
template <class Record>
runtime::function_handle filling_function(const runtime::operand& into, const Record& record) {
  graph_builder& builder = thread_memory<filling_memory>::get().builder;
  builder.restart();
  const graph_value target = builder.input(into.type, into.rank);
  builder.output(builder.cast(record(builder, target), into.type));
  return runtime::intern(builder.recorded());
}

template <class Record>
void fill_with(const runtime::operand& into, std::span<const runtime::scalar> scalars, const Record& record) {
  runtime::call(filling_function(into, record), std::span(&into, 1), scalars, std::span(&into, 1), {});
}

runtime::scalar bits_of(double number) { return std::bit_cast<runtime::scalar>(number); }

graph_value progression(graph_builder& builder, graph_value target, element_type type) {
  const graph_value position = builder.cast(builder.coordinate(target, 0), type);
  const graph_value start = builder.parameter(type), step = builder.parameter(type);
  return builder.apply(operation::add, {start, builder.apply(operation::multiply, {step, position})});
}

}  // namespace

void fill(const runtime::operand& into, const scalar_source& element, const location& at) {
  const scalar_source converted = converted_scalar(element, into.type, at);
  const runtime::scalar scalars[] = {converted.bits, converted.imaginary};
  const element_type part = component_of(into.type);
  fill_with(into, std::span(scalars).first(converted.parts()),
            [&](graph_builder& builder, graph_value target) {
              const graph_value always = builder.literal(element_type::boolean, 1);
              graph_value number = builder.parameter(part);
              if (converted.parts() == 2)
                number = builder.apply(operation::make_complex, {number, builder.parameter(part)});
              return builder.apply(operation::where, {always, number, target});
            });
}

void fill_progression(const runtime::operand& into, std::int64_t start, std::int64_t step) {
  const runtime::scalar scalars[] = {static_cast<runtime::scalar>(start), static_cast<runtime::scalar>(step)};
  fill_with(into, scalars, [](graph_builder& builder, graph_value target) {
    return progression(builder, target, element_type::int64);
  });
}

void fill_progression(const runtime::operand& into, double start, double step) {
  const runtime::scalar scalars[] = {bits_of(start), bits_of(step)};
  fill_with(into, scalars, [](graph_builder& builder, graph_value target) {
    return progression(builder, target, element_type::float64);
  });
}

void fill_progression(const runtime::operand& into, double start, double step, double last) {
  const runtime::scalar scalars[] = {bits_of(start), bits_of(step), bits_of(last)};
  fill_with(into, scalars, [](graph_builder& builder, graph_value target) {
    const graph_value inner = progression(builder, target, element_type::float64);
    const graph_value one = builder.literal(element_type::int64, 1);
    const graph_value end = builder.apply(operation::subtract, {builder.extent(target, 0), one});
    const graph_value at_end = builder.apply(operation::equal, {builder.coordinate(target, 0), end});
    return builder.apply(operation::where, {at_end, builder.parameter(element_type::float64), inner});
  });
}

std::int64_t progression_length(std::int64_t start, std::int64_t stop, std::int64_t step) {
  if (step == 0) throw shape_error("arange: the step is 0");
  const bool reaches = step > 0 ? start < stop : start > stop;
  if (!reaches) return 0;
  // unsigned: holds the distance between any two int64
  const auto distance = step > 0 ? static_cast<std::uint64_t>(stop) - static_cast<std::uint64_t>(start)
                                 : static_cast<std::uint64_t>(start) - static_cast<std::uint64_t>(stop);
  const auto stride = step > 0 ? static_cast<std::uint64_t>(step) : 0 - static_cast<std::uint64_t>(step);
  return extent_from((distance - 1) / stride + 1);
}

std::int64_t progression_length(double start, double stop, double step) {
  const double length = std::ceil((stop - start) / step);
  if (step == 0 || !(length < std::numeric_limits<double>::infinity()))
    throw shape_error("arange: start, stop and step give no finite number of elements");
  if (length >= 0x1p63) return std::numeric_limits<std::int64_t>::max();  // more than any memory holds
  return length > 0 ? static_cast<std::int64_t>(length) : 0;
}

}  // namespace sinter::inline v0::detail
