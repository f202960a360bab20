// What the cache costs: a key, a hit in memory, in directories small and large, in a new process; and what it
// saves.

#include "benchmarks.hpp"
#include "comparison.hpp"
#include "cpu_limits.hpp"
#include "cuda_limits.hpp"
#include "hand_written.hpp"
#include "kernel_texts.hpp"
#include "statistics.hpp"

#include <sinter/codegen/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/kernel_table.hpp>
#include <sinter/runtime/linker.hpp>
#include <sinter/runtime/make_kernel.hpp>

#include <benchmark/benchmark.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <stdexcept>
#include <thread>

namespace sinter_bench {
namespace {

using namespace sinter;
using namespace sinter::runtime;
namespace files = std::filesystem;

/// A folder that goes with the process.
const std::string& scratch_folder() {
  struct folder {
    folder() {
      std::string name = (files::temp_directory_path() / "sinter-bench-XXXXXX").string();
      if (::mkdtemp(name.data()) == nullptr) throw std::runtime_error("no folder can be made for the cache");
      path = name;
    }
    ~folder() {
      std::error_code ignored;
      files::remove_all(path, ignored);
    }
    std::string path;
  };
  static const folder made;
  return made.path;
}

target_facts h200() {
  target_facts made;
  made.kind = target_kind::cuda;
  made.architecture = 90;
  made.multiprocessors = 132;
  return made;
}

/// The one stage of a function of so many operations.
lowered_call lowered_function(int operations) {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1), y = builder.input(element_type::float32, 1);
  graph_value made = x;
  for (int i = 0; i < operations / 2; ++i)
    made = builder.apply(operation::sqrt,
                         {builder.apply(i % 2 == 0 ? operation::add : operation::maximum, {made, y})});
  builder.output(made);
  static constexpr std::int64_t extent[] = {1 << 20}, stride[] = {1};
  std::vector<array_layout> inputs(2);
  for (std::uint32_t i = 0; i < 2; ++i) {
    inputs[i].type = element_type::float32;
    inputs[i].rank = 1;
    inputs[i].extents = extent;
    inputs[i].strides = stride;
    inputs[i].identity = i;
  }
  lowered_call lowered;
  lower(simplify(builder.recorded()), inputs, {}, {}, h200(), {}, nullptr, lowered);
  return lowered;
}

/// An entry as large as that of a softmax kernel, of kernel `number`.
cache_entry sample_entry(int number) {
  cache_entry made;
  made.key_content = key_content({.signature = std::string(600, 'x') + std::to_string(number),
                                  .target = "cuda 90",
                                  .options = "--std=c++17",
                                  .linked = ""});
  made.kernel = "kernel";
  made.text.assign(6000, 't');
  made.compiler = "nvrtc 13.0";
  made.cuda_version = 13000;
  std::string image(16'000, '\0');
  unsigned state = static_cast<unsigned>(number) + 1;
  for (char& byte : image) byte = static_cast<char>((state = state * 1664525u + 1013904223u) >> 24);
  made.images.push_back({code_format::cubin, 90, std::move(image)});
  return made;
}

/// A directory of so many entries, of which the first ten are whole; the others only have names and sizes.
std::shared_ptr<directory_store> directory_of(int entries) {
  const std::string path = scratch_folder() + "/of_" + std::to_string(entries);
  auto made = std::make_shared<directory_store>(path, folder_access::own, std::uint64_t{1} << 40);
  for (int i = 0; i < std::min(entries, 10); ++i) {
    const cache_entry entry = sample_entry(i);
    if (!made->put(key_of(entry.key_content), encode(entry)).stored)
      throw std::runtime_error("nothing can be stored in " + path);
  }
  for (int i = 10; i < entries; ++i) {
    const std::string name = to_string(key_of(key_content(
        {.signature = std::to_string(i) + "12345678", .target = "", .options = "", .linked = ""})));
    files::create_directory(path + "/" + name.substr(0, 2));
    std::ofstream(path + "/" + name.substr(0, 2) + "/" + name) << "an entry";
  }
  return made;
}

side repeated(std::function<void()> call) {
  side made;
  made.call = std::move(call);
  made.host_time_only = true;
  return made;
}

void add_key() {
  add({.name = "cache/key_100_operations",
       .limit_name = "lowering the call of that function",
       .judgement = judged_by::seconds,
       .goal = 20e-6,
       .make = [] {
         auto lowered = std::make_shared<lowered_call>(lowered_function(100));
         return sides{repeated([lowered] {
                        benchmark::DoNotOptimize(key_of(key_content_of(lowered->stages[0], h200())));
                      }),
                      repeated([] { benchmark::DoNotOptimize(lowered_function(100)); })};
       }});
}

void add_memory_hit(int operations) {
  add({.name = "cache/memory_hit_" + std::to_string(operations) + "_operations",
       .limit_name = "copying the key",
       .judgement = judged_by::seconds,
       .goal = operations == 10 ? 0.1e-6 : 0,
       .make = [operations] {
         auto key = std::make_shared<std::string>(lowered_function(operations).stages[0].signature);
         find_or_make_kernel(*key, [&] { return made_kernel{code_of(sample_entry(0), "bench"), {}, {}}; });
         return sides{repeated([key] { benchmark::DoNotOptimize(find_kernel(*key)); }),
                      repeated([key] { benchmark::DoNotOptimize(std::string(*key)); })};
       }});
}

void add_directory_hit(int entries) {
  add({.name = "cache/directory_hit_of_" + std::to_string(entries),
       .limit_name = "reading the file",
       .judgement = judged_by::seconds,
       .goal = 0.3e-3,
       .make = [entries] {
         kernel_cache::layers layers;
         layers.own = directory_of(entries);
         auto cache = std::make_shared<kernel_cache>(layers);
         auto wanted =
             std::make_shared<kernel_request>(kernel_request{sample_entry(3).key_content, "kernel", 13000});
         const std::string name = to_string(key_of(wanted->content));
         auto path = std::make_shared<std::string>(layers.own->path() + "/" + name.substr(0, 2) + "/" + name);
         return sides{repeated([cache, wanted] {
                        cache_event event;
                        if (!cache->find(*wanted, event)) throw std::runtime_error("the entry is not found");
                      }),
                      repeated([path] {
                        std::FILE* const file = std::fopen(path->c_str(), "rb");
                        std::array<char, 32768> bytes;
                        benchmark::DoNotOptimize(std::fread(bytes.data(), 1, bytes.size(), file));
                        std::fclose(file);
                      })};
       }});
}

void add_link() {
  add({.name = "cache/link_of_lto_ir",
       .limit_name = "NVRTC on the text",
       .judgement = judged_by::seconds,
       .goal = 0,
       .make =
           [] {
             const std::string text = row_texts()[0].text;
             const nvrtc_result made = compile_cuda(text, "kernel.cu", "ours", {90, cuda_code::lto_ir});
             auto code =
                 std::make_shared<object_code>(std::vector<code_image>{{code_format::lto_ir, 90, made.code}});
             link_options for_h200;
             for_h200.architecture = 90;
             side linking = repeated(
                 [code, for_h200] { benchmark::DoNotOptimize(link(std::span(code.get(), 1), for_h200)); });
             side compiling =
                 repeated([text] { compile_cuda(text, "kernel.cu", "ours", {90, cuda_code::cubin}); });
             linking.calls = compiling.calls = 1;
             return sides{linking, compiling};
           },
       .pairs = std::min<std::size_t>(current_settings().pairs, 10)});
}

/// Registers a benchmark that measures itself: `measure` gives seconds, and fills counters.
void add_measured(const std::string& name, int times, double goal_seconds,
                  std::function<double(benchmark::State&)> measure) {
  benchmark::RegisterBenchmark(name.c_str(),
                               [=](benchmark::State& state) {
                                 try {
                                   std::vector<double> seconds;
                                   for ([[maybe_unused]] auto _ : state) {
                                     seconds.push_back(measure(state));
                                     state.SetIterationTime(seconds.back());
                                   }
                                   state.counters["us"] = median(seconds) * 1e6;
                                   if (goal_seconds > 0) {
                                     state.counters["goal_us"] = goal_seconds * 1e6;
                                     state.counters["reached"] = median(seconds) <= goal_seconds ? 1 : 0;
                                   }
                                 } catch (const std::exception& failure) {
                                   state.SkipWithError(failure.what());
                                 }
                               })
      ->UseManualTime()
      ->Iterations(times)
      ->Unit(benchmark::kMicrosecond);
}

double since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A hundred kernels that differ in a literal, compiled by so many threads.
void add_hundred_compiles(bool cuda, int threads) {
  const std::string name = std::string("cache/compile_100_") + (cuda ? "cuda" : "cpu") + "_kernels_on_" +
                           std::to_string(threads) + (threads == 1 ? "_thread" : "_threads");
  add_measured(name, 1, 0, [=](benchmark::State&) {
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i = next++; i < 100; i = next++) {
        const std::string number = std::to_string(i) + ".5f";
        if (cuda)
          compile_cuda(
              "extern \"C\" __global__ void k(const float* a, float* b) { int i = blockIdx.x * 256 + "
              "threadIdx.x; b[i] = a[i] * " +
                  number + "; }",
              "k.cu", "k", {90, cuda_code::cubin});
        else
          compile_host(
              "extern \"C\" void k(const float* a, float* b, long long n) { for (long long i = 0; i < n; "
              "++i) b[i] = a[i] * " +
                  number + "; }",
              "k.cpp");
      }
    };
    const auto begin = std::chrono::steady_clock::now();
    std::vector<std::thread> others;
    for (int i = 1; i < threads; ++i) others.emplace_back(work);
    work();
    for (std::thread& each : others) each.join();
    return since(begin);
  });
}

