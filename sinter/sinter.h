/* Sinter in C99, and for every language that calls C: graphs built node by node, compiled, and called on
 * tensors.
 *
 *     sinter_builder* builder;
 *     sinter_value x, y, sum;
 *     sinter_function* add;
 *     sinter_builder_create(sinter_standard, &builder);
 *     sinter_builder_input(builder, sinter_float32, 1, &x);
 *     sinter_builder_input(builder, sinter_float32, 1, &y);
 *     sinter_builder_apply(builder, "add", (sinter_value[]){x, y}, 2, &sum);
 *     sinter_builder_output(builder, sum);
 *     sinter_builder_finish(builder, &add);
 *     sinter_operand operands[] = {{&x_tensor, NULL}, {&y_tensor, NULL}}, target = {&sum_tensor, NULL};
 *     sinter_arguments arguments = {.size = sizeof arguments, .operands = operands, .operand_count = 2,
 *                                   .into = &target, .into_count = 1};
 *     if (sinter_call(add, &arguments, NULL, 0) != sinter_ok) puts(sinter_last_message());
 *
 * - A function that can fail returns a sinter_status: sinter_ok, or a code, with sinter_last_message() for
 * the text. A null pointer is refused with sinter_invalid_argument.
 * - What a function makes goes to its last parameters. The caller owns the handles and gives each to its
 *   sinter_..._destroy, which ignores a null pointer.
 * - Texts are UTF-8, end with 0, and belong to the library; each function says how long.
 * - Numbers of constants never change. New ones may be added.
 *
 * Threads: any thread may call any function. A function handle may be used by several at once, any other
 * handle by one at a time; several may read an array. The latest message is the thread's own.
 * Throws: no exception: a sinter_status says what failed, sinter_last_message() why. A fault on a GPU is met
 * later, by what waits for the stream: an index out of range as sinter_shape_error, a kernel's fault as
 * sinter_execution_error.
 * After a failure: no handle or value has been made, and what results were to go to is as it was. A call's
 * targets are too, unless kernels already ran: then they are unspecified, as is what sinter_array_read and
 * sinter_array_write copied. sinter_array_from_dlpack has called the deleter, except for a null pointer. */
#ifndef SINTER_SINTER_H
#define SINTER_SINTER_H

#include <stddef.h>
#include <stdint.h>

#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_C_API __attribute__((visibility("default")))
#else
#define SINTER_C_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- errors ------------------------------------------------------------------------------------------- */

/* What became of a call; the errors of <sinter/runtime/error.hpp> as numbers. */
typedef int32_t sinter_status;
enum {
  sinter_ok = 0,
  sinter_shape_error = 1,      /* shapes, ranks, axes or indices do not fit together */
  sinter_type_error = 2,       /* element types do not fit together, or a scalar does not fit its type */
  sinter_device_error = 3,     /* a device, its driver, or a library for it is missing or refused a request */
  sinter_cache_error = 4,      /* a named pack or cache entry is missing, damaged, or of another kind */
  sinter_out_of_memory = 5,    /* an allocation failed */
  sinter_compile_error = 6,    /* generated code did not compile */
  sinter_execution_error = 7,  /* a kernel failed to launch or while it ran */
  sinter_invalid_argument = 8, /* a null pointer, an unknown name or number, a value of another builder */
  sinter_other_error = 9       /* any other C++ exception */
};

/* The message of the calling thread's latest failure; "" if it had none. Valid until the thread's next one.
 */
SINTER_C_API const char* sinter_last_message(void);
/* "shape_error" for sinter_shape_error; "unknown" for a number that is no status. Always valid. */
SINTER_C_API const char* sinter_status_name(sinter_status status);

/* ---- facts -------------------------------------------------------------------------------------------- */

/* The version of the library that runs: 10000 * major + 100 * minor + patch, and as text. Always valid. */
SINTER_C_API int32_t sinter_version(void);
SINTER_C_API const char* sinter_version_text(void);
/* The number of usable CUDA devices, which have the numbers from 0. */
SINTER_C_API sinter_status sinter_cuda_device_count(int32_t* count);
/* Why there is no usable CUDA device, and what to install; "" if there is one. Valid until the thread asks
 * for another text. */
SINTER_C_API sinter_status sinter_cuda_absence_reason(const char** reason);

