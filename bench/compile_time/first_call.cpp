// First calls: functions that were never compiled, beside the compiler alone on the same texts.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cuda_limits.hpp"
#include "../limits/hand_written.hpp"
#include "../statistics.hpp"
#include "fresh_functions.hpp"
#include "kernel_texts.hpp"

#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string_view>

namespace sinter_bench {
namespace {

using sinter::device;

/// NVRTC, or Clang and LLD, on a text: what the runtime itself calls.
void compile_alone(const std::string& text, device on) {
  if (on.is_cuda())
    sinter::runtime::compile_cuda(text, "fresh.cu", "fresh",
                                  {sinter::runtime::cuda_device(0).architecture()});
  else
    sinter::runtime::compile_cpu(text, "fresh.cpp");
}

sides beside_compiler(std::span<const fresh_function> functions, device on) {
  struct progress {
    explicit progress(device where) : on(where) {}
    fresh_arrays on;
    std::size_t next = 0;
    std::string text;
  };
  auto held = std::make_shared<progress>(on);
  const auto call_next = [held, functions] {
    if (held->next == functions.size())
      throw std::runtime_error("there are not as many fresh functions as pairs");
    functions[held->next++].call(held->on);
  };
  call_next();  // opens the compiler's library
  sides made;
  made.subject.call = call_next;
  made.limit.call = [held, on] { compile_alone(held->text, on); };
  // Before the clock starts: fetches the text that Sinter compiled last.
  made.limit.wait = [held, functions] { held->text = functions[held->next - 1].source(held->on); };
  made.limit.host_time_only = true;
  for (side* each : {&made.subject, &made.limit}) {
    each->calls = 1;
    each->warm = false;
  }
  return made;
}

void add_on(device on, const std::string& prefix) {
  const bool cuda = on.is_cuda();
  const struct {
    const char* name;
    std::span<const fresh_function> (*functions)();
  } families[] = {{"first_call_6_operations", fresh_small_functions},
                  {"first_call_sin_exp_sqrt", fresh_large_functions},
                  {"first_call_softmax", fresh_softmax_functions}};
  for (const auto& family : families)
    add({.name = prefix + family.name,
         .limit_name = cuda ? "NVRTC alone on the same text" : "Clang and LLD alone on the same text",
         .judgement = cuda ? judged_by::added_seconds : judged_by::seconds,
         .goal = cuda ? 3e-3 : 20e-3,
         .make = [on, functions = family.functions] { return beside_compiler(functions(), on); },
         .pairs = std::min<std::size_t>(current_settings().pairs, 30)});
}

/// NVRTC alone on Sinter's texts, beside NVRTC alone on a softmax written by hand: what generality costs the
/// compiler. Needs no device.
void add_compiles() {
  for (const named_text& ours : row_texts())
    add({.name = std::string("cuda/compile_") + ours.name,
         .limit_name = "NVRTC on a softmax written by hand",
         .judgement = judged_by::times,
         .goal = ours.name == std::string_view("softmax_4096") ? 2.0 : 0,
         .make =
             [text = ours.text] {
               const auto compiling = [](std::string source, const char* entry) {
                 side made;
                 made.call = [moved = std::move(source), entry] {
                   sinter::runtime::compile_cuda(moved, "kernel.cu", entry,
                                                 {90, sinter::runtime::cuda_code::cubin});
                 };
                 made.calls = 1;
                 return made;
               };
               return sides{compiling(text, "ours"), compiling(softmax_4096_by_hand, "softmax_by_hand")};
             },
         .pairs = std::min<std::size_t>(current_settings().pairs, 15)});
}

/// The output of sinter_first_call: milliseconds of the first function in its process, and of the second.
std::array<double, 2> first_calls_of_process(const std::string& where) {
  const std::filesystem::path program =
      std::filesystem::read_symlink("/proc/self/exe").parent_path() / "sinter_first_call";
  if (!std::filesystem::exists(program)) throw std::runtime_error(program.string() + " is missing");
  const std::string command = "'" + program.string() + "' " + where;
  FILE* const output = popen(command.c_str(), "r");
  if (output == nullptr) throw std::runtime_error("cannot start " + command);
  std::array<double, 2> read{};
  const bool understood = std::fscanf(output, "%lf %lf", &read[0], &read[1]) == 2;
  if (pclose(output) != 0 || !understood) throw std::runtime_error(command + " failed");
  return read;
}

void add_new_process(const std::string& where, double goal_milliseconds) {
  benchmark::RegisterBenchmark((where + "/first_call_new_process").c_str(),
                               [where, goal_milliseconds](benchmark::State& state) {
                                 try {
                                   std::vector<double> first, second;
                                   for ([[maybe_unused]] auto _ : state) {
                                     const std::array<double, 2> read = first_calls_of_process(where);
                                     first.push_back(read[0]);
                                     second.push_back(read[1]);
                                     state.SetIterationTime(read[0] * 1e-3);
                                   }
                                   state.counters["us"] = median(first) * 1e3;
                                   state.counters["second_function_us"] = median(second) * 1e3;
                                   if (goal_milliseconds > 0) {
                                     state.counters["goal_us"] = goal_milliseconds * 1e3;
                                     state.counters["reached"] = median(first) <= goal_milliseconds ? 1 : 0;
                                   }
                                   state.SetLabel("opens the compiler's library");
                                 } catch (const std::exception& failure) {
                                   state.SkipWithError(failure.what());
                                 }
                               })
      ->UseManualTime()
      ->Iterations(9)
      ->Unit(benchmark::kMicrosecond);
}

}  // namespace

void add_first_calls() {
  if (sinter::runtime::nvrtc() != nullptr) add_compiles();
  if (has_cuda()) {
    add_on(device::cuda(0), "cuda/");
    add_new_process("cuda", 0);
  }
  if (has_cpu_compiler()) {
    add_on(device::cpu(), "cpu/");
    add_new_process("cpu", 70);
  }
}

}  // namespace sinter_bench
