// GPU kernels without a GPU: their texts run on the CPU (support/cuda_simulator.hpp), in two orders of
// threads and between guard pages, and give what the interpreter does.

#include <doctest/doctest.h>

#include "support/cuda_simulator.hpp"
#include "support/reduction_graphs.hpp"
#include "support/sweep.hpp"
#include "support/sweep_program.hpp"

namespace sinter::test {
namespace {

std::vector<bits> interpreted(const random_program& program) {
  std::vector<reference_array> inputs, results;
  for (std::size_t i = 0; i < program.values.size(); ++i) {
    const element_type type = program.recorded.inputs[i].type;
    inputs.push_back(load_reference(type, program.extents[i], pack(type, program.values[i]).data()));
  }
  interpret(program.recorded, inputs, program.scalars, results, reference_precision::native);
  std::vector<bits> made;
  for (const reference_array& result : results) made.push_back(elements_of(result));
  return made;
}

void expect_equal(const random_program& program, const std::vector<bits>& expected,
                  const std::vector<bits>& actual, const std::string& kind, failure_list& failures) {
  for (std::size_t o = 0; o < expected.size(); ++o) {
    const element_type type = component_of(program.recorded.nodes[program.recorded.outputs[o]].type);
    for (std::size_t i = 0; i < actual[o].size(); ++i)
      if (!same_element(type, expected[o][i], actual[o][i])) {
        failures.add(kind, "result " + std::to_string(o) + ", element " + std::to_string(i) + " is " +
                               element_text(type, expected[o][i]) + ", got " +
                               element_text(type, actual[o][i]) + "\n" + to_string(program.recorded));
        return;
      }
  }
}

void hold_against_interpreter(const program_options& base, std::uint64_t first, std::size_t count) {
  failure_list failures;
  in_parallel(count, failures, [&](std::size_t i) {
    program_options options = base;
    const std::uint64_t seed = first + i;
    if (options.nodes == 0) options.nodes = 8 + seed % 20;
    const random_program program = make_program(seed, options);
    const std::vector<bits> expected = interpreted(program);
    std::vector<runtime::operand> operands;
    const std::vector<placed_array> arrays = place(program, device::cpu());
    for (const placed_array& array : arrays) operands.push_back(array.operand());
    const std::string kind = "seed " + std::to_string(seed);
    try {
      simulation_options how;
      how.at_the_end = seed % 2 == 0;
      how.order = seed / 2 % 2 == 0 ? thread_order::upward : thread_order::downward;
      if (seed % 5 == 0 && has_general_variant(program.recorded)) how.variant = lowering_variant::general;
      expect_equal(program, expected, simulate(program.recorded, operands, program.scalars, how), kind,
                   failures);
    } catch (const simulated_fault& fault) {
      failures.add(kind, std::string(fault.what()) + "\n" + to_string(program.recorded));
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

/// A kernel written by hand, one block of 64 threads unless told otherwise.
void run_text(const std::string& statements, std::vector<std::uint64_t> block, unsigned cluster = 1,
              thread_order order = thread_order::upward) {
  stage launched;
  launched.tiles = cluster;
  launched.threads_along = 64;
  launched.cluster = cluster;
  simulate_kernel(launched,
                  {"struct arguments { int* p; int* q; };\n"
                   "extern \"C\" __global__ void k(const __grid_constant__ arguments a) {\n" +
                       statements + "}\n",
                   "k"},
                  block, order);
}

std::uint64_t first_seed() {
  const char* given = std::getenv("SINTER_FIRST_SEED");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : 0;
}
std::size_t programs(std::size_t usual) {
  const char* given = std::getenv("SINTER_PROGRAMS");
  return given != nullptr ? std::strtoull(given, nullptr, 10) : usual;
}

}  // namespace

TEST_CASE("the simulator runs threads, exchanges values and finds what a device would not bear") {
  const guarded_memory to(64 * sizeof(int), true), from(64 * sizeof(int), false);
  auto* values = reinterpret_cast<int*>(to.data());
  const std::vector<std::uint64_t> block{reinterpret_cast<std::uint64_t>(to.data()),
                                         reinterpret_cast<std::uint64_t>(from.data())};
  for (const thread_order order : {thread_order::upward, thread_order::downward}) {
    run_text("a.p[threadIdx.x] = threadIdx.x;", block, 1, order);
    for (int i = 0; i < 64; ++i) CHECK(values[i] == i);
    run_text(
        "__shared__ int s[64]; s[threadIdx.x] = threadIdx.x; __syncthreads();"
        "int r; asm volatile(\"shfl.sync.bfly.b32 %0, %1, %2, 31, 0xffffffff;\" : \"=r\"(r) : "
        "\"r\"(s[63 - threadIdx.x]), \"r\"(1)); a.p[threadIdx.x] = r;",
        block, 1, order);
    for (int i = 0; i < 64; ++i) CHECK(values[i] == 63 - (i ^ 1));
  }
  const std::string arrive = "asm volatile(\"barrier.cluster.arrive.aligned;\" ::: \"memory\");",
                    wait = "asm volatile(\"barrier.cluster.wait.aligned;\" ::: \"memory\");",
                    write =
                        "__shared__ int s; unsigned long long there; asm(\"mapa.u64 %0, %1, %2;\" : "
                        "\"=l\"(there) : \"l\"(&s), \"r\"(1 - blockIdx.x)); "
                        "if (threadIdx.x == 0) *(int*)there = blockIdx.x;";
  run_text(arrive + wait + write + arrive + wait + "if (threadIdx.x == 0) a.p[blockIdx.x] = s;", block, 2);
  CHECK(values[0] == 1);
  CHECK(values[1] == 0);
  CHECK_THROWS_AS(run_text(write + arrive + wait, block, 2), simulated_fault);
  CHECK_THROWS_AS(run_text(arrive + wait + "if (blockIdx.x == 0) {" + arrive + wait + "}", block, 2),
                  simulated_fault);
  CHECK_THROWS_AS(run_text("a.p[threadIdx.x + 1] = 0;", block), simulated_fault);
  CHECK_THROWS_AS(run_text("a.p[0] = a.q[(int)threadIdx.x - 1];", block), simulated_fault);
  CHECK_THROWS_AS(run_text("*reinterpret_cast<uint4*>(a.q + 1) = uint4();", block), simulated_fault);
  CHECK_THROWS_AS(run_text("if (threadIdx.x < 32) __syncthreads();", block), simulated_fault);
  CHECK_THROWS_AS(run_text("if (threadIdx.x < 32) { __syncthreads(); }\nelse { __syncthreads(); }", block),
                  simulated_fault);
}

TEST_CASE("simulated kernels of random pointwise programs give what the interpreter does") {
  hold_against_interpreter({.nodes = 0, .mode = arithmetic_mode::strict, .types = {}}, 1 + first_seed(),
                           programs(20));
}

TEST_CASE("simulated kernels of random programs that reduce give what the interpreter does") {
  hold_against_interpreter(
      {.nodes = 0, .mode = arithmetic_mode::strict, .types = {}, .reductions = true, .most_elements = 6000},
      1001 + first_seed(), programs(20));
}

TEST_CASE("simulated kernels of few long rows give what the interpreter does") {
  hold_against_interpreter({.nodes = 10,
                            .mode = arithmetic_mode::strict,
                            .types = {element_type::int64, element_type::int32, element_type::boolean},
                            .reductions = true,
                            .most_rows = 3,
                            .most_columns = 30000,
                            .most_elements = 60000},
                           2001 + first_seed(), programs(10));
}

}  // namespace sinter::test
