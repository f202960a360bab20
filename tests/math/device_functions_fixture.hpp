// Shared by the tests of codegen/math/device_functions: parses the tables, and runs CPU functions over
// arrays.
#pragma once

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include <sinter/codegen/math/device_functions.hpp>
#include <sinter/codegen/math/lane_text.hpp>
#include <sinter/codegen/print/complex_text.hpp>

#ifdef SINTER_CPU_COMPILER_LIBRARY
#include "../clang/cpu_compiler_fixture.hpp"
#endif

namespace device_functions_test {

using namespace sinter::codegen;

/// A function's types, as written in its text.
struct signature {
  std::string name, result;
  std::vector<std::string> parameters;
};

inline signature signature_of(const device_function& function) {
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
    const bool is_named = !parameter.ends_with("long") && !parameter.ends_with("int") &&
                          !parameter.ends_with("short") && !parameter.ends_with("char") &&
                          !parameter.ends_with("bool");
    s.parameters.emplace_back(is_named ? parameter.substr(0, parameter.rfind(' ')) : parameter);
    list.remove_prefix(std::min(comma + 1, list.size()));
  }
  return s;
}

/// Functions that compute with complex numbers, for which there are no lanes.
inline bool is_of_complex(const device_function& function) {
  return function.text.find("complex<") != std::string_view::npos || function.name.ends_with("_c64") ||
         function.name.ends_with("_c128");
}

/// Functions that map values to a value; the rest are helpers of others.
inline bool is_elementwise(const signature& s) {
  return s.result != "void" && std::none_of(s.parameters.begin(), s.parameters.end(),
                                            [](const std::string& type) { return type.ends_with('&'); });
}

/// Every function that a kernel for this target and mode can call, by name.
inline std::map<std::string_view, const device_function*> reachable(text_target target, text_mode mode) {
  std::map<std::string_view, const device_function*> all;
  for (const text_target from : {text_target::common, target}) {
    for (const text_mode in : {text_mode::standard, text_mode::fast}) {
      for (const device_function& function : device_functions(from, in)) {
        if (const device_function* found = find_device_function(function.name, target, mode))
          all[function.name] = found;
      }
    }
  }
  return all;
}

inline std::string text_of(text_target target, text_mode mode) {
  std::vector<std::string_view> names;
  for (const auto& [name, function] : reachable(target, mode)) names.push_back(name);
  std::string text = complex_type_text(target);
  for (const device_function* function : collect_device_functions(names, target, mode)) {
    text.append(device_function_prefix(target)).append(function->text).append("\n");
  }
  return text;
}

#ifdef SINTER_CPU_COMPILER_LIBRARY

/// Half of the functions, so that the test files share the work: those with an error bound and their helpers,
/// or the rest.
enum class group { approximate, exact };

/// CPU functions as loops over arrays, compiled once for each group: `vector_name` in the form for lanes that
/// kernels have (lane_text.hpp), `scalar_name` one element at a time. Functions of complex numbers are
/// left to the compiler's vectors, as kernels leave them.
template <group Which>
class cpu_functions {
 public:
  static const cpu_functions& get() {
    static const cpu_functions all;
    return all;
  }

  const std::map<std::string, signature>& signatures() const { return signatures_; }

  /// out[i] = name(in[0][i], in[1][i], …)
  void run(const std::string& prefix, const std::string& name, std::size_t count,
           std::span<const void* const> in, void* out) const {
    auto* call = library_.template get<void(long, const void* const*, void*)>((prefix + name).c_str());
    call(static_cast<long>(count), in.data(), out);
  }

 private:
  cpu_functions() : library_(make()) {}

  static std::vector<const device_function*> members() {
    const auto all = reachable(text_target::cpu, text_mode::standard);
    std::vector<std::string_view> roots;
    for (const accuracy& row : accuracies()) {
      roots.push_back(row.name);
      if (!all.at(row.name)->fast_name.empty()) roots.push_back(all.at(row.name)->fast_name);
    }
    auto chosen = collect_device_functions(roots, text_target::cpu, text_mode::standard);
    if constexpr (Which == group::exact) {
      const std::set<const device_function*> others(chosen.begin(), chosen.end());
      chosen.clear();
      for (const auto& [name, function] : all) {
        if (!others.contains(function)) chosen.push_back(function);
      }
    }
    return chosen;
  }

