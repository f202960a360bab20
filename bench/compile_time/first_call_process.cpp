// Calls two functions that were never compiled and prints the milliseconds of each: "first second".
// usage: sinter_first_call cpu|cuda

#include "fresh_functions.hpp"

#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>

int main(int count, char** words) {
  if (count != 2) return std::fprintf(stderr, "usage: sinter_first_call cpu|cuda\n"), 2;
  try {
    // Arrays come first, as in any program; with them the CUDA context.
    sinter_bench::fresh_arrays arrays(std::string_view(words[1]) == "cuda" ? sinter::device::cuda(0)
                                                                           : sinter::device::cpu());
    const auto time = [&](const sinter_bench::fresh_function& function) {
      const auto begin = std::chrono::steady_clock::now();
      function.call(arrays);
      return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - begin).count();
    };
    const double first = time(sinter_bench::fresh_large_functions()[0]);
    const double second = time(sinter_bench::fresh_large_functions()[1]);
    std::printf("%.4f %.4f\n", first, second);
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
