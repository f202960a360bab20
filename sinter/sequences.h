/* Sinter in C99: calls that are recorded once and replayed together, on a GPU as one CUDA graph and on the
 * CPU as one job. sinter/sequence.hpp says what a replay does; sinter/sinter.h how arguments are given.
 *
 * Threads: one thread at a time uses a sequence; different sequences are independent.
 * Throws: no exception: a sinter_status says what failed, sinter_last_message() why.
 * After a failure: sinter_sequence_add and sinter_sequence_change leave the sequence as it was, and results
 * are not written. sinter_sequence_run keeps all steps; targets are unspecified if kernels already ran. */
#ifndef SINTER_SEQUENCES_H
#define SINTER_SEQUENCES_H

#include <sinter/sinter.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Calls on one device. One thread at a time uses a sequence. */
typedef struct sinter_sequence sinter_sequence;

SINTER_C_API sinter_status sinter_sequence_create(sinter_device device, sinter_sequence** sequence);
/* Replays that are queued still run. */
SINTER_C_API void sinter_sequence_destroy(sinter_sequence* sequence);

/* Compiles the call, with a target for each result, takes its workspace, and appends it; runs nothing. It
 * comes after each earlier step that writes what it uses, or uses what it writes. The arguments name no
 * stream and no workspace, and `assume_ordered` is 0. Arrays on a GPU are kept; other memory must outlive the
 * sequence. `step`, which may be a null pointer, receives its number, from 0. A target that would need a
 * temporary is a sinter_shape_error. */
SINTER_C_API sinter_status sinter_sequence_add(sinter_sequence* sequence, const sinter_function* function,
                                               const sinter_arguments* arguments, size_t* step);
/* Gives a step other operands and scalars, all of them, without targets. `function` is the one that the step
 * was added with. The arguments name no stream and no workspace, and `assume_ordered` is 0. Another number of
 * operands is a sinter_type_error. Operands keep their types, extents and strides, and alignment (up to 16
 * bytes), else a sinter_shape_error names the one; the step then stays as it was. Compiles nothing. */
SINTER_C_API sinter_status sinter_sequence_change(sinter_sequence* sequence, size_t step,
                                                  const sinter_function* function,
                                                  const sinter_arguments* arguments);
/* Replays all steps, on a stream or, for a null pointer, on the device's default stream. On a GPU this
 * returns when the work is queued. */
SINTER_C_API sinter_status sinter_sequence_run(sinter_sequence* sequence, const sinter_stream* stream);
/* A line for each step: its function, its kernels, and the steps that it comes after. Valid until the thread
 * asks for another text. */
SINTER_C_API sinter_status sinter_sequence_explain(const sinter_sequence* sequence, const char** text);

#ifdef __cplusplus
}
#endif

#undef SINTER_C_API

#endif
