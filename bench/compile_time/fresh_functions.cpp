#include "fresh_functions.hpp"

#include "../random_data.hpp"

#include <array>
#include <chrono>
#include <utility>

namespace sinter_bench {
namespace {

using namespace sinter;

// Read while a function is recorded, so it becomes a literal of the function.
const double salt = [] {
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return 1.0 +
         static_cast<double>(std::chrono::duration_cast<std::chrono::microseconds>(now).count() % 1000003) *
             1e-3;
}();

template <int Number>
const auto& small_function() {
  static const auto made =
      fuse("fresh", [](auto x, auto y) { return where(x > 0, x * y + 1, y - x) + (salt + Number); });
  return made;
}
template <int Number>
const auto& large_function() {
  static const auto made =
      fuse("fresh", [](auto x, auto y) { return where(x > y, sin(x) * exp(y), sqrt(x)) + (salt + Number); });
  return made;
}

template <int Number>
const auto& softmax_function() {
  static const auto made = fuse("fresh", [](auto x) {
    auto e = exp(x - max(x, axis<1>, keepdims));
    return e / sum(e, axis<1>, keepdims) + (salt + Number);
  });
  return made;
}

template <const auto& (*Function)()>
constexpr fresh_function rows_entry_of() {
  return {[](fresh_arrays& on) {
            Function().into(on.rows_out)(on.rows);
            synchronize(on.rows_out.device());
          },
          [](const fresh_arrays& on) { return Function().source(on.rows); }};
}

template <const auto& (*Function)()>
constexpr fresh_function entry_of() {
  return {[](fresh_arrays& on) {
            Function().into(on.out)(on.x, on.y);
            synchronize(on.out.device());
          },
          [](const fresh_arrays& on) { return Function().source(on.x, on.y); }};
}

constexpr int count = 40;
template <int... Numbers>
constexpr std::array<fresh_function, count> all_small(std::integer_sequence<int, Numbers...>) {
  return {entry_of<small_function<Numbers>>()...};
}
template <int... Numbers>
constexpr std::array<fresh_function, count> all_large(std::integer_sequence<int, Numbers...>) {
  return {entry_of<large_function<Numbers>>()...};
}
template <int... Numbers>
constexpr std::array<fresh_function, count> all_softmax(std::integer_sequence<int, Numbers...>) {
  return {rows_entry_of<softmax_function<Numbers>>()...};
}

}  // namespace

fresh_arrays::fresh_arrays(device where)
    : x(random_array<float, 1>({1024}, where)),
      y(random_array<float, 1>({1024}, where)),
      out({1024}, where),
      rows(random_array<float, 2>({64, 4096}, where)),
      rows_out({64, 4096}, where) {
  synchronize(where);
}

std::span<const fresh_function> fresh_small_functions() {
  static constexpr auto all = all_small(std::make_integer_sequence<int, count>());
  return all;
}
std::span<const fresh_function> fresh_large_functions() {
  static constexpr auto all = all_large(std::make_integer_sequence<int, count>());
  return all;
}
std::span<const fresh_function> fresh_softmax_functions() {
  static constexpr auto all = all_softmax(std::make_integer_sequence<int, count>());
  return all;
}

}  // namespace sinter_bench
