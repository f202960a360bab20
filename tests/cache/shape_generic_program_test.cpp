// A program without a compiler and without specialised kernels for its sizes: the shape-generic kernels serve
// them.

#include <doctest/doctest.h>

#include "../support/beside.hpp"
#include "../support/process/run_shell.hpp"
#include "../support/process/temporary_folder.hpp"

#include <string>

namespace sinter::test {
namespace {

/// The program's output with these environment variables.
std::string run_program(const std::string& environment, const std::string& what) {
  return output_of(environment, path_beside("shape_generic_program").string() + " " + what);
}

constexpr const char* no_compiler = " SINTER_CPU_COMPILER=/nonexistent";

}  // namespace

TEST_CASE("where nothing can be compiled, general kernels that are kept serve every size, and say so once") {
  const temporary_folder root;
  const std::string cached = "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache");
  CHECK(run_program(cached, "prepare").empty());
  CHECK(run_program(cached + no_compiler, "run") == "right, told 1 times, compiled 0\n");
}

TEST_CASE("kernels of a call's own are compiled where that can be done, whatever general ones are kept") {
  const temporary_folder root;
  const std::string cached = "SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache");
  CHECK(run_program(cached, "prepare").empty());
  const std::string told = run_program(cached, "run");
  CHECK_MESSAGE(told.starts_with("right, told 0 times"), told);
  CHECK_MESSAGE(told.find("compiled 0") == std::string::npos, told);
}

TEST_CASE("without a compiler and without general kernels a call is refused with what to install") {
  const temporary_folder root;
  const std::string told =
      run_program("SINTER_CACHE= SINTER_CACHE_DIR=" + (root / "cache") + no_compiler, "run");
  CHECK_MESSAGE(told.starts_with("refused: "), told);
  CHECK_MESSAGE(told.find("SINTER_CPU_COMPILER") != std::string::npos, told);
}

}  // namespace sinter::test
