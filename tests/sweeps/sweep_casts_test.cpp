// Conversions between all types round once, wherever an element lies: in a vector, in the rest behind the
// last one, in strided memory. The values lie around every number that a target type rounds differently.

#include <doctest/doctest.h>

#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>

namespace sinter::test {
namespace {

/// Integers around powers of two and around the middle between neighbours of types with 8, 11, 24 and 53
/// digits.
bits boundary_integers(element_type type) {
  bits made;
  const auto add = [&](std::uint64_t value) {
    for (const std::uint64_t near : {value - 1, value, value + 1})
      for (const std::uint64_t either : {near, ~near, 0 - near}) {
        const std::uint64_t bits_of = canonical_bits(type, either);
        if (std::ranges::find(made, bits_of) == made.end()) made.push_back(bits_of);
      }
  };
  for (unsigned power = 0; power < 64; ++power)
    for (const unsigned digits : {8u, 11u, 24u, 53u}) {
      const std::uint64_t whole = std::uint64_t(1) << power;
      add(whole);
      if (power < digits) continue;
      const std::uint64_t unit = std::uint64_t(1) << (power + 1 - digits);
      for (const std::uint64_t units : {std::uint64_t(0), std::uint64_t(1), std::uint64_t(2)}) {
        add(whole + units * unit + unit / 2);
        // the middle, and half a unit of float32 and of float64 beside it
        for (const unsigned further : {24u, 53u})
          if (power >= further && further > digits)
            add(whole + units * unit + unit / 2 + (std::uint64_t(1) << (power - further)));
      }
    }
  return made;
}

bits boundary_values(element_type type) {
  bits made = is_integer(type) ? boundary_integers(type) : special_values(type);
  for (const std::uint64_t drawn : random_values(type, 3000, 7)) made.push_back(drawn);
  return made;
}

/// All real types that a type converts to, as results of one graph.
graph conversions_of(element_type from, arithmetic_mode mode) {
  graph_builder builder;
  builder.restart(mode);
  const graph_value x = builder.input(from, 1);
  for (const auto& row : element_types)
    if (!is_complex(row.type) && row.type != from) builder.output(builder.cast(x, row.type));
  return builder.recorded();
}

}  // namespace

TEST_CASE("conversions between all types round once, in every place of an array") {
  std::vector<element_type> types;
  for (const auto& row : element_types)
    if (!is_complex(row.type)) types.push_back(row.type);
  sweep(types.size(), [&](std::size_t i, failure_list& failures) {
    const bits values = boundary_values(types[i]);
    for (const arithmetic_mode mode : {arithmetic_mode::standard, arithmetic_mode::strict}) {
      const graph recorded = conversions_of(types[i], mode);
      for (const device on : sweep_devices())
        for (const placement where : {placement::contiguous, placement::unaligned, placement::backwards}) {
          const auto check = [&](std::size_t first, std::size_t count) {
            const auto begin = values.begin() + static_cast<std::ptrdiff_t>(first);
            check_against_reference(std::string(facts_of(types[i]).name), recorded,
                                    {bits(begin, begin + static_cast<std::ptrdiff_t>(count))},
                                    {shape{static_cast<std::int64_t>(count)}}, where, on, {}, failures);
          };
          check(0, values.size());
          // few at a time, so that each lies behind the last whole vector
          for (std::size_t first = 0; first < values.size(); first += 7)
            check(first, std::min<std::size_t>(7, values.size() - first));
        }
    }
  });
}

}  // namespace sinter::test