/* ---- types, devices, tensors -------------------------------------------------------------------------- */

typedef int32_t sinter_element_type;
enum {
  sinter_boolean = 0,
  sinter_int8 = 1,
  sinter_int16 = 2,
  sinter_int32 = 3,
  sinter_int64 = 4,
  sinter_uint8 = 5,
  sinter_uint16 = 6,
  sinter_uint32 = 7,
  sinter_uint64 = 8,
  sinter_float16 = 9,
  sinter_bfloat16 = 10,
  sinter_float32 = 11,
  sinter_float64 = 12,
  sinter_complex64 = 13,
  sinter_complex128 = 14
};

/* NumPy's name of an element type, such as "float32"; a null pointer if there is no such type. Always valid.
 */
SINTER_C_API const char* sinter_element_type_name(sinter_element_type type);

/* A device as DLPack names it. */
typedef struct sinter_device {
  int32_t device_type; /* sinter_cpu, sinter_cuda */
  int32_t device_id;   /* 0 for the CPU */
} sinter_device;
enum { sinter_cpu = 1, sinter_cuda = 2 };

/* An element type as DLPack names it: float32 has code 2, 32 bits and 1 lane. */
typedef struct sinter_dlpack_type {
  uint8_t code; /* 0: signed integer, 1: unsigned integer, 2: float, 4: bfloat16, 5: complex, 6: boolean */
  uint8_t bits;
  uint16_t lanes; /* 1 */
} sinter_dlpack_type;

/* A tensor in memory that somebody else owns. It has the layout of DLPack's DLTensor: a pointer to one of
 * those may be cast to a pointer to this. */
typedef struct sinter_tensor {
  void* data;
  sinter_device device;
  int32_t ndim; /* at most 32 */
  sinter_dlpack_type dtype;
  int64_t* shape;       /* ndim extents */
  int64_t* strides;     /* in elements; a null pointer: row-major */
  uint64_t byte_offset; /* from data to the first element */
} sinter_tensor;

/* A tensor with its owner. It has the layout of DLPack's DLManagedTensor. */
typedef struct sinter_managed_tensor {
  sinter_tensor dl_tensor;
  void* manager_ctx;
  void (*deleter)(struct sinter_managed_tensor* self);
} sinter_managed_tensor;

/* A tensor with its owner and a version, as DLPack exchanges them from 1.0 on. It has the layout of DLPack's
 * DLManagedTensorVersioned. */
typedef struct sinter_dlpack_version {
  uint32_t major; /* 1; of another one, only `deleter` may be used */
  uint32_t minor;
} sinter_dlpack_version;
typedef struct sinter_versioned_tensor {
  sinter_dlpack_version version;
  void* manager_ctx;
  void (*deleter)(struct sinter_versioned_tensor* self);
  uint64_t flags; /* bits: sinter_read_only; others are ignored */
  sinter_tensor dl_tensor;
} sinter_versioned_tensor;
enum { sinter_read_only = 1 };

/* A queue of work on one device; see below. */
typedef struct sinter_stream sinter_stream;

/* ---- arrays ------------------------------------------------------------------------------------------- */

/* An array owns its elements. They are row-major, and may be written, unless a tensor was taken over that is
 * not so. */
typedef struct sinter_array sinter_array;

/* A new array with uninitialised elements. `extents` has `rank` numbers. */
SINTER_C_API sinter_status sinter_array_create(sinter_element_type type, int32_t rank, const int64_t* extents,
                                               sinter_device device, sinter_array** array);
/* The memory is freed after the work that uses it. */
SINTER_C_API void sinter_array_destroy(sinter_array* array);
/* The array as a tensor, which borrows elements, shape and strides: valid as long as the array. */
SINTER_C_API sinter_status sinter_array_tensor(const sinter_array* array, sinter_tensor* tensor);
/* Copies all elements to or from memory of the CPU: `bytes` bytes, which must be the size of the array. Waits
 * for the work that uses the array, and for the copy. The elements must be row-major. */
