// Every kernel text compiles for every tested architecture without spilling. Needs NVRTC, no GPU.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <algorithm>
#include <cstdio>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32, f64 = element_type::float64;

target_facts facts_for(int architecture) {
  target_facts made = cuda_facts();
  made.architecture = architecture;
  return made;
}

/// ptxas's report of one stage's kernel.
runtime::kernel_resources compile(const stage& made, const target_facts& target) {
  const kernel_text text = emit(made);
  return runtime::compile_cuda(text.source, "kernel.cu", text.entry,
                               {target.architecture, runtime::cuda_code::cubin})
      .resources;
}

std::string describe(const runtime::kernel_resources& used) {
  return std::to_string(used.registers) + " registers, " + std::to_string(used.spill_store_bytes) + " + " +
         std::to_string(used.spill_load_bytes) + " bytes spilled, " + std::to_string(used.stack_bytes) +
         " of stack";
}

/// Fails if a kernel spills or uses too many registers; a kernel that spills gets the second attempt, as at
/// run time.
// NOLINTNEXTLINE(readability-function-size): what lower() takes, and what is expected
void expect_no_spill(const std::string& name, const graph& recorded, const std::vector<layout>& arrays,
                     int architecture, int max_registers, failure_list& failures,
                     const std::vector<layout>& outputs = {}, std::size_t stage_number = 0) {
  const target_facts target = facts_for(architecture);
  runtime::kernel_resources used;
  for (const unsigned attempt : {0u, 1u}) {
    const lowered_call lowered = lower(recorded, arrays, target, outputs, {}, nullptr, attempt);
    used = compile(lowered.stages[stage_number], target);
    if (used.spill_store_bytes == 0 && used.spill_load_bytes == 0) break;
    if (attempt == 1) failures.add("spills", name + ": " + describe(used));
  }
  if (used.registers > max_registers) failures.add("registers", name + ": " + describe(used));
  if (used.registers < 1) failures.add("unreported", name);
}

/// The same for every stage of a call with one array.
void expect_no_spill_in_any_stage(const std::string& name, const graph& recorded, const layout& array,
                                  int max_registers, failure_list& failures) {
  const std::size_t stages = lower(recorded, {array}, facts_for(90)).stage_count;
  for (std::size_t stage = 0; stage < stages; ++stage)
    expect_no_spill(name + " stage " + std::to_string(stage), recorded, {array}, 90, max_registers, failures,
                    {}, stage);
}

std::vector<layout> arrays_of(const operation_group& group, const shape& extents) {
  std::vector<layout> made;
  for (const element_type type : input_types(group)) made.push_back(contiguous(extents, type));
  return made;
}

/// Operands and results that select each loop order, with and without vectors.
struct order_case {
  std::string name;
  graph recorded;
  std::vector<layout> arrays, outputs;
};

std::vector<order_case> order_cases(element_type type) {
  const auto pair = sum_of({{type, 2}, {type, 2}});
  const auto triple = sum_of({{type, 2}, {type, 2}, {type, 2}});
  const shape whole{300, 4096}, odd{300, 4097}, brief{5000, 3};
  std::vector<order_case> all{
      {"contiguous", pair, {contiguous(whole, type), contiguous(whole, type)}, {}},
      {"unaligned", pair, {unaligned(contiguous(whole, type)), contiguous(whole, type)}, {}},
      {"rows", pair, {contiguous(whole, type), contiguous({1, 4096}, type)}, {}},
      {"rows without vectors", pair, {contiguous(odd, type), contiguous({1, 4097}, type)}, {}},
      {"columns", pair, {contiguous(whole, type), contiguous({300, 1}, type)}, {}},
      {"short rows", pair, {contiguous(brief, type), contiguous({5000, 1}, type)}, {}},
      {"transposed", pair, {contiguous(whole, type), transposed(whole, type)}, {}},
      {"transposed without vectors", pair, {contiguous(odd, type), transposed(odd, type)}, {}},
      {"transposed, narrow", pair, {contiguous({300, 8}, type), transposed({300, 8}, type)}, {}},
      {"two transposed",
       triple,
       {contiguous(whole, type), transposed(whole, type), transposed(whole, type)},
       {}},
      {"every second", pair, {strided(whole, {8192, 2}, type), contiguous(whole, type)}, {}},
      {"scattered results",
       pair,
       {contiguous(whole, type), contiguous(whole, type)},
       {strided(whole, {8200, 2}, type)}},
      {"one element", pair, {contiguous({1, 1}, type), contiguous({1, 1}, type)}, {}},
  };
  // eight axes that do not merge
  shape extents(8, 3), strides(8, 2);
  for (std::size_t axis = 7; axis-- > 0;) strides[axis] = strides[axis + 1] * 4;
  all.push_back({"eight axes",
                 sum_of({{type, 8}, {type, 8}}),
                 {strided(extents, strides, type), contiguous(extents, type)},
                 {}});
  return all;
}

}  // namespace

