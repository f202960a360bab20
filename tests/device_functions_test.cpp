// The texts of codegen/device_functions: the host's are compiled, run and held against long double arithmetic, in
// vector lanes and one by one; CUDA's are compiled for three architectures.

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include <sinter/codegen/device_functions/device_functions.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#ifdef SINTER_CPU_COMPILER_LIBRARY
#include "cpu_compiler_fixture.hpp"
#endif

using namespace sinter::codegen;

namespace {

/// A function's types as its text spells them.
struct signature {
  std::string name, result;
  std::vector<std::string> parameters;
};

signature signature_of(const device_function& function) {
  const std::string_view text = function.text;
  const std::size_t open = text.find('('), close = text.find(')');
  signature s;
  const std::string_view head = text.substr(0, open);
  const std::size_t space = head.rfind(' ');
  s.result = head.substr(0, space);
  s.name = head.substr(space + 1);
  std::string_view list = text.substr(open + 1, close - open - 1);
  while (!list.empty()) {
    const std::size_t comma = std::min(list.find(','), list.size());
    std::string_view parameter = list.substr(0, comma);
    while (parameter.starts_with(' ')) parameter.remove_prefix(1);
    s.parameters.emplace_back(parameter.substr(0, parameter.rfind(' ')));
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return s;
}

/// Those that map values to a value; the rest are parts of others.
bool is_elementwise(const signature& s) {
  return s.result != "void" && std::none_of(s.parameters.begin(), s.parameters.end(),
                                            [](const std::string& type) { return type.ends_with('&'); });
}

/// Every function that a kernel for this target and mode can call, by name.
std::map<std::string_view, const device_function*> reachable(text_target target, text_mode mode) {
  std::map<std::string_view, const device_function*> all;
  for (const text_target from : {text_target::common, target}) {
    for (const text_mode in : {text_mode::standard, text_mode::fast}) {
      for (const device_function& function : device_functions(from, in)) {
        if (const device_function* found = find_device_function(function.name, target, mode)) all[function.name] = found;
      }
    }
  }
  return all;
}

std::string text_of(text_target target, text_mode mode) {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : reachable(target, mode)) names.push_back(name);
  std::string text;
  for (const device_function* function : collect_device_functions(names, target, mode)) {
    text.append(device_function_prefix(target)).append(function->text).append("\n");
  }
  return text;
}

bool mentions(std::string_view text, std::string_view name) {
  for (std::size_t at = text.find(name); at != text.npos; at = text.find(name, at + 1)) {
    const auto part_of_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    const bool starts = at == 0 || !part_of_word(text[at - 1]);
    const bool ends = at + name.size() == text.size() || !part_of_word(text[at + name.size()]);
    if (starts && ends) return true;
  }
  return false;
}

}  // namespace

TEST_CASE("device functions: the tables are whole") {
  for (const text_target target : {text_target::host, text_target::cuda}) {
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
        CHECK(function->near_name.empty() == function->near_test.empty());
        if (!function->near_name.empty()) {
          REQUIRE(all.contains(function->near_name));
          REQUIRE(all.contains(function->near_test));
          CHECK(signature_of(*all.at(function->near_name)).parameters == signature_of(*function).parameters);
          CHECK(signature_of(*all.at(function->near_test)).parameters == signature_of(*function).parameters);
          CHECK(signature_of(*all.at(function->near_test)).result == "bool");
        }
      }
    }
  }
  for (const accuracy& row : accuracies()) {
    CAPTURE(row.name);
    CHECK(find_device_function(row.name, text_target::host, text_mode::standard) != nullptr);
    CHECK(find_device_function(row.name, text_target::cuda, text_mode::standard) != nullptr);
    CHECK(row.host_ulp >= 0.5);
  }
}

TEST_CASE("device functions: what CUDA has the host has, with the same types") {
  const auto host = reachable(text_target::host, text_mode::standard);
  for (const auto& [name, function] : reachable(text_target::cuda, text_mode::standard)) {
    CAPTURE(name);
    REQUIRE(host.contains(name));
    const signature here = signature_of(*host.at(name)), there = signature_of(*function);
    CHECK(here.result == there.result);
    CHECK(here.parameters == there.parameters);
  }
}

