// What profiling collects of calls, on the CPU and by the fake driver's events, and what it prints and
// writes.

#include <sinter/profile.hpp>
#include <sinter/sinter.hpp>

#include <doctest/doctest.h>

#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/error.hpp>

#include <algorithm>
#include <sstream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#if __has_include(<nlohmann/json.hpp>)
#include <nlohmann/json.hpp>
#endif

#include "../support/beside.hpp"
#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/host_array.hpp"
#include "../support/needs.hpp"
#include "../support/process/run_shell.hpp"
#include "../support/process/temporary_folder.hpp"

namespace sinter::test {
namespace {

using runtime::call;
using runtime::function_handle;
using runtime::operand;
using runtime::scalar;

/// Profiling for a scope, from nothing.
class profiled {
 public:
  explicit profiled(timed_calls calls = timed_calls::some) {
    forget_profile();
    set_profiling(true, calls);
  }
  profiled(const profiled&) = delete;
  profiled& operator=(const profiled&) = delete;
  ~profiled() {
    set_profiling(false);
    forget_profile();
  }
};

/// a * x + y on 1,000 elements on the CPU: 12,000 bytes are moved.
struct axpy_on_cpu {
  explicit axpy_on_cpu(const char* name) : function(axpy_function(name)) {}
  void run() {
    const operand inputs[] = {x.operand(), y.operand()};
    const operand into[] = {out.operand()};
    const scalar a = bits_of(2.0f);
    call(function, inputs, {&a, 1}, into, {});
  }
  function_handle function;
  host_array<float> x{{1000}}, y{{1000}}, out{{1000}};
};

/// The same on the fake GPU.
struct axpy_on_gpu {
  explicit axpy_on_gpu(const char* name) : function(axpy_function(name)) {}
  void run(const stream* on = nullptr) {
    const operand inputs[] = {x.view(), y.view()};
    const operand into[] = {out.view()};
    const scalar a = bits_of(2.0f);
    runtime::call_options options;
    options.on = on;
    call(function, inputs, {&a, 1}, into, {}, options);
  }
  function_handle function;
  device_array x{1000}, y{1000}, out{1000};
};

function_profile row_of(std::string_view name) {
  for (const function_profile& each : profile())
    if (each.function == name) return each;
  return {};
}

bool lacks_cpu_compiler() {
  try {
    axpy_on_cpu("profile_first").run();
  } catch (const device_error& missing) {
    return lacks(need::cpu_compiler, missing.what());
  }
  return false;
}

}  // namespace

TEST_CASE("calls, kernels and bytes of a function on the CPU are counted, and its compile once") {
  if (lacks_cpu_compiler()) return;
  const profiled on;
  const std::size_t compiled = runtime::kernel_table_statistics().compiled;
  axpy_on_cpu axpy("profile_counts");
  for (int i = 0; i < 3; ++i) axpy.run();
  const function_profile row = row_of("profile_counts");
  CHECK(row.where == device::cpu());
  CHECK(row.calls == 3);
  CHECK(row.kernels == 3);
  CHECK(row.bytes == 3 * 12000);
  CHECK(row.compiles == runtime::kernel_table_statistics().compiled - compiled);
  CHECK(row.compiles <= 1);
  CHECK((row.compile_seconds > 0) == (row.compiles > 0));
  CHECK(row.seconds > 0);
}

TEST_CASE("while profiling is off nothing is collected, and what was collected stays") {
  if (lacks_cpu_compiler()) return;
  axpy_on_cpu axpy("profile_off");
  {
    const profiled on;
    axpy.run();
    set_profiling(false);
    CHECK_FALSE(is_profiling());
    axpy.run();
    CHECK(row_of("profile_off").calls == 1);
    set_profiling(true);
    CHECK(is_profiling());
    axpy.run();
    CHECK(row_of("profile_off").calls == 2);
    forget_profile();
    CHECK(profile().empty());
    axpy.run();
    CHECK(row_of("profile_off").calls == 1);
  }
  axpy.run();
  CHECK(profile().empty());
}

TEST_CASE("a function has one row for all types, by its name and place") {
  const profiled on;
  const auto twice = fuse("profile_twice", [](auto x) { return x + x; });
  const array<float, 1> x({10}, device::cpu());
  const array<double, 1> y({10}, device::cpu());
  try {
    twice(x);
  } catch (const device_error& missing) {
    lacks(need::cpu_compiler, missing.what());
    return;
  }
  twice(y);
  const std::vector<function_profile> rows = profile();
  REQUIRE(rows.size() == 1);
  CHECK(rows[0].calls == 2);
  CAPTURE(rows[0].function);
  CHECK(rows[0].function.starts_with("profile_twice"));
}

TEST_CASE("calls of several threads at once are all counted") {
  if (lacks_cpu_compiler()) return;
  const profiled on;
  axpy_on_cpu("profile_threads").run();
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([] {
      axpy_on_cpu axpy("profile_threads");
      for (int call = 0; call < 200; ++call) axpy.run();
    });
  for (int i = 0; i < 20; ++i) CHECK(row_of("profile_threads").calls <= 801);
  for (std::thread& each : threads) each.join();
  CHECK(row_of("profile_threads").calls == 801);
}

TEST_CASE("a call that throws is not counted") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const profiled on;
  axpy_on_gpu axpy("profile_throws");
  axpy.run();
  fake.fail("cuLaunchKernel", 1, runtime::CUresult::launch_out_of_resources);
  CHECK_THROWS_AS(axpy.run(), execution_error);
  CHECK(row_of("profile_throws").calls == 1);
}