SINTER_C_API sinter_status sinter_array_read(const sinter_array* array, void* to, size_t bytes);
SINTER_C_API sinter_status sinter_array_write(sinter_array* array, const void* from, size_t bytes);
/* Hands the array over to DLPack: the tensor owns it, and its deleter destroys it. On success the handle is
 * gone. Who takes the tensor on another stream must be ordered behind the work that writes it. A pointer to
 * the result may be cast to DLManagedTensor*. Read-only elements are refused: such a tensor cannot say so. */
SINTER_C_API sinter_status sinter_array_to_dlpack(sinter_array* array, sinter_managed_tensor** tensor);
/* The same as a versioned tensor, which says whether it is read only. `consumer`, if it is no null pointer,
 * waits for the work that writes the array, and must exist until the deleter's call or sinter_stream_forget.
 */
SINTER_C_API sinter_status sinter_array_to_dlpack_versioned(sinter_array* array,
                                                            const sinter_stream* consumer,
                                                            sinter_versioned_tensor** tensor);
/* Takes a tensor over, also where this fails, except for a null pointer: the array owns it. Its deleter is
 * called once, after the work that uses the elements. Nothing is copied. A read-only tensor is an operand and
 * no target. Of a tensor of another major version only the deleter is called. */
SINTER_C_API sinter_status sinter_array_from_dlpack(sinter_managed_tensor* tensor, sinter_array** array);
SINTER_C_API sinter_status sinter_array_from_dlpack_versioned(sinter_versioned_tensor* tensor,
                                                              sinter_array** array);

/* ---- streams ------------------------------------------------------------------------------------------ */

/* A sinter_stream is a queue of work on one device. Calls on one stream run in order. Calls on two streams
 * run side by side, unless they share a sinter_array: then the later one waits on the device. For tensors the
 * order is the caller's. */

/* A new stream. */
SINTER_C_API sinter_status sinter_stream_create(sinter_device device, sinter_stream** stream);
/* A stream that somebody else made, borrowed: `native` is a CUstream or cudaStream_t, or a null pointer for
 * the device's default stream. It must outlive its use, or be announced by sinter_stream_forget. */
SINTER_C_API sinter_status sinter_stream_borrow(sinter_device device, void* native, sinter_stream** stream);
/* A borrowed stream itself stays. */
SINTER_C_API void sinter_stream_destroy(sinter_stream* stream);
/* The CUstream; a null pointer for a default stream. */
SINTER_C_API sinter_status sinter_stream_native(const sinter_stream* stream, void** native);
/* Waits until all work that was queued on it is done, and reports the errors of that work. */
SINTER_C_API sinter_status sinter_stream_synchronize(const sinter_stream* stream);
/* Reports an index that finished work found out of range, a sinter_shape_error, and begins anew. Waits for
 * nothing. */
SINTER_C_API sinter_status sinter_stream_check(const sinter_stream* stream);
/* Tells that the owner of a borrowed stream is about to destroy it. */
SINTER_C_API sinter_status sinter_stream_forget(const sinter_stream* stream);
/* Waits for all work on the device. */
SINTER_C_API sinter_status sinter_synchronize(sinter_device device);

/* ---- building graphs ---------------------------------------------------------------------------------- */

/* A graph under construction. */
typedef struct sinter_builder sinter_builder;
/* A value of a builder's graph, valid as long as the builder; 0 is none. */
typedef uint64_t sinter_value;

typedef int32_t sinter_arithmetic_mode;
enum {
  sinter_standard = 0,
  sinter_strict = 1, /* rounds each operation to its own type */
  sinter_fast = 2    /* approximates some functions */
};

/* The name of operation `index`, counted from 0; a null pointer if there are no more. docs/operations.md
 * tells what each of them means, and their operands and types. Always valid. */
SINTER_C_API const char* sinter_operation_name(size_t index);

SINTER_C_API sinter_status sinter_builder_create(sinter_arithmetic_mode mode, sinter_builder** builder);
SINTER_C_API void sinter_builder_destroy(sinter_builder* builder);
/* Names the kernels, for profilers and messages. */
SINTER_C_API sinter_status sinter_builder_name(sinter_builder* builder, const char* name);

/* The next operand: an array of this type and rank. */
SINTER_C_API sinter_status sinter_builder_input(sinter_builder* builder, sinter_element_type type,
                                                int32_t rank, sinter_value* input);
/* The next scalar, which each call gives: another number compiles nothing. A weak one (not 0) takes the type
 * that it meets, as a Python number beside a NumPy array does. Complex types: make_complex of two. */