TEST_CASE("device functions: collected definitions come before their uses, once, in a fixed order") {
  const std::array<std::string_view, 3> roots{"sinc_f32", "exp_f32", "sin_f32"};
  const auto first = collect_device_functions(roots, text_target::host, text_mode::standard);
  CHECK(first == collect_device_functions(roots, text_target::host, text_mode::standard));
  std::set<const device_function*> seen;
  for (const device_function* function : first) {
    CHECK(seen.insert(function).second);
    for (const device_function* other : first) {
      if (other != function && mentions(function->text, other->name)) CHECK(seen.contains(other));
    }
  }
  CHECK(seen.contains(find_device_function("exp_scale_f32", text_target::host, text_mode::standard)));
  CHECK(find_device_function("sin_f32", text_target::host, text_mode::fast) !=
        find_device_function("sin_f32", text_target::host, text_mode::standard));
  CHECK(find_device_function("exp_f64", text_target::cuda, text_mode::fast) ==
        find_device_function("exp_f64", text_target::cuda, text_mode::standard));
  CHECK(find_device_function("nothing_f32", text_target::cuda, text_mode::fast) == nullptr);
  const std::array<std::string_view, 1> wrong{"nothing_f32"};
  CHECK_THROWS_AS(collect_device_functions(wrong, text_target::host, text_mode::standard), std::out_of_range);
}

TEST_CASE("device functions: CUDA texts compile") {
  if (sinter::runtime::nvrtc() == nullptr) {
    MESSAGE("skipped: " << sinter::runtime::nvrtc_absence_reason());
    return;
  }
  const std::vector<int> known = sinter::runtime::supported_architectures();
  for (const text_mode mode : {text_mode::standard, text_mode::fast}) {
    // One kernel calls them all: half the time of one for each.
    std::string text = text_of(text_target::cuda, mode);
    text += "extern \"C\" __global__ void all(const char* in, char* out) {\n";
    for (const auto& [name, function] : reachable(text_target::cuda, mode)) {
      const signature s = signature_of(*function);
      if (!is_elementwise(s)) continue;
      const bool fast = find_device_function(name, text_target::cuda, text_mode::standard) != function;
      if (mode == text_mode::fast && !fast) continue;
      std::string arguments;
      for (std::size_t i = 0; i < s.parameters.size(); ++i) {
        arguments += (i ? ", *(const " : "*(const ") + s.parameters[i] + "*)(in + " + std::to_string(16 * i) + ")";
      }
      text += "  *(" + s.result + "*)out = " + s.name + "(" + arguments + "); in += 48; out += 16;\n";
    }
    text += "}\n";
    for (const int architecture : {80, 90, 120}) {
      if (std::find(known.begin(), known.end(), architecture) == known.end()) continue;
      CAPTURE(architecture);
      const auto code = sinter::runtime::compile_cuda(text, "device_functions.cu", "all", {architecture});
      CHECK(!code.code.empty());
    }
  }
}

#ifdef SINTER_CPU_COMPILER_LIBRARY

namespace {

/// Host functions as loops over arrays, compiled once: `vector_name` as the compiler likes, `scalar_name` one by one.
class host_functions {
 public:
  static const host_functions& get() {
    static const host_functions all;
    return all;
  }

  const std::map<std::string, signature>& signatures() const { return signatures_; }

  /// out[i] = name(in[0][i], in[1][i], …)
  void run(const std::string& prefix, const std::string& name, std::size_t count, std::span<const void* const> in,
           void* out) const {
    auto* call = library_.get<void(long, const void* const*, void*)>((prefix + name).c_str());
    call(static_cast<long>(count), in.data(), out);
  }

 private:
  host_functions() : library_(make()) {}

  std::string make() {
    std::string text = text_of(text_target::host, text_mode::standard);
    for (const auto& [name, function] : reachable(text_target::host, text_mode::standard)) {
      const signature s = signature_of(*function);
      if (!is_elementwise(s)) continue;
      signatures_[s.name] = s;
      std::string pointers, arguments;
      for (std::size_t i = 0; i < s.parameters.size(); ++i) {
        const std::string p = "p" + std::to_string(i);
        pointers += "  const " + s.parameters[i] + "* __restrict " + p + " = (const " + s.parameters[i] + "*)in[" +
                    std::to_string(i) + "];\n";
        arguments += (i ? ", " : "") + p + "[i]";
      }
      const std::string loop = "  for (long i = 0; i < n; ++i) out[i] = " + s.name + "(" + arguments + ");\n}\n";
      const auto head = [&](const char* prefix) {
        return "extern \"C\" void " + (prefix + s.name) + "(long n, const void* const* in, void* to) {\n" + pointers +
               "  " + s.result + "* __restrict out = (" + s.result + "*)to;\n";
      };
      text += head("vector_") + loop;
      text += head("scalar_") + "#pragma clang loop vectorize(disable) interleave(disable) unroll(disable)\n" + loop;
    }
    const cpu_compiler_test::compiled code = cpu_compiler_test::compile(text, {.options = {"-O3"}});
    if (code.status != SINTER_CPU_COMPILER_OK) throw std::runtime_error(code.log);
    return code.object;
  }

