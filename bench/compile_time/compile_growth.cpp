// sinter_compile_growth: how lowering, text and compiling grow with the graph.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/sinter.hpp>

#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <functional>
#include <random>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace {

using namespace sinter;

constexpr const char* usage =
    R"(usage: sinter_compile_growth [cpu|cuda|run [FAMILY [MOST_SIZE [MOST_SECONDS]]]]

Lowers graphs of growing size, writes the text of their kernels and compiles each once. Prints for each graph its nodes,
stages, kernels (stages of equal text are one kernel) and bytes of text, the milliseconds of processor time that each
part takes, and nanoseconds for each node. "cuda" needs NVRTC and no GPU, and is compute capability 9.0. "run" measures
calls on the CPU instead: milliseconds by the clock until the first returns, and of the fastest of several later ones.
A family stops at the size after one that took longer than MOST_SECONDS.
)";

constexpr element_type f32 = element_type::float32;

/// A graph of `size` operations, or reductions, of one array.
struct family {
  const char* name;
  bool reduces;
  std::vector<std::int64_t> extents;
  std::function<void(graph_builder&, graph_value, int size)> body;
};

/// A node that is drawn from functions, arithmetic and selections, so that no two parts of a graph are equal.
graph_value drawn(graph_builder& b, graph_value v, graph_value x, std::mt19937& random) {
  const auto number = [&] { return b.literal(0.25f + static_cast<float>(random() % 1000) * 1e-3f); };
  switch (random() % 8) {
    case 0:
      return b.apply(operation::exp, {v});
    case 1:
      return b.apply(operation::sin, {v});
    case 2:
      return b.apply(operation::where, {b.apply(operation::less, {v, x}), v, number()});
    case 3:
      return b.apply(operation::true_divide, {v, number()});
    case 4:
      return b.apply(operation::maximum, {v, x});
    case 5:
      return b.apply(operation::subtract, {number(), v});
    case 6:
      return b.apply(operation::multiply, {v, x});
    default:
      return b.apply(operation::add, {v, number()});
  }
}

void sums(graph_builder& b, std::vector<graph_value> level) {
  while (level.size() > 1) {
    std::vector<graph_value> above;
    for (std::size_t i = 0; i + 1 < level.size(); i += 2)
      above.push_back(b.apply(operation::add, {level[i], level[i + 1]}));
    if (level.size() % 2 != 0) above.push_back(level.back());
    level = above;
  }
  b.output(level[0]);
}

void add_pointwise(std::vector<family>& all) {
  all.push_back({"chain", false, {1 << 20}, [](graph_builder& b, graph_value x, int size) {
                   std::mt19937 random(1);
                   graph_value v = x;
                   for (int i = 0; i < size; ++i) v = drawn(b, v, x, random);
                   b.output(v);
                 }});
  all.push_back({"arithmetic", false, {1 << 20}, [](graph_builder& b, graph_value x, int size) {
                   std::mt19937 random(2);
                   graph_value v = x;
                   for (int i = 0; i < size; ++i)
                     v = b.apply(
                         random() % 2 == 0 ? operation::multiply : operation::add,
                         {v, random() % 2 == 0 ? x : b.literal(0.5f + 1e-3f * static_cast<float>(i))});
                   b.output(v);
                 }});
  // each operand is one of the latest eight values
  all.push_back({"shared", false, {1 << 20}, [](graph_builder& b, graph_value x, int size) {
                   std::mt19937 random(3);
                   std::vector<graph_value> made{x};
                   const auto latest = [&] {
                     return made[made.size() - 1 - random() % std::min<std::size_t>(8, made.size())];
                   };
                   for (int i = 0; i < size; ++i) made.push_back(drawn(b, latest(), latest(), random));
                   sums(b, {made.end() - std::min<std::ptrdiff_t>(8, size), made.end()});
                 }});
  // values of the operand alone, then their sum
  all.push_back({"wide", false, {1 << 20}, [](graph_builder& b, graph_value x, int size) {
                   std::mt19937 random(4);
                   std::vector<graph_value> made;
                   for (int i = 0; i < size; i += 4) {
                     graph_value v =
                         b.apply(operation::multiply, {x, b.literal(0.5f + 1e-3f * static_cast<float>(i))});
                     for (int j = 0; j < 2; ++j) v = drawn(b, v, x, random);
                     made.push_back(v);
                   }
                   sums(b, made);
                 }});
}

