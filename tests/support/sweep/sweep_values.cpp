#include "sweep_values.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <random>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

bits special_reals(element_type type) {
  bits made;
  const auto add = [&](long double value) {
    for (const std::uint64_t one : {real_bits(type, value), real_bits(type, -value)})
      if (std::find(made.begin(), made.end(), one) == made.end()) made.push_back(one);
  };
  add(0);
  add(std::numeric_limits<long double>::infinity());
  const std::uint64_t infinity = made.back() & ~(std::uint64_t{1} << (8 * size_of(type) - 1));
  // neighbours of zero, infinity and 1, and both sides of the least normal number
  const std::uint64_t one = real_bits(type, 1);
  const long double min_normal = type == element_type::float64   ? 0x1p-1022L
                                 : type == element_type::float16 ? 0x1p-14L
                                                                 : 0x1p-126L;
  const std::uint64_t normal = real_bits(type, min_normal);
  for (const std::uint64_t near : {std::uint64_t{1}, infinity - 1, one - 1, one, one + 1, normal - 1, normal})
    add(real_of(type, near));
  for (const long double value : {0.5L, 1.5L, 2.5L, 2.0L, 3.0L, 10.0L, 0.1L, 0.49999997L, 7.0L, 255.5L})
    add(value);
  // where functions change sign, overflow or lose their argument
  for (const long double value : {3.14159265358979323846L, 1.57079632679489661923L, 0.69314718055994530942L,
                                  88.72L, 103.9L, 709.78L, 745.1L, 6.05L, 12.5L, 1e-5L, 4194304.5L,
                                  16777217.0L, 0x1p31L, 0x1p52L + 0.5L, 0x1p63L, 0x1p64L, 1e10L, 1e22L})
    add(value);
  made.push_back(real_bits(type, std::numeric_limits<long double>::quiet_NaN()));
  return made;
}

bits special_integers(element_type type) {
  bits made;
  const unsigned width = static_cast<unsigned>(8 * size_of(type));
  const std::uint64_t least = std::uint64_t{1} << (width - 1);
  for (const std::uint64_t value :
       {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}, least, least - 1, least + 1, least - 2,
        std::uint64_t{2}, std::uint64_t{3}, ~std::uint64_t{1}, std::uint64_t{7}, std::uint64_t{10},
        std::uint64_t{width - 1}, std::uint64_t{width}, std::uint64_t{width + 1}, std::uint64_t{100},
        least / 2, least / 2 + 1}) {
    const std::uint64_t one = canonical_bits(type, value);
    if (std::find(made.begin(), made.end(), one) == made.end()) made.push_back(one);
  }
  return made;
}

std::uint64_t random_real(element_type type, std::mt19937_64& random) {
  const auto unit = [&] { return static_cast<long double>(random() >> 11) * 0x1p-53L; };
  const long double sign = random() % 2 == 0 ? 1 : -1;
  switch (random() % 5) {
    case 0:
      return canonical_bits(type, random());
    case 1:
      return real_bits(type, sign * std::exp2(40 * unit() - 20));
    case 2:
      return real_bits(type, sign * 10 * unit());
    case 3:
      return real_bits(type, sign * unit());
    default:
      return real_bits(type, sign * static_cast<long double>(random() % 64) / 2);
  }
}

std::uint64_t random_integer(element_type type, std::mt19937_64& random) {
  switch (random() % 3) {
    case 0:
      return canonical_bits(type, random());
    case 1:
      return canonical_bits(type, random() % 41 - 20);
    default:
      return canonical_bits(type, random() >> random() % 64);
  }
}

}  // namespace

bits special_values(element_type type) {
  if (is_boolean(type)) return {0, 1};
  return is_floating(type) ? special_reals(type) : special_integers(type);
}

bits random_values(element_type type, std::size_t count, std::uint64_t seed) {
  std::mt19937_64 random(seed * 31 + static_cast<std::uint64_t>(type));
  bits made(count);
  for (std::uint64_t& value : made)
    value = is_boolean(type)    ? random() % 2
            : is_floating(type) ? random_real(type, random)
                                : random_integer(type, random);
  return made;
}

operand_values sweep_operands(element_type type, std::size_t count, std::uint64_t seed) {
  operand_values made{random_values(type, count, 3 * seed), random_values(type, count, 3 * seed + 1),
                      random_values(type, count, 3 * seed + 2)};
  const bits corners = special_values(type);
  for (std::size_t i = 0; i < std::min(count, corners.size() * corners.size()); ++i) {
    made.first[i] = corners[i % corners.size()];
    made.second[i] = corners[i / corners.size()];
    if (i % 3 == 0) made.third[i] = corners[(i * 7 + i / 11) % corners.size()];
  }
  return made;
}

std::vector<std::byte> pack(element_type type, const bits& values) {
  const std::size_t size = size_of(component_of(type));
  std::vector<std::byte> made(values.size() * size);
  for (std::size_t i = 0; i < values.size(); ++i) std::memcpy(&made[i * size], &values[i], size);
  return made;
}

bits unpack(element_type type, const std::byte* elements, std::size_t count) {
  const std::size_t size = size_of(component_of(type));
  bits made(count * parts_of(type), 0);
  for (std::size_t i = 0; i < made.size(); ++i) std::memcpy(&made[i], elements + i * size, size);
  return made;
}

}  // namespace sinter::test