  std::map<std::string, signature> signatures_;
  cpu_compiler_test::loaded library_;
};

std::size_t size_of(const std::string& type) {
  if (type == "double" || type.ends_with("long long")) return 8;
  if (type == "float" || type.ends_with("int")) return 4;
  return type.ends_with("short") ? 2 : 1;
}

template <class T, class... Arguments>
std::vector<T> evaluate(const std::string& name, const std::vector<Arguments>&... arguments) {
  const std::array<const void*, sizeof...(arguments)> in{arguments.data()...};
  const std::size_t count = std::min({arguments.size()...});
  std::vector<T> out(count);
  host_functions::get().run("vector_", name, count, in, out.data());
  return out;
}

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Special values, every bit pattern alike, and numbers of the sizes where functions change their ways.
template <class T>
std::vector<T> samples(std::size_t count, unsigned seed) {
  using limits = std::numeric_limits<T>;
  std::vector<T> x{T(0), -T(0), 1, -1, T(.5), T(-.5), 2, -2, 3, T(1.5), limits::infinity(), -limits::infinity(), limits::quiet_NaN(),
                   limits::denorm_min(), -limits::denorm_min(), limits::min(), -limits::min(), limits::max(), -limits::max(),
                   limits::epsilon(), 1 + limits::epsilon(), 1 - limits::epsilon() / 2, 1024, -1074, -150, 128,
                   // the doubles and floats nearest to a multiple of pi/2
                   T(6381956970095103.0 * 0x1p797), T(0x1.921fb54442d18p+0), T(16367173.0 * 0x1p72)};
  std::mt19937_64 random(seed);
  while (x.size() < count) {
    const std::uint64_t r = random(), kind = random() % 8;
    const double u = static_cast<double>(r >> 11) * 0x1p-53;
    switch (kind) {
      case 0: x.push_back(std::bit_cast<T>(static_cast<bits_of<T>>(r))); break;
      case 1: x.push_back(T((u - .5) * 4)); break;
      case 2: x.push_back(T((u - .5) * 40)); break;
      case 3: x.push_back(T((u - .5) * (sizeof(T) == 4 ? 220 : 1600))); break;
      case 4: x.push_back(T(std::exp2((u - .5) * 120) * (r & 1 ? 1 : -1))); break;
      case 5: x.push_back(T(1 + (u - .5) * std::exp2(-static_cast<double>(r % 40)))); break;
      case 6: x.push_back(T(std::rint((u - .5) * std::exp2(static_cast<double>(r % 30))) * 1.5707963267948966)); break;
      default: x.push_back(T((u - .5) * std::exp2(-static_cast<double>(r % 60)))); break;
    }
  }
  return x;
}

/// The distance of a result from the exact one in units in the last place at `scale`, infinite where the kind of value
/// or a zero's sign is wrong.
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
     [](long double x, long double) { return x < 0 ? std::exp(x) / (1 + std::exp(x)) : 1 / (1 + std::exp(-x)); }},
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
    {"degrees", 1, [](long double x, long double) { return x * (180 / std::acos(-1.0L)); }},
    {"radians", 1, [](long double x, long double) { return x * (std::acos(-1.0L) / 180); }},
};