void add_reductions(std::vector<family>& all) {
  // each is broadcast back onto the array, which the next reduces
  const struct {
    const char* name;
    std::vector<std::int64_t> extents;
    std::uint32_t even, odd;  // axes that these reduce
  } chains[] = {{"rows", {1024, 1024}, 2, 2},
                {"columns", {1024, 1024}, 1, 1},
                {"full", {1 << 20}, 1, 1},
                {"alternating", {1024, 1024}, 1, 2}};
  for (const auto& each : chains)
    all.push_back({each.name, true, each.extents, [each](graph_builder& b, graph_value x, int size) {
                     graph_value v = x;
                     for (int i = 0; i < size; ++i) {
                       const graph_value factor = b.literal(0.5f + 1e-3f * static_cast<float>(i));
                       const operation op = i % 2 == 0 ? operation::sum : operation::max;
                       const graph_value reduced = b.reduce(op, v, i % 2 == 0 ? each.even : each.odd, true);
                       v = b.apply(operation::subtract, {b.apply(operation::multiply, {v, factor}), reduced});
                     }
                     b.output(v);
                   }});
  all.push_back({"softmaxes", true, {1024, 1024}, [](graph_builder& b, graph_value x, int size) {
                   graph_value v = x;
                   for (int i = 0; i < size; i += 2) {
                     const graph_value e =
                         b.apply(operation::exp,
                                 {b.apply(operation::subtract, {v, b.reduce(operation::max, v, 2, true)})});
                     v = b.apply(operation::true_divide, {e, b.reduce(operation::sum, e, 2, true)});
                   }
                   b.output(v);
                 }});
  all.push_back({"independent", true, {1024, 1024}, [](graph_builder& b, graph_value x, int size) {
                   std::vector<graph_value> made;
                   for (int i = 0; i < size; ++i)
                     made.push_back(b.reduce(
                         i % 2 == 0 ? operation::sum : operation::max,
                         b.apply(operation::multiply, {x, b.literal(0.5f + 1e-3f * static_cast<float>(i))}),
                         2, true));
                   sums(b, made);
                 }});
}

std::vector<family> all_families() {
  std::vector<family> all;
  add_pointwise(all);
  add_reductions(all);
  return all;
}

target_facts h200() {
  const auto models = known_devices();
  return facts_of(*std::ranges::find(models, "H200", &known_device::name));
}

/// Processor time of the process, whose compiles have threads of their own: other processes may run beside
/// it.
double milliseconds() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) * 1e-6;
}

double milliseconds_by_clock() {
  using clock = std::chrono::steady_clock;
  return std::chrono::duration<double, std::milli>(clock::now().time_since_epoch()).count();
}

graph recorded_of(const family& of, int size) {
  graph_builder builder;
  of.body(builder, builder.input(f32, static_cast<unsigned>(of.extents.size())), size);
  return builder.recorded();
}