TEST_CASE("on a GPU all calls are counted, the first 32 timed and then about one of 16") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const profiled on;
  axpy_on_gpu axpy("profile_some");
  for (int i = 0; i < 32; ++i) axpy.run();
  fake.set_elapsed(100);
  CHECK(row_of("profile_some").timed == 32);
  fake.set_elapsed(0.5f);
  for (int i = 0; i < 1600; ++i) axpy.run();
  const function_profile row = row_of("profile_some");
  CHECK(row.calls == 1632);
  CHECK(row.kernels == 1632);
  CHECK(row.timed > 82);  // of 1,600 draws with a mean of 100, five deviations to each side
  CHECK(row.timed < 182);
  // those that were drawn stand for the ones that were not timed, and the first 32 for themselves alone
  CHECK(row.seconds == doctest::Approx(32 * 0.1 + 1600 * 0.0005));
  forget_profile();
  axpy.run();
  CHECK(row_of("profile_some").timed == 1);
  CHECK(fake.faults() == 0);
}

TEST_CASE("on a GPU the time is that between two events around the kernels of each call that is timed") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const profiled on(timed_calls::all);
  axpy_on_gpu axpy("profile_gpu");
  const stream own = stream::create(device::cuda(0));
  axpy.run(&own);
  fake.forget_calls();
  for (int i = 0; i < 1000; ++i) axpy.run(&own);
  CHECK(fake.calls("cuEventRecord") >= 2000);
  CHECK(fake.calls("cuEventRecord") <= 2010);  // with what the times begin at
  CHECK(fake.calls("cuEventCreate") <= 600);   // events are used again
  const function_profile row = row_of("profile_gpu");
  CHECK(row.where == device::cuda(0));
  CHECK(row.calls == 1001);
  CHECK(row.kernels == 1001);
  CHECK(row.timed == 1001);
  CHECK(row.bytes == 1001 * 12000);
  CHECK(row.seconds == doctest::Approx(1001 * 0.0015));  // what the fake driver tells of each pair
  CHECK(fake.faults() == 0);
}

TEST_CASE("while a stream is captured its calls record no events and are not counted") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const profiled on;
  axpy_on_gpu axpy("profile_captured");
  const stream own = stream::create(device::cuda(0));
  axpy.run(&own);
  const auto native = static_cast<runtime::CUstream>(own.native());
  REQUIRE(fake.api().cuStreamBeginCapture_v2(native, runtime::CUstreamCaptureMode::global) ==
          runtime::CUresult::success);
  fake.forget_calls();
  axpy.run(&own);
  CHECK(fake.calls("cuEventRecord") == 0);
  runtime::CUgraph graph = nullptr;
  fake.api().cuStreamEndCapture(native, &graph);
  fake.api().cuGraphDestroy(graph);
  CHECK(row_of("profile_captured").calls == 1);
}

TEST_CASE("where the driver refuses events, calls run and are not counted") {
  if (nvrtc_is_missing()) return;
  fake_cuda fake;
  const profiled on;
  axpy_on_gpu axpy("profile_no_events");
  fake.fail("cuEventRecord", 0, runtime::CUresult::out_of_memory);
  axpy.run();
  CHECK(fake.calls("cuLaunchKernel") == 1);
  CHECK(row_of("profile_no_events").calls == 1);
  CHECK(row_of("profile_no_events").timed == 0);
}

