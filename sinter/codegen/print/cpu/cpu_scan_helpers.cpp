#include <sinter/codegen/print/cpu/cpu_scan_helpers.hpp>

#include <sinter/codegen/loops/passes/lower/lower_scans_in_lanes.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace sinter::inline v0::codegen {
namespace {

/// "15, 16, … 30": from the last `distance` elements of one vector on into another.
std::string shifted_by(int distance) {
  std::string text;
  for (int e = 0; e < cpu_scan_line; ++e)
    text += fmt::format("{}{}", e == 0 ? "" : ", ", cpu_scan_line - distance + e);
  return text;
}

/// deal<hands>(from, to): to[i * hands + h] = from[h * length + i], of hands * length elements. With as many
/// hands as a hand has had elements, it is its own inverse.
constexpr std::string_view deal =
    R"(template <int bytes> struct dealt_bits { typedef unsigned long long type; };
template <> struct dealt_bits<1> { typedef unsigned char type; };
template <> struct dealt_bits<2> { typedef unsigned short type; };
template <> struct dealt_bits<4> { typedef unsigned int type; };
template <class, int...> struct dealt_places {};
template <int hands, class T, int count, int... e> static inline __attribute__((always_inline)) void deal_to(const T (&from)[count], T (&to)[count], dealt_places<int, e...>) {
  constexpr int length = count / hands;
  if constexpr (sizeof(T) > 8) {
    ((to[e] = from[e % hands * length + e / hands]), ...);
  } else {
    typedef typename dealt_bits<sizeof(T)>::type all __attribute__((ext_vector_type(count), aligned(sizeof(T)), may_alias));
    const all x = *(const all*)from;
    *(all*)to = __builtin_shufflevector(x, x, (e % hands * length + e / hands)...);
  }
}
template <int hands, class T, int count> static inline __attribute__((always_inline)) void deal(const T (&from)[count], T (&to)[count]) {
  deal_to<hands>(from, to, __make_integer_seq<dealt_places, int, count>());
}
)";

}  // namespace

std::string cpu_scan_helpers(const kernel_description& kernel) {
  std::string text;
  if (reduces_columns(kernel.chosen.order)) return text;
  if (std::ranges::any_of(kernel.body.body, [&](const instruction& at) {
        return is_scan(at.op) && scans_by_blocks(kernel, at);
      }))
    text = deal;
  for (const operation combine : {operation::add, operation::multiply}) {
    const auto found =
        std::find_if(kernel.body.body.begin(), kernel.body.body.end(), [&](const instruction& at) {
          return is_scan(at.op) && facts_of(at.op).combine == combine && scans_by_vectors(kernel, at);
        });
    if (found == kernel.body.body.end()) continue;
    const std::string_view sign = combine == operation::add ? "+" : "*";
    text += fmt::format(
        "template <bool exclusive, class T> static inline __attribute__((always_inline)) void scan_by_{}(T* "
        "v, T start, T& carry) {{\n"
        "  typedef T line __attribute__((ext_vector_type({}), aligned(sizeof(T))));\n"
        "  line x = *(line*)v;\n",
        facts_of(combine).name, cpu_scan_line);
    for (int distance = 1; distance < cpu_scan_line; distance *= 2)
      text += fmt::format("  x = __builtin_shufflevector((line)start, x, {}) {} x;\n", shifted_by(distance),
                          sign);
    text += fmt::format(
        "  const T next = carry {0} x[{1}];\n"
        "  x = (line)carry {0} x;\n"
        "  if (exclusive) x = __builtin_shufflevector((line)carry, x, {2});\n"
        "  *(line*)v = x;\n"
        "  carry = next;\n"
        "}}\n",
        sign, cpu_scan_line - 1, shifted_by(1));
  }
  return text;
}

}  // namespace sinter::inline v0::codegen
