#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/scalars.hpp>

#include <bit>
#include <string>

namespace sinter::inline v0::c {

runtime::scalar scalar_of(const sinter_scalar& given, element_type type, std::size_t index) {
  element_type from = element_type::float64;
  std::uint64_t bits = 0;
  switch (given.kind) {
    case sinter_real_scalar:
      bits = std::bit_cast<std::uint64_t>(given.number.real);
      break;
    case sinter_integer_scalar:
      from = element_type::int64;
      bits = static_cast<std::uint64_t>(given.number.integer);
      break;
    case sinter_unsigned_scalar:
      from = element_type::uint64;
      bits = given.number.natural;
      break;
    default:
      throw invalid_argument("scalar " + std::to_string(index) + " is of kind " + std::to_string(given.kind) +
                             ": make scalars with sinter_of_real, sinter_of_integer or sinter_of_unsigned");
  }
  const auto refuse = [&](const std::string& advice) {
    throw type_error("scalar " + std::to_string(index) + " is " + describe_scalar(from, bits) +
                     ", and its parameter is of type " + std::string(facts_of(type).name) + ": " + advice);
  };
  if (is_floating(from) && !is_floating(type)) refuse("pass an integer, or declare a floating parameter");
  if (is_integer(from) && !is_floating(type) && !fits(from, bits, type))
    refuse("it does not fit: declare a wider type");
  return convert_bits(from, bits, type);
}

}  // namespace sinter::inline v0::c

sinter_scalar sinter_of_real(double number) {
  sinter_scalar made{};
  made.kind = sinter_real_scalar;
  made.number.real = number;
  return made;
}

sinter_scalar sinter_of_integer(int64_t number) {
  sinter_scalar made{};
  made.kind = sinter_integer_scalar;
  made.number.integer = number;
  return made;
}

sinter_scalar sinter_of_unsigned(uint64_t number) {
  sinter_scalar made{};
  made.kind = sinter_unsigned_scalar;
  made.number.natural = number;
  return made;
}