SINTER_C_API sinter_status sinter_builder_parameter(sinter_builder* builder, sinter_element_type type,
                                                    int32_t weak, sinter_value* parameter);
/* A constant, written into the kernel. It is weak; sinter_builder_cast gives it a type. */
SINTER_C_API sinter_status sinter_builder_real(sinter_builder* builder, double number, sinter_value* literal);
SINTER_C_API sinter_status sinter_builder_integer(sinter_builder* builder, int64_t number,
                                                  sinter_value* literal);

/* An operation on elements, by its name: "add", "exp", "where". Operands are broadcast, and promoted as NumPy
 * 2 does. */
SINTER_C_API sinter_status sinter_builder_apply(sinter_builder* builder, const char* operation,
                                                const sinter_value* operands, size_t operand_count,
                                                sinter_value* result);
/* A reduction along axes, by its name: "sum", "max". Negative axes count from the last. `axes` a null
 * pointer: along all axes. `keepdims` not 0: they stay, with extent 1. */
SINTER_C_API sinter_status sinter_builder_reduce(sinter_builder* builder, const char* operation,
                                                 sinter_value operand, const int32_t* axes, size_t axis_count,
                                                 int32_t keepdims, sinter_value* result);
/* A scan along one axis, by its name: "cumsum". A negative axis counts from the last. */
SINTER_C_API sinter_status sinter_builder_scan(sinter_builder* builder, const char* operation,
                                               sinter_value operand, int32_t axis, sinter_value* result);
/* Conversion to another type. */
SINTER_C_API sinter_status sinter_builder_cast(sinter_builder* builder, sinter_value operand,
                                               sinter_element_type type, sinter_value* result);
/* The position of each element along an axis, in the operand's shape; int64. */
SINTER_C_API sinter_status sinter_builder_coordinate(sinter_builder* builder, sinter_value operand,
                                                     int32_t axis, sinter_value* result);
/* The extent of an axis: a scalar, int64. */
SINTER_C_API sinter_status sinter_builder_extent(sinter_builder* builder, sinter_value operand, int32_t axis,
                                                 sinter_value* result);
/* Axis i of the result is axis axes[i] of the operand; all axes are named once. */
SINTER_C_API sinter_status sinter_builder_permute(sinter_builder* builder, sinter_value operand,
                                                  const int32_t* axes, size_t axis_count,
                                                  sinter_value* result);

/* An item of an index, as between NumPy's brackets. */
typedef struct sinter_index_item {
  int32_t kind;              /* sinter_slice, sinter_index, sinter_newaxis */
  int64_t start, stop, step; /* SINTER_ABSENT where there is none; an index is in `start` */
} sinter_index_item;
enum {
  sinter_slice = 0,  /* start : stop : step of the next axis */
  sinter_index = 1,  /* drops the next axis, at position `start` */
  sinter_newaxis = 2 /* adds an axis of extent 1 */
};
#define SINTER_ABSENT INT64_MIN
/* NumPy's basic indexing. Axes after the last item stay whole. */
SINTER_C_API sinter_status sinter_builder_view(sinter_builder* builder, sinter_value operand,
                                               const sinter_index_item* items, size_t item_count,
                                               sinter_value* result);

/* Arrays put together and taken apart. Nothing is stored in between: elements are read where they are. Sizes
 * and positions are integers of rank 0 that are known before a call: sinter_builder_integer, _parameter,
 * _extent, and casts and operations on these; sinter_type_error for others. Negative axes count from the
 * last. Sizes that do not fit each other are a sinter_shape_error of sinter_call. */
typedef int32_t sinter_extension;
enum {
  sinter_extend_broadcast = 0, /* the axis has 1 element, which is repeated, or `extent` */
  sinter_extend_edge = 1,      /* past the ends the first or the last element */
  sinter_extend_reflect = 2, /* past the ends the axis mirrored; the elements at its ends are not repeated */
  sinter_extend_wrap = 3,    /* past the ends the axis again */
  sinter_extend_repeat = 4   /* each element `extent` times */
};
/* An axis with `extent` elements, from position `first` on, of the endless axis that `rule` makes of it. To
 * pad: first = -before, extent = before + N + after. To roll by n: first = -n, extent = N, wrap; of any n:
 * -(n modulo N). Broadcast and repeat read no `first`, which may be 0. An integer that is computed with
 * numbers beyond 64 bits is a sinter_shape_error of sinter_call. */