/// Prints a line, and returns seconds.
double measure(const family& of, int size, const target_facts& target) {
  const graph recorded = recorded_of(of, size);
  std::vector<std::int64_t> strides(of.extents.size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * of.extents[axis];
  array_layout input;
  input.type = f32;
  input.rank = static_cast<std::uint8_t>(of.extents.size());
  input.extents = of.extents.data();
  input.strides = strides.data();
  input.alignment = 256;

  const double begin = milliseconds();
  const graph simplified = simplify(recorded);
  const double is_simplified = milliseconds();
  lowered_call lowered;
  lower({.recorded = simplified, .inputs = {&input, 1}, .target = target}, lowered);
  const double is_lowered = milliseconds();
  std::vector<kernel_text> texts;
  std::set<std::string> known;
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    if (!known.insert(lowered.stages[i].signature).second) continue;
    texts.push_back(emit(lowered.stages[i]));
    bytes += texts.back().source.size();
  }
  const double is_text = milliseconds();
  for (const kernel_text& text : texts) runtime::compile_kernel(text, target);
  const double is_compiled = milliseconds();

  const double nodes = static_cast<double>(simplified.nodes.size());
  const double parts[] = {is_simplified - begin, is_lowered - is_simplified, is_text - is_lowered,
                          is_compiled - is_text};
  std::printf("| %s | %d | %zu | %zu | %zu | %zu |", of.name, size, simplified.nodes.size(),
              lowered.stage_count, texts.size(), bytes / 1024);
  for (const double part : parts) std::printf(" %.2f |", part);
  for (const double part : parts) std::printf(" %.0f |", part * 1e6 / nodes);
  std::printf("\n");
  std::fflush(stdout);
  return (is_compiled - begin) * 1e-3;
}

/// Calls on the CPU by the clock; returns seconds.
double measure_calls(const family& of, int size) {
  any_array x(f32, of.extents, device::cpu());
  std::fill_n(static_cast<float*>(x.data()), static_cast<std::size_t>(x.size()), 0.5f);
  std::vector<std::int64_t> strides(of.extents.size(), 1);
  for (std::size_t axis = strides.size(); axis-- > 1;) strides[axis - 1] = strides[axis] * of.extents[axis];
  const runtime::operand from{.data = x.data(),
                              .extents = of.extents.data(),
                              .strides = strides.data(),
                              .type = f32,
                              .rank = static_cast<std::uint8_t>(of.extents.size()),
                              .where = device::cpu()};
  const runtime::function_handle called = runtime::intern(recorded_of(of, size));
  const auto call = [&] {
    runtime::result made;
    const double begin = milliseconds_by_clock();
    runtime::call(called, {&from, 1}, {}, {}, {&made, 1});
    return milliseconds_by_clock() - begin;
  };
  const double first = call();
  double least = call();
  for (int i = 0; i < 6; ++i) least = std::min(least, call());
  std::printf("| %s | %d | %.1f | %.3f |\n", of.name, size, first, least);
  std::fflush(stdout);
  return first * 1e-3;
}

}  // namespace

int main(int count, char** words) {
  const std::string what = count > 1 ? words[1] : "cpu", wanted = count > 2 ? words[2] : "all";
  const int max_size = count > 3 ? std::atoi(words[3]) : 3000;
  const double max_seconds = count > 4 ? std::atof(words[4]) : 20;
  if (count > 5 || (what != "cpu" && what != "cuda" && what != "run")) {
    std::fputs(usage, stderr);
    return 2;
  }
  const target_facts target = what == "cuda" ? h200() : runtime::facts_of(device::cpu());
  if (what == "run")
    std::printf("| family | size | first call ms | later call ms |\n|---|--:|--:|--:|\n");
  else
    std::printf(
        "| family | size | nodes | stages | kernels | KiB of text | simplify ms | lower ms | text ms | "
        "compile ms "
        "| simplify ns/node | lower ns/node | text ns/node | compile ns/node |\n"
        "|---|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|--:|\n");
  const std::vector<family> all = all_families();
  if (what != "run") measure(all[0], 1, target);  // opens the CPU compiler's library
  for (const family& of : all) {
    if (wanted != "all" && wanted != of.name) continue;
    constexpr int of_operations[] = {6, 10, 30, 100, 300, 1000, 3000},
                  of_reductions[] = {1, 3, 10, 35, 100, 300};
    for (const int size :
         of.reduces ? std::span<const int>(of_reductions) : std::span<const int>(of_operations)) {
      if (size > max_size) break;
      if ((what == "run" ? measure_calls(of, size) : measure(of, size, target)) > max_seconds) break;
    }
  }
  return 0;
}
