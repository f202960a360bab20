#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/random/compose_random.hpp>

#include <sinter/codegen/base/error.hpp>

#include <string>
#include <string_view>

namespace sinter::inline v0 {
namespace detail {
namespace {

/// Composes what is drawn from the words of one stream.
class random_composer {
 public:
  random_composer(graph_builder& into, const std::source_location& at, graph_value like, graph_value seed,
                  graph_value sequence)
      : into_(into), at_(at), index_(index_in(like)), seed_(wrapped(seed)), sequence_(wrapped(sequence)) {}

  graph_value bits(element_type type) {
    return type == element_type::uint64 ? long_draw(index_) : word(index_);
  }

  /// In [0, 1): a multiple of 2^-p, of a type with p significant bits.
  graph_value uniform(element_type type) {
    switch (type) {
      case element_type::float64:
        return scaled(shifted(long_draw(index_), 11), element_type::int64, type, 0x1p-53);
      case element_type::float16:
        return cast(scaled(shifted(word(index_), 21), element_type::int32, element_type::float32, 0x1p-11),
                    type);
      case element_type::bfloat16:
        return cast(scaled(shifted(word(index_), 24), element_type::int32, element_type::float32, 0x1p-8),
                    type);
      default:
        return scaled(shifted(word(index_), 8), element_type::int32, element_type::float32, 0x1p-24);
    }
  }

  /// Elements 2 j and 2 j + 1 are the two numbers of one pair of draws.
  graph_value normal(element_type type) {
    const bool is_double = type == element_type::float64;
    const graph_value which = apply(operation::bitwise_and, index_, number(1));
    const graph_value first = apply(operation::bitwise_xor, index_, which),
                      second = apply(operation::bitwise_or, index_, number(1));
    const graph_value radius = is_double ? long_draw(first) : word(first),
                      angle = is_double ? long_draw(second) : word(second);
    return cast(into_.apply(operation::normal_of_bits, {radius, angle, cast(which, radius.type.type)}, at_),
                type);
  }

  /// -log(1 - u), of which 1 - u is exact. The logarithm is at most 0, and -0 is none of its numbers.
  graph_value exponential(element_type type) {
    const element_type computed = type == element_type::float64 ? type : element_type::float32;
    const graph_value left = apply(operation::subtract, into_.literal(1.0, computed, at_), uniform(computed));
    const graph_value logarithm = into_.apply(operation::log, {left}, at_);
    return cast(into_.apply(operation::absolute, {logarithm}, at_), type);
  }

  graph_value randint(element_type type, graph_value low, graph_value high) {
    const bool is_long = type == element_type::int64;
    const element_type counts = is_long ? element_type::uint64 : element_type::uint32;
    low = cast(cast(low, element_type::int64), element_type::uint64);
    high = cast(cast(high, element_type::int64), element_type::uint64);
    const graph_value range = apply(operation::subtract, high, low);
    const graph_value above =
        is_long ? high_product(long_draw(index_), range)
                : shifted(apply(operation::multiply, wide(word(index_)), wide(cast(range, counts))), 32);
    return cast(apply(operation::add, low, above), type);
  }

  graph_value bernoulli(graph_value p) {
    return apply(operation::less, uniform(element_type::float32), cast(p, element_type::float32));
  }

