// GPU kernels without a GPU: their texts run on the CPU (support/cuda/cuda_simulator.hpp), in two orders of
// threads and between guard pages, and give the interpreter's results.

#include <doctest/doctest.h>

#include "../support/cuda/cuda_simulator.hpp"
#include "../support/reduction_graphs.hpp"
#include "../support/sweep/sweep.hpp"
#include "../support/sweep/sweep_program.hpp"

#include <numeric>
#include <random>

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
      if (seed % 5 == 0) how.variant = lowering_variant::shape_generic;
      expect_equal(program, expected, simulate(program.recorded, operands, program.scalars, how), kind,
                   failures);
    } catch (const simulated_fault& fault) {
      failures.add(kind, std::string(fault.what()) + "\n" + to_string(program.recorded));
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

/// A hand-written kernel, with one block of 64 threads by default.
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

/// An array of a GPU call with any strides and elements 0, 1, 2 … in row-major order.
struct strided_array {
  element_type type;
  shape extents, strides;
  std::vector<std::byte> bytes;
  std::int64_t first = 0;

  strided_array(element_type of, shape how_many, shape how_far, const bits& values = {})
      : type(of), extents(std::move(how_many)), strides(std::move(how_far)) {
    std::int64_t most = 0;
    for (std::size_t axis = 0; axis < extents.size(); ++axis) {
      const std::int64_t reach = (extents[axis] - 1) * strides[axis];
      (reach < 0 ? first : most) += reach < 0 ? -reach : reach;
    }
    bytes.assign(static_cast<std::size_t>(first + most + 1) * size_of(type), std::byte{0xa5});
    for (std::size_t i = 0; i < count(); ++i) {
      const bits one{values.empty() ? 0 : values[i]};
      const std::vector<std::byte> packed = pack(type, one);
      std::copy(packed.begin(), packed.end(), bytes.begin() + at(i));
    }
  }
  std::size_t count() const {
    std::size_t all = 1;
    for (const std::int64_t extent : extents) all *= static_cast<std::size_t>(extent);
    return all;
  }
  std::ptrdiff_t at(std::size_t index) const {
    auto left = static_cast<std::int64_t>(index);
    std::int64_t position = first;
    for (std::size_t axis = extents.size(); axis-- > 0;) {
      position += left % extents[axis] * strides[axis];
      left /= extents[axis];
    }
    return position * static_cast<std::ptrdiff_t>(size_of(type));
  }
  bits read() const {
    bits made;
    for (std::size_t i = 0; i < count(); ++i) made.push_back(unpack(type, bytes.data() + at(i), 1)[0]);
    return made;
  }
  runtime::operand operand() {
    return {.data = bytes.data() + first * static_cast<std::int64_t>(size_of(type)),
            .extents = extents.data(),
            .strides = strides.data(),
            .type = type,
            .rank = static_cast<std::uint8_t>(extents.size())};
  }
};

/// Strides for a random order and direction of axes, with gaps.
shape random_strides(const shape& extents, std::mt19937_64& random) {
  std::vector<std::size_t> order(extents.size());
  std::iota(order.begin(), order.end(), 0);
  if (random() % 2 == 0)
    std::shuffle(order.begin(), order.end(), random);
  else
    std::reverse(order.begin(), order.end());
  shape strides(extents.size());
  std::int64_t next = random() % 3 == 0 ? static_cast<std::int64_t>(2 + random() % 3) : 1;
  for (const std::size_t axis : order) {
    strides[axis] = random() % 3 == 0 ? -next : next;
    next *= extents[axis];
    if (random() % 4 == 0) next += static_cast<std::int64_t>(1 + random() % 4);
    if (random() % 6 == 0) next = (next + 15) / 16 * 16;
  }
  return strides;
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
  const std::string arrive = "asm volatile(\"barrier.cluster.arrive;\" ::: \"memory\");",
                    wait = "asm volatile(\"barrier.cluster.wait;\" ::: \"memory\");",
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
      {.nodes = 0, .mode = arithmetic_mode::strict, .types = {}, .reductions = true, .max_elements = 6000},
      1001 + first_seed(), programs(20));
}

TEST_CASE("simulated kernels of few long rows give what the interpreter does") {
  hold_against_interpreter({.nodes = 10,
                            .mode = arithmetic_mode::strict,
                            .types = {element_type::int64, element_type::int32, element_type::boolean},
                            .reductions = true,
                            .max_rows = 3,
                            .max_columns = 30000,
                            .max_elements = 60000},
                           2001 + first_seed(), programs(10));
}

