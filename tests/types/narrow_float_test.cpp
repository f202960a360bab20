// Every element of the narrow floating formats, against what IEEE 754 says that its bits mean; and the
// columns of the table of element types that say so.
#include <doctest/doctest.h>

#include <sinter/codegen/types/narrow_float.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/half.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

using namespace sinter;
using detail::narrow_format;

namespace {

/// Formats of 8 bits as well, which have no element type yet.
constexpr narrow_format formats[] = {detail::format_of(element_type::float16),
                                     detail::format_of(element_type::bfloat16),
                                     {.exponent_bits = 5, .fraction_bits = 2},
                                     {.exponent_bits = 4, .fraction_bits = 3}};

/// Of a number without its sign.
double value_of(narrow_format format, std::uint32_t magnitude) {
  const int exponent = static_cast<int>(magnitude >> format.fraction_bits);
  const std::uint32_t leading = 1u << format.fraction_bits, fraction = magnitude & (leading - 1);
  return std::ldexp(exponent == 0 ? fraction : fraction + leading,
                    std::max(exponent, 1) - format.bias() - format.fraction_bits);
}

double read(narrow_format format, std::uint32_t bits) {
  return std::bit_cast<float>(detail::widened(format, bits));
}

template <class T>
void check_columns(element_type type) {
  CAPTURE(facts_of(type).name);
  CHECK(digits_of(type) == std::numeric_limits<T>::digits);
  if constexpr (std::is_floating_point_v<T>) {
    CHECK(greatest_exponent(type) == std::numeric_limits<T>::max_exponent - 1);
    CHECK(min_exponent(type) == std::numeric_limits<T>::min_exponent - 1);
  }
}

}  // namespace

TEST_SUITE("narrow floats") {
  TEST_CASE("the table has the digits and exponents of the C++ types") {
    check_columns<bool>(element_type::boolean);
    check_columns<signed char>(element_type::int8);
    check_columns<short>(element_type::int16);
    check_columns<int>(element_type::int32);
    check_columns<long long>(element_type::int64);
    check_columns<unsigned char>(element_type::uint8);
    check_columns<unsigned short>(element_type::uint16);
    check_columns<unsigned>(element_type::uint32);
    check_columns<unsigned long long>(element_type::uint64);
    check_columns<float>(element_type::float32);
    check_columns<double>(element_type::float64);
    CHECK(min_exponent(element_type::float16) == -14);
    CHECK(greatest_exponent(element_type::float16) == 15);
    CHECK(min_exponent(element_type::bfloat16) == -126);
    CHECK(greatest_exponent(element_type::bfloat16) == 127);
  }

  TEST_CASE("every number has the value that its bits mean, and is the nearest to all around it") {
    for (const narrow_format format : formats)
      for (std::uint32_t bits = 0; bits < format.infinity(); ++bits) {
        CAPTURE(format.exponent_bits);
        CAPTURE(bits);
        const double value = value_of(format, bits), next = value_of(format, bits + 1);
        const double half_way = (value + next) / 2;
        const std::uint32_t even = (bits & 1) == 0 ? bits : bits + 1;
        const bool right = read(format, bits) == value && read(format, bits | format.sign()) == -value &&
                           detail::narrowed(format, value) == bits &&
                           detail::narrowed(format, -value) == (bits | format.sign()) &&
                           detail::narrowed(format, std::nextafter(half_way, 0.0)) == bits &&
                           detail::narrowed(format, half_way) == even &&
                           detail::narrowed(format, std::nextafter(half_way, next)) == bits + 1;
        if (!right) FAIL("not rounded to nearest");
      }
  }

  TEST_CASE("infinity and NaN stay what they are, with the payload's first bits") {
    for (const narrow_format format : formats) {
      CAPTURE(format.exponent_bits);
      const double infinity = std::numeric_limits<double>::infinity();
      CHECK(read(format, format.infinity()) == infinity);
      CHECK(read(format, format.infinity() | format.sign()) == -infinity);
      CHECK(detail::narrowed(format, infinity) == format.infinity());
      CHECK(detail::narrowed(format, std::numeric_limits<double>::max()) == format.infinity());
      const std::uint32_t quiet = 1u << (format.fraction_bits - 1);
      for (std::uint32_t payload = quiet; payload < 2 * quiet; ++payload) {
        const std::uint32_t bits = format.infinity() | payload;
        CHECK(std::isnan(read(format, bits)));
        CHECK(detail::narrowed(format, read(format, bits)) == bits);
      }
    }
  }

  TEST_CASE("a long double is rounded once") {
    // half way between 1 and the next number, and a little more than a double can tell
    const long double half_way = 1 + 0x1p-11L, above = half_way + 0x1p-63L, below = half_way - 0x1p-63L;
    CHECK(real_bits(element_type::float16, half_way) == 0x3c00);
    CHECK(real_bits(element_type::float16, below) == 0x3c00);
    if (std::numeric_limits<long double>::digits >= 64)
      CHECK(real_bits(element_type::float16, above) == 0x3c01);
    CHECK(real_bits(element_type::bfloat16, std::numeric_limits<long double>::max()) == 0x7f80);
    CHECK(real_bits(element_type::bfloat16, -std::numeric_limits<long double>::denorm_min()) == 0x8000);
  }
}