template <class T>
void check_accuracy(const accurate_function& function, std::string_view suffix) {
  const std::string name = std::string(function.operation) + "_" + std::string(suffix);
  CAPTURE(name);
  long double bound = 0.5L;
  for (const accuracy& row : accuracies()) {
    if (row.name == name) bound = row.host_ulp;
  }
  std::vector<T> x = samples<T>(24000, 11), y;
  if (function.arity == 2) {
    y = samples<T>(x.size(), 12);
    // every special value against every other, then powers and ratios of moderate size
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
    // The sum of a large and a small logarithm can cancel; its error is one of the larger operand.
    const bool cancels = std::string_view(function.operation).starts_with("logaddexp");
    const long double scale = cancels ? std::max(std::fabs(exact), std::fabs(std::max(a, b))) : exact;
    const long double error = error_in_ulp(got[i], exact, scale);
    if (error > worst) worst = error, worst_at = i;
  }
  CAPTURE(static_cast<double>(x[worst_at]));
  if (function.arity == 2) CAPTURE(static_cast<double>(y[worst_at]));
  CAPTURE(static_cast<double>(got[worst_at]));
  CHECK(static_cast<double>(worst) <= static_cast<double>(bound));
}

}  // namespace

TEST_CASE("device functions: host accuracy is as stated") {
  for (const accurate_function& function : accurate_functions) {
    check_accuracy<float>(function, "f32");
    check_accuracy<double>(function, "f64");
  }
}

TEST_CASE("device functions: lanes and scalars give the same bits") {
  constexpr std::size_t count = 4099;
  std::mt19937_64 random(5);
  for (const auto& [name, s] : host_functions::get().signatures()) {
    CAPTURE(name);
    std::vector<std::vector<std::byte>> inputs;
    std::vector<const void*> in;
    for (const std::string& type : s.parameters) {
      const std::size_t size = size_of(type);
      std::vector<std::byte>& bytes = inputs.emplace_back(count * size);
      if (type == "float") {
        std::memcpy(bytes.data(), samples<float>(count, static_cast<unsigned>(random())).data(), bytes.size());
      } else if (type == "double") {
        std::memcpy(bytes.data(), samples<double>(count, static_cast<unsigned>(random())).data(), bytes.size());
      } else {
        for (std::size_t i = 0; i < count; ++i) {
          const std::uint64_t r = random() >> (random() % (8 * size));
          const std::uint64_t value = type == "bool" ? r & 1 : r;
          std::memcpy(bytes.data() + i * size, &value, size);
        }
      }
      in.push_back(bytes.data());
    }
    const std::size_t size = size_of(s.result);
    std::vector<std::byte> lanes(count * size), scalars(count * size);
    host_functions::get().run("vector_", name, count, in, lanes.data());
    host_functions::get().run("scalar_", name, count, in, scalars.data());
    std::size_t different = 0;
    for (std::size_t i = 0; i < count; ++i) {
      if (std::memcmp(&lanes[i * size], &scalars[i * size], size) == 0) continue;
      const auto is_nan = [&](const std::vector<std::byte>& from) {
        double wide = 0;
        float narrow = 0;
        if (s.result == "double") std::memcpy(&wide, &from[i * size], size);
        if (s.result == "float") std::memcpy(&narrow, &from[i * size], size);
        return std::isnan(wide) || std::isnan(narrow);
      };
      different += is_nan(lanes) && is_nan(scalars) ? 0 : 1;
    }
    CHECK(different == 0);
  }
}

TEST_CASE("device functions: near forms give the same bits where their test holds") {
  for (const auto& [name, function] : reachable(text_target::host, text_mode::standard)) {
    if (function->near_name.empty()) continue;
    CAPTURE(name);
    const auto compare = [&]<class T>(T) {
      const std::vector<T> x = samples<T>(20000, 3), y = samples<T>(20000, 4);
      const bool two = signature_of(*function).parameters.size() == 2;
      const auto run = [&]<class R>(R, std::string_view which) {
        return two ? evaluate<R>(std::string(which), x, y) : evaluate<R>(std::string(which), x);
      };
      const std::vector<T> full = run(T{}, name), near = run(T{}, function->near_name);
      const std::vector<std::uint8_t> test = run(std::uint8_t{}, function->near_test);
      std::size_t tested = 0, different = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        if (test[i] == 0 || std::isnan(full[i])) continue;
        ++tested;
        different += std::bit_cast<bits_of<T>>(full[i]) != std::bit_cast<bits_of<T>>(near[i]);
      }
      CHECK(different == 0);
      CHECK(tested > x.size() / 4);
    };
    name.ends_with("f32") ? compare(float{}) : compare(double{});
  }
}

