// A process whose kernels are already cached; sinter_bench starts it. Prints milliseconds of its first call,
// of the first call of a second function, and from the start of main() to that call's result; and how many
// kernels it compiled.
// usage: sinter_cached_process cpu|cuda

#include <sinter/runtime/cache/cache.hpp>
#include <sinter/sinter.hpp>

#include <chrono>
#include <cstdio>
#include <exception>
#include <string_view>

int main(int count, char** words) {
  using clock = std::chrono::steady_clock;
  const auto start = clock::now();
  const auto since = [](clock::time_point then) {
    return std::chrono::duration<double, std::milli>(clock::now() - then).count();
  };
  if (count != 2) return std::fprintf(stderr, "usage: sinter_cached_process cpu|cuda\n"), 2;
  try {
    using namespace sinter;
    const device on = std::string_view(words[1]) == "cuda" ? device::cuda(0) : device::cpu();
    // Arrays come first, as in any program; with them the CUDA context.
    auto x = full<float>({64, 4096}, 0.5f, on), out = full<float>({64, 4096}, 0.0f, on);
    synchronize(on);
    const auto softmax = fuse("cached_softmax", [](auto v) {
      auto e = exp(v - max(v, axis<1>, keepdims));
      return e / sum(e, axis<1>, keepdims);
    });
    const auto chosen = fuse("cached_where", [](auto v) { return where(v > 0, sin(v) * exp(v), sqrt(v)); });
    const auto time = [&](const auto& function) {
      const auto begin = clock::now();
      function.into(out)(x);
      synchronize(on);
      return since(begin);
    };
    const double first = time(softmax), second = time(chosen);
    const auto compiled = cache_statistics_now().found[static_cast<std::size_t>(cache_layer::compiled)];
    std::printf("%.4f %.4f %.4f %d\n", first, second, since(start), static_cast<int>(compiled));
  } catch (const std::exception& failure) {
    std::fprintf(stderr, "%s\n", failure.what());
    return 1;
  }
}
