#pragma once
// Properties of every input: a violation stops the fuzzer, which then saves the input.

#include <cstdio>
#include <cstdlib>

#define SINTER_FUZZ_EXPECT(condition)                                                     \
  do {                                                                                    \
    if (!(condition)) {                                                                   \
      std::fprintf(stderr, "%s:%d: does not hold: %s\n", __FILE__, __LINE__, #condition); \
      std::abort();                                                                       \
    }                                                                                     \
  } while (false)
