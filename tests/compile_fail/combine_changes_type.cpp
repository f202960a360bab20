// expect only: a value changes its type each time it is combined
#include <sinter/sinter.hpp>
using namespace sinter;

template <class T>
auto wider(value<T, 0> a) {
  if constexpr (sizeof(T) == 1)
    return astype<std::int16_t>(a);
  else if constexpr (sizeof(T) == 2)
    return astype<std::int32_t>(a);
  else if constexpr (sizeof(T) == 4)
    return astype<std::int64_t>(a);
  else
    return astype<double>(a);
}
array<std::int8_t, 0> use(const array<std::int8_t, 1>& x) {
  return reduce([](auto a, auto) { return wider(a); }, 0, x) + 1;
}
