// A kernel that spills registers: the second schedule is tried once, and the choice is stored.
#include <doctest/doctest.h>

#include <string>
#include <vector>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_layout.hpp"

using namespace sinter;
using namespace sinter::runtime;
using sinter::test::nvrtc_is_missing;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// Every array is needed until the end: the sum of all, then a polynomial of it with the arrays as
// coefficients. With four elements of each in flight, 75 arrays exceed a thread's registers.
constexpr std::size_t many = 75, few = 20;
graph all_alive(std::size_t arrays, const char* name) {
  graph_builder builder;
  builder.restart();
  std::vector<graph_value> values;
  for (std::size_t i = 0; i < arrays; ++i) values.push_back(builder.input(element_type::float32, 1));
  graph_value sum = values[0];
  for (std::size_t i = 1; i < arrays; ++i) sum = builder.apply(operation::add, {sum, values[i]});
  graph_value total = sum;
  for (std::size_t i = 0; i < arrays; ++i)
    total = builder.apply(operation::add, {builder.apply(operation::multiply, {total, sum}), values[i]});
  builder.output(total);
  builder.recorded().name = name;
  return builder.recorded();
}

int spilled(const graph& recorded, std::size_t arrays, int architecture, unsigned attempt) {
  target_facts target = test::cuda_facts();
  target.architecture = architecture;
  const stage made = test::lower(recorded, std::vector(arrays, test::contiguous({1 << 20})), target, {}, {},
                                 nullptr, attempt)
                         .stages[0];
  const object_code code = compile_kernel(emit(made), target);
  CHECK(code.images()[0].format == code_format::cubin);
  return code.facts().spill_bytes;
}

// A call of such a function on the fake device, which reports compute capability 9.0.
struct spilling_call {
  function_handle called;
  std::vector<device_array> arrays;
  std::vector<operand> operands;

  spilling_call(std::size_t count, const char* name) : called(intern(all_alive(count, name))) {
    arrays.reserve(count);
    for (std::size_t i = 0; i < count; ++i) operands.push_back(arrays.emplace_back(4096).view());
  }
};

}  // namespace

TEST_CASE("the first schedule of many live arrays spills on every architecture, and the second does not") {
  if (nvrtc_is_missing()) return;
  const graph recorded = all_alive(many, "attempt_cubin");
  for (const int architecture : {80, 90, 120}) {
    CHECK(spilled(recorded, many, architecture, 0) > 0);
    CHECK(spilled(recorded, many, architecture, 1) == 0);
  }
  CHECK(spilled(all_alive(few, "attempt_cubin"), few, 90, 0) == 0);
}

TEST_CASE("a call whose first schedule spills takes the second, says so, and compiles both but once") {
  if (nvrtc_is_missing()) return;
  const fake_cuda fake;
  const spilling_call made(many, "attempt_taken");
  const std::size_t before = kernel_table_statistics().compiled;
  CHECK(contains(source(made.called, made.operands, {}), "pack<float, 4>"));  // nothing is known yet
  const std::string text = explain(made.called, made.operands, {});
  CHECK_MESSAGE(contains(text, "attempt: the second schedule, because the first one spills more registers"),
                text);
  CHECK_MESSAGE(contains(text, "vector=2"), text);
  CHECK_MESSAGE(contains(text, "spilled bytes: 0"), text);
  CHECK(kernel_table_statistics().compiled - before == 2);
  prepare(made.called, made.operands, {});
  const std::string used = source(made.called, made.operands, {});
  CHECK(contains(used, "pack<float, 2>"));
  CHECK_FALSE(contains(used, "pack<float, 4>"));
  CHECK(contains(explain(made.called, made.operands, {}), "attempt: the second schedule"));
  CHECK(kernel_table_statistics().compiled - before == 2);
}

