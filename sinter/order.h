/* Sinter in C99: builders' elements in order along an axis: sorts, the largest elements, medians, quantiles
 * and random orders. sinter/sinter.h says how functions are called, and what they return.
 *
 * Threads: one thread at a time uses a builder; different builders are independent.
 * Throws: no exception: a sinter_status says what is wrong with operands or axes, sinter_last_message() why.
 * Extents and indices are checked by sinter_call.
 * After a failure: what results were to go to is as it was, and so are earlier values; the builder may hold
 * unused nodes. */
#ifndef SINTER_ORDER_H
#define SINTER_ORDER_H

#include <sinter/sinter.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Equal elements keep the order of their positions. NaN of either sign is larger than all numbers, and -0
 * equals 0, as in NumPy. Complex numbers are in order of their real parts, then of their imaginary parts, and
 * behind them those that have NaN: R + nan j by R, nan + R j by R, nan + nan j. They have no largest
 * elements, no medians and no quantiles: sinter_type_error. */

/* The positions along an axis by which elements are in order: NumPy's argsort(kind="stable"), of int64. Keys
 * with values: gather the values at the positions by the keys. */
SINTER_C_API sinter_status sinter_builder_argsort(sinter_builder* builder, sinter_value x, int32_t axis,
                                                  sinter_value* result);
/* The elements in order along an axis. */
SINTER_C_API sinter_status sinter_builder_sort(sinter_builder* builder, sinter_value x, int32_t axis,
                                               sinter_value* result);
/* The `count` largest elements along an axis, from 1 to 32, the largest first, and their positions, of int64;
 * of equal ones those at the lowest positions. An axis of fewer elements is a sinter_shape_error of the call.
 */
SINTER_C_API sinter_status sinter_builder_top_elements(sinter_builder* builder, sinter_value x, int32_t count,
                                                       int32_t axis, sinter_value* result);
SINTER_C_API sinter_status sinter_builder_top_positions(sinter_builder* builder, sinter_value x,
                                                        int32_t count, int32_t axis, sinter_value* result);
/* The middle element along an axis, or the mean of the two in the middle; NaN where a row has NaN. */
SINTER_C_API sinter_status sinter_builder_median(sinter_builder* builder, sinter_value x, int32_t axis,
                                                 sinter_value* result);
/* The element below which a fraction q of a row lies, between two elements as NumPy's method "linear". q is a
 * number, or an array of rank 1, whose axis is then the first of the result; NaN where q is not between 0 and
 * 1, and where a row has NaN. */
SINTER_C_API sinter_status sinter_builder_quantile(sinter_builder* builder, sinter_value x, sinter_value q,
                                                   int32_t axis, sinter_value* result);
/* Of an array of rank 1 in order, whether an element is the first of those that equal it; all NaN are equal.
 * Compressed by it, the sorted array has each element once. */
SINTER_C_API sinter_status sinter_builder_first_of_equal(sinter_builder* builder, sinter_value x,
                                                         sinter_value* result);

/* The numbers 0, 1, ... n - 1 in a random order, of int64: the positions by which 64 random bits for each are
 * in order. n, seed and sequence are integers of rank 0, the latter two modulo 2^64. */
SINTER_C_API sinter_status sinter_builder_permutation(sinter_builder* builder, sinter_value n,
                                                      sinter_value seed, sinter_value sequence,
                                                      sinter_value* result);
/* x in the order that sinter_builder_permutation gives for its extent along an axis: rows move whole. */
SINTER_C_API sinter_status sinter_builder_shuffled(sinter_builder* builder, sinter_value x, sinter_value seed,
                                                   sinter_value sequence, int32_t axis, sinter_value* result);

#undef SINTER_C_API

#ifdef __cplusplus
}
#endif

#endif