  /// The function of the vectors at p0[i], p1[i], …, stored at out[i].
  static std::string lanes_of(lane_translator& translator, const signature& s) {
    const auto in_memory = [](const std::string& type) {
      return lane_type_of(type == "bool" ? "unsigned char" : type);
    };
    std::string call = s.name + "(";
    for (std::size_t i = 0; i < s.parameters.size(); ++i) {
      const std::string p = "p" + std::to_string(i);
      const lane_type type = in_memory(s.parameters[i]);
      const std::string loaded = "(*(const " + translator.use_type(type) + "_at*)&" + p + "[i])";
      if (s.parameters[i] == "bool")
        translator.declare(p,
                           {"(" + translator.use_type({'b', 1}) + ")(" + loaded + " != 0)", {'b', 1}, true});
      else
        translator.declare(p, {loaded, type, true});
      call += (i ? ", " : "") + p;
    }
    const lane_type result = in_memory(s.result);
    const std::string value = translator.vector_of(translator.translated(call + ")"), result);
    return "*(" + translator.use_type(result) + "_at*)&out[i] = " + value + ";\n";
  }

  std::string make() {
    const std::vector<const device_function*> chosen = members();
    lane_translator translator(text_mode::standard);
    translator.set_lanes(16);
    std::string text;
    for (const device_function* function : chosen) {
      const signature s = signature_of(*function);
      if (!is_elementwise(s)) continue;
      signatures_[s.name] = s;
      std::string pointers, arguments;
      for (std::size_t i = 0; i < s.parameters.size(); ++i) {
        const std::string p = "p" + std::to_string(i), type = s.parameters[i];
        pointers += "  const " + type + "* __restrict " + p + " = (const " + type + "*)in[" +
                    std::to_string(i) + "];\n";
        arguments += (i ? ", " : "") + p + "[i]";
      }
      const std::string element = "out[i] = " + s.name + "(" + arguments + ");\n}\n",
                        loop = "  for (long i = 0; i < n; ++i) " + element;
      const auto head = [&](const char* prefix) {
        return "extern \"C\" void " + (prefix + s.name) + "(long n, const void* const* in, void* to) {\n" +
               pointers + "  " + s.result + "* __restrict out = (" + s.result + "*)to;\n";
      };
      text += head("vector_");
      if (is_of_complex(*function))
        text += loop;
      else
        text += "  long i = 0;\n  for (; i + 16 <= n; i += 16) " + lanes_of(translator, s) +
                "  for (; i < n; ++i) " + element;
      text += head("scalar_") +
              "#pragma clang loop vectorize(disable) interleave(disable) unroll(disable)\n" + loop;
    }
    const std::string scalars = text_of(text_target::cpu, text_mode::standard);
    const cpu_compiler_test::compiled code =
        cpu_compiler_test::compile(scalars + translator.definitions() + text, {.options = {"-O2"}});
    if (code.status != SINTER_CPU_COMPILER_OK) throw std::runtime_error(code.log);
    return code.object;
  }

  std::map<std::string, signature> signatures_;
  cpu_compiler_test::loaded library_;
};

inline std::size_t size_of(const std::string& type) {
  if (type == "complex<double>") return 16;
  if (type == "double" || type == "complex<float>" || type.ends_with("long long")) return 8;
  if (type == "float" || type.ends_with("int")) return 4;
  return type.ends_with("short") ? 2 : 1;
}

template <group Which, class T, class... Arguments>
std::vector<T> evaluate_in(const std::string& name, const std::vector<Arguments>&... arguments) {
  const std::array<const void*, sizeof...(arguments)> in{arguments.data()...};
  const std::size_t count = std::min({arguments.size()...});
  std::vector<T> out(count);
  cpu_functions<Which>::get().run("vector_", name, count, in, out.data());
  return out;
}

template <class T>
using bits_of = std::conditional_t<sizeof(T) == 4, std::uint32_t, std::uint64_t>;

