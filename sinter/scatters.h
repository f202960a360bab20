/* Sinter in C99: builders' writes at positions that are values, counts of integers and of bins, segments and
 * chosen elements. sinter/sinter.h says how functions are called, and what they return.
 *
 * Threads: one thread at a time uses a builder; different builders are independent.
 * Throws: no exception: a sinter_status says what is wrong with operands or axes, sinter_last_message() why.
 * Extents and indices are checked by sinter_call.
 * After a failure: what results were to go to is as it was, and so are earlier values; the builder may hold
 * unused nodes. */
#ifndef SINTER_SCATTERS_H
#define SINTER_SCATTERS_H

#include <sinter/sinter.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The base, some of whose elements are combined with updates at positions along an axis: element
 * (..., index (..., i, ...), ...) with updates (..., i, ...), for each i; the base's type and shape, and the
 * same on every run. An index of rank 1 is one of rows, which stand along the axis; else it has as many axes
 * as the base, or any number for a base of rank 1. Updates are converted to the base's type. An index out of
 * range is an error as for sinter_builder_gather, and its update is not written. The guide has the error of
 * floating sums ("Scatters"). */
typedef int32_t sinter_scatter_combine;
enum {
  sinter_scatter_add = 0,
  sinter_scatter_minimum = 1, /* NaN if one of them is; -0 is below 0 */
  sinter_scatter_maximum = 2,
  sinter_scatter_last = 3, /* the update that comes last, row-major */
  sinter_scatter_add_unordered =
      4 /* floating sums in an order, and with last bits, that differ between calls */
};
typedef int32_t sinter_scatter_rule;
enum {
  sinter_scatter_checked = 0,  /* negative indices count from the end */
  sinter_scatter_within = 1,   /* what is out of range, and negative, is left out, and is no error */
  sinter_scatter_from_zero = 2 /* negative indices are out of range */
};
SINTER_C_API sinter_status sinter_builder_scatter(sinter_builder* builder, sinter_value base,
                                                  sinter_value index, sinter_value updates, int32_t axis,
                                                  sinter_scatter_combine combine, sinter_scatter_rule rule,
                                                  sinter_value* result);
/* How often each of the integers from 0 to n - 1 is among k, int64, or the sums of the weights of each, of
 * which integers are added in 64 bits. Others are out of range. `weights` may be null. */
SINTER_C_API sinter_status sinter_builder_bincount(sinter_builder* builder, sinter_value k, sinter_value n,
                                                   const sinter_value* weights, sinter_value* result);
/* How many elements of x lie in each bin, as NumPy's histogram(x, bins, (low, high)), whose edges are rounded
 * to a floating type: that of x, float64 for integers. `low` and `high` have rank 0; `weights` may be null.
 */
SINTER_C_API sinter_status sinter_builder_histogram(sinter_builder* builder, sinter_value x,
                                                    sinter_value bins, sinter_value low, sinter_value high,
                                                    sinter_element_type edges, const sinter_value* weights,
                                                    sinter_value* result);
/* The same for points (x, y), with edges of float64. A range is bins, low and high. */
SINTER_C_API sinter_status sinter_builder_histogram2d(sinter_builder* builder, sinter_value x, sinter_value y,
                                                      const sinter_value* range_x,
                                                      const sinter_value* range_y,
                                                      const sinter_value* weights, sinter_value* result);
/* Of the rows of x along an axis the sums, least or greatest elements, or means of each of n segments, whose
 * number `segments`, of rank 1, has for each row. */
typedef int32_t sinter_segment_result;
enum {
  sinter_segment_sum = 0,
  sinter_segment_minimum = 1,      /* without rows: the greatest number of the type */
  sinter_segment_maximum = 2,      /* without rows: the least number of the type */
  sinter_segment_mean = 3,         /* without rows: NaN */
  sinter_segment_sum_unordered = 4 /* as sinter_scatter_add_unordered */
};
SINTER_C_API sinter_status sinter_builder_segment(sinter_builder* builder, sinter_value x,
                                                  sinter_value segments, sinter_value n,
                                                  sinter_segment_result of, int32_t axis,
                                                  sinter_value* result);
/* The row-major positions of the elements that are not 0, int64, and then zeros: as many as x has elements.
 */
SINTER_C_API sinter_status sinter_builder_nonzero(sinter_builder* builder, sinter_value x,
                                                  sinter_value* result);
/* The elements where a mask of the same shape is not 0, row-major, and then zeros. */
SINTER_C_API sinter_status sinter_builder_compress(sinter_builder* builder, sinter_value x, sinter_value mask,
                                                   sinter_value* result);
/* The first elements of an array of rank 1, as many as a number says that a call has given: an array of int64
 * and rank 0. So the results of a function that chooses elements become an array of exactly these:
 *     sinter_array_first(elements, count, &chosen)
 * Waits for the number, and copies on the device's default stream. A number below 0 or beyond the array is a
 * sinter_shape_error. */
SINTER_C_API sinter_status sinter_array_first(const sinter_array* array, const sinter_array* count,
                                              sinter_array** first);

#undef SINTER_C_API

#ifdef __cplusplus
}
#endif

#endif
