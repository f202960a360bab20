// Names that the guide's code blocks may use without declaring them.
#pragma once

#include <sinter/builder.hpp>
#include <sinter/complex.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/environment.hpp>
#include <sinter/profile.hpp>
#include <sinter/rng.hpp>
#include <sinter/sequence.hpp>
#include <sinter/sinter.hpp>

#include <cstddef>
#include <cstdlib>
#include <iostream>
#include <tuple>
#include <vector>

#include <oneapi/tbb/task_arena.h>

#include "foreign_library.hpp"

using namespace sinter;

struct operands {
  array<float, 1> x = linspace<float>(-1, 1, 6);
  array<float, 1> y = linspace<float>(0, 3, 6);
  array<float, 2> m = ones<float>({4, 6});
  array<int, 1> k = arange<int>(6);
};
