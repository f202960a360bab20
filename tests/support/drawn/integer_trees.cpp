#include "integer_trees.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <array>
#include <random>

namespace sinter::test {
namespace {

constexpr std::array integer_types{element_type::int8,   element_type::int16, element_type::int32,
                                   element_type::int64,  element_type::uint8, element_type::uint16,
                                   element_type::uint32, element_type::uint64};
constexpr std::array unary{operation::negative, operation::absolute, operation::bitwise_not,
                           operation::square, operation::sign};
constexpr std::array binary{
    operation::minimum, operation::maximum,  operation::minimum,     operation::maximum,
    operation::minimum, operation::maximum,  operation::subtract,    operation::subtract,
    operation::add,     operation::multiply, operation::bitwise_and, operation::bitwise_xor,
    operation::fmin,    operation::fmax,     operation::remainder,   operation::floor_divide};
constexpr std::array comparisons{operation::less,          operation::less_equal, operation::greater,
                                 operation::greater_equal, operation::equal,      operation::not_equal};
constexpr std::array reductions{operation::max, operation::min, operation::argmax, operation::argmin};

class tree_writer {
 public:
  tree_writer(std::uint64_t seed, std::size_t elements) : draws_(seed), elements_(elements) {
    made_.type = integer_types[below(integer_types.size())];
    for (int i = 0; i < 3; ++i) leaves_.push_back(builder_.input(made_.type, 1));
    for (int i = 0; i < 3; ++i) made_.values.push_back(elements_of_an_array());
  }

  integer_trees trees(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      const graph_value drawn = of_own_type(tree(3 + below(2)));
      builder_.output(i % 4 != 3 || drawn.rank == 0 ? drawn : builder_.reduce(one_of(reductions), drawn, 1));
    }
    made_.recorded = builder_.recorded();
    return made_;
  }

 private:
  std::size_t below(std::size_t bound) { return draws_() % bound; }
  template <class Table>
  operation one_of(const Table& table) {
    return table[below(table.size())];
  }

  std::uint64_t number() {
    const unsigned width = static_cast<unsigned>(size_of(made_.type)) * 8;
    const std::uint64_t top = std::uint64_t(1) << (width - 1);
    const std::array<std::uint64_t, 8> numbers{0,   1,       ~std::uint64_t(3), 7,
                                               top, top - 1, draws_(),          draws_() % 4096 - 2048};
    return canonical_bits(made_.type, numbers[below(numbers.size())]);
  }
  bits elements_of_an_array() {
    bits made(elements_);
    for (std::uint64_t& element : made) element = number();
    return made;
  }

  graph_value of_own_type(graph_value of) {
    return of.type.type == made_.type ? of : builder_.cast(of, made_.type);
  }
  graph_value apply(operation op, std::initializer_list<graph_value> operands) {
    return of_own_type(builder_.apply(op, operands));
  }
  graph_value compared(std::size_t depth) {
    return builder_.apply(one_of(comparisons), {tree(depth), tree(depth)});
  }

  graph_value leaf() {
    const std::size_t drawn = below(8);
    return drawn < 6 ? leaves_[drawn % 3] : builder_.literal(made_.type, number());
  }
  graph_value tree(std::size_t depth) {
    if (depth == 0 || below(8) == 0) return leaf();
    switch (below(12)) {
      case 0:
      case 1:
        return apply(one_of(unary), {tree(depth - 1)});
      case 2:
        return of_own_type(compared(depth - 1));
      case 3:
        return apply(operation::where, {compared(depth - 1), tree(depth - 1), tree(depth - 1)});
      case 4: {  // a minimum or maximum that nobody calls by its name
        const graph_value a = tree(depth - 1), b = tree(depth - 1);
        return apply(operation::where, {builder_.apply(one_of(comparisons), {a, b}), a, b});
      }
      case 5:
        return apply(operation::clip, {tree(depth - 1), tree(depth - 1), tree(depth - 1)});
      case 6:
        return of_own_type(builder_.cast(tree(depth - 1), integer_types[below(integer_types.size())]));
      default:
        return apply(one_of(binary), {tree(depth - 1), tree(depth - 1)});
    }
  }

  std::mt19937_64 draws_;
  std::size_t elements_;
  graph_builder builder_;
  integer_trees made_;
  std::vector<graph_value> leaves_;
};

}  // namespace

integer_trees draw_integer_trees(std::uint64_t seed, std::size_t count, std::size_t elements) {
  return tree_writer(seed, elements).trees(count);
}

}  // namespace sinter::test