namespace {

/// The exact meaning of the functions whose result is one of finitely many candidates.
template <class T>
void check_exact(const std::string& suffix) {
  const std::vector<T> x = samples<T>(20000, 21), y = samples<T>(20000, 22);
  const auto same = [](T a, T b) {
    return std::bit_cast<bits_of<T>>(a) == std::bit_cast<bits_of<T>>(b) || (std::isnan(a) && std::isnan(b));
  };
  const auto one = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    const std::vector<T> got = evaluate<T>(operation + suffix, x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(got[i], exact(x[i]));
    CHECK(wrong == 0);
  };
  const auto two = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    const std::vector<T> got = evaluate<T>(operation + suffix, x, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(got[i], exact(x[i], y[i]));
    CHECK(wrong == 0);
  };
  one("rint_", [](T a) { return std::nearbyint(a); });
  one("round_", [](T a) { return std::nearbyint(a); });
  one("floor_", [](T a) { return std::floor(a); });
  one("ceil_", [](T a) { return std::ceil(a); });
  one("trunc_", [](T a) { return std::trunc(a); });
  one("absolute_", [](T a) { return std::fabs(a); });
  one("sign_", [](T a) { return a > 0 ? T(1) : a < 0 ? T(-1) : a == 0 ? T(0) : a; });
  two("copysign_", [](T a, T b) { return std::copysign(a, b); });
  two("nextafter_", [](T a, T b) { return std::nextafter(a, b); });
  two("heaviside_", [](T a, T b) { return std::isnan(a) ? a : a < 0 ? T(0) : a > 0 ? T(1) : b; });
  two("fmod_", [](T a, T b) { return std::fmod(a, b); });
  two("remainder_", [](T a, T b) {
    const T r = std::fmod(a, b);
    return r == 0 ? std::copysign(T(0), b) : (r < 0) != (b < 0) ? r + b : r;
  });
  // Zeros are ordered; NaN wins or loses.
  const auto below = [](T a, T b) { return a < b || (a == b && std::signbit(a) && !std::signbit(b)); };
  two("minimum_", [&](T a, T b) { return std::isnan(a) || std::isnan(b) ? a + b : below(b, a) ? b : a; });
  two("maximum_", [&](T a, T b) { return std::isnan(a) || std::isnan(b) ? a + b : below(a, b) ? b : a; });
  two("fmin_", [&](T a, T b) { return std::isnan(a) ? b : std::isnan(b) ? a : below(b, a) ? b : a; });
  two("fmax_", [&](T a, T b) { return std::isnan(a) ? b : std::isnan(b) ? a : below(a, b) ? b : a; });

  const std::vector<T> quotient = evaluate<T>("floor_divide_" + suffix, x, y);
  const std::vector<T> whole = evaluate<T>("trunc_divide_" + suffix, x, y);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double a = x[i], b = y[i], ratio = a / b;
    if (!(std::fabs(ratio) < 1e6L) || !std::isfinite(b) || b == 0) continue;
    const long double floored = (a - std::fmod(a, b)) / b - (std::fmod(a, b) != 0 && (a < 0) != (b < 0) ? 1 : 0);
    wrong += quotient[i] != static_cast<T>(std::nearbyint(floored));
    wrong += whole[i] != static_cast<T>(std::nearbyint((a - std::fmod(a, b)) / b));
  }
  CHECK(wrong == 0);
  const T infinity = std::numeric_limits<T>::infinity();
  const std::vector<T> a{1, -1, 0, infinity, 1, -1, T(-0.0), 5, -5}, b{0, 0, 0, 1, infinity, infinity, 3, -2, 2};
  const std::vector<T> as_numpy{infinity, -infinity, NAN, NAN, 0, -1, T(-0.0), -3, -3};
  const std::vector<T> got = evaluate<T>("floor_divide_" + suffix, a, b);
  for (std::size_t i = 0; i < a.size(); ++i) {
    CAPTURE(i);
    CHECK(same(got[i], as_numpy[i]));
  }

  std::vector<int> exponents(x.size());
  std::mt19937 random(8);
  for (int& n : exponents) n = static_cast<int>(random()) >> (random() % 31);
  const std::vector<T> scaled = evaluate<T>("ldexp_" + suffix, x, exponents);
  wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) wrong += !same(scaled[i], std::ldexp(x[i], exponents[i]));
  CHECK(wrong == 0);

  const std::vector<T> sinc = evaluate<T>("sinc_" + suffix, x);
  const T pi = static_cast<T>(3.14159265358979323846);
  long double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double angle = pi * x[i], exact = angle == 0 ? 1 : std::sin(angle) / angle;
    worst = std::max(worst, error_in_ulp(sinc[i], exact, exact));
  }
  CHECK(static_cast<double>(worst) <= 2.0);
}