 private:
  graph_value apply(operation op, graph_value a, graph_value b) { return into_.apply(op, {a, b}, at_); }
  graph_value cast(graph_value x, element_type type) { return into_.cast(x, type, at_); }
  /// Modulo 2^64, also of weak integers, which are refused where their type does not hold them.
  graph_value wrapped(graph_value x) {
    const bool is_signed = kind_of(x.type.type) == element_kind::signed_integer;
    return wide(is_signed ? cast(x, element_type::int64) : x);
  }
  graph_value wide(graph_value x) { return cast(x, element_type::uint64); }
  graph_value number(std::uint64_t value) { return into_.literal(element_type::uint64, value); }
  graph_value shifted(graph_value x, std::uint64_t places) {
    return apply(operation::right_shift, x, into_.literal(x.type.type, places));
  }
  graph_value index_in(graph_value like) {
    if (like.rank == 0) return number(0);
    return wide(into_.coordinate(like, like.rank == 1 ? 0 : like.rank, at_));
  }
  graph_value word(graph_value index) {
    return into_.apply(operation::random_word, {index, seed_, sequence_}, at_);
  }
  /// 64 bits: words 2 i and 2 i + 1, the low one first.
  graph_value long_draw(graph_value i) {
    const graph_value first = apply(operation::left_shift, i, number(1));
    const graph_value low = word(first), high = word(apply(operation::bitwise_or, first, number(1)));
    return apply(operation::bitwise_or, wide(low), apply(operation::left_shift, wide(high), number(32)));
  }
  /// Bits as a number below 2^53: they fit a signed integer, which processors convert.
  graph_value scaled(graph_value bits, element_type integer, element_type type, double unit) {
    return apply(operation::multiply, cast(cast(bits, integer), type), into_.literal(unit, type, at_));
  }
  /// The upper 64 of the 128 bits of a product.
  graph_value high_product(graph_value a, graph_value b) {
    const auto low = [&](graph_value x) { return apply(operation::bitwise_and, x, number(0xffffffff)); };
    const auto product = [&](graph_value x, graph_value y) { return apply(operation::multiply, x, y); };
    const auto sum = [&](graph_value x, graph_value y) { return apply(operation::add, x, y); };
    const graph_value a_low = low(a), a_high = shifted(a, 32), b_low = low(b), b_high = shifted(b, 32);
    const graph_value first = sum(product(a_high, b_low), shifted(product(a_low, b_low), 32));
    const graph_value second = sum(product(a_low, b_high), low(first));
    return sum(product(a_high, b_high), sum(shifted(first, 32), shifted(second, 32)));
  }

  graph_builder& into_;
  const std::source_location& at_;
  graph_value index_, seed_, sequence_;
};

}  // namespace

graph_value compose_random(graph_builder& into, std::uint64_t draw, std::span<const graph_value> operands,
                           const std::source_location& at) {
  const auto type = static_cast<element_type>(draw >> 8);
  random_composer made(into, at, operands[0], operands[operands.size() - 2], operands.back());
  switch (static_cast<drawn>(draw & 0xff)) {
    case drawn::bits:
      return made.bits(type);
    case drawn::uniform:
      return made.uniform(type);
    case drawn::normal:
      return made.normal(type);
    case drawn::exponential:
      return made.exponential(type);
    case drawn::randint:
      return made.randint(type, operands[1], operands[2]);
    case drawn::bernoulli:
      return made.bernoulli(operands[1]);
  }
  return operands[0];
}

}  // namespace detail

namespace {

bool has_type(rng::distribution what, element_type type) {
  using enum detail::drawn;
  switch (what) {
    case bits:
      return type == element_type::uint32 || type == element_type::uint64;
    case randint:
      return type == element_type::int32 || type == element_type::int64;
    case bernoulli:
      return type == element_type::boolean;
    default:
      return is_floating(type);
  }
}

[[noreturn]] void fail_draw(std::string_view why) { throw type_error("random numbers: " + std::string(why)); }

void check_integer(const graph_value& operand, std::string_view name) {
  if (!is_integer(operand.type.type)) fail_draw(std::string(name) + " is an integer");
  if (operand.rank != 0) throw shape_error("random numbers: " + std::string(name) + " has rank 0");
}

}  // namespace

graph_value rng::draw(graph_builder& into, distribution what, element_type type,
                      std::span<const graph_value> operands, const std::source_location& at) {
  using enum detail::drawn;
  const std::size_t numbers = what == randint ? 2 : what == bernoulli ? 1 : 0;
  if (operands.size() != 3 + numbers)
    fail_draw("operands are like, " +
              std::string(numbers == 2   ? "low, high, "
                          : numbers == 1 ? "p, "
                                         : "") +
              "seed, sequence");
  if (what > bernoulli || !has_type(what, type))
    fail_draw("this distribution has no elements of type " + std::string(facts_of(type).name));
  if (what == randint) {
    check_integer(operands[1], "low");
    check_integer(operands[2], "high");
  }
  if (what == bernoulli && is_complex(operands[1].type.type)) fail_draw("a probability is a real number");
  check_integer(operands[operands.size() - 2], "the seed");
  check_integer(operands.back(), "the sequence");
  return detail::compose_random(into, detail::packed_draw(what, type), operands, at);
}

}  // namespace sinter::inline v0
