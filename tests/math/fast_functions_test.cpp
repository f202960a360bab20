// Fast mode over the whole range of arguments: bounded results stay bounded, infinities and NaN are as in
// standard mode. CUDA's arithmetic is tested on the CPU, with functions in place of the hardware's
// approximations that are wrong where the hardware's are.
#include <sinter/codegen/math/device_functions.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "../support/sweep/sweep.hpp"

#ifdef SINTER_CPU_COMPILER_LIBRARY
#include "../clang/cpu_compiler_fixture.hpp"
#endif

using namespace sinter;

namespace {

/// Numbers of every exponent and both signs, special values, and the multiples of pi / 2 with their
/// neighbours.
template <class T>
std::vector<T> arguments() {
  using bits = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;
  constexpr int mantissa = std::numeric_limits<T>::digits - 1;
  constexpr bits exponents = bits(2) * std::numeric_limits<T>::max_exponent;
  std::vector<T> made;
  std::uint64_t state = 1;
  for (bits exponent = 0; exponent < exponents; ++exponent)
    for (int i = 0; i < 24; ++i) {
      state = state * 6364136223846793005u + 1442695040888963407u;
      const bits fraction = static_cast<bits>(state >> 11) & ((bits(1) << mantissa) - 1);
      made.push_back(std::bit_cast<T>((exponent << mantissa) | (i == 0 ? 0 : fraction)));
      made.push_back(-made.back());
    }
  for (int i = 1; i < 90000; i += i < 3000 ? 1 : 17) {
    const T near = static_cast<T>(i * 1.5707963267948966192L);
    for (const T x :
         {std::nextafter(near, T(0)), near, std::nextafter(near, std::numeric_limits<T>::infinity())})
      made.insert(made.end(), {x, -x});
  }
  return made;
}

struct worst {
  double of_bound = 0;  ///< largest magnitude of sines and cosines
  long double sine = 0, cosine = 0, tangent = 0;
  std::size_t not_finite = 0, wrong_kind = 0;
};

/// Distances from the exact values: absolute for sine and cosine, relative for the tangent.
template <class T>
worst judge(const std::vector<T>& x, const std::vector<T>& sine, const std::vector<T>& cosine,
            const std::vector<T>& tangent) {
  worst found;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i])) {
      found.wrong_kind += !std::isnan(sine[i]) + !std::isnan(cosine[i]) + !std::isnan(tangent[i]);
      continue;
    }
    found.not_finite += !std::isfinite(sine[i]) + !std::isfinite(cosine[i]) + !std::isfinite(tangent[i]);
    if (x[i] == 0) found.wrong_kind += std::signbit(sine[i]) != std::signbit(x[i]);
    const long double wide = x[i];
    found.of_bound = std::max<double>({found.of_bound, std::abs(sine[i]), std::abs(cosine[i])});
    found.sine = std::max(found.sine, std::abs(sine[i] - std::sin(wide)));
    found.cosine = std::max(found.cosine, std::abs(cosine[i] - std::cos(wide)));
    const long double exact = std::tan(wide);
    if (std::abs(exact) >= std::numeric_limits<T>::min())
      found.tangent = std::max(found.tangent, std::abs(tangent[i] - exact) / std::abs(exact));
  }
  return found;
}

template <class T>
void check_trigonometric() {
  const auto f = fuse([](auto x) { return std::tuple{sin(x), cos(x), tan(x)}; }).fast();
  const std::vector<T> x = arguments<T>();
  for (const device on : test::sweep_devices()) {
    CAPTURE(on.to_string());
    const auto [sine, cosine, tangent] = f(array<T, 1>::from(x, {x.size()}, on));
    const worst found = judge(x, sine.to_vector(), cosine.to_vector(), tangent.to_vector());
    CHECK(found.of_bound <= 1);
    CHECK(found.not_finite == 0);
    CHECK(found.wrong_kind == 0);
    const bool approximate = on.is_cuda() && sizeof(T) == 4;
    const long double half = std::numeric_limits<T>::epsilon() / 2;
    CHECK(found.sine <= (approximate ? 0x1p-20L : 1.5L * half));
    CHECK(found.cosine <= (approximate ? 0x1p-20L : 1.5L * half));
    CHECK(found.tangent <= (approximate ? 6 : 4) * 2 * half);
  }
}

}  // namespace