TEST_CASE("the table has a line for each row, and fits 110 columns") {
  const function_profile rows[] = {
      {"softmax at kernel.cpp:17", device::cuda(1), 1234567890, 2, 3000000000, std::uint64_t{1} << 60, 12.5,
       1, 1234567890},
      {std::string(30, 'a') + "\n" + std::string(100, 'b') + ":17", device::cpu(), 0, 1, 0, 999, 0, 0.5}};
  const std::string text = to_string(rows);
  CAPTURE(text);
  std::istringstream lines(text);
  std::vector<std::string> all;
  for (std::string line; std::getline(lines, line);) all.push_back(line);
  REQUIRE(all.size() == 3);
  for (const std::string& each : all) CHECK(each.size() <= 110);
  CHECK(all[0].starts_with("function "));
  CHECK(all[1].starts_with("softmax at kernel.cpp:17 "));
  CHECK(all[1].find("cuda:1") != std::string::npos);
  CHECK(all[1].find("1234567890") != std::string::npos);
  CHECK(all[1].find(" 12.5 s") != std::string::npos);
  CHECK(all[1].find(" 10.13 ns") != std::string::npos);
  CHECK(all[1].find("1 EiB") != std::string::npos);
  CHECK(all[2].find("...") != std::string::npos);
  CHECK(all[2].find(":17 ") != std::string::npos);
  CHECK(all[2].find("999 B") != std::string::npos);
  function_profile some = rows[0];
  some.timed = 100;
  const std::string estimated = to_string(std::span(&some, 1));
  CHECK(estimated.find(" ~12.5 s") != std::string::npos);
  CHECK(estimated.find(" ~10.13 ns") != std::string::npos);
}

#if __has_include(<nlohmann/json.hpp>)
TEST_CASE("the trace is JSON with an event for each call, which begins and lasts") {
  if (lacks_cpu_compiler()) return;
  const profiled on;
  axpy_on_cpu axpy("profile_trace \"quoted\"\\\n");
  for (int i = 0; i < 5; ++i) axpy.run();
  const temporary_folder folder;
  write_trace(folder / "calls.json");
  const nlohmann::json trace = nlohmann::json::parse(read_file(folder / "calls.json"));
  CHECK(trace.at("otherData").at("calls left out") == 0);
  int calls = 0, names = 0;
  double latest = 0;
  for (const nlohmann::json& each : trace.at("traceEvents")) {
    if (each.at("ph") == "M") ++names;
    if (each.at("ph") != "X") continue;
    ++calls;
    CHECK(each.at("name") == "profile_trace \"quoted\"\\\n");
    CHECK(each.at("args").at("bytes") == 12000);
    CHECK(each.at("ts").get<double>() >= latest);
    CHECK(each.at("dur").get<double>() > 0);
    latest = each.at("ts").get<double>() + each.at("dur").get<double>() - 0.002;  // they are rounded
  }
  CHECK(calls == 5);
  CHECK(names == 2);
  CHECK_THROWS_AS(write_trace(folder / "missing/calls.json"), device_error);
}
#endif

TEST_CASE("computes in a process of its own" * doctest::skip()) {
  if (lacks_cpu_compiler()) return;
  axpy_on_cpu axpy("profile_at_exit");
  for (int i = 0; i < 7; ++i) axpy.run();
}

TEST_CASE("SINTER_PROFILE prints the table when the process ends, and writes a trace") {
  if (lacks_cpu_compiler()) return;
  const std::string program = path_beside("sinter_tests").string() +
                              " --no-skip --minimal --test-case='computes in a process of its own'";
  const temporary_folder folder;
  CHECK(output_of("-u SINTER_PROFILE", program).find("profile_at_exit") == std::string::npos);
  CHECK(output_of("SINTER_PROFILE=0", program).find("profile_at_exit") == std::string::npos);
  const std::string table = output_of("SINTER_PROFILE=1", program);
  CAPTURE(table);
  const std::size_t row = table.find("profile_at_exit ");
  REQUIRE(row != std::string::npos);
  CHECK(table.substr(row, table.find('\n', row) - row).find(" 7 ") != std::string::npos);
  const std::string file = folder / "calls.json";
  CHECK(output_of("SINTER_PROFILE=" + file, program).find("profile_at_exit ") != std::string::npos);
  CHECK(read_file(file).find("\"profile_at_exit\"") != std::string::npos);
  const std::string fault = output_of("SINTER_LOG=warning SINTER_PROFILE=yes", program);
  CAPTURE(fault);
  CHECK(fault.find("SINTER_PROFILE is 'yes', and nothing is profiled") != std::string::npos);
}

}  // namespace sinter::test
