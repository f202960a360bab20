#pragma once
// Random numbers (sinter/rng.hpp) as nodes of a graph.

#include <sinter/codegen/graph/graph_builder.hpp>

#include <cstdint>
#include <source_location>
#include <span>

namespace sinter::inline v0::detail {

/// What is drawn. Operands: `like`, numbers that shape it, seed, sequence.
enum class drawn : std::uint8_t {
  bits,         ///< uint32 or uint64
  uniform,      ///< a floating type
  normal,       ///< a floating type
  exponential,  ///< a floating type
  randint,      ///< low, high; int32 or int64
  bernoulli,    ///< p; bool
};

/// `what` and the elements' type in one number.
constexpr std::uint64_t packed_draw(drawn what, element_type type) {
  return static_cast<std::uint64_t>(what) | static_cast<std::uint64_t>(type) << 8;
}

/// Adds the nodes of a draw to a graph. Throws what graph_builder throws.
graph_value compose_random(graph_builder& into, std::uint64_t draw, std::span<const graph_value> operands,
                           const std::source_location& at);

}  // namespace sinter::inline v0::detail
