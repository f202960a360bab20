// The texts of codegen/math/device_functions: the tables are consistent, CUDA's texts compile for three
// architectures, and the CPU's approximations are as accurate as stated. device_functions_exact_test.cpp has
// the functions with a single correct result.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <exception>
#include <future>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <sinter/codegen/math/assembler_guards.hpp>
#include <sinter/codegen/math/device_functions.hpp>
#include <sinter/codegen/scalars/operations.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include "../support/needs.hpp"
#include "device_functions_fixture.hpp"

using namespace device_functions_test;

namespace {

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const auto part_of_word = [](char c) {
      return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_';
    };
    const bool starts = at == 0 || !part_of_word(text[at - 1]);
    const bool ends = at + name.size() == text.size() || !part_of_word(text[at + name.size()]);
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("device functions: the tables are whole") {
  for (const text_target target : {text_target::cpu, text_target::cuda}) {
    for (const text_mode mode : {text_mode::standard, text_mode::fast}) {
      const auto all = reachable(target, mode);
      for (const auto& [name, function] : all) {
        CAPTURE(name);
        CHECK(signature_of(*function).name == name);
        std::set<std::string_view> used;
        for (std::string_view rest = function->uses; !rest.empty();) {
          const std::size_t end = std::min(rest.find(' '), rest.size());
          used.insert(rest.substr(0, end));
          rest.remove_prefix(std::min(end + 1, rest.size()));
        }
        const std::string_view body = function->text.substr(function->text.find('{'));
        for (const auto& [other, ignored] : all) CHECK(mentions(body, other) == used.contains(other));
        CHECK(function->fast_name.empty() == function->fast_test.empty());
        if (!function->fast_name.empty()) {
          REQUIRE(all.contains(function->fast_name));
          REQUIRE(all.contains(function->fast_test));
          CHECK(signature_of(*all.at(function->fast_name)).parameters == signature_of(*function).parameters);
          CHECK(signature_of(*all.at(function->fast_test)).parameters == signature_of(*function).parameters);
          CHECK(signature_of(*all.at(function->fast_test)).result == "bool");
        }
      }
    }
  }
  for (const accuracy& row : accuracies()) {
    CAPTURE(row.name);
    CHECK(find_device_function(row.name, text_target::cpu, text_mode::standard) != nullptr);
    CHECK(find_device_function(row.name, text_target::cuda, text_mode::standard) != nullptr);
    CHECK(row.cpu_ulp >= 0.5);
  }
}

/// Whether a function is there because of faults of the assembler: assembler_guards.hpp.
bool is_assembler_guard(std::string_view name) {
  return name == "in_register_b8" ||
         std::ranges::any_of(sinter::codegen::assembler_guards(), [&](const auto& guard) {
           return name.substr(0, name.rfind('_')) == guard.function;
         });
}

TEST_CASE("device functions: what CUDA has the CPU has, with the same types") {
  const auto cpu = reachable(text_target::cpu, text_mode::standard);
  const auto cuda = reachable(text_target::cuda, text_mode::standard);
  const auto is_fast_path = [&](std::string_view name) {
    return std::any_of(cuda.begin(), cuda.end(), [&](const auto& row) {
      return row.second->fast_name == name || row.second->fast_test == name;
    });
  };
  for (const auto& [name, function] : cuda) {
    CAPTURE(name);
    if (is_fast_path(name)) continue;  // each target has its own
    if (is_assembler_guard(name)) continue;
    // CUDA's additional forms for half types replace those for float, including their helpers.
    if (name.ends_with("_half")) continue;
    const bool half = (name.ends_with("_f16") || name.ends_with("_bf16")) && !cpu.contains(name);
    const std::string counterpart =
        half ? std::string(name.substr(0, name.rfind('_'))) + "_f32" : std::string(name);
    REQUIRE(cpu.contains(counterpart));
    const signature here = signature_of(*cpu.at(counterpart)), there = signature_of(*function);
    CHECK(here.result == there.result);
    CHECK(here.parameters == there.parameters);
  }
}

TEST_CASE("device functions: collected definitions come before their uses, once, in a fixed order") {
  const std::array<std::string_view, 3> roots{"sinc_f32", "exp_f32", "sin_f32"};
  const auto first = collect_device_functions(roots, text_target::cpu, text_mode::standard);
  CHECK(first == collect_device_functions(roots, text_target::cpu, text_mode::standard));
  std::set<const device_function*> seen;
  for (const device_function* function : first) {
    CHECK(seen.insert(function).second);
    for (const device_function* other : first) {
      if (other != function && mentions(function->text, other->name)) CHECK(seen.contains(other));
    }
  }
  CHECK(seen.contains(find_device_function("exp_scale_f32", text_target::cpu, text_mode::standard)));
  CHECK(find_device_function("rsqrt_f32", text_target::cpu, text_mode::fast) !=
        find_device_function("rsqrt_f32", text_target::cpu, text_mode::standard));
  CHECK(find_device_function("exp_f64", text_target::cuda, text_mode::fast) ==
        find_device_function("exp_f64", text_target::cuda, text_mode::standard));
  CHECK(find_device_function("nothing_f32", text_target::cuda, text_mode::fast) == nullptr);
  const std::array<std::string_view, 1> wrong{"nothing_f32"};
  CHECK_THROWS_AS(collect_device_functions(wrong, text_target::cpu, text_mode::standard), std::out_of_range);
}

TEST_CASE("device functions: CUDA texts compile") {
  if (sinter::test::lacks_nvrtc()) return;
  const std::vector<int> known = sinter::runtime::supported_architectures();
  std::vector<std::future<std::string>> logs;
  for (const text_mode mode : {text_mode::standard, text_mode::fast}) {
    // One kernel calls all functions, in fast mode those that differ: half the time of one kernel per
    // function.
    std::string text = text_of(text_target::cuda, mode);
    text += "extern \"C\" __global__ void all(const char* in, char* out) {\n";
    for (const auto& [name, function] : reachable(text_target::cuda, mode)) {
      const signature s = signature_of(*function);
      const bool differs = find_device_function(name, text_target::cuda, text_mode::standard) != function;
      if (!is_elementwise(s) || (mode == text_mode::fast && !differs)) continue;
      std::string arguments;
      for (std::size_t i = 0; i < s.parameters.size(); ++i) {
        arguments +=
            (i ? ", *(const " : "*(const ") + s.parameters[i] + "*)(in + " + std::to_string(16 * i) + ")";
      }
      text += "  *(" + s.result + "*)out = " + s.name + "(" + arguments + "); in += 48; out += 16;\n";
    }
    text += "}\n";
    // Two threads, one per mode.
    logs.push_back(std::async(std::launch::async, [text, &known]() -> std::string {
      for (const int architecture : {80, 90, 120}) {
        if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
        try {
          const std::vector<std::string> quickly{"--ptxas-options=-O1"};
          const auto code =
              sinter::runtime::compile_cuda(text, "device_functions.cu", "all", {architecture}, quickly);
          if (code.code.empty()) return "no code for sm_" + std::to_string(architecture);
        } catch (const std::exception& failed) {
          return failed.what();
        }
      }
      return "";
    }));
  }
  for (std::future<std::string>& log : logs) CHECK(log.get() == "");
}

#ifdef SINTER_CPU_COMPILER_LIBRARY

namespace {

template <class T, class... Arguments>
std::vector<T> evaluate(const std::string& name, const std::vector<Arguments>&... arguments) {
  return evaluate_in<group::approximate, T>(name, arguments...);
}

/// The distance of a result from the exact one in units in the last place at `scale`, infinite where the kind
/// of value or a zero's sign is wrong.
template <class T>
long double error_in_ulp(T got, long double exact, long double scale) {
  using limits = std::numeric_limits<T>;
  const long double wrong = std::numeric_limits<long double>::infinity();
  if (std::isnan(exact)) return std::isnan(got) ? 0 : wrong;
  if (std::isnan(got)) return wrong;
  if (std::isinf(exact)) return got == static_cast<T>(exact) ? 0 : wrong;
  int exponent = limits::min_exponent;
  if (scale != 0) std::frexp(scale, &exponent);
  const long double ulp =
      std::ldexp(1.0L, std::clamp(exponent, limits::min_exponent, limits::max_exponent) - limits::digits);
  if (std::isinf(got)) {
    if (std::signbit(got) != std::signbit(exact)) return wrong;
    return std::max(0.0L, (std::ldexp(1.0L, limits::max_exponent) - std::fabs(exact)) / ulp);
  }
  if (got == 0 && exact == 0 && std::signbit(got) != std::signbit(exact)) return wrong;
  return std::fabs(got - exact) / ulp;
}

using reference = long double (*)(long double, long double);

struct accurate_function {
  const char* operation;
  int arity;
  reference exact;
};

long double larger_plus_log(long double a, long double b, long double tail) {
  if (std::isnan(a) || std::isnan(b)) return a + b;
  return std::max(a, b) + tail;
}

const accurate_function accurate_functions[] = {
    {"exp", 1, [](long double x, long double) { return std::exp(x); }},
    {"exp2", 1, [](long double x, long double) { return std::exp2(x); }},
    {"expm1", 1, [](long double x, long double) { return std::expm1(x); }},
    {"log", 1, [](long double x, long double) { return std::log(x); }},
    {"log2", 1, [](long double x, long double) { return std::log2(x); }},
    {"log10", 1, [](long double x, long double) { return std::log10(x); }},
    {"log1p", 1, [](long double x, long double) { return std::log1p(x); }},
    {"logaddexp", 2,
     [](long double x, long double y) {
       return larger_plus_log(x, y, std::log1p(std::exp(x == y ? 0 : -std::fabs(x - y))));
     }},
    {"logaddexp2", 2,
     [](long double x, long double y) {
       return larger_plus_log(x, y, std::log1p(std::exp2(x == y ? 0 : -std::fabs(x - y))) / std::log(2.0L));
     }},
    {"expit", 1,
     [](long double x, long double) {
       return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x));
     }},
    {"logit", 1,
     [](long double x, long double) {
       return std::fabs(x - .5L) < .2L ? std::log1p((2 * x - 1) / (1 - x)) : std::log(x / (1 - x));
     }},
    {"sin", 1, [](long double x, long double) { return std::sin(x); }},
    {"cos", 1, [](long double x, long double) { return std::cos(x); }},
    {"tan", 1, [](long double x, long double) { return std::tan(x); }},
    {"arcsin", 1, [](long double x, long double) { return std::asin(x); }},
    {"arccos", 1, [](long double x, long double) { return std::acos(x); }},
    {"arctan", 1, [](long double x, long double) { return std::atan(x); }},
    {"arctan2", 2, [](long double y, long double x) { return std::atan2(y, x); }},
    {"sinh", 1, [](long double x, long double) { return std::sinh(x); }},
    {"cosh", 1, [](long double x, long double) { return std::cosh(x); }},
    {"tanh", 1, [](long double x, long double) { return std::tanh(x); }},
    {"arcsinh", 1, [](long double x, long double) { return std::asinh(x); }},
    {"arccosh", 1, [](long double x, long double) { return std::acosh(x); }},
    {"arctanh", 1, [](long double x, long double) { return std::atanh(x); }},
    {"power", 2, [](long double x, long double y) { return std::pow(x, y); }},
    {"sqrt", 1, [](long double x, long double) { return std::sqrt(x); }},
    {"rsqrt", 1, [](long double x, long double) { return 1 / std::sqrt(x); }},
    {"cbrt", 1, [](long double x, long double) { return std::cbrt(x); }},
    {"hypot", 2, [](long double x, long double y) { return std::hypot(x, y); }},
    {"erf", 1, [](long double x, long double) { return std::erf(x); }},
    {"erfc", 1, [](long double x, long double) { return std::erfc(x); }},
    {"erfinv", 1, [](long double x, long double) { return sinter::reference_erfinv(x); }},
    {"ndtr", 1, [](long double x, long double) { return sinter::reference_ndtr(x); }},
    {"tgamma", 1, [](long double x, long double) { return std::tgamma(x); }},
    {"gammaln", 1, [](long double x, long double) { return std::lgamma(x); }},
    {"xlogy", 2, [](long double x, long double y) { return sinter::reference_xlogy(x, y); }},
    {"entr", 1, [](long double x, long double) { return sinter::reference_entr(x); }},
    {"huber", 2, [](long double x, long double y) { return sinter::reference_huber(x, y); }},
    {"softplus", 1, [](long double x, long double) { return sinter::reference_softplus(x); }},
    {"silu", 1, [](long double x, long double) { return sinter::reference_silu(x); }},
    {"gelu", 1, [](long double x, long double) { return sinter::reference_gelu(x); }},
    {"degrees", 1, [](long double x, long double) { return x * (180 / std::acos(-1.0L)); }},
    {"radians", 1, [](long double x, long double) { return x * (std::acos(-1.0L) / 180); }},
};