SINTER_C_API sinter_status sinter_builder_extended(sinter_builder* builder, sinter_value operand,
                                                   int32_t axis, sinter_extension rule, sinter_value first,
                                                   sinter_value extent, sinter_value* result);
/* Arrays of one rank one after the other along an axis, in their promoted type. */
SINTER_C_API sinter_status sinter_builder_concatenate(sinter_builder* builder, const sinter_value* operands,
                                                      size_t operand_count, int32_t axis,
                                                      sinter_value* result);
/* Windows of `extent` elements that slide along an axis: their elements are a new last axis. */
SINTER_C_API sinter_status sinter_builder_window(sinter_builder* builder, sinter_value operand, int32_t axis,
                                                 sinter_value extent, sinter_value* result);
/* The elements (d, d + offset) of two axes, which vanish: they are a new last axis. */
SINTER_C_API sinter_status sinter_builder_diagonal(sinter_builder* builder, sinter_value operand,
                                                   int32_t row_axis, int32_t column_axis, sinter_value offset,
                                                   sinter_value* result);
/* An axis and the next one as one, row-major. */
SINTER_C_API sinter_status sinter_builder_merged(sinter_builder* builder, sinter_value operand, int32_t axis,
                                                 sinter_value* result);
/* An axis as two, row-major, of which the second has `extent` elements. `whole` not 0: the axis must have
 * `extent` elements, and stays. A reshape merges all axes, splits off the new ones from the last to the
 * second, and ends with a `whole` split for the first. */
SINTER_C_API sinter_status sinter_builder_split(sinter_builder* builder, sinter_value operand, int32_t axis,
                                                sinter_value extent, int32_t whole, sinter_value* result);

/* Elements at positions along an axis, which `index`, integers of the same rank, has: element (..., i, ...)
 * is operand (..., index (..., i, ...), ...), as NumPy's take_along_axis; the other axes are broadcast
 * together. NumPy's take(x, i, axis) is that of x with axes of 1 element in front of the axes behind `axis`,
 * as many as i has, and of i with such axes in the places of the others (sinter_builder_view adds and drops
 * axes). An index that is out of range where its element is used is a sinter_shape_error: of sinter_call on
 * the CPU, on a GPU of what waits for the stream next, or of sinter_stream_check. */
typedef int32_t sinter_index_rule;
enum {
  sinter_index_checked = 0, /* negative ones count from the end; others are out of range */
  sinter_index_wrap = 1,    /* modulo the extent */
  sinter_index_clip = 2     /* the nearest position */
};
SINTER_C_API sinter_status sinter_builder_gather(sinter_builder* builder, sinter_value operand,
                                                 sinter_value index, int32_t axis, sinter_index_rule rule,
                                                 sinter_value* result);

/* For each value the position at which it can be inserted in `sorted`, a tensor of rank 1 that ascends, so
 * that this stays sorted: int64, from 0 to the number of elements. NaN is the greatest number. */
typedef int32_t sinter_search_side;
enum {
  sinter_search_left = 0, /* before elements that are equal to it */
  sinter_search_right = 1 /* after them */
};
SINTER_C_API sinter_status sinter_builder_searchsorted(sinter_builder* builder, sinter_value sorted,
                                                       sinter_value values, sinter_search_side side,
                                                       sinter_value* result);
/* The piecewise linear function through the points (points[i], values[i]), of which points ascend, at x: in
 * the floating type of all three, float64 for integers. Before and behind all points it is `*left` and
 * `*right`, of rank 0, or the first and the last of `values` where the pointer is null. */
SINTER_C_API sinter_status sinter_builder_interp(sinter_builder* builder, sinter_value x, sinter_value points,
                                                 sinter_value values, const sinter_value* left,
                                                 const sinter_value* right, sinter_value* result);