TEST_SUITE("fast functions") {
  TEST_CASE("sine and cosine are bounded and the tangent finite at every exponent of float32") {
    check_trigonometric<float>();
  }
  TEST_CASE("sine and cosine are bounded and the tangent finite at every exponent of float64") {
    check_trigonometric<double>();
  }

  TEST_CASE("division, roots and logarithms hold at both ends of the range") {
    const auto f = fuse([](auto x, auto y) {
                     return std::tuple{x / y, reciprocal(y), sqrt(x), rsqrt(x), log(x), exp(log(x))};
                   }).fast();
    std::vector<float> x, y;
    for (int i = -148; i < 128; ++i)
      for (int j = -148; j < 128; j += 3) {
        x.push_back(std::ldexp(1.25f, i));
        y.push_back(std::ldexp(1.75f, j));
      }
    for (const device on : test::sweep_devices()) {
      CAPTURE(on.to_string());
      const auto [quotient, inverse, root, inverse_root, logarithm, back] =
          f(array<float, 1>::from(x, {x.size()}, on), array<float, 1>::from(y, {y.size()}, on));
      const auto q = quotient.to_vector(), r = inverse.to_vector(), s = root.to_vector(),
                 t = inverse_root.to_vector(), l = logarithm.to_vector(), b = back.to_vector();
      std::size_t wrong = 0;
      const auto close = [](double got, double exact, double units) {
        if (std::abs(exact) > std::numeric_limits<float>::max()) return std::isinf(got) && got > 0;
        return std::abs(got - exact) <= units * std::max(0x1p-23 * std::abs(exact), 0x1p-149);
      };
      for (std::size_t i = 0; i < x.size(); ++i) {
        wrong += !close(q[i], double(x[i]) / y[i], 2.5) + !close(r[i], 1 / double(y[i]), 2.5) +
                 !close(s[i], std::sqrt(double(x[i])), 2.5) + !close(t[i], 1 / std::sqrt(double(x[i])), 2.5) +
                 (std::abs(l[i] - std::log(double(x[i]))) > std::abs(l[i]) * 0x1p-21 + 0x1p-21) +
                 !close(b[i], x[i], 400);
      }
      CHECK(wrong == 0);
    }
  }

  TEST_CASE("powers of special values are those of standard mode") {
    const float infinity = std::numeric_limits<float>::infinity(),
                nan_value = std::numeric_limits<float>::quiet_NaN();
    std::vector<float> x, y;
    for (const float base :
         {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, infinity, -infinity, nan_value})
      for (const float exponent : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 16777216.0f,
                                   infinity, -infinity, nan_value}) {
        x.push_back(base);
        y.push_back(exponent);
      }
    const auto f = fuse([](auto a, auto b) { return pow(a, b); }).fast();
    for (const device on : test::sweep_devices()) {
      const auto made =
          f(array<float, 1>::from(x, {x.size()}, on), array<float, 1>::from(y, {y.size()}, on)).to_vector();
      for (std::size_t i = 0; i < x.size(); ++i) {
        const float exact = std::pow(x[i], y[i]);
        CAPTURE(x[i]);
        CAPTURE(y[i]);
        CAPTURE(made[i]);
        CHECK((std::isnan(exact) ? std::isnan(made[i])
                                 : std::signbit(made[i]) == std::signbit(exact) &&
                                       (made[i] == exact || std::abs(made[i] / exact - 1) < 0x1p-14f)));
      }
    }
  }
}

#ifdef SINTER_CPU_COMPILER_LIBRARY

namespace {

using one = float (*)(float);

// The hardware's result: exact within the range for which its documentation states an error, meaningless
// beyond.
// makes sense beyond it.
float hardware(double exact, float x) { return std::abs(x) <= 3.17f ? static_cast<float>(exact) : 13.3f; }
float hardware_sine(float x) { return hardware(std::sin(double(x)), x); }
float hardware_cosine(float x) { return hardware(std::cos(double(x)), x); }
float accurate_sine(float x) { return static_cast<float>(std::sin(double(x))); }
float accurate_cosine(float x) { return static_cast<float>(std::cos(double(x))); }
float accurate_tangent(float x) { return static_cast<float>(std::tan(double(x))); }
float power_of_two(float x) { return static_cast<float>(std::exp2(double(x))); }
float logarithm(float x) { return static_cast<float>(std::log2(double(x))); }

/// CUDA's fast texts of some functions, compiled for the CPU.
class cuda_texts {
 public:
  cuda_texts() : library_(made()) {
    const one functions[] = {&hardware_sine,    &hardware_cosine, &accurate_sine, &accurate_cosine,
                             &accurate_tangent, &power_of_two,    &logarithm};
    library_.get<void(const one*)>("set")(functions);
  }
  template <class Function>
  Function* get(const char* name) const {
    return library_.get<Function>(name);
  }