/// A new process whose kernels are kept in a directory: from its start to its end, and what it says itself.
void add_new_process(const std::string& where, int entries) {
  const std::string name = "cache/new_process_" + where + "_of_" + std::to_string(entries);
  auto filled = std::make_shared<bool>(false);
  add_measured(name, 9, 0, [=](benchmark::State& state) {
    const std::string directory = scratch_folder() + "/of_" + std::to_string(entries);
    const files::path program = files::read_symlink("/proc/self/exe").parent_path() / "sinter_cached_process";
    const std::string command =
        "SINTER_CACHE= SINTER_CACHE_DIR='" + directory + "' '" + program.string() + "' " + where;
    const auto run = [&](std::array<double, 4>& read) {
      const auto begin = std::chrono::steady_clock::now();
      std::FILE* const output = popen(command.c_str(), "r");
      const bool understood = output != nullptr && std::fscanf(output, "%lf %lf %lf %lf", &read[0], &read[1],
                                                               &read[2], &read[3]) == 4;
      if (output == nullptr || pclose(output) != 0 || !understood)
        throw std::runtime_error(command + " failed");
      return since(begin);
    };
    std::array<double, 4> read{};
    if (!*filled) {
      if (!files::exists(directory)) directory_of(entries);
      run(read);
      *filled = true;
    }
    const double seconds = run(read);
    if (read[3] != 0) throw std::runtime_error("a kernel was compiled although it was kept");
    state.counters["first_call_us"] = read[0] * 1e3;
    state.counters["second_function_us"] = read[1] * 1e3;
    state.counters["main_to_result_us"] = read[2] * 1e3;
    return seconds;
  });
}

}  // namespace

void add_cache_layers() {
  add_key();
  for (const int operations : {10, 100}) add_memory_hit(operations);
  for (const int entries : {10, 100'000}) add_directory_hit(entries);
  if (nvrtc() != nullptr && nvjitlink() != nullptr) add_link();
  for (const int threads : {1, 2}) {
    if (nvrtc() != nullptr) add_hundred_compiles(true, threads);
    if (has_cpu_compiler()) add_hundred_compiles(false, threads);
  }
  for (const int entries : {10, 100'000}) {
    if (has_cuda()) add_new_process("cuda", entries);
    if (has_cpu_compiler()) add_new_process("cpu", entries);
  }
}

}  // namespace sinter_bench
