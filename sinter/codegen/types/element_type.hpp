#pragma once
// The element types: one table, read by the DSL at compile time and by the lowering pass at run time.

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace sinter::inline v0 {

/// The type of one array element. Within a kind the order is by width; promotion relies on it.
enum class element_type : std::uint8_t {
  boolean,
  int8,
  int16,
  int32,
  int64,
  uint8,
  uint16,
  uint32,
  uint64,
  float16,
  bfloat16,
  float32,
  float64,
  complex64,   ///< two float32: real part, imaginary part
  complex128,  ///< two float64
};

enum class element_kind : std::uint8_t { boolean, signed_integer, unsigned_integer, floating, complex };

/// One row of the table of element types.
struct element_type_facts {
  element_type type;
  element_kind kind;
  std::uint8_t size;          ///< bytes in memory
  std::uint8_t digits;        ///< binary digits of a value, without a sign; of a significand, all of them
  element_type compute;       ///< type in which fused arithmetic is done (float32 for narrower ones)
  std::string_view name;      ///< NumPy's name, used in messages
  std::string_view suffix;    ///< ends the names of device functions: exp_f32
  std::string_view spelling;  ///< C++ type of a computed value in emitted text
  std::string_view storage;   ///< C++ type of an element in memory in emitted text
};

inline constexpr std::array<element_type_facts, 15> element_types{{
    {element_type::boolean, element_kind::boolean, 1, 1, element_type::boolean, "bool", "b8", "bool",
     "unsigned char"},
    {element_type::int8, element_kind::signed_integer, 1, 7, element_type::int8, "int8", "i8", "signed char",
     "signed char"},
    {element_type::int16, element_kind::signed_integer, 2, 15, element_type::int16, "int16", "i16", "short",
     "short"},
    {element_type::int32, element_kind::signed_integer, 4, 31, element_type::int32, "int32", "i32", "int",
     "int"},
    {element_type::int64, element_kind::signed_integer, 8, 63, element_type::int64, "int64", "i64",
     "long long", "long long"},
    {element_type::uint8, element_kind::unsigned_integer, 1, 8, element_type::uint8, "uint8", "u8",
     "unsigned char", "unsigned char"},
    {element_type::uint16, element_kind::unsigned_integer, 2, 16, element_type::uint16, "uint16", "u16",
     "unsigned short", "unsigned short"},
    {element_type::uint32, element_kind::unsigned_integer, 4, 32, element_type::uint32, "uint32", "u32",
     "unsigned int", "unsigned int"},
    {element_type::uint64, element_kind::unsigned_integer, 8, 64, element_type::uint64, "uint64", "u64",
     "unsigned long long", "unsigned long long"},
    {element_type::float16, element_kind::floating, 2, 11, element_type::float32, "float16", "f16", "float",
     "unsigned short"},
    {element_type::bfloat16, element_kind::floating, 2, 8, element_type::float32, "bfloat16", "bf16", "float",
     "unsigned short"},
    {element_type::float32, element_kind::floating, 4, 24, element_type::float32, "float32", "f32", "float",
     "float"},
    {element_type::float64, element_kind::floating, 8, 53, element_type::float64, "float64", "f64", "double",
     "double"},
    {element_type::complex64, element_kind::complex, 8, 24, element_type::complex64, "complex64", "c64",
     "complex<float>", "complex<float>"},
    {element_type::complex128, element_kind::complex, 16, 53, element_type::complex128, "complex128", "c128",
     "complex<double>", "complex<double>"},
}};

constexpr const element_type_facts& facts_of(element_type type) {
  return element_types[static_cast<std::size_t>(type)];
}
constexpr std::size_t size_of(element_type type) { return facts_of(type).size; }
constexpr element_kind kind_of(element_type type) { return facts_of(type).kind; }
constexpr bool is_floating(element_type type) { return kind_of(type) == element_kind::floating; }
constexpr bool is_complex(element_type type) { return kind_of(type) == element_kind::complex; }
/// Whether arithmetic rounds: floating and complex types.
constexpr bool is_inexact(element_type type) { return is_floating(type) || is_complex(type); }
constexpr bool is_boolean(element_type type) { return type == element_type::boolean; }
constexpr bool is_integer(element_type type) { return !is_inexact(type) && !is_boolean(type); }
/// Whether elements are computed in a wider type: the halves.
constexpr bool is_storage_only(element_type type) { return facts_of(type).compute != type; }
/// Binary digits: of an integer's value without its sign, of a floating number's significand, of a complex
/// number's parts.
constexpr std::size_t digits_of(element_type type) { return facts_of(type).digits; }
/// Of a floating type: a sign, these bits and the significand without its first digit, which is implicit, are
/// its size.
constexpr int exponent_bits(element_type type) {
  return static_cast<int>(8 * size_of(type) - digits_of(type));
}
/// The exponents of a floating type's normal numbers: 2 to this power is one.
constexpr int greatest_exponent(element_type type) { return (1 << (exponent_bits(type) - 1)) - 1; }
constexpr int min_exponent(element_type type) { return 1 - greatest_exponent(type); }

/// The type of an operand. A weak operand comes from C++ scalars alone and takes the type it meets.
struct operand_type {
  element_type type;
  bool weak = false;
  constexpr bool operator==(const operand_type&) const = default;
};

/// The type of a complex number's parts; any other type itself.
constexpr element_type component_of(element_type type) {
  return type == element_type::complex64    ? element_type::float32
         : type == element_type::complex128 ? element_type::float64
                                            : type;
}
/// The complex type with parts of a floating type; complex64 for the half types.
constexpr element_type complex_of(element_type type) {
  return component_of(type) == element_type::float64 ? element_type::complex128 : element_type::complex64;
}

/// The floating type that holds an integer or boolean operand of a floating function (NumPy's table).
constexpr element_type floating_type(element_type type) {
  if (is_inexact(type)) return type;
  const std::size_t bytes = size_of(type);
  return bytes == 1 ? element_type::float16 : bytes == 2 ? element_type::float32 : element_type::float64;
}

/// Whether every element of `from` is an element of `to`.
constexpr bool holds_all(element_type from, element_type to) {
  if (from == to || is_boolean(from)) return true;
  if (is_boolean(to) || (is_complex(from) && !is_complex(to))) return false;
  if (is_complex(to)) return holds_all(component_of(from), component_of(to));
  if (digits_of(from) > digits_of(to)) return false;
  if (is_floating(from)) return is_floating(to) && greatest_exponent(from) <= greatest_exponent(to);
  return is_floating(to) || kind_of(from) == kind_of(to) || kind_of(to) == element_kind::signed_integer;
}

/// NumPy's promotion of two strong types, and ml_dtypes' where one is bfloat16: the narrowest type that has
/// the values of both. An integer that no given floating type holds takes its own one (floating_type), and
/// what no signed integer holds is float64.
constexpr element_type promote(element_type a, element_type b) {
  if (holds_all(a, b)) return b;
  if (holds_all(b, a)) return a;
  if (is_complex(a) || is_complex(b))
    return complex_of(promote(floating_type(component_of(a)), floating_type(component_of(b))));
  if (is_floating(a) != is_floating(b)) return promote(floating_type(a), floating_type(b));
  for (const element_type_facts& row : element_types)
    if (holds_all(a, row.type) && holds_all(b, row.type)) return row.type;
  return element_type::float64;
}

/// The strong type of a weak operand that meets nothing strong: NumPy's int64 for integers (uint64 stays, for
/// values that need it), otherwise its own.
constexpr operand_type settled(operand_type a) {
  if (a.weak && is_integer(a.type) && a.type != element_type::uint64) a.type = element_type::int64;
  return {a.type, false};
}

/// The type of a weak result of `rank` axes. Weak integers of several elements become strong, because whether
/// they fit a narrower type is unknown before they are computed.
constexpr operand_type settled_elements(operand_type a, unsigned rank) {
  return rank != 0 && is_integer(a.type) ? settled(a) : a;
}

/// Promotion with weak operands. A weak scalar takes the type it meets if that is of its kind or above. A
/// weak float that meets no floating type keeps its own; a weak integer that meets booleans becomes strong; a
/// weak complex scalar takes the width of a floating type. Of two weak operands a complex one decides, then a
/// floating one; a signed and an unsigned integer give int64.
constexpr operand_type promote(operand_type a, operand_type b) {
  if (a.weak && b.weak) {
    if (is_complex(a.type) != is_complex(b.type)) return is_complex(a.type) ? a : b;
    if (is_floating(a.type) != is_floating(b.type)) return is_floating(a.type) ? a : b;
    if (is_integer(a.type) && is_integer(b.type) && kind_of(a.type) != kind_of(b.type))
      return {element_type::int64, true};
  }
  if (a.weak == b.weak) return {promote(a.type, b.type), a.weak};
  const operand_type strong = a.weak ? b : a;
  const operand_type weak = a.weak ? a : b;
  if (is_complex(weak.type) && is_floating(strong.type)) return {complex_of(strong.type)};
  const bool yields = is_complex(weak.type)    ? is_complex(strong.type)
                      : is_floating(weak.type) ? is_inexact(strong.type)
                      : is_integer(weak.type)  ? !is_boolean(strong.type)
                                               : true;
  return yields ? strong : settled(weak);
}

/// Promotion of three operands, in any order: strong operands before weak ones, and floating types before
/// integers, as NumPy does it: int16, uint16 and float32 give float32, although the integers promote to
/// int32.
constexpr operand_type promote(operand_type a, operand_type b, operand_type c) {
  const auto in_order = [](operand_type& first, operand_type& second) {
    if (first.weak != second.weak ? second.weak : first.type >= second.type) return;
    const operand_type was = first;
    first = second;
    second = was;
  };
  in_order(a, b);
  in_order(b, c);
  in_order(a, b);
  return b.weak ? promote(a, promote(b, c)) : promote(promote(a, b), c);
}

/// Whether an operand converts to a type without a cast: it has that type, or is weak and promotes to it.
constexpr bool becomes(operand_type from, element_type to) {
  return from.weak ? promote(from, {to}).type == to : from.type == to;
}

}  // namespace sinter::inline v0
