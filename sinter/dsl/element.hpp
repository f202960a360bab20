#pragma once
// C++ types and element types: which C++ types are elements, and which C++ type stands for an operand's type
// in value<T, Rank>.
//
// Threads: nothing here has state: any thread may use it at any time.
// Throws: nothing.

#include <sinter/codegen/types/element_type.hpp>
#include <sinter/dsl/half.hpp>

#include <type_traits>

// CUDA's 16-bit types are accepted as elements, without including their headers.
struct __half;         // NOLINT(readability-identifier-naming): the name is CUDA's
struct __nv_bfloat16;  // NOLINT(readability-identifier-naming)

namespace sinter::inline v0 {

/// Marks the type of a value that comes from a C++ scalar and takes the type it meets: `value<weak<float>,
/// 0>`.
template <class T>
struct weak {};

namespace detail {

template <class T>
struct element_traits {};
template <element_type Type>
struct element_storage {
  static_assert(!is_complex(Type), "complex numbers are std::complex: include <sinter/complex.hpp>");
  using type = void;
};

#define SINTER_ELEMENT(cpp, name)                            \
  template <>                                                \
  struct element_traits<cpp> {                               \
    static constexpr element_type type = element_type::name; \
  };
SINTER_ELEMENT(bool, boolean)
SINTER_ELEMENT(signed char, int8)
SINTER_ELEMENT(short, int16)
SINTER_ELEMENT(int, int32)
SINTER_ELEMENT(long long, int64)
SINTER_ELEMENT(unsigned char, uint8)
SINTER_ELEMENT(unsigned short, uint16)
SINTER_ELEMENT(unsigned int, uint32)
SINTER_ELEMENT(unsigned long long, uint64)
SINTER_ELEMENT(float16, float16)
SINTER_ELEMENT(bfloat16, bfloat16)
SINTER_ELEMENT(::__half, float16)
SINTER_ELEMENT(::__nv_bfloat16, bfloat16)
SINTER_ELEMENT(float, float32)
SINTER_ELEMENT(double, float64)
#undef SINTER_ELEMENT
template <>
struct element_traits<char>
    : element_traits<std::conditional_t<std::is_signed_v<char>, signed char, unsigned char>> {};
template <>
struct element_traits<long> : element_traits<std::conditional_t<sizeof(long) == 8, long long, int>> {};
template <>
struct element_traits<unsigned long>
    : element_traits<std::conditional_t<sizeof(long) == 8, unsigned long long, unsigned int>> {};

// The one C++ type that values and results use for an element type.
#define SINTER_STORAGE(name, cpp)              \
  template <>                                  \
  struct element_storage<element_type::name> { \
    using type = cpp;                          \
  };
SINTER_STORAGE(boolean, bool)
SINTER_STORAGE(int8, std::int8_t)
SINTER_STORAGE(int16, std::int16_t)
SINTER_STORAGE(int32, std::int32_t)
SINTER_STORAGE(int64, std::int64_t)
SINTER_STORAGE(uint8, std::uint8_t)
SINTER_STORAGE(uint16, std::uint16_t)
SINTER_STORAGE(uint32, std::uint32_t)
SINTER_STORAGE(uint64, std::uint64_t)
SINTER_STORAGE(float16, float16)
SINTER_STORAGE(bfloat16, bfloat16)
SINTER_STORAGE(float32, float)
SINTER_STORAGE(float64, double)
#undef SINTER_STORAGE

template <element_type Type>
using storage_type = typename element_storage<Type>::type;

/// The operand type that a value's type parameter stands for.
template <class T>
inline constexpr operand_type operand_type_of{element_traits<T>::type, false};
template <class T>
inline constexpr operand_type operand_type_of<weak<T>>{element_traits<T>::type, true};

/// The element type without the mark.
template <class T>
struct unmarked {
  using type = T;
};
template <class T>
struct unmarked<weak<T>> {
  using type = T;
};

/// A constraint asks for this: nvcc takes no member of operand_type_of there.
template <class T>
inline constexpr bool is_weak = false;
template <class T>
inline constexpr bool is_weak<weak<T>> = true;

/// The inverse of operand_type_of; gives one C++ type for each operand type.
template <element_type Type, bool Weak>
struct spelled {
  using type = storage_type<Type>;
};
template <element_type Type>
struct spelled<Type, true> {
  using type = weak<storage_type<Type>>;
};
template <element_type Type, bool Weak>
using spelling_of = typename spelled<Type, Weak>::type;

}  // namespace detail

/// A C++ type that may be an element of an array, const or not.
template <class T>
concept element = requires { detail::element_traits<std::remove_const_t<T>>::type; };

/// The element type of a C++ type.
template <element T>
inline constexpr element_type element_type_of = detail::element_traits<std::remove_const_t<T>>::type;

namespace detail {
/// The C++ type that values use for this element type: the same for `long` and `long long`, float16 for
/// `__half`.
template <element T>
using canonical = storage_type<element_type_of<T>>;
}  // namespace detail

}  // namespace sinter::inline v0