TEST_CASE("every operation on every type compiles for every architecture and spills nothing") {
  if (nvrtc_is_missing()) return;
  std::vector<operation_group> groups;
  for (operation_group& group : all_groups(8))
    // functions of integers are those of reals after a cast
    if (!group.smooth || is_floating(group.type) || group.type == element_type::int32)
      groups.push_back(std::move(group));
  sweep(groups.size(), [&](std::size_t i, failure_list& failures) {
    const operation_group& group = groups[i];
    const bool on_all = is_floating(group.type) || group.type == element_type::int32;
    for (const int architecture : {90, 80, 120}) {
      if (architecture != 90 && !on_all) continue;  // integer texts differ only in widths
      // eight results of sixteen elements per thread are not a realistic kernel
      const int max_registers = size_of(group.type) == 1 ? 200 : 128;
      expect_no_spill(std::string(facts_of(group.type).name) + " " +
                          std::string(facts_of(group.operations[0]).name) + " … sm_" +
                          std::to_string(architecture),
                      graph_of(group), arrays_of(group, {1, 1 << 20}), architecture, max_registers, failures);
    }
  });
}

TEST_CASE("functions, sums and scans of complex numbers compile for every architecture and spill nothing") {
  if (nvrtc_is_missing()) return;
  constexpr element_type types[] = {element_type::complex64, element_type::complex128};
  const std::span<const operation_facts> rows = element_operations();
  sweep(rows.size() * std::size(types), [&](std::size_t i, failure_list& failures) {
    const operation_facts& row = rows[i / std::size(types)];
    const element_type type = types[i % std::size(types)];
    if (!takes_complex(row.rule)) return;
    operation_group group{type, false, {row.op}};
    for (const int architecture : {90, 80, 120})
      expect_no_spill(std::string(type == types[0] ? "complex64 " : "complex128 ") + std::string(row.name) +
                          " sm_" + std::to_string(architecture),
                      graph_of(group), arrays_of(group, {1, 1 << 20}), architecture, 128, failures);
  });
  sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
    for (const operation op : {operation::sum, operation::prod, operation::cumsum, operation::cumprod})
      for (const shape& extents :
           {shape{4096, 33}, shape{4096, 4096}, shape{3, 1 << 20}, shape{1 << 20, 3}, shape{1, 1 << 24}})
        for (const unsigned axis : {0u, 1u}) {
          graph_builder builder;
          const graph_value x = builder.input(types[t], 2);
          builder.output(is_scan(op) ? builder.scan(op, x, axis) : builder.reduce(op, x, 1u << axis, false));
          expect_no_spill_in_any_stage(std::string(facts_of(types[t]).name) + " " +
                                           std::string(facts_of(op).name) + " of " + text_of(extents) +
                                           " along " + std::to_string(axis),
                                       builder.recorded(), contiguous(extents, types[t]), 255, failures);
        }
  });
}

