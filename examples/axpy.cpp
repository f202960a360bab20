// The smallest useful program: a fused function with a scalar argument, called on arrays.
#include <sinter/sinter.hpp>

#include <cstdio>

#include "check.hpp"

using namespace sinter;

int main() {
  const std::int64_t n = 1'000'000;
  auto axpy = fuse("axpy", [](auto a, auto x, auto y) { return a * x + y; });

  const array<float, 1> x = linspace<float>(0, 1, n);
  const array<float, 1> y = ones<float>({n});

  // The first call compiles; the second, with another scalar, goes straight to the kernel.
  array<float, 1> z = axpy(2.5f, x, y);
  check(z.to_vector().back() == 3.5f, "2.5 * 1 + 1");
  axpy.into(z)(-1.f, x, y);
  check(z.to_vector().back() == 0.f, "-1 * 1 + 1");

  // Results stay on the device where they are computed, and can be operands of other calls.
  const array<float, 1> twice = axpy(1.f, z, z);
  check(twice.to_vector().front() == 2.f, "1 + 1");
  std::printf("axpy on %s: %lld elements\n", z.device().name().c_str(), static_cast<long long>(z.size()));
}