 private:
  static std::string made() {
    std::string text = R"(
static float (*hardware_sine)(float), (*hardware_cosine)(float), (*sine)(float), (*cosine)(float),
    (*tangent)(float), (*exponential)(float), (*logarithm)(float);
extern "C" void set(float (*const* from)(float)) {
  hardware_sine = from[0]; hardware_cosine = from[1]; sine = from[2]; cosine = from[3];
  tangent = from[4]; exponential = from[5]; logarithm = from[6];
}
#define rintf __builtin_rintf
#define fmaf __builtin_fmaf
#define fabsf __builtin_fabsf
#define fminf __builtin_fminf
#define fmaxf __builtin_fmaxf
#define copysignf __builtin_copysignf
#define __int_as_float(x) __builtin_bit_cast(float, x)
#define __sinf hardware_sine
#define __cosf hardware_cosine
#define sinf sine
#define cosf cosine
#define tanf tangent
#define log2f logarithm
static float true_divide_f32(float x, float y) { return x / y; }
static float exp2_f32(float x) { return exponential(x); }
)";
    for (const char* name : {"whole_turns_off_f32", "turns_have_fast_f32", "sin_fast_f32", "sin_f32",
                             "cos_fast_f32", "cos_f32", "tan_fast_f32", "tan_f32", "power_f32"}) {
      const codegen::device_function* found =
          codegen::find_device_function(name, codegen::text_target::cuda, codegen::text_mode::fast);
      REQUIRE(found != nullptr);
      text += "extern \"C\" " + std::string(found->text) + "\n";
    }
    const cpu_compiler_test::compiled code =
        cpu_compiler_test::compile(text, {.options = {"-O2", "-ffp-contract=off"}});
    if (code.status != SINTER_CPU_COMPILER_OK) throw std::runtime_error(code.log);
    return code.object;
  }

  cpu_compiler_test::loaded library_;
};

}  // namespace

TEST_SUITE("fast functions") {
  TEST_CASE("CUDA's reduction is right wherever it is used, and elsewhere is not used") {
    const cuda_texts texts;
    const std::vector<float> x = arguments<float>();
    const auto values = [&](const char* name) {
      std::vector<float> made;
      for (const float at : x) made.push_back(texts.get<float(float)>(name)(at));
      return made;
    };
    const worst found = judge(x, values("sin_f32"), values("cos_f32"), values("tan_f32"));
    CHECK(found.of_bound <= 1);
    CHECK(found.not_finite == 0);
    CHECK(found.wrong_kind == 0);
    // plus the hardware's own error, 2^-21
    CHECK(found.sine <= 0x1.2p-22L);
    CHECK(found.cosine <= 0x1.2p-22L);
    CHECK(found.tangent <= 4.5L * 0x1p-23L);
  }

  TEST_CASE("CUDA's fast powers have standard mode's special values") {
    const cuda_texts texts;
    const float infinity = std::numeric_limits<float>::infinity(),
                nan_value = std::numeric_limits<float>::quiet_NaN();
    for (const float x : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, -2.0f, 0.5f, -0.5f, infinity, -infinity, nan_value})
      for (const float y : {0.0f, -0.0f, 1.0f, -1.0f, 2.0f, 3.0f, -3.0f, 0.5f, -0.5f, 16777216.0f, infinity,
                            -infinity, nan_value}) {
        const float exact = std::pow(x, y), made = texts.get<float(float, float)>("power_f32")(x, y);
        CAPTURE(x);
        CAPTURE(y);
        CAPTURE(made);
        CHECK((std::isnan(exact) ? std::isnan(made)
                                 : std::signbit(made) == std::signbit(exact) &&
                                       (made == exact || std::abs(made / exact - 1) < 0x1p-14f)));
      }
  }
}

#endif  // SINTER_CPU_COMPILER_LIBRARY