/* Random numbers, by the name of their distribution; each is a function of its row-major position in `like`,
 * whose elements are not read, and of a seed and a sequence: integers of rank 0, modulo 2^64. The guide has
 * what each draws ("Random numbers").
 *   operands                        distribution                       type
 *   like, seed, sequence            "bits"                             uint32, uint64
 *   like, seed, sequence            "uniform", "normal", "exponential" float16, bfloat16, float32, float64
 *   like, low, high, seed, sequence "randint"                          int32, int64
 *   like, p, seed, sequence         "bernoulli"                        boolean
 * Other types are a sinter_type_error. */
SINTER_C_API sinter_status sinter_builder_random(sinter_builder* builder, const char* distribution,
                                                 sinter_element_type type, const sinter_value* operands,
                                                 size_t operand_count, sinter_value* result);

/* Adds a result of the graph. */
SINTER_C_API sinter_status sinter_builder_output(sinter_builder* builder, sinter_value result);

/* A graph that can be called: nothing changes it. */
typedef struct sinter_function sinter_function;

/* The function of the graph as it is now; the builder may be destroyed, or go on. Compiles nothing. */
SINTER_C_API sinter_status sinter_builder_finish(sinter_builder* builder, sinter_function** function);
SINTER_C_API void sinter_function_destroy(sinter_function* function);
/* The numbers of operands, scalars and results; a null pointer for what is not wanted. */
SINTER_C_API sinter_status sinter_function_counts(const sinter_function* function, size_t* operands,
                                                  size_t* scalars, size_t* results);
/* The graph as text, a line for each node. Valid until the thread asks for another text. */
SINTER_C_API sinter_status sinter_function_text(const sinter_function* function, const char** text);

/* ---- calls -------------------------------------------------------------------------------------------- */

/* An operand or a target: a tensor or an array, and a null pointer for the other. */
typedef struct sinter_operand {
  const sinter_tensor* tensor;
  const sinter_array* array;
} sinter_operand;

/* A number for a parameter, which must be able to hold it. sinter_of_real and the others make it. */
typedef struct sinter_scalar {
  int32_t kind; /* sinter_real_scalar, sinter_integer_scalar, sinter_unsigned_scalar */
  union {
    double real;
    int64_t integer;
    uint64_t natural;
  } number;
} sinter_scalar;
enum { sinter_real_scalar = 0, sinter_integer_scalar = 1, sinter_unsigned_scalar = 2 };
SINTER_C_API sinter_scalar sinter_of_real(double number);
SINTER_C_API sinter_scalar sinter_of_integer(int64_t number);
SINTER_C_API sinter_scalar sinter_of_unsigned(uint64_t number);

/* What a call works on and how it runs. Set `size` to sizeof(sinter_arguments), and to 0 what is not needed.
 * Operands, scalars and targets stand in the order in which the builder declared them. Operands and targets
 * are on one device. */
typedef struct sinter_arguments {
  size_t size;
  const sinter_operand* operands;
  size_t operand_count;
  const sinter_scalar* scalars;
  size_t scalar_count;
  const sinter_operand* into; /* a target for each result; they may share memory with operands */
  size_t into_count;          /* 0: results are new arrays */
  const sinter_stream* stream;
  void*
      native_stream; /* without `stream`: a CUstream or cudaStream_t, or 0 for the device's default stream */
  void* workspace;   /* device memory to use instead of allocating, if it is large enough */
  size_t workspace_bytes;
  int32_t assume_ordered; /* not 0: waits for no other stream, as the caller has ordered the work */
  int32_t shape_generic;  /* not 0: kernels that serve all shapes, instead of specialised ones */
} sinter_arguments;

/* Runs the function. With targets, `results` is a null pointer and `result_count` 0; without, `results` has
 * room for `result_count` handles, one for each result. On a GPU this returns when the work is queued:
 * tensors and their memory must outlive it. */
SINTER_C_API sinter_status sinter_call(const sinter_function* function, const sinter_arguments* arguments,
                                       sinter_array** results, size_t result_count);
/* Compiles what the same call would need, and runs nothing. */
SINTER_C_API sinter_status sinter_prepare(const sinter_function* function, const sinter_arguments* arguments);
/* How the same call runs: graph, kernels, schedules, bytes moved. Valid until the thread asks for another
 * text. */
SINTER_C_API sinter_status sinter_explain(const sinter_function* function, const sinter_arguments* arguments,
                                          const char** text);

#ifdef __cplusplus
}
#endif

#undef SINTER_C_API

#endif
