/* The C interface of libsinter_cpu_compiler: one C++ source text in, the bytes of one loadable ELF object
 * out.
 *
 * The library is opened at run time with dlopen, so the interface is plain C and the request carries the
 * version it was written for. Every function may be called from any thread at any time. */
#ifndef SINTER_RUNTIME_CPU_COMPILER_CPU_COMPILER_H_
#define SINTER_RUNTIME_CPU_COMPILER_CPU_COMPILER_H_

#include <stddef.h>

#ifdef __cplusplus
extern "C" {
#endif

#define SINTER_CPU_COMPILER_ABI 3u

#if defined(__GNUC__)
#define SINTER_CPU_COMPILER_EXPORT __attribute__((visibility("default")))
#else
#define SINTER_CPU_COMPILER_EXPORT
#endif

enum {
  SINTER_CPU_COMPILER_OK = 0,
  SINTER_CPU_COMPILER_COMPILE_ERROR = 1, /* the source or an option was rejected */
  SINTER_CPU_COMPILER_LINK_ERROR = 2,    /* mostly: the source uses a function that nobody defines */
  SINTER_CPU_COMPILER_FATAL_ERROR = 3    /* LLVM gave up, or the request has another ABI version */
};

/* Code that the source calls, linked with it before optimising, so that it is inlined: C++ text, compiled for
 * the same processor, or LLVM bitcode (.bc) for x86-64. */
typedef struct sinter_cpu_linked_code {
  const void* bytes;
  size_t size;
  const char* name; /* appears in diagnostics */
  int is_text;      /* 0: bitcode */
} sinter_cpu_linked_code;

typedef struct sinter_cpu_compile_request {
  unsigned abi_version; /* = SINTER_CPU_COMPILER_ABI */
  const char* source;   /* self-contained C++20: no #include finds anything */
  size_t source_size;
  const char* source_name; /* appears in diagnostics only, e.g. "softmax.cpp"; NULL = "kernel.cpp" */
  const char* target_cpu;  /* LLVM cpu name, e.g. "znver3", or NULL = the host's */
  /* "+avx2,+fma"; NULL = the host's if target_cpu is NULL too, else what the cpu's name implies */
  const char* target_features;
  const char* const* options; /* extra cc1 options, e.g. "-O3"; they come last, so they win */
  size_t option_count;
  const sinter_cpu_linked_code* linked; /* in the order given, each may call those after it */
  size_t linked_count;
  int assembly; /* not 0: the result is the object's assembly as text, and nothing is linked */
} sinter_cpu_compile_request;

typedef struct sinter_cpu_compile_result {
  void* object;       /* an ELF shared object without undefined symbols, or what was asked for; or NULL */
  size_t object_size; /* in bytes */
  char* log;          /* diagnostics, NUL terminated, may be ""; NULL only when memory ran out */
  int status;         /* one of the four above */
} sinter_cpu_compile_result;

/* Fills *result and returns its status. Whatever the status, sinter_cpu_compiler_free releases the result. */
SINTER_CPU_COMPILER_EXPORT int sinter_cpu_compiler_compile(const sinter_cpu_compile_request* request,
                                                           sinter_cpu_compile_result* result);
SINTER_CPU_COMPILER_EXPORT void sinter_cpu_compiler_free(sinter_cpu_compile_result* result);

typedef struct sinter_cpu_expand_request {
  unsigned abi_version; /* = SINTER_CPU_COMPILER_ABI */
  const char* source;   /* any C++ or CUDA C++ */
  size_t source_size;
  const char* source_name;
  const char* const* folders; /* where its headers are looked for */
  size_t folder_count;
  const char* const* macros; /* "NAME" or "NAME=VALUE": those that the text's compiler defines */
  size_t macro_count;
} sinter_cpu_expand_request;

/* Fills *result with the text, its headers put in their places, as the "object"; conditions and macros stay.
 * Of a header that is missing the log's first line names all that include it. Reads files. */
SINTER_CPU_COMPILER_EXPORT int sinter_cpu_compiler_expand(const sinter_cpu_expand_request* request,
                                                          sinter_cpu_compile_result* result);

/* "clang 19.1.7": belongs into a cache entry. */
SINTER_CPU_COMPILER_EXPORT const char* sinter_cpu_compiler_version(void);

/* What a request with NULL cpu and features compiles for; both strings live as long as the library. */
SINTER_CPU_COMPILER_EXPORT const char* sinter_cpu_compiler_host_cpu(void);
SINTER_CPU_COMPILER_EXPORT const char* sinter_cpu_compiler_host_features(void);

#ifdef __cplusplus
}
#endif

#endif
