// How an example checks its own answer.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void check(bool holds, const char* what) {
  if (holds) return;
  std::printf("wrong: %s\n", what);
  std::exit(1);
}
