#pragma once
// From the numbers of the C interface to what the graph builder works on, and back.

#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/handles.hpp>

#include <source_location>

namespace sinter::inline v0::c {

/// The C interface knows no line of the program.
inline constexpr std::source_location no_place{};

/// The value of a number, which is operand `index`. Throws invalid_argument for 0 and for a value of another
/// builder.
graph_value value_of(const sinter_builder& builder, sinter_value number, std::size_t index = 0);
/// The number of a value, which is new.
sinter_value number_of(sinter_builder& builder, const graph_value& value);
/// The element type of a number. Throws invalid_argument.
element_type type_of(sinter_element_type type);
/// An axis counted from the first one. Throws shape_error if there is none, of a value with `rank` axes.
unsigned axis_of(std::int32_t axis, unsigned rank);

/// Runs a function that adds a value: `add` makes it of the builder.
template <class Add>
sinter_status added(const char* function, sinter_builder* builder, sinter_value* result, const Add& add) {
  return guarded(function, [&] {
    sinter_builder& at = checked(builder, "the builder");
    sinter_value& number = checked(result, "the pointer for the result");
    number = number_of(at, add(at));
  });
}

}  // namespace sinter::inline v0::c