TEST_CASE("threads past the end of narrow columns load nothing there") {
  // positions of the largest along an axis of strided columns, at either end of memory
  for (const shape& strides : {shape{280, 28, -2, 56}, shape{280, 28, 2, 56}}) {
    graph_builder builder;
    builder.restart();
    builder.output(builder.reduce(operation::argmax, builder.input(element_type::uint64, 4), 2, true));
    const shape extents{5, 2, 5, 5};
    const bits values = random_values(element_type::uint64, 250, 3);
    strided_array array(element_type::uint64, extents, strides, values);
    std::vector<reference_array> expected;
    interpret(
        builder.recorded(),
        std::vector{load_reference(element_type::uint64, extents, pack(element_type::uint64, values).data())},
        {}, expected, reference_precision::native);
    for (const bool at_the_end : {true, false})
      CHECK(simulate(builder.recorded(), {array.operand()}, {}, {.at_the_end = at_the_end})[0] ==
            elements_of(expected[0]));
  }
}

TEST_CASE("results that run down are written beside maxima and scans of narrow columns") {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::int32, 2);
  builder.output(builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 1, true)}));
  builder.output(builder.apply(
      operation::add, {builder.scan(operation::cumsum, x, 0), builder.reduce(operation::max, x, 1, true)}));
  const shape extents{64, 7};
  const bits values = random_values(element_type::int32, 64 * 7, 5);
  strided_array array(element_type::int32, extents, {7, 1}, values);
  std::vector<reference_array> expected;
  interpret(
      builder.recorded(),
      std::vector{load_reference(element_type::int32, extents, pack(element_type::int32, values).data())}, {},
      expected, reference_precision::native);
  for (const bool at_the_end : {true, false}) {
    std::vector<strided_array> into;
    std::vector<runtime::operand> operands;
    for (const reference_array& at : expected)
      into.emplace_back(at.type, extents, shape{-7, -1}, bits(at.size(), 0));
    for (strided_array& at : into) operands.push_back(at.operand());
    simulate(builder.recorded(), {array.operand()}, {}, {.at_the_end = at_the_end}, operands);
    for (std::size_t o = 0; o < into.size(); ++o) CHECK(into[o].read() == elements_of(expected[o]));
  }
}