using wide = __int128;

template <class T>
void check_integers(const std::string& suffix) {
  using limits = std::numeric_limits<T>;
  constexpr int width = 8 * sizeof(T);
  std::vector<T> x, y;
  if constexpr (width == 8) {
    for (int a = limits::min(); a <= limits::max(); ++a) {
      for (int b = limits::min(); b <= limits::max(); ++b) x.push_back(static_cast<T>(a)), y.push_back(static_cast<T>(b));
    }
  } else {
    const std::vector<T> special{0, 1, 2, 3, 7, width - 1, width, limits::min(), static_cast<T>(limits::min() + 1),
                                 limits::max(), static_cast<T>(limits::max() - 1), static_cast<T>(-1), static_cast<T>(-2)};
    for (const T a : special) {
      for (const T b : special) x.push_back(a), y.push_back(b);
    }
    std::mt19937_64 random(width);
    for (int i = 0; i < 10000; ++i) {
      x.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % width)));
      y.push_back(static_cast<T>(static_cast<T>(random()) >> (random() % width)));
    }
  }
  const auto two = [&](const char* operation, auto exact) {
    CAPTURE(operation);
    CAPTURE(suffix);
    const std::vector<T> got = evaluate<T>(operation + suffix, x, y);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += got[i] != static_cast<T>(exact(wide{x[i]}, wide{y[i]}));
    CHECK(wrong == 0);
  };
  const auto floored = [](wide a, wide b) { return b == 0 ? 0 : a / b - (a % b != 0 && (a < 0) != (b < 0)); };
  const auto magnitude = [](wide a) { return a < 0 ? -a : a; };
  const auto divisor = [&](wide a, wide b) {
    a = magnitude(a), b = magnitude(b);
    while (b != 0) a = std::exchange(b, a % b);
    return a;
  };
  two("floor_divide_", floored);
  two("remainder_", [&](wide a, wide b) { return b == 0 ? 0 : a - floored(a, b) * b; });
  two("trunc_divide_", [](wide a, wide b) { return b == 0 ? 0 : a / b; });
  two("fmod_", [](wide a, wide b) { return b == 0 ? 0 : a % b; });
  two("left_shift_", [](wide a, wide b) { return b < 0 || b >= width ? 0 : a << b; });
  two("right_shift_", [](wide a, wide b) { return b < 0 || b >= width ? (a < 0 ? -1 : 0) : a >> b; });
  two("gcd_", divisor);
  two("lcm_", [&](wide a, wide b) {
    // wraps as the product of wrapped magnitudes does
    using bits = std::make_unsigned_t<T>;
    const wide g = divisor(a, b);
    return g == 0 ? wide{0} : wide{static_cast<bits>(static_cast<std::uint64_t>(magnitude(a) / g) *
                                                     static_cast<std::uint64_t>(magnitude(b)))};
  });
  two("minimum_", [](wide a, wide b) { return std::min(a, b); });
  two("maximum_", [](wide a, wide b) { return std::max(a, b); });
  two("power_", [](wide a, wide b) {
    if (b < 0) return a == 1 ? wide{1} : a == -1 ? (b % 2 != 0 ? wide{-1} : wide{1}) : wide{0};
    std::uint64_t result = 1, base = static_cast<std::uint64_t>(a);
    for (wide rest = b; rest != 0; rest /= 2, base *= base) result *= rest % 2 != 0 ? base : 1;
    return wide{result};
  });
  const auto one = [&]<class R>(R, const char* operation, auto exact) {
    CAPTURE(operation);
    CAPTURE(suffix);
    const std::vector<R> got = evaluate<R>(operation + suffix, x);
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < x.size(); ++i) wrong += got[i] != static_cast<R>(exact(wide{x[i]}));
    CHECK(wrong == 0);
  };
  one(T{}, "absolute_", magnitude);
  one(T{}, "negative_", [](wide a) { return -a; });
  one(T{}, "sign_", [](wide a) { return (a > 0) - (a < 0); });
  one(T{}, "square_", [](wide a) { return static_cast<std::uint64_t>(a) * static_cast<std::uint64_t>(a); });
  one(T{}, "bitwise_not_", [](wide a) { return ~a; });
  one(T{}, "reciprocal_", [](wide a) { return a == 1 || a == -1 ? a : 0; });
  one(std::uint8_t{}, "bit_count_",
      [&](wide a) { return std::popcount(static_cast<std::uint64_t>(magnitude(a))); });
}

