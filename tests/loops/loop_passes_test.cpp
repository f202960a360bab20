// Loop trees: what passes leave is whole, and reads as text.

#include <doctest/doctest.h>

#include "../support/drawn/random_kernels.hpp"
#include "../support/loops_after.hpp"
#include "../support/recorded.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>

namespace sinter::test {
namespace {

using namespace codegen;

kernel_description described(const stage& made) { return read_signature(made.signature).value(); }

/// What is wrong with the tree that any pass leaves of a stage's kernel.
std::string fault_of_passes(const stage& made) {
  const kernel_description kernel = described(made);
  loop_tree tree;
  std::string fault;
  build_loops(kernel, tree, [&](std::string_view pass, const loop_tree& now) {
    const std::string found = fault_of(kernel, now);
    if (fault.empty() && !found.empty()) fault = std::string(pass) + ": " + found + "\n" + to_string(kernel);
  });
  return fault;
}

TEST_CASE("every pass leaves random kernels of both targets whole") {
  constexpr std::size_t kernels = 400;
  sweep(kernels, [](std::size_t seed, failure_list& failures) {
    const random_kernel made = make_kernel(seed + 9000, seed % 2 == 0 ? 12 : 24);
    for (const target_facts& target : {cuda_facts(), cpu_facts()})
      for (const bool generic : {false, true}) {
        const lowered_call lowered = generic ? lower_general(made.recorded, made.inputs, target)
                                             : lower(made.recorded, made.inputs, target);
        for (std::size_t i = 0; i < lowered.stage_count; ++i)
          if (const std::string fault = fault_of_passes(lowered.stages[i]); !fault.empty())
            failures.add("tree", made.description + ": " + fault);
      }
  });
}

TEST_CASE("the loops of a kernel read as text") {
  const stage made = lower(sum_of({{element_type::float32, 1}, {element_type::float32, 1}}),
                           {contiguous({1000}), contiguous({1000})}, cpu_facts())
                         .stages[0];
  loop_tree tree;
  build_loops(described(made), tree);
  const std::string text = to_string(tree);
  CHECK(text.find("for tile from first while tile < last, rolled\n") != std::string::npos);
  CHECK(
      text.find("for i from 0 while i < computed, by doubled_where_wide(16), vector in pairs, may speculate\n"
                "      let v0: float32 value = %0(from0[i])\n"
                "      let v1: float32 value = %1(from1[i])\n"
                "      let v2: float32 value = %2(v0, v1)\n"
                "      to2[i] = as float32(v2), past the cache if bypass2 != 0\n") != std::string::npos);
  INFO(text);
  CHECK(text.ends_with("if streaming != 0\n  streaming_fence()\n"));
}

TEST_CASE("the tree of a GPU says what is launched, and of what arrays") {
  const stage made = lower(sum_of({{element_type::float32, 1}, {element_type::int32, 1}}),
                           {contiguous({1000}), contiguous({1000}, element_type::int32)}, cuda_facts())
                         .stages[0];
  loop_tree tree;
  build_loops(described(made), tree);
  const std::string text = to_string(tree);
  INFO(text);
  CHECK(text.starts_with("global var a0: float32 const*\nglobal var a1: int32 const*\nglobal var a2: "));
  CHECK(has(text,
            "\ngrid block\n  block thread across while thread across < 1\n    block thread along while "
            "thread along < " +
                std::to_string(made.chosen.threads_along) + "\n      "));
  CHECK(tree[loop_over_threads(tree)].loop == loop_kind::block);
}

TEST_CASE("a pass runs for the targets that it is for") {
  for (const loop_pass& pass : loop_passes()) {
    INFO(pass.name);
    CHECK((pass.runs_for(target_kind::cpu) || pass.runs_for(target_kind::cuda)));
    if (pass.name == "hoist_loads") CHECK_FALSE(pass.runs_for(target_kind::cpu));
    if (pass.name == "vectorise_lanes") CHECK_FALSE(pass.runs_for(target_kind::cuda));
  }
}

}  // namespace
}  // namespace sinter::test
