// Turns the tables into functions, finds them by name and orders them for a kernel's text.

#include <algorithm>
#include <array>
#include <deque>
#include <stdexcept>
#include <string>
#include <unordered_map>
#include <unordered_set>

#include "device_functions.hpp"
#include "tables.hpp"

namespace sinter::inline v0::codegen {
namespace {

struct type_spelling {
  std::string_view suffix, spelling, unsigned_spelling, wrapping, width, float_suffix;
  std::string_view part_suffix = {}, part_spelling = {};
};

constexpr std::array<type_spelling, 13> type_spellings{{
    {"b8", "bool", "unsigned char", "unsigned int", "8", ""},
    {"i8", "signed char", "unsigned char", "unsigned int", "8", ""},
    {"i16", "short", "unsigned short", "unsigned int", "16", ""},
    {"i32", "int", "unsigned int", "unsigned int", "32", ""},
    {"i64", "long long", "unsigned long long", "unsigned long long", "64", ""},
    {"u8", "unsigned char", "unsigned char", "unsigned int", "8", ""},
    {"u16", "unsigned short", "unsigned short", "unsigned int", "16", ""},
    {"u32", "unsigned int", "unsigned int", "unsigned int", "32", ""},
    {"u64", "unsigned long long", "unsigned long long", "unsigned long long", "64", ""},
    {"f32", "float", "unsigned int", "unsigned int", "32", "f"},
    {"f64", "double", "unsigned long long", "unsigned long long", "64", ""},
    {"c64", "complex<float>", "", "", "", "", "f32", "float"},
    {"c128", "complex<double>", "", "", "", "", "f64", "double"},
}};

const type_spelling& spelling_of(std::string_view suffix) {
  for (const type_spelling& type : type_spellings) {
    if (type.suffix == suffix) return type;
  }
  throw std::logic_error("device function table: no type '" + std::string(suffix) + "'");
}

std::string substitute(std::string_view pattern, const type_spelling& type) {
  std::string out;
  out.reserve(pattern.size() + 64);
  for (std::size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '$') {
      out += pattern[i];
      continue;
    }
    switch (pattern[++i]) {
      case 'S':
        out += type.suffix;
        break;
      case 'T':
        out += type.spelling;
        break;
      case 'U':
        out += type.unsigned_spelling;
        break;
      case 'P':
        out += type.wrapping;
        break;
      case 'W':
        out += type.width;
        break;
      case 'F':
        out += type.float_suffix;
        break;
      case 'R':
        out += type.part_suffix;
        break;
      case 'C':
        out += type.part_spelling;
        break;
      default:
        throw std::logic_error("device function table: unknown substitution");
    }
  }
  return out;
}

template <typename Visit>
void for_each_word(std::string_view words, Visit visit) {
  while (!words.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (end > 0) visit(words.substr(0, end));
    words.remove_prefix(std::min(end + 1, words.size()));
  }
}

/// The functions of one target and mode; owns the texts made from templates.
class function_set {
 public:
  function_set(std::initializer_list<std::span<const function_template>> tables) {
    for (const auto& table : tables) {
      for (const function_template& row : table) add(row);
    }
    for (const device_function& function : functions_) {
      if (!by_name_.emplace(function.name, &function).second) {
        throw std::logic_error("device function table: two of " + std::string(function.name));
      }
    }
  }

  std::span<const device_function> functions() const { return functions_; }

  const device_function* find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : found->second;
  }

 private:
  void add(const function_template& row) {
    if (row.types.empty()) {
      functions_.push_back({row.name, row.text, row.uses, row.fast_name, row.fast_test});
      return;
    }
    for_each_word(row.types, [&](std::string_view suffix) {
      const type_spelling& type = spelling_of(suffix);
      const auto keep = [&](std::string_view pattern) -> std::string_view {
        return texts_.emplace_back(substitute(pattern, type));
      };
      functions_.push_back(
          {keep(row.name), keep(row.text), keep(row.uses), keep(row.fast_name), keep(row.fast_test)});
    });
  }

  std::deque<std::string> texts_;
  std::vector<device_function> functions_;
  std::unordered_map<std::string_view, const device_function*> by_name_;
};

// Never destroyed: kernels are compiled until the very end of a process.
const function_set& set_of(text_target target, text_mode mode) {
  static const auto& common = *new function_set{
      common_rounding(),  common_comparison(), common_integer(), common_remainder(), common_conversion(),
      common_logarithm(), common_half(),       common_complex(), common_special(),   common_random()};
  static const auto& cuda =
      *new function_set{cuda_math(), cuda_half(), cuda_conversion(), cuda_integer(), cuda_random()};
  static const auto& cuda_approximate = *new function_set{cuda_fast()};
  static const auto& cpu = *new function_set{cpu_comparison(),
                                             cpu_rounding(),
                                             cpu_conversion(),
                                             cpu_exponential(),
                                             cpu_logarithm(),
                                             cpu_trigonometric(),
                                             cpu_inverse_trigonometric(),
                                             cpu_hyperbolic(),
                                             cpu_power(),
                                             cpu_special(),
                                             cpu_gamma()};
  static const auto& cpu_approximate = *new function_set{cpu_fast()};
  static const auto& none = *new function_set{};
  const bool fast = mode == text_mode::fast;
  switch (target) {
    case text_target::common:
      return fast ? none : common;
    case text_target::cuda:
      return fast ? cuda_approximate : cuda;
    case text_target::cpu:
      return fast ? cpu_approximate : cpu;
  }
  throw std::logic_error("device functions: no such target");
}

struct collector {
  text_target target;
  text_mode mode;
  std::unordered_set<const device_function*> seen;
  std::vector<const device_function*> ordered;

  void visit(std::string_view name) {
    const device_function* function = find_device_function(name, target, mode);
    if (function == nullptr) throw std::out_of_range("no device function " + std::string(name));
    if (!seen.insert(function).second) return;
    for_each_word(function->uses, [this](std::string_view used) { visit(used); });
    ordered.push_back(function);
  }
};

}  // namespace

std::span<const device_function> device_functions(text_target target, text_mode mode) {
  return set_of(target, mode).functions();
}

const device_function* find_device_function(std::string_view name, text_target target, text_mode mode) {
  if (mode == text_mode::fast) {
    if (const device_function* found = set_of(target, text_mode::fast).find(name)) return found;
  }
  if (const device_function* found = set_of(target, text_mode::standard).find(name)) return found;
  return set_of(text_target::common, text_mode::standard).find(name);
}

std::vector<const device_function*> collect_device_functions(std::span<const std::string_view> roots,
                                                             text_target target, text_mode mode) {
  collector all{target, mode, {}, {}};
  for (const std::string_view root : roots) all.visit(root);
  return std::move(all.ordered);
}

std::string_view device_function_prefix(text_target target) {
  return target == text_target::cuda ? "__device__ __forceinline__ "
                                     : "static inline __attribute__((always_inline)) ";
}

}  // namespace sinter::inline v0::codegen
