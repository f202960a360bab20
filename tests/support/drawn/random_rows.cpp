#include "random_rows.hpp"

#include <random>

namespace sinter::test {

graph random_rows(std::uint64_t seed, unsigned rank, std::size_t inputs, std::size_t operations) {
  std::mt19937_64 random(seed);
  const auto below = [&](std::size_t count) { return static_cast<std::size_t>(random() % count); };
  graph_builder builder;
  builder.restart();
  // for values with fewer elements than the operands, reductions and scans along missing axes do nothing
  std::vector<graph_value> values;
  for (std::size_t i = 0; i < inputs; ++i) values.push_back(builder.input(element_type::float64, rank));
  const auto recent = [&] {  // later values are used more often, so that graphs are deep
    const std::size_t a = below(values.size()), b = below(values.size());
    return values[std::max(a, b)];
  };
  constexpr operation pairs[] = {operation::add, operation::subtract, operation::maximum};
  constexpr operation reductions[] = {operation::sum, operation::max, operation::min};
  for (std::size_t i = 0; i < operations; ++i) {
    const auto axes = static_cast<std::uint32_t>(1 + below((std::size_t{1} << rank) - 1));
    switch (below(6)) {
      case 0:
      case 1:
        values.push_back(builder.reduce(reductions[below(3)], recent(), axes, true));
        break;
      case 2:
        values.push_back(builder.scan(operation::cumsum, recent(), static_cast<unsigned>(below(rank))));
        break;
      default:
        values.push_back(builder.apply(pairs[below(3)], {values[below(values.size())], recent()}));
    }
  }
  const std::size_t results = 1 + below(4);
  for (std::size_t i = 0; i < results; ++i)
    builder.output(i == 0 ? values.back() : values[inputs + below(operations)]);
  return builder.recorded();
}

}  // namespace sinter::test
