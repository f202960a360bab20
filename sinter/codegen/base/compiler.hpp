#pragma once
// The compilers that take the headers. Included first, so that an older one says this before all that it does
// not know.

#if !defined(__cplusplus) || __cplusplus < 202002L
#error "Sinter needs C++20: compile with -std=c++20 (g++ 12, clang 19 or nvcc 13, or later)"
#elif defined(__CUDACC_VER_MAJOR__) && __CUDACC_VER_MAJOR__ < 13
#error "Sinter needs nvcc 13 or later, with g++ 12 or clang 19 as host compiler"
#elif defined(__clang_major__) && __clang_major__ < 19
#error "Sinter needs clang 19 or later, or g++ 12"
#elif !defined(__clang_major__) && defined(__GNUC__) && __GNUC__ < 12
#error "Sinter needs g++ 12 or later, or clang 19"
#endif
