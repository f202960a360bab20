#include "random_kernels.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>

namespace sinter::test {
namespace {

constexpr element_type drawn_types[] = {element_type::float32, element_type::float32,  element_type::float32,
                                        element_type::float16, element_type::bfloat16, element_type::float64,
                                        element_type::int32,   element_type::int64,    element_type::int16,
                                        element_type::uint8,   element_type::boolean};

class kernel_maker {
 public:
  kernel_maker(std::uint64_t seed, unsigned log2_elements)
      : random_(seed * 0x9e3779b97f4a7c15u + log2_elements), log2_elements_(log2_elements) {}

  random_kernel make() {
    draw_extents();
    graph_value value = operand();
    for (auto more = below(3); more > 0; --more)
      value =
          builder_.apply(pick({operation::add, operation::multiply, operation::maximum}), {value, operand()});
    if (chance(30)) value = builder_.apply(pick({operation::exp, operation::sin, operation::sqrt}), {value});
    finish(value);
    made_.recorded = builder_.recorded();
    return std::move(made_);
  }

 private:
  std::uint64_t below(std::uint64_t bound) { return random_() % bound; }
  bool chance(unsigned percent) { return below(100) < percent; }
  template <typename Value>
  Value pick(std::initializer_list<Value> all) {
    return all.begin()[below(all.size())];
  }

  /// Random shares of the logarithm, with few round extents: half of them are off by a few.
  void draw_extents() {
    const auto rank = static_cast<std::size_t>(1 + below(5));
    std::vector<double> shares(rank);
    for (double& share : shares) share = 0.05 + static_cast<double>(below(1000)) / 1000;
    const double all = std::accumulate(shares.begin(), shares.end(), 0.0);
    for (const double share : shares) {
      auto extent = static_cast<std::int64_t>(std::llround(std::exp2(share / all * log2_elements_)));
      if (chance(50)) extent += static_cast<std::int64_t>(below(7)) - 3;
      extents_.push_back(std::max<std::int64_t>(1, extent));
    }
  }

  /// An operand with the kernel's shape in a random layout.
  graph_value operand() {
    layout made{.type = drawn_types[below(std::size(drawn_types))], .extents = extents_, .strides = {}};
    std::vector<std::size_t> order(extents_.size());
    std::iota(order.begin(), order.end(), 0u);
    const auto kind = below(10);
    if (kind >= 4) std::shuffle(order.begin(), order.end(), random_);
    const bool broadcasts = kind == 6 || kind == 7, steps = kind >= 8;
    made.strides.resize(extents_.size());
    std::int64_t stride = 1;
    for (std::size_t i = order.size(); i-- > 0;) {
      const std::size_t axis = order[i];
      if (broadcasts && chance(40)) continue;  // stride 0
      const std::int64_t step = steps ? pick<std::int64_t>({1, 1, -1, 2, 3}) : 1;
      made.strides[axis] = stride * step;
      stride *= extents_[axis] * std::abs(step);
    }
    describe(made);
    made_.inputs.push_back(made);
    return builder_.input(made.type, static_cast<unsigned>(extents_.size()));
  }

  void describe(const layout& made) {
    std::string& text = made_.description;
    text += (text.empty() ? "" : ", ") + std::string(facts_of(made.type).name) + " [";
    for (std::size_t axis = 0; axis < made.extents.size(); ++axis)
      text += (axis == 0 ? "" : ", ") + std::to_string(made.extents[axis]) + ":" +
              std::to_string(made.strides[axis]);
    text += "]";
  }

  std::uint32_t draw_axes() {
    const std::uint32_t all = (1u << extents_.size()) - 1;
    return chance(25) ? all : static_cast<std::uint32_t>(1 + below(all));
  }
  graph_value reduced(graph_value value, std::uint32_t axes, bool keepdims) {
    const operation op = pick({operation::sum, operation::sum, operation::max, operation::min,
                               operation::prod, operation::any, operation::argmax, operation::argmin});
    made_.description += "; " + std::string(facts_of(op).name) + " over " + std::to_string(axes);
    return builder_.reduce(op, value, axes, keepdims);
  }
  graph_value sum(graph_value value, std::uint32_t axes) {
    return builder_.reduce(operation::sum, value, axes, true);
  }
  /// The mean, and the mean of squared distances from it.
  std::pair<graph_value, graph_value> moments(graph_value value, std::uint32_t axes) {
    graph_value count = builder_.literal(element_type::int64, 1);
    for (unsigned axis = 0; axis < extents_.size(); ++axis)
      if ((axes >> axis & 1) != 0)
        count = builder_.apply(operation::multiply, {count, builder_.extent(value, axis)});
    const graph_value mean = builder_.apply(operation::true_divide, {sum(value, axes), count});
    const graph_value apart = builder_.apply(operation::subtract, {value, mean});
    const graph_value squares = sum(builder_.apply(operation::multiply, {apart, apart}), axes);
    return {mean, builder_.apply(operation::true_divide, {squares, count})};
  }

  void finish(graph_value value) {
    const std::uint32_t axes = draw_axes();
    switch (below(8)) {
      case 0:
        return builder_.output(value);
      case 1:
      case 2:
      case 3:
        builder_.output(reduced(value, axes, chance(30)));
        if (chance(30)) builder_.output(reduced(value, chance(50) ? axes : draw_axes(), chance(30)));
        return;
      case 4: {
        const graph_value least = reduced(value, axes, true);
        return builder_.output(builder_.apply(operation::add, {value, least}));
      }
      case 5: {
        const graph_value real = builder_.cast(value, element_type::float32);
        const auto [mean, variance] = moments(real, axes);
        made_.description += "; moments over " + std::to_string(axes);
        if (chance(50)) {
          builder_.output(mean);
          return builder_.output(variance);
        }
        return builder_.output(
            builder_.apply(operation::true_divide, {builder_.apply(operation::subtract, {real, mean}),
                                                    builder_.apply(operation::sqrt, {variance})}));
      }
      case 6: {
        const auto axis = static_cast<unsigned>(below(extents_.size()));
        made_.description += "; cumsum along " + std::to_string(axis);
        const graph_value scanned = builder_.scan(operation::cumsum, value, axis);
        if (chance(70)) return builder_.output(scanned);
        return builder_.output(builder_.apply(operation::true_divide,
                                              {scanned, builder_.reduce(operation::sum, value, axes, true)}));
      }
      default: {  // a reduction of another operand, broadcast onto this one
        const graph_value other = operand();
        return builder_.output(builder_.apply(operation::multiply, {value, reduced(other, axes, true)}));
      }
    }
  }

  std::mt19937_64 random_;
  unsigned log2_elements_;
  shape extents_;
  graph_builder builder_;
  random_kernel made_;
};

}  // namespace

random_kernel make_kernel(std::uint64_t seed, unsigned log2_elements) {
  return kernel_maker(seed, log2_elements).make();
}

}  // namespace sinter::test
