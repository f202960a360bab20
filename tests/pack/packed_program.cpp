// A user's program for packed_program_test.cpp: computes, checks the results, and reports where its kernels
// came from.

#include "packed_program.hpp"
#include "packed_library.hpp"

#include <sinter/runtime/cache/cache.hpp>

#include <cmath>
#include <cstdio>
#include <exception>
#include <fstream>
#include <string>

using namespace sinter;

namespace {

bool has_opened(const std::string& library) {
  std::ifstream maps("/proc/self/maps");
  for (std::string line; std::getline(maps, line);)
    if (line.find(library) != std::string::npos) return true;
  return false;
}

int count(cache_layer layer) {
  return static_cast<int>(cache_statistics_now().found[static_cast<std::size_t>(layer)]);
}

void run() {
  std::vector<float> values(1000);
  for (std::size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i) / 100;
  const auto x = array<float, 1>::from(values, {1000});
  const auto decay = fuse("decay", [](auto v) { return exp(-v); });
  const auto total = fuse([](auto v) { return sum(v * v); });
  bool right = std::abs(decay(x).to_vector()[100] - std::exp(-1.0f)) < 1e-6f;
  right &= std::abs(decay.fast()(x).to_vector()[100] - std::exp(-1.0f)) < 1e-4f;
  right &= std::abs(total(x).to_vector().front() - 33283.35f) < 1;
  right &= shared_result(x)[100] == 2 && part_result(x)[200] == 3;
  right &= library_result(values)[100] == 3;
  std::printf("%s: compiled %d pack %d compiler %d\n", right ? "right" : "wrong",
              count(cache_layer::compiled), count(cache_layer::pack),
              has_opened("sinter_cpu_compiler") ? 1 : 0);
}

}  // namespace

// With the word "cuda" it runs on a GPU, which may be a fake one: results are then wrong.
int main(int count, char** words) {
  try {
    device::set_default(count > 1 && std::string(words[1]) == "cuda" ? device::cuda(0) : device::cpu());
    run();
  } catch (const std::exception& thrown) {
    std::printf("%s\n", thrown.what());
    return 1;
  }
  return 0;
}
