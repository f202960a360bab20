// The output of SINTER_DUMP and explain(dump_to(…)): a file for each step of the pass, for both targets.

#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/needs.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

const auto softmax_of_rows = fuse("dump_softmax", [](auto x) {
  const auto e = exp(x - max(x, axis<1>, keepdims));
  return e / sum(e, axis<1>, keepdims);
});

/// The files of the only function dumped below a folder, by the end of their names.
std::map<std::string, std::string> dumped(const std::string& folder) {
  std::map<std::string, std::string> files;
  std::vector<std::filesystem::path> functions;
  for (const auto& each : std::filesystem::directory_iterator(folder)) functions.push_back(each.path());
  REQUIRE(functions.size() == 1);
  CHECK(functions[0].filename().string().starts_with("dump_softmax-"));
  for (const auto& each : std::filesystem::directory_iterator(functions[0])) {
    const std::string name = each.path().filename().string();
    files[name.substr(name.find('.') == std::string::npos || name.starts_with("graph") ||
                              name.starts_with("simplified")
                          ? 0
                          : name.find('.'))] = read_file(each.path().string());
  }
  return files;
}

/// Prepares what the tests call.
bool is_without_cpu_compiler(const array<float, 2>& x) {
  try {
    softmax_of_rows.prepare(x);
  } catch (const device_error& missing) {
    return lacks(need::cpu_compiler, missing.what());
  }
  return false;
}

void check_steps(const std::map<std::string, std::string>& files, const std::string& target) {
  std::string all;
  for (const auto& [name, content] : files) all += name + ":\n" + content;
  INFO(all);
  REQUIRE(files.contains("graph.txt"));
  CHECK(files.at("graph.txt").find("exp(") != std::string::npos);
  REQUIRE(files.contains("simplified.txt"));
  REQUIRE(files.contains(".kernel.txt"));
  const std::string& kernel = files.at(".kernel.txt");
  CHECK(kernel.starts_with("kernel 'dump_softmax"));
  CHECK(kernel.find(" for " + target) != std::string::npos);
  CHECK(kernel.find("axes from the innermost: reduced, kept; 3 phases\n") != std::string::npos);
  REQUIRE(files.contains(".loops.txt"));
  const std::string& loops = files.at(".loops.txt");
  CHECK(loops.starts_with("# build_loops\n"));
  CHECK(loops.find("finish the reductions of phase 0 in a ") < loops.find("# lower_combines\n"));
  CHECK(loops.rfind("finish the reductions") < loops.find("# lower_combines\n"));
  REQUIRE(files.contains(".txt"));  // call-<hash>.txt
  const std::string& call = files.at(".txt");
  CHECK(call.starts_with("result: float32[64, 1000]\n"));
  CHECK(call.find("\nnest, axes from the innermost: 1000 reduced, 64 kept; 3 phases\n") != std::string::npos);
  CHECK(call.find("read float32 of input 0 at 0 + [1, 1000]\n") != std::string::npos);
  REQUIRE(files.contains(".passes.txt"));
  const std::string& passes = files.at(".passes.txt");
  CHECK(
      passes.starts_with("# stage 1\n## build_nest\nnest, axes from the innermost: 1000 reduced, 64 kept; "));
  CHECK(
      passes.find("\n## normalise: the same\n## order_axes: the same\n## choose_schedule\nrow_reduction ") !=
      std::string::npos);
  CHECK(passes.find("\n## compute_ahead: the same\n## take_given_schedule: the same\n## split: the same\n") !=
        std::string::npos);
}

}  // namespace

TEST_CASE("explain writes what each step makes of a call for the CPU, down to assembly") {
  const auto x = ones<float>({64, 1000}, device::cpu());
  if (is_without_cpu_compiler(x)) return;
  const temporary_folder folder;
  CHECK(softmax_of_rows.explain(dump_to(folder / "of explain"), x) == softmax_of_rows.explain(x));
  const auto files = dumped(folder / "of explain");
  check_steps(files, "the CPU");
  REQUIRE(files.contains(".cpp"));
  CHECK(softmax_of_rows.source(x) == files.at(".cpp"));
  REQUIRE(files.contains(".s"));
  CHECK(files.at(".s").find("\tretq\n") != std::string::npos);
}

TEST_CASE("explain writes what each step makes of a call for a GPU, down to PTX") {
  if (nvrtc_is_missing()) return;
  const fake_cuda fake;
  const view<const float, 2> x(nullptr, {64, 1000}, {1000, 1}, device::cuda(0));
  const temporary_folder folder;
  softmax_of_rows.explain(dump_to(folder.path()), x);
  const auto files = dumped(folder.path());
  check_steps(files, "compute capability ");
  REQUIRE(files.contains(".cu"));
  CHECK(softmax_of_rows.source(x) == files.at(".cu"));
  REQUIRE(files.contains(".ptx"));
  CHECK(files.at(".ptx").find(".visible .entry dump_softmax") != std::string::npos);
}

TEST_CASE("SINTER_DUMP writes every call that is lowered, and none that a plan serves") {
  const auto x = ones<float>({3, 5}, device::cpu());
  if (is_without_cpu_compiler(x)) return;
  const temporary_folder folder;
  ::setenv("SINTER_DUMP", (folder / "all").c_str(), 1);
  const auto on_cpu = fuse("dump_softmax", [](auto x) { return softmax(x, axis<1>) + 1; });
  on_cpu.prepare(x);
  const auto files = dumped(folder / "all");
  CHECK(files.contains(".kernel.txt"));
  CHECK(files.contains("graph.txt"));
  std::filesystem::remove_all(folder / "all");
  on_cpu(x);
  CHECK_FALSE(std::filesystem::exists(folder / "all"));
  ::unsetenv("SINTER_DUMP");
}

TEST_CASE("a folder that cannot be written is told to the log hook, and calls go on") {
  const temporary_folder folder;
  write_file(folder / "file", "in the way");
  const auto x = ones<float>({2, 2}, device::cpu());
  CHECK(softmax_of_rows.explain(dump_to(folder / "file"), x).find("graph:") != std::string::npos);
  CHECK(read_file(folder / "file") == "in the way");
}

}  // namespace sinter::test