double bound_of(std::string_view name) {
  for (const accuracy& row : accuracies()) {
    if (row.name == name) return row.cpu_ulp;
  }
  return 0.5;
}

template <class T>
void check_accuracy(const accurate_function& function, std::string_view suffix) {
  const std::string name = std::string(function.operation) + "_" + std::string(suffix);
  CAPTURE(name);
  std::vector<T> x = samples<T>(16000, 11), y;
  if (function.arity == 2) {
    y = samples<T>(x.size(), 12);
    // every pair of special values, then powers and ratios of moderate size
    std::size_t at = 30;
    for (std::size_t i = 0; i < 30; ++i) {
      for (std::size_t j = 0; j < 30; ++j, ++at) x[at] = x[i], y[at] = y[j];
    }
    for (; at < x.size(); at += 3) {
      x[at] = std::fabs(x[at - 1]) < T(1e6) ? x[at - 1] : x[at];
      y[at] = std::fabs(x[at]) > T(1e-6) ? T(std::remainder(static_cast<double>(y[at]), 90.0)) : y[at];
    }
  }
  const std::vector<T> got = function.arity == 1 ? evaluate<T>(name, x) : evaluate<T>(name, x, y);
  long double worst = 0;
  std::size_t worst_at = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i], b = function.arity == 2 ? y[i] : T(0), exact = function.exact(a, b);
    // The sum of a large and a small logarithm can cancel; its error is relative to the larger operand.
    const bool cancels = std::string_view(function.operation).starts_with("logaddexp");
    const bool reflects = std::string_view(function.operation) == "gammaln" && a < 0;
    const long double larger = reflects  ? std::max(1.0L, std::lgamma(-a))
                               : cancels ? std::fabs(std::max(a, b))
                                         : 0;
    const long double scale = std::max(std::fabs(exact), larger);
    const long double error = error_in_ulp(got[i], exact, scale);
    if (error > worst) worst = error, worst_at = i;
  }
  CAPTURE(static_cast<double>(x[worst_at]));
  if (function.arity == 2) CAPTURE(static_cast<double>(y[worst_at]));
  CAPTURE(static_cast<double>(got[worst_at]));
  CHECK(static_cast<double>(worst) <= bound_of(name));
}

// NumPy's sinc rounds the angle before it computes the sine.
template <class T>
void check_sinc(const std::string& name, double bound) {
  const std::vector<T> x = samples<T>(16000, 13), got = evaluate<T>(name, x);
  const T pi = static_cast<T>(3.14159265358979323846);
  long double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double angle = pi * x[i], exact = angle == 0 ? 1 : std::sin(angle) / angle;
    worst = std::max(worst, error_in_ulp(got[i], exact, exact));
  }
  CHECK(static_cast<double>(worst) <= bound);
}

}  // namespace

TEST_CASE("device functions: accuracy on the CPU is as stated") {
  for (const accurate_function& function : accurate_functions) {
    check_accuracy<float>(function, "f32");
    check_accuracy<double>(function, "f64");
  }
  check_sinc<float>("sinc_f32", bound_of("sinc_f32"));
  check_sinc<double>("sinc_f64", bound_of("sinc_f64"));
}
TEST_CASE("device functions: approximations give the same bits in lanes, scalars and fast paths") {
  check_lanes<group::approximate>();
  check_fast_paths<group::approximate>();
}

#endif  // SINTER_CPU_COMPILER_LIBRARY
