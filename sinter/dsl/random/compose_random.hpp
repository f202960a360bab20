#pragma once
// Random numbers (sinter/rng.hpp) as nodes of a graph.
//
// Threads: a builder is used by one thread at a time.
// Throws: type_error or shape_error as nodes are added, where operands or axes do not fit; extents and
// indices are checked by the call: shape_error, index_error.
// After a failure: the graph has no new result, and values that were given before are still good; nodes that
// were added before the exception stay, unused.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/graph_value.hpp>

#include <cstdint>
#include <initializer_list>
#include <source_location>
#include <span>

namespace sinter::inline v0 {
namespace detail {

/// What is drawn. Operands: `like`, the numbers that are listed, seed, sequence.
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

}  // namespace detail

namespace rng {

using distribution = detail::drawn;

/// Draws in a graph that is built at run time, as the function with the distribution's name. Operands:
/// `like`, low and high or p, seed, sequence. `type` is that of the elements, which the distribution lists.
/// Throws type_error and shape_error.
///     builder.output(rng::draw(builder, rng::distribution::uniform, element_type::float32,
///                              {operands[0], builder.literal(42), builder.literal(0)}));
SINTER_API graph_value draw(graph_builder& into, distribution what, element_type type,
                            std::span<const graph_value> operands,
                            const std::source_location& at = std::source_location::current());
inline graph_value draw(graph_builder& into, distribution what, element_type type,
                        std::initializer_list<graph_value> operands,
                        const std::source_location& at = std::source_location::current()) {
  return draw(into, what, type, std::span(operands.begin(), operands.size()), at);
}

}  // namespace rng
}  // namespace sinter::inline v0