TEST_CASE("of a call of several kernels only the one that spills takes its second schedule") {
  if (nvrtc_is_missing()) return;
  const fake_cuda fake;
  graph recorded = all_alive(many, "attempt_of_one");
  graph_builder builder;
  builder.recorded() = recorded;
  const graph_value beside = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::add, {beside, beside}));
  const function_handle called = intern(builder.recorded());
  std::vector<device_array> arrays;
  arrays.reserve(many + 1);
  std::vector<operand> operands;
  for (std::size_t i = 0; i < many; ++i) operands.push_back(arrays.emplace_back(4096).view());
  operand square = arrays.emplace_back(4096).view();
  const std::int64_t extents[] = {32, 128}, strides[] = {128, 1};
  square.rank = 2;
  square.extents = extents;
  square.strides = strides;
  operands.push_back(square);

  const std::size_t before = kernel_table_statistics().compiled;
  const std::string text = explain(called, operands, {});
  CHECK(kernel_table_statistics().compiled - before == 3);  // the second kernel once
  const std::size_t second = text.find("stage 2 of 2");
  REQUIRE(second != std::string::npos);
  const std::string of_first = text.substr(0, second), of_second = text.substr(second);
  CHECK_MESSAGE(contains(of_first, "attempt: the second schedule"), text);
  CHECK(contains(of_first, "vector=2"));
  CHECK_FALSE(contains(of_second, "attempt:"));
  CHECK(contains(of_second, "vector=4"));
  const std::string used = source(called, operands, {});
  CHECK(contains(used, "pack<float, 2>"));
  CHECK(contains(used, "pack<float, 4>"));
}

TEST_CASE("an attempt changes the schedule of its stage, but no other stage and not how many there are") {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value apart =
      builder.apply(operation::subtract, {x, builder.reduce(operation::max, x, 2u, true)});
  const graph_value total = builder.reduce(operation::sum, builder.apply(operation::exp, {apart}), 2u, true);
  builder.output(builder.apply(operation::true_divide, {apart, total}));
  builder.output(builder.reduce(operation::sum, x, 1u));
  for (const test::shape& extents :
       {test::shape{1000, 4096}, test::shape{4, 1 << 22}, test::shape{300, 100}, test::shape{1 << 20, 8}}) {
    const std::vector<test::layout> arrays{test::contiguous(extents)};
    const lowered_call first = test::lower(builder.recorded(), arrays, test::cuda_facts());
    std::size_t changed = 0;
    for (std::size_t retried = 0; retried < first.stage_count; ++retried) {
      INFO(extents[0], " by ", extents[1], ": stage ", retried, " of ", first.stage_count);
      std::vector<std::uint8_t> attempts(first.stage_count, 0);
      attempts[retried] = 1;
      lowered_call second;
      lower({.recorded = builder.recorded(),
             .inputs = test::views(arrays),
             .target = test::cuda_facts(),
             .attempts = attempts},
            second);
      REQUIRE(second.stage_count == first.stage_count);
      for (std::size_t i = 0; i < first.stage_count; ++i) {
        const bool same = second.stages[i].signature == first.stages[i].signature;
        if (i == retried)
          changed += same ? 0 : 1;
        else
          CHECK(same);
      }
    }
    CHECK(changed > 0);
  }
}

TEST_CASE("a call whose first schedule does not spill is compiled once") {
  if (nvrtc_is_missing()) return;
  const fake_cuda fake;
  const spilling_call made(few, "attempt_fits");
  const std::size_t before = kernel_table_statistics().compiled;
  CHECK_FALSE(contains(explain(made.called, made.operands, {}), "attempt:"));
  CHECK(kernel_table_statistics().compiled - before == 1);
}

TEST_CASE("a schedule that the caller gives is not tried another way") {
  if (nvrtc_is_missing()) return;
  const fake_cuda fake;
  const spilling_call made(many, "attempt_forced");
  schedule given;
  given.vector = 4;
  call_options options;
  options.forced = &given;
  const std::size_t before = kernel_table_statistics().compiled;
  const std::string text = explain(made.called, made.operands, {}, options);
  CHECK_FALSE(contains(text, "attempt:"));
  CHECK_FALSE(contains(text, "spilled bytes: 0"));
  CHECK(kernel_table_statistics().compiled - before == 1);
}
