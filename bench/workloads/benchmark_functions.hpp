#pragma once
// The bodies of the workloads' functions, for what calls them with data and for what makes their text alone.

#include <sinter/sinter.hpp>

#include <tuple>

namespace sinter_bench::body {

using namespace sinter;

// Pointwise.

inline constexpr auto axpy = [](auto x, auto y) { return 2.5 * x + y; };

inline constexpr auto where_inf = [](auto points, auto mask) {
  return where(mask(all(), newaxis), inf, points);
};

inline constexpr auto gelu = [](auto x) {
  return 0.5 * x * (1 + tanh(0.7978845608 * (x + 0.044715 * x * x * x)));
};

inline constexpr auto black_scholes = [](auto s, auto k, auto t) {
  const double r = 0.02, v = 0.3;
  auto d1 = (log(s / k) + (r + 0.5 * v * v) * t) / (v * sqrt(t));
  auto d2 = d1 - v * sqrt(t);
  auto n1 = 0.5 * (1 + erf(d1 * 0.70710678)), n2 = 0.5 * (1 + erf(d2 * 0.70710678));
  auto discount = exp(-r * t);
  return std::tuple{s * n1 - k * discount * n2, k * discount * (1 - n2) - s * (1 - n1)};
};

inline constexpr auto outer_add = [](auto x, auto y) { return x(all(), newaxis) + y(newaxis, all()); };

inline constexpr auto add_transposed = [](auto x, auto y) { return x + transpose(y); };

inline constexpr auto grey = [](auto p) {
  return 0.299 * p(all(), 0) + 0.587 * p(all(), 1) + 0.114 * p(all(), 2);
};

inline constexpr auto heat = [](auto u) {
  auto c = u(slice(1, -1), slice(1, -1));
  return c + 0.1 * (u(slice(2, end), slice(1, -1)) + u(slice(0, -2), slice(1, -1)) +
                    u(slice(1, -1), slice(2, end)) + u(slice(1, -1), slice(0, -2)) - 4 * c);
};

// With a reduction or a scan.

inline constexpr auto mean_squared_error = [](auto a, auto b) { return mean(square(a - b)); };

inline constexpr auto sum_of_axis_0 = [](auto a) { return sum(a * a, axis<0>); };
inline constexpr auto sum_of_axis_1 = [](auto a) { return sum(a * a, axis<1>); };

inline constexpr auto argmax_of_rows = [](auto a) { return argmax(a, axis<1>); };

inline constexpr auto cumsum_of_rows = [](auto a) { return cumsum(a * a, axis<1>); };

inline constexpr auto variances_of_rows = [](auto a) { return var(a, axis<1>); };

inline constexpr auto softmax_of_rows = [](auto x) {
  auto e = exp(x - max(x, axis<1>, keepdims));
  return e / sum(e, axis<1>, keepdims);
};

template <class Element>
inline constexpr auto layer_norm = [](auto x, auto w, auto b) {
  auto wide = astype<float>(x);
  auto apart = wide - mean(wide, axis<1>, keepdims);
  auto variance = mean(apart * apart, axis<1>, keepdims);
  return astype<Element>(apart * rsqrt(variance + 1e-5) * w + b);
};

inline constexpr auto rms_norm = [](auto x, auto w) {
  auto wide = astype<float>(x);
  return astype<bfloat16>(wide * rsqrt(mean(wide * wide, axis<1>, keepdims) + 1e-6) * w);
};

inline constexpr auto normalized = [](auto x) { return (x - mean(x)) / stddev(x); };

inline constexpr auto pairwise_distance = [](auto x, auto y) {
  auto d = x(all(), newaxis, all()) - y(newaxis, all(), all());
  return sqrt(sum(d * d, axis<2>));
};

inline constexpr auto nearest_distance = [](auto x, auto y) {
  auto d = x(all(), newaxis, all()) - y(newaxis, all(), all());
  return min(sum(d * d, axis<2>), axis<1>);
};

}  // namespace sinter_bench::body