TEST_CASE("simulated full reductions, several in one nest, are the interpreter's") {
  constexpr element_type types[] = {element_type::boolean, element_type::int64, element_type::int16,
                                    element_type::uint8};
  failure_list failures;
  in_parallel(programs(24), failures, [&](std::size_t i) {
    std::mt19937_64 random(5 + first_seed() + i);
    const shape extents = i % 3 == 0 ? shape{219, 64}
                                     : shape{static_cast<std::int64_t>(1 + random() % 300),
                                             static_cast<std::int64_t>(1 + random() % 150)};
    graph_builder builder;
    builder.restart(arithmetic_mode::strict);
    std::vector<strided_array> arrays;
    std::vector<reference_array> inputs, expected;
    std::vector<graph_value> values;
    const auto count = static_cast<std::size_t>(extents[0] * extents[1]);
    for (int n = 0; n < 3; ++n) {
      const element_type type = types[i < 8 ? (i >> n & 1) : random() % std::size(types)];
      const bits elements = random_values(type, count, random());
      values.push_back(builder.input(type, 2));
      arrays.emplace_back(type, extents, contiguous_strides(extents), elements);
      inputs.push_back(load_reference(type, extents, pack(type, elements).data()));
    }
    const graph_value total = builder.reduce(operation::sum, values[0], 3, true);
    const graph_value chosen =
        builder.apply(operation::where, {builder.cast(values[1], element_type::boolean),
                                         builder.apply(operation::equal, {values[0], total}), values[2]});
    const operation kinds[] = {operation::any, operation::all, operation::max, operation::argmax};
    const operation second = i < 8 ? operation::any : kinds[random() % std::size(kinds)];
    builder.output(builder.apply(operation::add, {builder.reduce(second, chosen, 3, true), values[2]}));
    if (i >= 8 && random() % 2 == 0) builder.output(builder.reduce(operation::max, values[2], 3, false));
    interpret(builder.recorded(), inputs, {}, expected, reference_precision::native);
    std::vector<runtime::operand> operands;
    for (strided_array& array : arrays) operands.push_back(array.operand());
    const std::string kind = "item " + std::to_string(i);
    try {
      simulation_options how;
      how.order = i % 2 == 0 ? thread_order::upward : thread_order::downward;
      const std::vector<bits> made = simulate(builder.recorded(), operands, {}, how);
      for (std::size_t o = 0; o < made.size(); ++o)
        if (made[o] != elements_of(expected[o])) failures.add(kind, "another result");
    } catch (const simulated_fault& fault) {
      failures.add(kind, std::string(fault.what()) + "\n" + to_string(builder.recorded()));
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

namespace {

shape random_extents(std::mt19937_64& random) {
  const unsigned rank = 1 + random() % 4;
  shape extents(rank);
  const std::int64_t most[] = {6000, 90, 20, 8};
  for (std::int64_t& extent : extents)
    extent = static_cast<std::int64_t>(1 + random() % static_cast<std::uint64_t>(most[rank - 1]));
  if (rank == 2 && random() % 3 == 0) extents = random() % 2 == 0 ? shape{64, 7} : shape{7, 64};
  if (random() % 4 == 0) extents[random() % rank] = static_cast<std::int64_t>(64 << random() % 3);
  return extents;
}

/// One or two results of two arrays: reductions, scans, and elements beside them.
graph random_reductions(element_type type, unsigned rank, std::mt19937_64& random) {
  graph_builder builder;
  builder.restart(arithmetic_mode::strict);
  const graph_value x = builder.input(type, rank), y = builder.input(type, rank);
  const auto axis = static_cast<unsigned>(random() % rank);
  const std::uint32_t axes = random() % 3 == 0 ? (1u << rank) - 1 : 1u << axis;
  std::vector<graph_value> results;
  const auto element_wise = [&] {
    graph_value made = builder.apply(operation::add, {x, y});
    switch (random() % 4) {
      case 0:
        return builder.apply(operation::maximum, {made, builder.reduce(operation::max, x, axes, true)});
      case 1:
        return builder.scan(operation::cumsum, made, axis);
      case 2:
        return builder.apply(operation::equal, {x, builder.reduce(operation::sum, y, axes, true)});
      default:
        return made;
    }
  };
  for (std::uint64_t left = 1 + random() % 2; left > 0; --left) {
    const operation kinds[] = {operation::argmax, operation::argmin, operation::max,
                               operation::sum,    operation::any,    operation::min};
    results.push_back(random() % 2 == 0
                          ? element_wise()
                          : builder.reduce(kinds[random() % std::size(kinds)],
                                           random() % 2 == 0 ? x : element_wise(), axes, random() % 2 == 0));
  }
  for (const graph_value& made : results) builder.output(made);
  return builder.recorded();
}

std::string text_of(const std::vector<strided_array>& arrays, const std::vector<strided_array>& into) {
  std::string kind;
  for (const strided_array& array : arrays) {
    kind += " (";
    for (const std::int64_t e : array.extents) kind += std::to_string(e) + " ";
    kind += ") by (";
    for (const std::int64_t e : array.strides) kind += std::to_string(e) + " ";
    kind += ")";
  }
  for (const strided_array& array : into) {
    kind += " into (";
    for (const std::int64_t e : array.strides) kind += std::to_string(e) + " ";
    kind += ")";
  }
  return kind;
}

}  // namespace

TEST_CASE(
    "simulated reductions and scans of arrays with any strides, into such arrays, are the interpreter's") {
  constexpr element_type types[] = {element_type::boolean, element_type::int8,   element_type::int16,
                                    element_type::int32,   element_type::uint64, element_type::int64};
  failure_list failures;
  in_parallel(programs(60), failures, [&](std::size_t i) {
    std::mt19937_64 random(77 + first_seed() + i);
    const element_type type = types[random() % std::size(types)];
    const shape extents = random_extents(random);
    const graph recorded = random_reductions(type, static_cast<unsigned>(extents.size()), random);
    std::size_t count = 1;
    for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
    std::vector<strided_array> arrays;
    std::vector<reference_array> inputs, expected;
    for (int n = 0; n < 2; ++n) {
      const bits values = random_values(type, count, random());
      arrays.emplace_back(type, extents, random_strides(extents, random), values);
      inputs.push_back(load_reference(type, extents, pack(type, values).data()));
    }
    interpret(recorded, inputs, {}, expected, reference_precision::native);
    std::vector<strided_array> into;
    for (const reference_array& at : expected)
      into.emplace_back(at.type, at.extents, random_strides(at.extents, random), bits(at.size(), 0));
    std::vector<runtime::operand> operands, results_into;
    for (strided_array& array : arrays) operands.push_back(array.operand());
    for (strided_array& array : into) results_into.push_back(array.operand());
    const std::string kind =
        "item " + std::to_string(i) + " of " + std::string(facts_of(type).name) + text_of(arrays, into);
    try {
      simulation_options how;
      how.at_the_end = random() % 2 == 0;
      how.order = random() % 2 == 0 ? thread_order::upward : thread_order::downward;
      simulate(recorded, operands, {}, how, results_into);
      for (std::size_t o = 0; o < into.size(); ++o)
        if (into[o].read() != elements_of(expected[o]))
          failures.add(kind, "another result\n" + to_string(recorded));
    } catch (const simulated_fault& fault) {
      failures.add(kind, std::string(fault.what()) + "\n" + to_string(recorded));
    }
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
