// The charge of particles on a grid, as particle-in-cell codes deposit it: each particle gives its charge to
// the four grid points around it, the nearer the more. scatter_add adds what goes to a point, in the same
// bits on every run, beside the same loop in C++. The particles are those of a spiral galaxy, whose density
// is written as brightness to particle_deposit.png, or to the file that is named.
#include <sinter/rng.hpp>
#include <sinter/sinter.hpp>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <numbers>
#include <tuple>
#include <vector>

#include "../check.hpp"
#include "../demo/picture.hpp"
#include "../timing.hpp"

using namespace sinter;

using numbers = std::vector<float>;

const std::int64_t side = 512;  // of the grid
const std::int64_t particles = 1 << 19;

// In C++. Positions are in units of the grid, from 0 to side - 1.
void deposit_in_loop(const numbers& x, const numbers& y, const numbers& charges, std::vector<double>& grid) {
  std::fill(grid.begin(), grid.end(), 0);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const float column = std::floor(x[i]), row = std::floor(y[i]);
    const float right = x[i] - column, below = y[i] - row;
    const auto corner =
        static_cast<std::size_t>(static_cast<std::int64_t>(row) * side + static_cast<std::int64_t>(column));
    const auto add = [&](std::size_t at, float share) { grid[at] += double{charges[i] * share}; };
    add(corner, (1 - below) * (1 - right));
    add(corner + 1, (1 - below) * right);
    add(corner + side, below * (1 - right));
    add(corner + side + 1, below * right);
  }
}

// With Sinter. The grid has one axis, so that corners may have two: the four of each particle. The order is
// none, or `unordered`.
const auto deposit = [](auto grid, auto x, auto y, auto charges, auto... order) {
  const auto column = floor(x), row = floor(y);
  const auto right = x - column, below = y - row;
  const auto corner = astype<std::int64_t>(row) * side + astype<std::int64_t>(column);
  const auto corners = stack<0>(corner, corner + 1, corner + side, corner + side + 1);
  const auto shares =
      stack<0>((1 - below) * (1 - right), (1 - below) * right, below * (1 - right), below * right);
  return scatter_add(grid, corners, charges * shares, order...);
};

// Most stars are near the centre, and the others along two arms that wind around it.
const auto spiral = [](auto n, auto seed) {
  constexpr float pi = std::numbers::pi_v<float>;
  const auto star = iota(n);
  const auto radius = rng::exponential<float>(star, seed) * 0.11f;
  const auto arm = astype<float>(remainder(star, 2)) * pi;
  const auto angle = arm + 9.f * sqrt(radius) + rng::normal<float>(star, seed, 1) * 0.3f;
  const auto on_grid = [](auto from_centre) {
    return clip((0.5f + from_centre) * static_cast<float>(side - 1), 0.f, static_cast<float>(side - 2));
  };
  const auto mass = 0.5f + rng::uniform<float>(star, seed, 2);
  return std::tuple(on_grid(radius * cos(angle)), on_grid(0.7f * radius * sin(angle)), mass);
};

int main(int count, char** arguments) {
  const auto [x, y, charges] = fuse("spiral", spiral)(particles, 7);

  const auto add_charges = fuse("deposit", deposit);
  const array<float, 1> empty = zeros<float>(side * side);
  array<float, 1> grid = add_charges(empty, x, y, charges);
  const numbers host_x = x.to_vector(), host_y = y.to_vector(), host_charges = charges.to_vector();
  std::vector<double> expected(static_cast<std::size_t>(side * side));
  const double in_loop = milliseconds([&] { deposit_in_loop(host_x, host_y, host_charges, expected); });
  const double in_kernel = milliseconds([&] {
    add_charges.into(grid)(empty, x, y, charges);
    synchronize();
  });

  const auto add_in_any_order = fuse("deposit_unordered", [](auto grid, auto x, auto y, auto charges) {
    return deposit(grid, x, y, charges, unordered);
  });
  array<float, 1> in_any_order = add_in_any_order(empty, x, y, charges);
  const double in_unordered_kernel = milliseconds([&] {
    add_in_any_order.into(in_any_order)(empty, x, y, charges);
    synchronize();
  });

  // Sums are exact in units of the largest term, and rounded once; a share may be rounded otherwise where one
  // side makes a fused multiply-add.
  const numbers found = grid.to_vector(), found_in_any_order = in_any_order.to_vector();
  double total = 0, total_charge = 0;
  for (std::size_t i = 0; i < found.size(); ++i) {
    check(std::abs(double{found[i]} - expected[i]) <= 1e-6 * expected[i] + 1e-9,
          "the charge of a grid point");
    check(std::abs(double{found_in_any_order[i]} - expected[i]) <= 1e-3 * expected[i] + 1e-9,
          "the charge of a grid point in any order");
    total += double{found[i]};
  }
  for (const float charge : host_charges) total_charge += double{charge};
  check(std::abs(total - total_charge) <= 1e-6 * total_charge, "no charge is lost");
  check(add_charges(empty, x, y, charges).to_vector() == found, "the same bits in each run");
  std::printf("%lld particles on %lld x %lld points: C++ loop %.2f ms, Sinter %.2f ms, unordered %.2f ms\n",
              static_cast<long long>(particles), static_cast<long long>(side), static_cast<long long>(side),
              in_loop, in_kernel, in_unordered_kernel);

  const auto paint = fuse([](auto grid) {
    const auto light = log1p(4.f * reshape(grid, side, side));
    const auto share = light / max(light);
    return stack<-1>(sqrt(share) * share, share, sqrt(share));
  });
  const array<float, 3> picture = paint(grid);
  demo::write_png(count > 1 ? arguments[1] : "particle_deposit.png", picture.to_vector().data(), side, side);
}
