// Types of operations, compared with NumPy's (vectors/types.hpp).
#include <doctest/doctest.h>

#include <sinter/codegen/graph/operation.hpp>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "../support/drawn/numpy_types.hpp"
#include "../vectors/types.hpp"

using namespace sinter;
using sinter::testing::type_of_code;

namespace {

constexpr std::string_view codes = numpy_vectors::codes;
constexpr std::size_t count = codes.size();

operand_type strong(element_type type) { return {type, false}; }
operand_type weak(element_type type) { return {type, true}; }

const operation_facts& row_named(std::string_view name) {
  return *std::ranges::find(operations(), name, &operation_facts::name);
}

/// NumPy orders complex numbers by their real parts first; Sinter rejects that.
bool orders_complex(const operation_facts& row, operand_type operand) {
  return is_complex(operand.type) && !takes_complex(row.rule);
}

/// Whether the rule gives NumPy's type; '-' is a rejection.
bool agrees(const operation_types& types, char expected) {
  return types.valid ? expected != '-' && types.result == strong(type_of_code(expected)) : expected == '-';
}

}  // namespace

TEST_SUITE("type rules") {
  TEST_CASE("two strong types promote as in NumPy") {
    for (std::size_t i = 0; i < count; ++i)
      for (std::size_t j = 0; j < count; ++j) {
        CAPTURE(codes.substr(i, 1));
        CAPTURE(codes.substr(j, 1));
        CHECK(promote(type_of_code(codes[i]), type_of_code(codes[j])) ==
              type_of_code(numpy_vectors::promoted[i * count + j]));
      }
  }

  TEST_CASE("a weak scalar promotes as a Python scalar does, from either side") {
    const operand_type scalars[] = {weak(element_type::boolean), weak(element_type::int64),
                                    weak(element_type::float64), weak(element_type::complex128)};
    for (std::size_t s = 0; s < 4; ++s)
      for (std::size_t i = 0; i < count; ++i) {
        CAPTURE(s);
        CAPTURE(codes.substr(i, 1));
        const operand_type expected = strong(type_of_code(numpy_vectors::promoted_weak[s * count + i]));
        CHECK(promote(scalars[s], strong(type_of_code(codes[i]))) == expected);
        CHECK(promote(strong(type_of_code(codes[i])), scalars[s]) == expected);
      }
  }

  TEST_CASE("bfloat16 keeps its width with booleans and bytes and widens otherwise") {
    const auto with = [](element_type other) { return promote(element_type::bfloat16, other); };
    CHECK(with(element_type::boolean) == element_type::bfloat16);
    CHECK(with(element_type::int8) == element_type::bfloat16);
    CHECK(with(element_type::uint8) == element_type::bfloat16);
    CHECK(with(element_type::int16) == element_type::float32);
    CHECK(with(element_type::int32) == element_type::float64);
    CHECK(with(element_type::float16) == element_type::float32);
    CHECK(with(element_type::float32) == element_type::float32);
    CHECK(with(element_type::float64) == element_type::float64);
    for (const auto& row : element_types) CHECK(with(row.type) == promote(row.type, element_type::bfloat16));
  }

  TEST_CASE("a weak float that meets no floating type keeps its own") {
    CHECK(promote(strong(element_type::int32), weak(element_type::float32)) == strong(element_type::float32));
    CHECK(promote(weak(element_type::float32), strong(element_type::boolean)) ==
          strong(element_type::float32));
    CHECK(promote(weak(element_type::float32), strong(element_type::bfloat16)) ==
          strong(element_type::bfloat16));
    CHECK(promote(weak(element_type::float64), strong(element_type::float32)) ==
          strong(element_type::float32));
  }

  TEST_CASE("of two weak scalars a floating one decides, and integers alone settle as int64") {
    CHECK(promote(weak(element_type::float32), weak(element_type::int64)) == weak(element_type::float32));
    CHECK(promote(weak(element_type::int64), weak(element_type::float32)) == weak(element_type::float32));
    CHECK(promote(weak(element_type::float32), weak(element_type::float64)) == weak(element_type::float64));
    CHECK(promote(weak(element_type::int64), weak(element_type::uint64)) == weak(element_type::int64));
    const operand_type mask = strong(element_type::boolean);
    CHECK(apply_rule(type_rule::select, mask, weak(element_type::int32), weak(element_type::int32)).result ==
          weak(element_type::int64));
    CHECK(settled_elements(weak(element_type::int64), 1) == strong(element_type::int64));
    CHECK(settled_elements(weak(element_type::int64), 0) == weak(element_type::int64));
    CHECK(settled_elements(weak(element_type::float32), 1) == weak(element_type::float32));
    CHECK(apply_rule(type_rule::select, mask, weak(element_type::float32), weak(element_type::float32))
              .result == weak(element_type::float32));
    CHECK(promote(mask, weak(element_type::int32)) == strong(element_type::int64));
    CHECK(settled(weak(element_type::uint64)) == strong(element_type::uint64));
    CHECK(settled(strong(element_type::int8)) == strong(element_type::int8));
  }

  TEST_CASE("what weak operands alone make is weak, unless the rule names its type") {
    const operand_type whole = weak(element_type::int64), number = weak(element_type::float64);
    for (const operation_facts& row : element_operations()) {
      CAPTURE(row.name);
      const type_rule rule = row.rule;
      for (const operand_type operand : {whole, number}) {
        const operation_types types = row.arity == 1   ? apply_rule(rule, operand)
                                      : row.arity == 2 ? apply_rule(rule, operand, operand)
                                                       : apply_rule(rule, operand, operand, operand);
        if (!types.valid) continue;
        const bool named = types.result.type == element_type::boolean ||
                           types.result.type == element_type::uint8 || rule == type_rule::exponent ||
                           rule == type_rule::order_key || rule == type_rule::of_key;
        CHECK(types.result.weak == !named);
        const operand_type array = strong(operand.type);
        if (row.arity == 2) CHECK_FALSE(apply_rule(rule, operand, array).result.weak);
        if (row.arity == 2) CHECK_FALSE(apply_rule(rule, array, operand).result.weak);
      }
    }
    CHECK(apply_rule(type_rule::quotient, whole, whole).result == number);
    CHECK_FALSE(apply_rule(type_rule::whole, weak(element_type::boolean)).result.weak);
    CHECK_FALSE(apply_rule(type_rule::accumulated, whole).result.weak);
  }

  TEST_CASE("every operation that NumPy has gives the types that NumPy gives") {
    for (const auto& [name, results] : numpy_vectors::operations) {
      const operation_facts& row = row_named(name);
      CAPTURE(row.name);
      for (std::size_t i = 0; i < count; ++i) {
        const operand_type a = strong(type_of_code(codes[i]));
        CAPTURE(codes.substr(i, 1));
        if (row.arity == 1) {
          CHECK(agrees(apply_rule(row.rule, a), orders_complex(row, a) ? '-' : results[i]));
          continue;
        }
        for (std::size_t j = 0; j < count; ++j) {
          CAPTURE(codes.substr(j, 1));
          const operand_type b = strong(type_of_code(codes[j]));
          const bool ordered = orders_complex(row, a) || orders_complex(row, b);
          CHECK(agrees(apply_rule(row.rule, a, b), ordered ? '-' : results[i * count + j]));
        }
      }
    }
  }

  TEST_CASE("an operation on an array and a scalar gives the type that NumPy gives, from either side") {
    const operand_type scalars[] = {weak(element_type::int64), weak(element_type::float64),
                                    weak(element_type::complex128)};
    for (const auto& [name, results] : numpy_vectors::operations_with_scalar) {
      const operation_facts& row = row_named(name);
      CAPTURE(row.name);
      for (std::size_t s = 0; s < std::size(scalars); ++s)
        for (std::size_t i = 0; i < count; ++i) {
          CAPTURE(s);
          CAPTURE(codes.substr(i, 1));
          const operand_type array = strong(type_of_code(codes[i]));
          const bool ordered = orders_complex(row, array) || orders_complex(row, scalars[s]);
          const auto expected = [&](bool scalar_first) {
            return ordered ? '-' : results[(2 * s + scalar_first) * count + i];
          };
          CHECK(agrees(apply_rule(row.rule, array, scalars[s]), expected(false)));
          CHECK(agrees(apply_rule(row.rule, scalars[s], array), expected(true)));
        }
    }
  }

  TEST_CASE(
      "a weak float is as NumPy's 1.0 among floating types, and float32 among others, in every operation") {
    for (const operation_facts& row : element_operations()) {
      if (row.arity != 2 || row.rule == type_rule::scaled) continue;
      CAPTURE(row.name);
      for (const element_type_facts& other : element_types) {
        CAPTURE(other.name);
        const operand_type array = strong(other.type), single = weak(element_type::float32);
        const operand_type stands_for =
            is_inexact(other.type) ? weak(element_type::float64) : strong(element_type::float32);
        const operand_type by = is_inexact(other.type) ? array : strong(element_type::float32);
        const operation_types expected = apply_rule(row.rule, by, stands_for);
        for (const operation_types& types :
             {apply_rule(row.rule, array, single), apply_rule(row.rule, single, array)}) {
          CHECK(types.valid == expected.valid);
          if (types.valid) CHECK(types.result == expected.result);
        }
      }
    }
  }

  TEST_CASE("a scaled number keeps its floating type, whatever its exponent is and where that is recorded") {
    const type_rule rule = type_rule::scaled;
    for (const element_type_facts& exponent : element_types) {
      if (is_complex(exponent.type)) continue;
      CAPTURE(exponent.name);
      for (const element_type_facts& number : element_types) {
        CAPTURE(number.name);
        const operation_types types = apply_rule(rule, strong(number.type), strong(exponent.type));
        CHECK(types.valid == !is_complex(number.type));
        if (!types.valid) continue;
        CHECK(types.result == apply_rule(type_rule::floating, strong(number.type)).result);
        const operand_type recorded = type_of_scalar(rule, types, true, 2, 1, strong(exponent.type));
        CHECK(apply_rule(rule, strong(number.type), recorded).result == types.result);
      }
      CHECK(apply_rule(rule, weak(element_type::int64), strong(exponent.type)).result ==
            strong(element_type::float64));
    }
    CHECK_FALSE(apply_rule(rule, strong(element_type::float32), strong(element_type::complex64)).valid);
  }

  // The front doors convert scalars before they record, and the builder applies the rule to what is recorded.
  TEST_CASE("a rule gives the same types for a scalar and for what is recorded of it, in every place") {
    std::vector<operand_type> scalars, arrays;
    for (const element_type_facts& row : element_types) arrays.push_back(strong(row.type));
    scalars = arrays;
    for (const element_type type : {element_type::int64, element_type::uint64, element_type::float32,
                                    element_type::float64, element_type::complex64, element_type::complex128})
      scalars.push_back(weak(type));
    const auto same = [](const operation_types& a, const operation_types& b) {
      return a.valid == b.valid && (!a.valid || (a.result == b.result && a.compute == b.compute));
    };
    for (const operation_facts& row : element_operations()) {
      if (row.arity != 2 || unrestricted(row.rule) == type_rule::comparison) continue;
      if (row.rule == type_rule::scaled) continue;  // its operands do not change places
      CAPTURE(row.name);
      for (const operand_type array : arrays)
        for (const operand_type scalar : scalars) {
          const bool inexact = is_inexact(array.type) || is_inexact(scalar.type);
          const operation_types types = apply_rule(row.rule, array, scalar);
          if (!types.valid) continue;
          const operand_type recorded = type_of_scalar(row.rule, types, inexact, 2, 1, scalar);
          CAPTURE(facts_of(array.type).name);
          CAPTURE(facts_of(scalar.type).name);
          CAPTURE(scalar.weak);
          CHECK(same(apply_rule(row.rule, array, recorded), types));
          CHECK(same(apply_rule(row.rule, recorded, array), types));
        }
    }
    for (const operand_type a : arrays)
      for (const operand_type b : scalars)
        for (const operand_type c : scalars) {
          const bool inexact = is_inexact(a.type) || is_inexact(b.type) || is_inexact(c.type);
          const operand_type mask = strong(element_type::boolean);
          for (const type_rule rule : {type_rule::promoted, type_rule::select}) {
            const operation_types types =
                rule == type_rule::select ? apply_rule(rule, mask, b, c) : apply_rule(rule, a, b, c);
            const operand_type second = type_of_scalar(rule, types, inexact, 3, 1, b),
                               third = type_of_scalar(rule, types, inexact, 3, 2, c);
            const bool agree = rule == type_rule::select
                                   ? same(apply_rule(rule, mask, second, third), types)
                                   : same(apply_rule(rule, a, second, c), types) &&
                                         same(apply_rule(rule, a, second, third), types) &&
                                         same(apply_rule(rule, a, b, third), types) &&
                                         same(apply_rule(rule, second, a, c), types);
            if (!agree)
              FAIL_CHECK(facts_of(a.type).name << ", " << b.weak << facts_of(b.type).name << ", " << c.weak
                                               << facts_of(c.type).name);
          }
        }
  }

  TEST_CASE("of three operands strong ones promote first, and floating types before integers, as in NumPy") {
    constexpr std::string_view choices = numpy_vectors::choices;
    constexpr std::size_t many = choices.size();
    const auto operand_of = [&](std::size_t choice, element_type floating) {
      return choices[choice] == '1'   ? weak(element_type::int64)
             : choices[choice] == '.' ? weak(floating)
                                      : strong(type_of_code(choices[choice]));
    };
    const operand_type mask = strong(element_type::boolean);
    for (std::size_t at = 0; at < many * many * many; ++at) {
      const std::size_t x = at / (many * many), low = at / many % many, high = at % many;
      CAPTURE((std::string{choices[x], choices[low], choices[high]}));
      for (const element_type floating : {element_type::float64, element_type::float32}) {
        const operand_type a = operand_of(x, floating), b = operand_of(low, floating),
                           c = operand_of(high, floating);
        const auto expected = [&](char code, std::initializer_list<operand_type> operands) {
          // int8 and uint64 are no floating types, and promote to one
          bool decided = false;
          for (const operand_type first : operands)
            for (const operand_type second : operands)
              decided =
                  decided || (!first.weak && !second.weak && is_inexact(promote(first.type, second.type)));
          const bool single = std::ranges::count(operands, weak(element_type::float32)) != 0;
          return code == 'd' && single && !decided ? element_type::float32 : type_of_code(code);
        };
        CHECK(settled(apply_rule(type_rule::real_promoted, a, b, c).result).type ==
              expected(numpy_vectors::clipped[at], {a, b, c}));
        if (x == 0)
          CHECK(settled(apply_rule(type_rule::select, mask, b, c).result).type ==
                expected(numpy_vectors::chosen[low * many + high], {b, c}));
      }
    }
  }

  TEST_CASE("floating functions of integers take the smallest floating type that NumPy takes") {
    CHECK(floating_type(element_type::boolean) == element_type::float16);
    CHECK(floating_type(element_type::uint8) == element_type::float16);
    CHECK(floating_type(element_type::int16) == element_type::float32);
    CHECK(floating_type(element_type::uint32) == element_type::float64);
    CHECK(floating_type(element_type::bfloat16) == element_type::bfloat16);
    CHECK(apply_rule(type_rule::floating, weak(element_type::int64)).result == weak(element_type::float64));
  }

  TEST_CASE("the table of element types is in the order of the enumeration") {
    for (std::size_t i = 0; i < element_types.size(); ++i)
      CHECK(static_cast<std::size_t>(element_types[i].type) == i);
    for (std::size_t i = 0; i < operations().size(); ++i)
      CHECK(static_cast<std::size_t>(operations()[i].op) == i);
  }
}
