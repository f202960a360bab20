#pragma once
// fmt::print("{}", x) for arrays, views and any_arrays: as operator<< writes them, which is as NumPy does.
// Needs fmt (https://fmt.dev), 9 or later, in the program; the library itself has no use for this header.
//
// Threads: several threads may print an array at once, as long as none writes it.
// Throws: what operator<< throws: index_error, execution_error or device_error of the work that made the
// elements, out_of_memory.
// After a failure: nothing of the array has been written; its elements are as they were.

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