template <class From, class To>
void check_cast(const std::string& name) {
  CAPTURE(name);
  std::vector<From> x = samples<From>(20000, 31);
  for (const To edge : {std::numeric_limits<To>::min(), std::numeric_limits<To>::max()}) {
    for (int quarter = -8; quarter <= 8; ++quarter) x.push_back(static_cast<From>(edge) + static_cast<From>(quarter) / 4);
    x.push_back(std::nextafter(static_cast<From>(edge), From(0)));
    x.push_back(std::nextafter(static_cast<From>(edge), static_cast<From>(edge) * 2));
  }
  const std::vector<To> got = evaluate<To>(name, x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const long double whole = std::trunc(static_cast<long double>(x[i]));
    const long double low = std::numeric_limits<To>::min(), high = std::numeric_limits<To>::max();
    const To exact = std::isnan(whole)   ? To(0)
                     : whole <= low      ? std::numeric_limits<To>::min()
                     : whole >= high     ? std::numeric_limits<To>::max()
                                         : static_cast<To>(whole);
    wrong += got[i] != exact;
  }
  CHECK(wrong == 0);
}

template <class From>
void check_casts(const std::string& from) {
  check_cast<From, std::int8_t>("cast_" + from + "_i8");
  check_cast<From, std::int16_t>("cast_" + from + "_i16");
  check_cast<From, std::int32_t>("cast_" + from + "_i32");
  check_cast<From, std::int64_t>("cast_" + from + "_i64");
  check_cast<From, std::uint8_t>("cast_" + from + "_u8");
  check_cast<From, std::uint16_t>("cast_" + from + "_u16");
  check_cast<From, std::uint32_t>("cast_" + from + "_u32");
  check_cast<From, std::uint64_t>("cast_" + from + "_u64");
  const std::vector<std::uint8_t> truth = evaluate<std::uint8_t>("cast_" + from + "_b8", std::vector<From>{0, From(-0.0), 2, NAN});
  CHECK(truth == std::vector<std::uint8_t>{0, 0, 1, 1});
}

/// A half type by its definition: `bits` of mantissa below the leading one, exponents from `least` on.
double half_value(std::uint16_t bits, int mantissa, int least) {
  const int fraction = bits & ((1 << mantissa) - 1), exponent = (bits & 0x7fff) >> mantissa;
  const double sign = (bits & 0x8000) != 0 ? -1.0 : 1.0;
  if (exponent == (0x7fff >> mantissa)) return fraction == 0 ? sign * INFINITY : NAN;
  return sign * (exponent == 0 ? std::ldexp(fraction, least - mantissa)
                               : std::ldexp((1 << mantissa) + fraction, least - mantissa + exponent - 1));
}

