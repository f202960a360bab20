#include <sinter/dsl/random/compose_permutation.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/dsl/composed/graph_operations.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/dsl/random/compose_random.hpp>

#include <array>
#include <string>
#include <string_view>

namespace sinter::inline v0::rng {
namespace {

std::string prefix_of(std::string_view function, const std::source_location& at) {
  return std::string(function) + describe(at) + ": ";
}

void check_integer(const graph_value& operand, std::string_view name, const std::string& prefix) {
  if (!is_integer(operand.type.type))
    throw type_error(prefix + std::string(name) + " is an integer: convert it with a cast");
  if (operand.rank != 0)
    throw shape_error(prefix + std::string(name) + " has rank 0, and here " + std::to_string(operand.rank));
}

void check_stream(const stream_of_words& stream, const std::string& prefix) {
  check_integer(stream.seed, "the seed", prefix);
  check_integer(stream.sequence, "the sequence", prefix);
}

/// n is int64.
graph_value random_order(const detail::graph_operations& of, graph_value n, const stream_of_words& stream) {
  const graph_value like = of.broadcast(of.with_axes(of.number(0), 0, 1), 0, n);
  const graph_value bits =
      detail::compose_random(of.into, detail::packed_draw(detail::drawn::bits, element_type::uint64),
                             std::array{like, stream.seed, stream.sequence}, of.at);
  return argsort(of.into, bits, 0, of.at);
}

}  // namespace

graph_value permutation(graph_builder& into, graph_value n, const stream_of_words& stream,
                        const std::source_location& at) {
  const std::string prefix = prefix_of("permutation", at);
  check_integer(n, "the number of elements", prefix);
  check_stream(stream, prefix);
  const detail::graph_operations of{into, at};
  return random_order(of, of.cast(n, element_type::int64), stream);
}

graph_value shuffled(graph_builder& into, graph_value x, unsigned axis, const stream_of_words& stream,
                     const std::source_location& at) {
  const std::string prefix = prefix_of("permutation", at);
  check_stream(stream, prefix);
  if (axis >= x.rank)
    throw shape_error(prefix + "there is no axis " + std::to_string(axis) + " of " + std::to_string(x.rank));
  const detail::graph_operations of{into, at};
  const graph_value order = random_order(of, of.extent(x, axis), stream);
  const graph_value index = of.with_axes(of.with_axes(order, 1, x.rank - 1 - axis), 0, axis);
  return into.gather(x, index, axis, index_rule::known, axis, at);
}

}  // namespace sinter::inline v0::rng
