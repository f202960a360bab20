#pragma once
// What the shared library shows.

/// Marks a function or a class as part of the public interface: libsinter.so exports it, and hides
/// everything else (-fvisibility=hidden). Whatever an installed header declares and does not define has this
/// mark. A static library exports nothing from what it is linked into.
#if defined(__GNUC__) && !defined(SINTER_STATIC)
#define SINTER_API __attribute__((visibility("default")))
/// Marks a class nested in a public one as no part of the interface.
#define SINTER_INTERNAL __attribute__((visibility("hidden")))
#else
#define SINTER_API
#define SINTER_INTERNAL
#endif

/// Marks a class whose objects are results: compilers warn where one is dropped. nvcc also warns of the
/// references that operators return, and so warns for functions alone, which are marked one by one.
#if defined(__CUDACC__)
#define SINTER_RESULT
#define SINTER_RESULT_API SINTER_API
#elif defined(SINTER_STATIC)
#define SINTER_RESULT [[nodiscard]]
#define SINTER_RESULT_API [[nodiscard]]
#else
#define SINTER_RESULT [[nodiscard]]
#define SINTER_RESULT_API [[nodiscard, gnu::visibility("default")]]
#endif
