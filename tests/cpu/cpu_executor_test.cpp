#include <doctest/doctest.h>

#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/task_arena.h>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <string>
#include <vector>

#include <sinter/runtime/call.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/loaded_object.hpp>

#include "../support/beside.hpp"
#include "../support/host_array.hpp"
#include "../support/needs.hpp"
#include "../support/process/run_shell.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

std::vector<std::atomic<int>> visits(1000);

void visit(const void* arguments, long long first, long long last) {
  CHECK(arguments == static_cast<const void*>(&visits));
  for (long long tile = first; tile < last; ++tile) ++visits[static_cast<std::size_t>(tile)];
}

int count_visits(long long tiles, cpu_division how) {
  for (auto& each : visits) each = 0;
  run_cpu_kernel(&visit, &visits, tiles, how);
  int once = 0;
  for (const auto& each : visits) once += each == 1;
  for (const auto& each : visits) REQUIRE(each <= 1);
  return once;
}

// Runs one of this program's test cases with an environment, and returns its output.
std::string run_child(const std::string& environment, const std::string& test_case) {
  const runtime::program_answer answer = test::run_shell(
      environment + " '" + runtime::path_of_this_program() + "' --no-skip --test-case='" + test_case + "'");
  CHECK_MESSAGE(answer.status == 0, answer.output);
  return answer.output;
}

}  // namespace

TEST_CASE("every tile is run once, alone or shared out") {
  for (const long long tiles : {1, 2, 3, 7, 100, 999, 1000})
    for (const double nanoseconds : {0.0, 1e4, 1e5, 1e9})
      for (const unsigned tasks : {0u, 1u, 2u, 3u, 64u, 60000u})
        CHECK(count_visits(tiles, {nanoseconds, tasks}) == tiles);
}

TEST_CASE("a caller's arena decides how many threads run") {
  tbb::task_arena one(1);
  one.execute([] { CHECK(count_visits(1000, {1e9}) == 1000); });
  tbb::task_arena two(2);
  two.execute([] { CHECK(count_visits(1000, {1e9}) == 1000); });
}

TEST_CASE("calls inside a parallel loop of the caller's") {
  const function_handle axpy = axpy_function("cpu_executor_nested");
  std::atomic<int> wrong{0};
  tbb::parallel_for(0, 16, [&](int index) {
    host_array<float> x({200000 + index}), y({200000 + index}), out({200000 + index});
    const operand inputs[] = {x.operand(), y.operand()};
    const operand into[] = {out.operand()};
    const scalar a = bits_of(1.0f);
    call(axpy, inputs, {&a, 1}, into, {});
    for (std::size_t i = 0; i < out.values.size(); ++i)
      if (out.values[i] != 2 * static_cast<float>(i)) ++wrong;
  });
  CHECK(wrong == 0);
}

TEST_CASE("text for the CPU is compiled, loaded and run; wrong text is compile_error with source and log") {
  const std::string text =
      "extern \"C\" void twice(const void* block, long long first, long long last) {"
      "  int* values = *static_cast<int* const*>(block);"
      "  for (long long i = first; i < last; ++i) values[i] *= 2; }";
  const cpu_compile_result made = compile_cpu(text, "twice.cpp");
  const loaded_object loaded(made.object);
  const auto twice = reinterpret_cast<cpu_kernel>(loaded.symbol("twice"));
  REQUIRE((twice != nullptr));
  int values[] = {1, 2, 3};
  int* data = values;
  run_cpu_kernel(twice, &data, 3, {});
  CHECK(values[2] == 6);
  CHECK(loaded.symbol("absent") == nullptr);
  try {
    compile_cpu("void broken( {", "broken.cpp");
    FAIL("nothing was thrown");
  } catch (const compile_error& thrown) {
    CHECK(thrown.source() == "void broken( {");
    CHECK(thrown.log().find("broken.cpp") != std::string::npos);
  }
  CHECK(cpu_compiler_version().find("clang") != std::string::npos);
}

TEST_CASE("without the compiler library" * doctest::skip()) {
  const function_handle axpy = axpy_function("cpu_executor_missing");
  host_array<float> x({7}), y({7}), out({7});
  const operand inputs[] = {x.operand(), y.operand()};
  const operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  for (int round = 0; round < 2; ++round) try {
      call(axpy, inputs, {&a, 1}, into, {});
      FAIL("nothing was thrown");
    } catch (const device_error& thrown) {
      const std::string text = thrown.what();
      CHECK(text.find("/nonexistent") != std::string::npos);
      CHECK(text.find("libsinter_cpu_compiler.so") != std::string::npos);
      CHECK(text.find("SINTER_CPU_COMPILER") != std::string::npos);
    }
  CHECK(out.values[1] == 1);
  CHECK_FALSE(source(axpy, inputs, {&a, 1}).empty());
  CHECK(explain(axpy, inputs, {&a, 1}).find("not compiled") != std::string::npos);
  // Once installed, a running program can use it.
  unsetenv("SINTER_CPU_COMPILER");
  setenv("SINTER_CPU_COMPILER", std::getenv("SINTER_TEST_CPU_COMPILER"), 1);
  call(axpy, inputs, {&a, 1}, into, {});
  CHECK(out.values[2] == 6);
}

TEST_CASE("a missing compiler is a device_error that says what to install, and is healed by installing it") {
#ifdef SINTER_CPU_COMPILER_LIBRARY
  const std::string library =
      sinter::test::path_beside_or("libsinter_cpu_compiler.so", SINTER_CPU_COMPILER_LIBRARY);
  const std::string output =
      run_child("SINTER_CPU_COMPILER=/nonexistent SINTER_TEST_CPU_COMPILER='" + library + "'",
                "without the compiler library");
  CHECK_MESSAGE(output.find("1 passed") != std::string::npos, output);
#else
  sinter::test::lacks(sinter::test::need::cpu_compiler, "built without it");
#endif
}

TEST_CASE("with a number of threads" * doctest::skip()) {
  CHECK(cpu_threads() == 1);
  CHECK(count_visits(1000, {1e9}) == 1000);
}

TEST_CASE("SINTER_THREADS sets how many threads run CPU kernels") {
  CHECK(run_child("SINTER_THREADS=1", "with a number of threads").find("1 passed") != std::string::npos);
}
