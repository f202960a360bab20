#pragma once
// fmt::print("{}", x) for arrays, views and any_arrays: as operator<< writes them, which is as NumPy does.
// Needs fmt (https://fmt.dev), 9 or later, in the program; the library itself has no use for this header.

#include <sinter/sinter.hpp>

#include <fmt/ostream.h>

#include <type_traits>

template <class T, unsigned Rank>
struct fmt::formatter<sinter::array<T, Rank>> : fmt::ostream_formatter {};
template <class T, unsigned Rank>
struct fmt::formatter<sinter::view<T, Rank>> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<sinter::any_array> : fmt::ostream_formatter {};
template <>
struct fmt::formatter<sinter::any_view> : fmt::ostream_formatter {};
