// How an example times its work beside a plain loop.
#pragma once

#include <algorithm>
#include <chrono>
#include <limits>

/// Milliseconds that `work` takes, the best of five runs. It has to wait for what it queues.
template <class Work>
double milliseconds(const Work& work) {
  double best = std::numeric_limits<double>::max();
  for (int run = 0; run < 5; ++run) {
    const auto start = std::chrono::steady_clock::now();
    work();
    const std::chrono::duration<double, std::milli> taken = std::chrono::steady_clock::now() - start;
    best = std::min(best, taken.count());
  }
  return best;
}