TEST_CASE("every loop order compiles with every width of vector and spills nothing") {
  if (nvrtc_is_missing()) return;
  constexpr element_type types[] = {element_type::boolean, element_type::float16, f32, f64};
  sweep(std::size(types), [&](std::size_t t, failure_list& failures) {
    for (const order_case& at : order_cases(types[t]))
      for (const int architecture : {90, 80, 120}) {
        if (architecture != 90 && types[t] != f32) continue;
        // sixteen elements per thread, each with its own address
        const int max_registers = at.name == "scattered results" && size_of(types[t]) == 1 ? 168 : 128;
        expect_no_spill(
            at.name + " " + std::string(facts_of(types[t]).name) + " sm_" + std::to_string(architecture),
            at.recorded, at.arrays, architecture, max_registers, failures, at.outputs);
      }
  });
}

TEST_CASE("every loop order of reductions compiles and spills nothing") {
  if (nvrtc_is_missing()) return;
  constexpr element_type types[] = {element_type::boolean, element_type::int64, element_type::float16, f32,
                                    f64};
  const std::vector<shape> shapes{{100000, 48},   {3000, 4096}, {70, 70000},  {40, 30, 600},
                                  {800, 1 << 17}, {300, 40001}, {1000, 5000}, {1 << 24}};
  sweep(std::size(types) * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const element_type type = types[i % std::size(types)];
    const shape& extents = shapes[i / std::size(types)];
    const auto rank = static_cast<unsigned>(extents.size());
    for (std::uint32_t axes = 1; axes < 1u << rank; ++axes) {
      graph_builder sums;
      sums.restart();
      const graph_value x = sums.input(type, rank);
      sums.output(sums.reduce(operation::sum, x, axes));
      sums.output(sums.reduce(operation::argmax, x, axes));
      graph_builder softmax;
      softmax.restart();
      const graph_value y = softmax.input(type, rank);
      const graph_value e = softmax.apply(
          operation::exp,
          {softmax.apply(operation::subtract, {softmax.cast(y, is_floating(type) ? type : f32),
                                               softmax.cast(softmax.reduce(operation::max, y, axes, true),
                                                            is_floating(type) ? type : f32)})});
      softmax.output(
          softmax.apply(operation::true_divide, {e, softmax.reduce(operation::sum, e, axes, true)}));
      graph_builder deviations;
      deviations.restart();
      const element_type wide = is_floating(type) && !is_storage_only(type) ? type : f32;
      const graph_value z = deviations.cast(deviations.input(type, rank), wide);
      const graph_value apart =
          deviations.apply(operation::subtract, {z, deviations.reduce(operation::sum, z, axes, true)});
      deviations.output(deviations.reduce(operation::sum,
                                          deviations.apply(operation::multiply, {apart, apart}), axes, true));
      deviations.output(deviations.reduce(operation::sum, apart, axes, true));
      for (const graph* recorded : {&sums.recorded(), &softmax.recorded(), &deviations.recorded()}) {
        const std::string name = std::string(recorded == &sums.recorded()      ? "sum and argmax of "
                                             : recorded == &softmax.recorded() ? "softmax of "
                                                                               : "deviations of ") +
                                 std::string(facts_of(type).name) + ", axes " + std::to_string(axes) +
                                 " of rank " + std::to_string(rank) + " with " + std::to_string(extents[0]);
        // sixteen 64-bit positions per thread beside their values: one block per multiprocessor
        expect_no_spill_in_any_stage(name, *recorded, contiguous(extents, type),
                                     size_of(type) == 1 ? 232 : 168, failures);
      }
    }
  });
}

