// How many lanes the vectors of the CPU have.

#include <doctest/doctest.h>

#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"

namespace sinter::test {
namespace {

/// The loops of x + x, of a type.
std::string sum_of_type(element_type type) {
  graph_builder builder;
  const graph_value x = builder.input(type, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  const lowered_call lowered = lower(builder.recorded(), {contiguous({1000}, type)}, cpu_facts());
  return loops_after("choose_vectors", lowered.stages[0]);
}

TEST_CASE(
    "a vector has as many lanes as a cache line has elements, and two of them where registers are as long") {
  CHECK(has(sum_of_type(element_type::float32),
            "while i < computed, by doubled_where_wide(16), vector in pairs"));
  CHECK(has(sum_of_type(element_type::float64),
            "while i < computed, by doubled_where_wide(8), vector in pairs"));
  CHECK(has(sum_of_type(element_type::int16),
            "while i < computed, by doubled_where_wide(32), vector in pairs"));
  CHECK(has(sum_of_type(element_type::int8), "while i < computed, by 64, vector in pairs"));
}

TEST_CASE("values of eight bytes take two registers beside those of four") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.cast(builder.apply(operation::exp, {x}), element_type::float64));
  const lowered_call lowered = lower(builder.recorded(), {contiguous({1000})}, cpu_facts());
  CHECK(has(loops_after("choose_vectors", lowered.stages[0]), "while i < computed, by 16, vector in pairs"));
}

TEST_CASE("complex numbers are left to the compiler's vectors") {
  CHECK(has(sum_of_type(element_type::complex64), "while i < 64, vector by the compiler"));
}

TEST_CASE("sums of lanes are vectors, down to one") {
  const std::string text = cpu_loops_after("choose_vectors", sum_over(2, 2), contiguous({512, 1000}));
  INFO(text);
  CHECK(has(text, "for e from 0 while e < 32, by doubled_where_wide(16), vector\n"));
  CHECK(has(text, "for e from 0 while e < 8, by 8, vector\n"));
  CHECK(has(text, "for e from 0 while e < 1\n"));
}

TEST_CASE("arrays of lanes begin with a cache line, so that no vector of theirs lies in two") {
  const std::string text = cpu_loops_after("choose_vectors", sum_over(1, 2), contiguous({512, 8}));
  INFO(text);
  CHECK(has(text, "stack var sum1[8]: float32 value\n"));
  CHECK(has(text, "stack var upper1[48][8]: float32 value\n"));
}

}  // namespace
}  // namespace sinter::test
