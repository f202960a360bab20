// What explain and SINTER_DUMP say of writes at positions that are values: why there are several stages, and
// where updates go.

#include <doctest/doctest.h>

#include <sinter/sinter.hpp>

#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <vector>

#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

const auto counts = fuse("explained_counts", [](auto i, auto n) { return bincount(i, n); });
const auto sums = fuse("explained_sums", [](auto x, auto i, auto u) { return scatter_add(x, i, u); });

std::size_t times_in(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}
bool has(const std::string& text, const std::string& part) { return times_in(text, part) != 0; }

}  // namespace

TEST_SUITE("explained scatters") {
  TEST_CASE("a stage writes the base, and another one updates it, and each says why") {
    if (!device::current_default().is_cpu()) return;
    const std::string text = counts.explain(zeros<int>(10), 3);
    CAPTURE(text);
    CHECK(times_in(text, "stage 1 of 2: ") == 1);
    CHECK(times_in(text, "stage 2 of 2: ") == 1);
    CHECK(has(text, "stage 1 of 2: made ahead, since the next stage updates it in place\n"));
    CHECK(has(text, "stage 2 of 2: results\n"));
  }

  TEST_CASE("a sum of floats is updated twice: exponents first, then what is scaled by them") {
    if (!device::current_default().is_cpu()) return;
    const std::string text = sums.explain(zeros<float>(3), zeros<int>(10), zeros<float>(10));
    CAPTURE(text);
    CHECK(times_in(text, "  updates: maximum of int32, ") == 1);
    CHECK(times_in(text, "  updates: add of int64, ") == 1);
    CHECK(times_in(text, "since it is written at positions that are values") >= 2);
  }

  TEST_CASE("a private copy is named with its elements, and an array that is updated itself, too") {
    if (!device::current_default().is_cpu()) return;
    CHECK(has(counts.explain(zeros<int>(64 * 256), 256),
              "  updates: add of int64, in a private copy of 256 elements for each task, which is combined "
              "with the array at the end\n"));
    const std::string few = counts.explain(zeros<int>(100), 256);
    CAPTURE(few);
    CHECK(has(few, "  updates: add of int64, in the array that all threads share\n"));
    CHECK_FALSE(has(few, "private copy"));
    CHECK_FALSE(has(fuse([](auto x) { return x + 1; }).explain(zeros<int>(100)), "updates: "));
  }

  TEST_CASE("SINTER_DUMP writes the graph, and text and loops of each stage's kernel") {
    if (!device::current_default().is_cpu()) return;
    const temporary_folder folder;
    const auto dumped = fuse("dumped_sums", [](auto x, auto i, auto u) { return scatter_add(x, i, u); });
    ::setenv("SINTER_DUMP", (folder / "all").c_str(), 1);
    dumped.prepare(zeros<float>(3), zeros<int>(10), zeros<float>(10));
    ::unsetenv("SINTER_DUMP");
    std::string graph, kernels, loops, passes;
    std::size_t texts = 0;
    for (const auto& each : std::filesystem::recursive_directory_iterator(folder / "all")) {
      const std::string name = each.path().filename().string();
      if (name == "graph.txt") graph = read_file(each.path().string());
      if (name.ends_with(".kernel.txt")) kernels += read_file(each.path().string());
      if (name.ends_with(".loops.txt")) loops += read_file(each.path().string());
      if (name.ends_with(".passes.txt")) passes = read_file(each.path().string());
      texts += name.ends_with(".cpp") ? 1 : 0;
    }
    CHECK(times_in(graph, "scatter(") == 2);
    CHECK(times_in(graph, ", maximum, axis 0, checked") == 1);
    CHECK(times_in(graph, ", add, axis 0, checked") == 1);
    CHECK(texts >= 3);
    CHECK(has(passes, "# stage " + std::to_string(texts) + "\n"));
    CHECK(times_in(kernels, "kernel 'dumped_sums") == texts);
    CHECK(times_in(loops, "# build_loops\n") == texts);
  }
}

}  // namespace sinter::test