TEST_CASE("every loop order of scans compiles and spills nothing") {
  if (nvrtc_is_missing()) return;
  constexpr element_type types[] = {element_type::boolean, element_type::float16, f32, f64};
  const std::vector<shape> shapes{{100000, 48}, {3000, 4096}, {70, 70000}, {40, 30, 600}, {1 << 24}};
  sweep(std::size(types) * shapes.size(), [&](std::size_t i, failure_list& failures) {
    const element_type type = types[i % std::size(types)];
    const shape& extents = shapes[i / std::size(types)];
    const auto rank = static_cast<unsigned>(extents.size());
    for (unsigned axis = 0; axis < rank; ++axis) {
      graph_builder alone;
      alone.restart();
      alone.output(alone.scan(operation::cumsum, alone.input(type, rank), axis));
      graph_builder among;  // after a reduction, after another scan, before a reduction
      among.restart();
      const graph_value x = among.input(type, rank);
      const graph_value products = among.scan(
          operation::cumprod,
          among.apply(operation::multiply, {x, among.reduce(operation::max, x, 1u << axis, true)}), axis);
      const graph_value sums = among.scan(operation::cumsum, products, axis);
      among.output(
          among.apply(operation::multiply, {sums, among.reduce(operation::sum, sums, 1u << axis, true)}));
      for (const graph* recorded : {&alone.recorded(), &among.recorded()}) {
        const std::string name =
            std::string(recorded == &alone.recorded() ? "scan" : "scans and reductions") + " of " +
            std::string(facts_of(type).name) + " along " + std::to_string(axis) + " of rank " +
            std::to_string(rank) + " with " + std::to_string(extents[0]);
        expect_no_spill_in_any_stage(name, *recorded, contiguous(extents, type), 200, failures);
      }
    }
  });
}

TEST_CASE("plain arithmetic on contiguous arrays takes few registers") {
  if (nvrtc_is_missing()) return;
  failure_list failures;
  for (const int architecture : {80, 90, 120}) {
    expect_no_spill("sum sm_" + std::to_string(architecture), sum_of({{f32, 1}, {f32, 1}}),
                    {contiguous({1 << 20}), contiguous({1 << 20})}, architecture, 40, failures);
    expect_no_spill("sum of four sm_" + std::to_string(architecture),
                    sum_of({{f32, 1}, {f32, 1}, {f32, 1}, {f32, 1}}),
                    std::vector<layout>(4, contiguous({1 << 20})), architecture, 40, failures);
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("strict and fast texts of every function compile") {
  if (nvrtc_is_missing()) return;
  std::vector<operation_group> groups;
  // the parts specific to the other types are the same in every mode
  for (const element_type type : {element_type::float16, f32})
    for (operation_group& group : groups_of(type, 4)) groups.push_back(std::move(group));
  sweep(2 * groups.size(), [&](std::size_t i, failure_list& failures) {
    const operation_group& group = groups[i / 2];
    const arithmetic_mode mode = i % 2 == 0 ? arithmetic_mode::strict : arithmetic_mode::fast;
    expect_no_spill(
        std::string(facts_of(group.type).name) + " " + std::string(facts_of(group.operations[0]).name) + " …",
        graph_of(group, mode), arrays_of(group, {1, 1 << 20}), 90, 128, failures);
  });
}

TEST_CASE("literals of every type and special value compile on both targets") {
  failure_list failures;
  for (const target_facts& target : {facts_for(90), cpu_facts()}) {
    if (target.kind == target_kind::cuda && nvrtc_is_missing()) continue;
    for (const element_type_facts& type : real_types) {
      graph_builder builder;
      const graph_value x = builder.input(type.type, 1);
      for (const std::uint64_t value : special_values(type.type))
        builder.output(builder.apply(operation::maximum, {x, builder.literal(type.type, value)}));
      try {
        const lowered_call lowered = lower(builder.recorded(), {contiguous({1000}, type.type)}, target);
        runtime::compile_kernel(emit(lowered.stages[0]), target);
      } catch (const std::exception& failure) {
        failures.add(std::string(type.name), failure.what());
      }
    }
  }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

}  // namespace sinter::test
