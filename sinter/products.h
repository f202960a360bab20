/* Sinter in C99: builders' products of arrays. sinter/sinter.h says how functions are called, and what they
 * return.
 *
 * Threads: one thread at a time uses a builder; different builders are independent.
 * Throws: no exception: a sinter_status says what is wrong with operands or axes, sinter_last_message() why.
 * Extents and indices are checked by sinter_call.
 * After a failure: what results were to go to is as it was, and so are earlier values; the builder may hold
 * unused nodes. */
#ifndef SINTER_PRODUCTS_H
#define SINTER_PRODUCTS_H

#include <sinter/sinter.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* The matrix product, as NumPy's matmul: axes before the last two are broadcast together; a rank of 1 is one
 * row of a, or one column of b. */
SINTER_C_API sinter_status sinter_builder_matmul(sinter_builder* builder, sinter_value a, sinter_value b,
                                                 sinter_value* result);
/* As NumPy's dot: the sum of products along the last axis of a and the last but one of b, or its only one. */
SINTER_C_API sinter_status sinter_builder_dot(sinter_builder* builder, sinter_value a, sinter_value b,
                                              sinter_value* result);
/* The sum of conj(a) times b along an axis of each; -1 is the last one. */
SINTER_C_API sinter_status sinter_builder_vecdot(sinter_builder* builder, sinter_value a, sinter_value b,
                                                 int32_t axis, sinter_value* result);
/* The product of each element of a with each one of b: both are taken as one axis. */
SINTER_C_API sinter_status sinter_builder_outer(sinter_builder* builder, sinter_value a, sinter_value b,
                                                sinter_value* result);
/* Sums of products by labels of axes, as NumPy's einsum: "ij,jk->ik". One to three operands; no ellipsis. */
SINTER_C_API sinter_status sinter_builder_einsum(sinter_builder* builder, const char* subscripts,
                                                 const sinter_value* operands, size_t operand_count,
                                                 sinter_value* result);

#undef SINTER_C_API

#ifdef __cplusplus
}
#endif

#endif