void check_half(const std::string& type, int mantissa, int least) {
  CAPTURE(type);
  std::vector<std::uint16_t> all(65536);
  for (std::size_t i = 0; i < all.size(); ++i) all[i] = static_cast<std::uint16_t>(i);
  const std::vector<float> loaded = evaluate<float>("load_" + type, all);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const double exact = half_value(all[i], mantissa, least);
    wrong += std::isnan(exact) ? !std::isnan(loaded[i]) : loaded[i] != exact || std::signbit(loaded[i]) != std::signbit(exact);
  }
  CHECK(wrong == 0);

  // Each value, the middle of each gap, and the doubles on both sides of the middle; the last gap ends at infinity.
  const auto infinity = static_cast<std::uint16_t>(0x7fff >> mantissa << mantissa);
  std::vector<double> x;
  std::vector<std::uint16_t> exact;
  for (std::uint16_t bits = 0; bits < infinity; ++bits) {
    const double here = half_value(bits, mantissa, least);
    const double next = bits + 1 == infinity ? 2 * here - half_value(static_cast<std::uint16_t>(bits - 1), mantissa, least)
                                             : half_value(static_cast<std::uint16_t>(bits + 1), mantissa, least);
    const double middle = here + (next - here) / 2;
    for (const std::uint16_t sign : {0, 0x8000}) {
      const double factor = sign != 0 ? -1.0 : 1.0;
      const auto add = [&](double value, int result) {
        x.push_back(factor * value);
        exact.push_back(static_cast<std::uint16_t>(result | sign));
      };
      add(here, bits);
      add(middle, bits % 2 == 0 ? bits : bits + 1);
      add(std::nextafter(middle, 0.0), bits);
      add(std::nextafter(middle, INFINITY), bits + 1);
      add(static_cast<double>(std::nextafter(static_cast<float>(middle), 0.0f)), bits);
      add(static_cast<double>(std::nextafter(static_cast<float>(middle), INFINITY)), bits + 1);
    }
  }
  for (const double huge : {1e39, 1e300, static_cast<double>(INFINITY)}) x.push_back(huge), exact.push_back(infinity);
  for (const double tiny : {1e-60, 5e-324}) x.push_back(tiny), exact.push_back(0);
  CHECK(evaluate<std::uint16_t>("store_" + type + "_f64", x) == exact);
  std::vector<float> narrow;
  std::vector<std::uint16_t> narrow_exact;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (static_cast<float>(x[i]) == x[i]) narrow.push_back(static_cast<float>(x[i])), narrow_exact.push_back(exact[i]);
  }
  CHECK(narrow.size() > x.size() / 2);
  CHECK(evaluate<std::uint16_t>("store_" + type, narrow) == narrow_exact);
  const std::uint16_t from_nan = evaluate<std::uint16_t>("store_" + type, std::vector<float>{NAN})[0];
  CHECK(std::isnan(half_value(from_nan, mantissa, least)));
  const std::uint16_t from_wide_nan = evaluate<std::uint16_t>("store_" + type + "_f64", std::vector<double>{NAN})[0];
  CHECK(std::isnan(half_value(from_wide_nan, mantissa, least)));
}

/// Integers to bfloat16, rounded once.
template <class T>
void check_whole_to_bfloat16(const std::string& suffix) {
  CAPTURE(suffix);
  std::vector<T> x{0, std::numeric_limits<T>::max(), std::numeric_limits<T>::min()};
  for (int exponent = 9; exponent < std::numeric_limits<T>::digits; ++exponent) {
    for (const int odd : {257, 263, 385, 511}) {  // nine bits: halfway
      const T middle = static_cast<T>(static_cast<std::uint64_t>(odd) << (exponent - 9));
      for (int step = -1; step <= 1; ++step) {
        x.push_back(static_cast<T>(middle + step));
        if (std::is_signed_v<T>) x.push_back(static_cast<T>(-middle - step));
      }
    }
  }
  const std::vector<std::uint16_t> got = evaluate<std::uint16_t>("store_bf16_" + suffix, x);
  std::size_t wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    // long double holds every 64-bit integer; eight bits of it, rounded to even
    int exponent = 0;
    const long double fraction = std::frexp(static_cast<long double>(x[i]), &exponent);
    const long double rounded = std::ldexp(std::nearbyint(std::ldexp(fraction, 8)), exponent - 8);
    wrong += half_value(got[i], 7, -126) != static_cast<double>(rounded);
  }
  CHECK(wrong == 0);
}

}  // namespace

TEST_CASE("device functions: host functions with exact results") {
  check_exact<float>("f32");
  check_exact<double>("f64");
}

TEST_CASE("device functions: host integers") {
  check_integers<std::int8_t>("i8");
  check_integers<std::int16_t>("i16");
  check_integers<std::int32_t>("i32");
  check_integers<std::int64_t>("i64");
  check_integers<std::uint8_t>("u8");
  check_integers<std::uint16_t>("u16");
  check_integers<std::uint32_t>("u32");
  check_integers<std::uint64_t>("u64");
}

TEST_CASE("device functions: host conversions") {
  check_casts<float>("f32");
  check_casts<double>("f64");
  check_half("f16", 10, -14);
  check_half("bf16", 7, -126);
  check_whole_to_bfloat16<std::int32_t>("i32");
  check_whole_to_bfloat16<std::int64_t>("i64");
  check_whole_to_bfloat16<std::uint32_t>("u32");
  check_whole_to_bfloat16<std::uint64_t>("u64");
}

#endif  // SINTER_CPU_COMPILER_LIBRARY
