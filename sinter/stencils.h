/* Sinter in C99: builders' differences, slopes, areas and convolutions along an axis. sinter/sinter.h says
 * how functions are called, and what they return.
 *
 * Threads: one thread at a time uses a builder; different builders are independent.
 * Throws: no exception: a sinter_status says what is wrong with operands or axes, sinter_last_message() why.
 * Extents and indices are checked by sinter_call.
 * After a failure: what results were to go to is as it was, and so are earlier values; the builder may hold
 * unused nodes. */
#ifndef SINTER_STENCILS_H
#define SINTER_STENCILS_H

#include <sinter/sinter.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Differences of neighbours along an axis, x[i + 1] - x[i], `order` times, from 0 to 32: NumPy's diff. Of
 * booleans whether neighbours differ. */
SINTER_C_API sinter_status sinter_builder_diff(sinter_builder* builder, sinter_value x, int32_t order,
                                               int32_t axis, sinter_value* result);
/* The slope at each element, as NumPy's gradient along one axis. `spacing` is a number, or an array of rank
 * 1: the coordinate of each element. At both ends of the axis the slope is that through two elements, or
 * through three. */
typedef int32_t sinter_edge_order;
enum { sinter_edge_first = 1, sinter_edge_second = 2 };
SINTER_C_API sinter_status sinter_builder_gradient(sinter_builder* builder, sinter_value x,
                                                   sinter_value spacing, int32_t axis, sinter_edge_order ends,
                                                   sinter_value* result);
/* The area below y by the trapezoidal rule. `spacing` is a number, or coordinates: an array of rank 1, or of
 * the rank of y. */
SINTER_C_API sinter_status sinter_builder_trapezoid(sinter_builder* builder, sinter_value y,
                                                    sinter_value spacing, int32_t axis, sinter_value* result);
/* The convolution of x along an axis with a kernel of rank 1: element i is the sum of kernel[j] x[i - j],
 * where x is 0 past its ends, of n elements and m of the kernel. Integers wrap. */
typedef int32_t sinter_convolution;
enum {
  sinter_convolution_full = 0, /* n + m - 1 results */
  sinter_convolution_same = 1, /* max(n, m), those in the middle */
  sinter_convolution_valid = 2 /* those at which the shorter lies within the longer */
};
SINTER_C_API sinter_status sinter_builder_convolve(sinter_builder* builder, sinter_value x,
                                                   sinter_value kernel, sinter_convolution mode, int32_t axis,
                                                   sinter_value* result);
/* The same with the kernel's order reversed, and of complex numbers its conjugates. */
SINTER_C_API sinter_status sinter_builder_correlate(sinter_builder* builder, sinter_value x,
                                                    sinter_value kernel, sinter_convolution mode,
                                                    int32_t axis, sinter_value* result);

#undef SINTER_C_API

#ifdef __cplusplus
}
#endif

#endif
