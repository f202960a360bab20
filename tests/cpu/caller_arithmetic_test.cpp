// What a program sets for its thread's arithmetic (rounding, denormals, signals) is neither seen in results
// nor lost.
#include <doctest/doctest.h>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/sinter.hpp>

#include <bit>
#include <cfenv>
#include <cstdint>
#include <limits>
#include <tuple>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>

using namespace sinter;

namespace {

constexpr unsigned flags = 0x3f;

/// The state of a thread's arithmetic, put back at the end of a test.
class kept_modes {
 public:
  kept_modes() { std::fegetenv(&kept_); }
  kept_modes(const kept_modes&) = delete;
  kept_modes& operator=(const kept_modes&) = delete;
  ~kept_modes() { std::fesetenv(&kept_); }

 private:
  std::fenv_t kept_{};
};

const struct {
  const char* name;
  void (*set)();
} modes[] = {
    {"upward", [] { std::fesetround(FE_UPWARD); }},
    {"downward", [] { std::fesetround(FE_DOWNWARD); }},
    {"toward zero", [] { std::fesetround(FE_TOWARDZERO); }},
    {"flush to zero", [] { _mm_setcsr(_mm_getcsr() | 0x8000); }},
    {"denormals are zero", [] { _mm_setcsr(_mm_getcsr() | 0x0040); }},
};

std::vector<float> inexact(std::size_t count) {
  std::vector<float> made(count);
  for (std::size_t i = 0; i < count; ++i)
    made[i] = i % 5 == 0 ? std::numeric_limits<float>::denorm_min() * static_cast<float>(i % 1000 + 1)
                         : 1.0f / static_cast<float>(i % 1000 + 3);
  return made;
}

}  // namespace

TEST_CASE("results of small and large arrays are the same in every mode of the caller, which it keeps") {
  const auto parts = fuse([](auto x) { return std::tuple{x / 3 + 0.1f, x * 0.5f, sum(x), exp(x)}; });
  for (const std::size_t count : {std::size_t{5}, std::size_t{1000}, std::size_t{3000000}}) {
    const auto x = array<float, 1>::from(inexact(count), {count}, device::cpu());
    const auto results = [&] {
      const auto [a, b, c, d] = parts(x);
      return std::tuple{a.to_vector(), b.to_vector(), c.to_vector(), d.to_vector()};
    };
    const auto expected = results();
    for (const auto& [name, set] : modes) {
      CAPTURE(name);
      CAPTURE(count);
      const kept_modes kept;
      set();
      const unsigned before = _mm_getcsr();
      const int rounding = std::fegetround();
      const bool same = results() == expected;
      const unsigned after = _mm_getcsr();
      const int rounding_after = std::fegetround();
      std::fesetround(FE_TONEAREST);
      CHECK(same);
      CHECK((before & ~flags) == (after & ~flags));
      CHECK(rounding == rounding_after);
      CHECK((before & flags & ~after) == 0);
    }
  }
}

TEST_CASE("constants are folded, and scalars converted, in the same arithmetic whatever the caller's modes") {
  const auto folded = [] {
    graph_builder builder;
    builder.restart();
    const graph_value x = builder.input(element_type::float32, 1);
    const graph_value third = builder.apply(
        operation::true_divide, {builder.literal(1.0, element_type::float32), builder.literal(3.0)});
    const graph_value small = builder.apply(
        operation::multiply, {builder.literal(0x1p-130, element_type::float32), builder.literal(0.3)});
    builder.output(builder.apply(operation::add, {builder.apply(operation::multiply, {x, third}), small}));
    return simplify(builder.recorded());
  };
  const graph expected = folded();
  for (const auto& [name, set] : modes) {
    CAPTURE(name);
    const kept_modes kept;
    set();
    const graph made = folded();
    const std::uint64_t tenth =
        convert_bits(element_type::float64, std::bit_cast<std::uint64_t>(0.1), element_type::float32);
    std::fesetround(FE_TONEAREST);
    CHECK(made.same_content(expected));
    CHECK(tenth == 0x3dcccccd);
  }
}

TEST_CASE("a caller's signals for exceptions are off in a kernel, and on again after it") {
  const auto x = zeros<float>({4}, device::cpu());
  const auto f = fuse([](auto v) { return 1 / v; });
  f.prepare(x);
  const kept_modes kept;
  feenableexcept(FE_DIVBYZERO | FE_INVALID);
  const std::vector<float> made = f(x).to_vector();
  const int enabled = fegetexcept();
  fedisableexcept(FE_ALL_EXCEPT);
  CHECK(enabled == (FE_DIVBYZERO | FE_INVALID));
  CHECK(made == std::vector<float>(4, std::numeric_limits<float>::infinity()));
}
#endif
