#include <sinter/codegen/print/position_text.hpp>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

struct position_function {
  std::string_view name, text;  ///< the text without what a target writes in front of a function
};

constexpr position_function position_functions[] = {
    {"clip_position", R"(long long clip_position(long long p, long long n) {
  const long long below = p < n ? p : n - 1;
  return below < 0 ? 0 : below;
}
)"},
    // most numbers are on the axis, or beside it
    {"wrap_position", R"(long long wrap_position(long long p, long long n) {
  const long long near = p < 0 ? p + n : p < n ? p : p - n;
  if ((unsigned long long)near < (unsigned long long)n) return near;
  const long long rest = p % n;
  return rest < 0 ? rest + n : rest;
}
)"},
    {"wrap_near_position", R"(long long wrap_near_position(long long p, long long n) {
  return p < 0 ? p + n : p < n ? p : p - n;
}
)"},
    {"reflect_near_position", R"(long long reflect_near_position(long long p, long long n) {
  const long long ahead = p < 0 ? -p : p;
  return ahead < n ? ahead : 2 * (n - 1) - ahead;
}
)"},
    {"index_position", R"(long long index_position(long long i, long long n) {
  const long long p = i < 0 ? i + n : i;
  return p < 0 ? 0 : p < n ? p : n - 1;
}
)"},
    // a lane of an aligned vector: compilers see that high bits are those of the first lane
    {"position_in_block", R"(long long position_in_block(long long first, long long lane) {
  return first | lane;
}
)"},
    {"reflect_position", R"(long long reflect_position(long long p, long long n) {
  const long long ahead = p < 0 ? -p : p, near = ahead < n ? ahead : 2 * (n - 1) - ahead;
  if (near >= 0) return near;
  const long long period = n > 1 ? 2 * (n - 1) : 1, rest = ahead % period;
  return rest < n ? rest : period - rest;
}
)"},
};

/// A read of an array that may have no elements.
constexpr std::string_view element_of_part_name = "element_of_part";
constexpr std::string_view element_of_part =
    R"(T element_of_part(const T* from, long long index, bool there) {
  if (!there) return T{};
  return from[index];
}
)";

}  // namespace

std::string position_text(std::span<const std::string_view> called, std::string_view qualifiers) {
  const auto is_called = [&](std::string_view name) {
    return std::ranges::find(called, name) != called.end();
  };
  std::string text;
  for (const position_function& at : position_functions)
    if (is_called(at.name)) text.append(qualifiers).append(at.text);
  if (is_called(element_of_part_name))
    text.append("template <typename T> ").append(qualifiers).append(element_of_part);
  return text;
}

}  // namespace sinter::inline v0::codegen