/// Special values, uniformly distributed bit patterns, and numbers near the thresholds at which functions
/// change method.
template <class T>
std::vector<T> samples(std::size_t count, unsigned seed) {
  using limits = std::numeric_limits<T>;
  std::vector<T> x{T(0), -T(0), 1, -1, T(.5), T(-.5), 2, -2, 3, T(1.5), limits::infinity(),
                   -limits::infinity(), limits::quiet_NaN(), limits::denorm_min(), -limits::denorm_min(),
                   limits::min(), -limits::min(), limits::max(), -limits::max(), limits::epsilon(),
                   1 + limits::epsilon(), 1 - limits::epsilon() / 2, 1024, -1074, -150, 128,
                   // the doubles and floats nearest to a multiple of pi/2
                   T(6381956970095103.0 * 0x1p797), T(0x1.921fb54442d18p+0), T(16367173.0 * 0x1p72)};
  std::mt19937_64 random(seed);
  while (x.size() < count) {
    const std::uint64_t r = random(), kind = random() % 8;
    const double u = static_cast<double>(r >> 11) * 0x1p-53;
    switch (kind) {
      case 0:
        x.push_back(std::bit_cast<T>(static_cast<bits_of<T>>(r)));
        break;
      case 1:
        x.push_back(T((u - .5) * 4));
        break;
      case 2:
        x.push_back(T((u - .5) * 40));
        break;
      case 3:
        x.push_back(T((u - .5) * (sizeof(T) == 4 ? 220 : 1600)));
        break;
      case 4:
        x.push_back(T(std::exp2((u - .5) * 120) * (r & 1 ? 1 : -1)));
        break;
      case 5:
        x.push_back(T(1 + (u - .5) * std::exp2(-static_cast<double>(r % 40))));
        break;
      case 6:
        x.push_back(T(std::rint((u - .5) * std::exp2(static_cast<double>(r % 30))) * 1.5707963267948966));
        break;
      default:
        x.push_back(T((u - .5) * std::exp2(-static_cast<double>(r % 60))));
        break;
    }
  }
  return x;
}

/// The distance of a result from the exact one in units in the last place at `scale`, infinite where the kind

/// Every function of the group gives the same bits in vector lanes and one element at a time.
template <group Which>
void check_lanes() {
  constexpr std::size_t count = 4099;
  std::mt19937_64 random(5);
  for (const auto& [name, s] : cpu_functions<Which>::get().signatures()) {
    CAPTURE(name);
    std::vector<std::vector<std::byte>> inputs;
    std::vector<const void*> in;
    for (const std::string& type : s.parameters) {
      const std::size_t size = size_of(type);
      std::vector<std::byte>& bytes = inputs.emplace_back(count * size);
      if (type == "float") {
        std::memcpy(bytes.data(), samples<float>(count, static_cast<unsigned>(random())).data(),
                    bytes.size());
      } else if (type == "double") {
        std::memcpy(bytes.data(), samples<double>(count, static_cast<unsigned>(random())).data(),
                    bytes.size());
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
    cpu_functions<Which>::get().run("vector_", name, count, in, lanes.data());
    cpu_functions<Which>::get().run("scalar_", name, count, in, scalars.data());
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

/// A fast path gives the bits of the full function wherever its test holds.
template <group Which>
void check_fast_paths() {
  for (const auto& [name, function] : reachable(text_target::cpu, text_mode::standard)) {
    if (function->fast_name.empty() || !cpu_functions<Which>::get().signatures().contains(std::string(name)))
      continue;
    CAPTURE(name);
    const auto compare = [&]<class T>(T) {
      const std::vector<T> x = samples<T>(20000, 3), y = samples<T>(20000, 4);
      const bool two = signature_of(*function).parameters.size() == 2;
      const auto run = [&]<class R>(R, std::string_view which) {
        return two ? evaluate_in<Which, R>(std::string(which), x, y)
                   : evaluate_in<Which, R>(std::string(which), x);
      };
      const std::vector<T> full = run(T{}, name), near = run(T{}, function->fast_name);
      const std::vector<std::uint8_t> test = run(std::uint8_t{}, function->fast_test);
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

#endif  // SINTER_CPU_COMPILER_LIBRARY

}  // namespace device_functions_test
