#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/runtime/dispatch/compiles/compile_history.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::inline v0::runtime {
namespace {

bool is_row_major(const compiled_array& array) {
  std::int64_t stride = 1;
  for (std::size_t axis = array.extents.size(); axis-- > 0; stride *= array.extents[axis])
    if (array.extents[axis] != 1 && array.strides[axis] != stride) return false;
  return true;
}

std::string joined(const std::vector<std::int64_t>& numbers) {
  return fmt::format("{}", fmt::join(numbers, "x"));
}

/// Parts of a sentence, with `between` between them.
void add(std::string& to, const std::string& part, const char* between = "; ") {
  if (part.empty()) return;
  if (!to.empty()) to += between;
  to += part;
}

/// What differs in one array, where alignments beyond `most` bytes are equal.
std::string array_differences(const compiled_array& before, const compiled_array& now, std::uint32_t most) {
  std::string text;
  if (before.extents != now.extents)
    add(text, fmt::format("extents {} before, {} now", joined(before.extents), joined(now.extents)));
  const bool has_plain_strides = is_row_major(before) && is_row_major(now);
  if (before.strides != now.strides && !has_plain_strides)
    add(text, fmt::format("strides {} before, {} now", joined(before.strides), joined(now.strides)));
  if (std::min(before.alignment, most) != std::min(now.alignment, most))
    add(text, fmt::format("alignment {} bytes before, {} now", before.alignment, now.alignment));
  if (before.identity != now.identity)
    add(text,
        fmt::format("the same array as operand {} before, as operand {} now", before.identity, now.identity));
  return text;
}

std::string all_differences(const compiled_call& before, const compiled_call& now, std::uint32_t most) {
  std::string text;
  if (before.where != now.where)
    add(text, fmt::format("device {} before, {} now", before.where.to_string(), now.where.to_string()));
  const auto add_arrays = [&](const char* name, const std::vector<compiled_array>& of_before,
                              const std::vector<compiled_array>& of_now) {
    for (std::size_t i = 0; i < std::min(of_before.size(), of_now.size()); ++i)
      if (const std::string part = array_differences(of_before[i], of_now[i], most); !part.empty())
        add(text, fmt::format("{} {}: {}", name, i, part), ". ");
  };
  add_arrays("operand", before.operands, now.operands);
  if (before.targets.empty() != now.targets.empty())
    add(text,
        now.targets.empty() ? "results: into arrays of the caller's before, new arrays now"
                            : "results: new arrays before, into arrays of the caller's now",
        ". ");
  add_arrays("result", before.targets, now.targets);
  for (std::size_t i = 0; i < std::min(before.view_numbers.size(), now.view_numbers.size()); ++i)
    if (before.view_numbers[i] != now.view_numbers[i])
      add(text,
          fmt::format("number {} of a view or shape: {} before, {} now", i,
                      static_cast<std::int64_t>(before.view_numbers[i]),
                      static_cast<std::int64_t>(now.view_numbers[i])),
          ". ");
  return text;
}

}  // namespace

std::vector<compiled_array> copies_of(std::span<const array_layout> layouts) {
  std::vector<compiled_array> arrays;
  for (const array_layout& each : layouts)
    arrays.push_back({.extents = {each.extents, each.extents + each.rank},
                      .strides = {each.strides, each.strides + each.rank},
                      .alignment = each.alignment,
                      .identity = each.identity});
  return arrays;
}

// Kernels differ by alignment up to a GPU's widest access, nearly always: finer differences are told of where
// there is no other.
std::string differences(const compiled_call& before, const compiled_call& now) {
  std::string text = all_differences(before, now, access_bytes);
  return text.empty() ? all_differences(before, now, max_alignment) : text;
}

}  // namespace sinter::inline v0::runtime
