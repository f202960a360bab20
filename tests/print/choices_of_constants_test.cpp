// Choices between constants in texts for GPUs: ptxas 13.0 gives 0 for -0 where a comparison of float32
// chooses between it and 1, so their conditions are what it does not see through.

#include <doctest/doctest.h>

#include "../bodies/body_graphs.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/print/emit.hpp>

#include <string>

namespace sinter::test {
namespace {

template <class Choice>
std::string text_of(element_type type, Choice choice) {
  const graph recorded =
      graph_of({declared{type, 1}}, [&](graph_builder& builder, const values& given) -> values {
        return {
            choice(builder, given[0], builder.apply(operation::not_equal, {given[0], builder.literal(0)}))};
      });
  return emit(lower(recorded, {contiguous({1000}, type)}, cuda_facts()).stages[0]).source;
}
/// Whether the condition of a choice is opaque to the assembler.
bool is_guarded(const std::string& text) {
  const std::size_t kernel = text.find("extern \"C\"");
  return text.find("in_register_b8(", kernel) != std::string::npos;
}

std::string where_text(element_type of_condition, element_type type, bool is_constant) {
  return text_of(of_condition, [&](graph_builder& builder, graph_value x, graph_value condition) {
    const graph_value one = builder.literal(1.0, type, std::source_location::current());
    const graph_value other =
        is_constant ? builder.literal(-0.0, type, std::source_location::current()) : builder.cast(x, type);
    return builder.apply(operation::where, {condition, one, other});
  });
}

}  // namespace

TEST_CASE("the condition of a choice between two constants of 32 bits goes through a register") {
  for (const element_type type : {element_type::float32, element_type::float16, element_type::bfloat16})
    for (const element_type of_condition : {element_type::float32, element_type::float16}) {
      CHECK(is_guarded(where_text(of_condition, type, true)));
      CHECK_FALSE(is_guarded(where_text(of_condition, type, false)));
    }
  CHECK_FALSE(is_guarded(where_text(element_type::float32, element_type::float64, true)));
}

TEST_CASE("and so does that of two bodies which give such constants") {
  const auto body = [](double number) {
    return body_of({declared{element_type::float32, 1}},
                   [number](graph_builder& builder, const values&) -> values {
                     return {builder.literal(number, element_type::float32, std::source_location::current())};
                   });
  };
  const auto text = [&](double a, double b) {
    return text_of(element_type::float32, [&](graph_builder& builder, graph_value x, graph_value condition) {
      return builder.when(condition, std::array{x}, body(a), body(b), std::source_location::current())
          .front();
    });
  };
  CHECK(is_guarded(text(-1.0, -0.0)));
}

}  // namespace sinter::test
