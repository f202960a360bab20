#pragma once

#include "fake_cuda.hpp"

extern "C" {
/// Called on the thread of each driver function, when it begins and when it ends; null pointers end this.
using fake_cuda_around_calls_function = void(void (*begin)(), void (*end)());
}

namespace sinter::test {

/// The fake driver, whose functions call these two when they begin and when they end.
struct surrounded_fake_cuda : fake_cuda {
  surrounded_fake_cuda(void (*begin)(), void (*end)()) {
    open().function<fake_cuda_around_calls_function>("fake_cuda_around_calls")(begin, end);
  }
};

}  // namespace sinter::test
