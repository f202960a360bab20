// What the cache costs and saves: a key, a hit in memory, in small and large directories and packs, and in a
// new process.

#include "../benchmarks.hpp"
#include "../comparison.hpp"
#include "../limits/cpu_limits.hpp"
#include "../limits/cuda_limits.hpp"
#include "../limits/hand_written.hpp"
#include "../statistics.hpp"
#include "kernel_texts.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cpu/compiler.hpp>
#include <sinter/runtime/cuda/nvjitlink.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <benchmark/benchmark.h>

#include <unistd.h>

#include <algorithm>
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

/// A temporary folder, removed when the process ends.
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

/// The only stage of a function of that many operations.
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
  const graph recorded = simplify(builder.recorded());
  lower({.recorded = recorded, .inputs = inputs, .target = h200()}, lowered);
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

/// A directory of that many entries; the first ten are whole, the others only have names and sizes.
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
       .limit_name = "lowering the call of that function, which makes what is hashed",
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
       .goal = 0.1e-6,
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

/// A pack of that many whole entries, beginning with the given ones.
std::string pack_file_of(int entries, const std::string& name, std::vector<cache_entry> held = {}) {
  for (int i = 0; static_cast<int>(held.size()) < entries; ++i) held.push_back(sample_entry(i));
  std::string path = scratch_folder() + "/" + name + std::to_string(entries);
  std::ofstream(path, std::ios::binary) << make_pack(held);
  return path;
}

void add_pack_hit(int entries) {
  add({.name = "cache/pack_hit_of_" + std::to_string(entries),
       .limit_name = "reading the entry's bytes from the open file",
       .judgement = judged_by::seconds,
       .goal = 0.3e-3,
       .make = [entries] {
         const std::string path = pack_file_of(entries, "pack_of_");
         std::string fault;
         const std::shared_ptr<pack> opened = pack::open(path, {}, fault);
         if (opened == nullptr) throw std::runtime_error(fault);
         kernel_cache::layers layers;
         layers.packs.push_back(opened);
         auto cache = std::make_shared<kernel_cache>(layers);
         auto wanted =
             std::make_shared<kernel_request>(kernel_request{sample_entry(3).key_content, "kernel", 13000});
         pack_row at;
         for (std::size_t i = 0; i < opened->size(); ++i)
           if (opened->row(i).key == key_of(wanted->content)) at = opened->row(i);
         const std::shared_ptr<std::FILE> file(std::fopen(path.c_str(), "rb"), std::fclose);
         return sides{repeated([cache, wanted] {
                        cache_event event;
                        if (!cache->find(*wanted, event)) throw std::runtime_error("the entry is not found");
                      }),
                      repeated([file, at] {
                        std::array<char, 32768> bytes;
                        const std::size_t size = std::min<std::size_t>(at.size, bytes.size());
                        benchmark::DoNotOptimize(
                            ::pread(fileno(file.get()), bytes.data(), size, static_cast<off_t>(at.offset)));
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

/// A hundred kernels that differ in a literal, compiled by that many threads.
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
          compile_cpu(
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

/// The output of sinter_cached_process: milliseconds of its first call, of the first call of a second
/// function, and from main() to that call's result; and how many kernels it compiled.
struct process_times {
  double first = 0, second = 0, all = 0, compiled = 0;
  double process_seconds = 0;
};

process_times run_cached_process(const std::string& environment, const std::string& where) {
  const files::path program = files::read_symlink("/proc/self/exe").parent_path() / "sinter_cached_process";
  const std::string command =
      "SINTER_CACHE= SINTER_PACKS= " + environment + " '" + program.string() + "' " + where;
  process_times read;
  const auto begin = std::chrono::steady_clock::now();
  std::FILE* const output = popen(command.c_str(), "r");
  const bool understood = output != nullptr && std::fscanf(output, "%lf %lf %lf %lf", &read.first,
                                                           &read.second, &read.all, &read.compiled) == 4;
  if (output == nullptr || pclose(output) != 0 || !understood) throw std::runtime_error(command + " failed");
  read.process_seconds = since(begin);
  return read;
}

/// The entries that a process leaves in a directory.
std::vector<cache_entry> entries_of_process(const std::string& where) {
  const std::string path = scratch_folder() + "/for_pack_" + where;
  run_cached_process("SINTER_CACHE_DIR='" + path + "'", where);
  std::vector<cache_entry> found;
  for (const files::directory_entry& at : files::recursive_directory_iterator(path)) {
    if (!at.is_regular_file() || !parse_key(at.path().filename().string())) continue;
    cache_entry entry;
    if (decode(read_whole_file(at.path().string()), "", entry) == entry_fault::none)
      found.push_back(std::move(entry));
  }
  return found;
}

/// The first call of a new process whose kernels are cached: `keep` stores them and returns the environment
/// variables with which the process finds them.
void add_new_process(const std::string& name, const std::string& where,
                     const std::function<std::string()>& keep) {
  auto environment = std::make_shared<std::string>();
  add_measured("cache/new_process_" + where + "_" + name, 9, 1e-3, [=](benchmark::State& state) {
    if (environment->empty()) {
      *environment = keep();
      run_cached_process(*environment, where);
    }
    const process_times read = run_cached_process(*environment, where);
    if (read.compiled != 0) throw std::runtime_error("a kernel was compiled although it was kept");
    state.counters["second_function_us"] = read.second * 1e3;
    state.counters["main_to_result_us"] = read.all * 1e3;
    state.counters["process_us"] = read.process_seconds * 1e6;
    return read.first * 1e-3;
  });
}

void add_new_processes(const std::string& where) {
  for (const int entries : {10, 100'000})
    add_new_process("of_" + std::to_string(entries), where, [entries] {
      const std::string path = scratch_folder() + "/of_" + std::to_string(entries);
      if (!files::exists(path)) directory_of(entries);
      return "SINTER_CACHE_DIR='" + path + "'";
    });
  for (const int entries : {10, 1'000})
    add_new_process("pack_of_" + std::to_string(entries), where, [entries, where] {
      return "SINTER_CACHE=off SINTER_PACKS='" +
             pack_file_of(entries, "pack_for_" + where + "_of_", entries_of_process(where)) + "'";
    });
}

}  // namespace

void add_cache_layers() {
  add_key();
  for (const int operations : {10, 100}) add_memory_hit(operations);
  for (const int entries : {10, 100'000}) add_directory_hit(entries);
  for (const int entries : {10, 1'000}) add_pack_hit(entries);
  if (nvrtc() != nullptr && nvjitlink() != nullptr) add_link();
  for (const int threads : {1, 2}) {
    if (nvrtc() != nullptr) add_hundred_compiles(true, threads);
    if (has_cpu_compiler()) add_hundred_compiles(false, threads);
  }
  if (has_cuda()) add_new_processes("cuda");
  if (has_cpu_compiler()) add_new_processes("cpu");
}

}  // namespace sinter_bench
