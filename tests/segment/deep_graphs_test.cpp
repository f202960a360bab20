// Recordings of thousands of operations: chains, trees, shared values, loops with several states, nested
// reductions and scans, stencils of stencils. Nothing recurses by depth, no nest grows beyond a compiler's
// limit, and the results are the interpreter's.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <functional>
#include <set>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/segment/cut_long_graphs.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <vector>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"

namespace sinter::test {
namespace {

constexpr element_type i64 = element_type::int64;

/// A graph of one integer matrix; its sums and products wrap, so that every order gives the same result.
struct deep_case {
  std::string name;
  std::function<void(graph_builder&, graph_value)> body;
  shape extents{3, 7};
  element_type type = i64;

  graph recorded() const {
    graph_builder builder;
    body(builder, builder.input(type, 2));
    return builder.recorded();
  }
};

graph_value add(graph_builder& b, graph_value x, graph_value y) { return b.apply(operation::add, {x, y}); }
graph_value number(graph_builder& b, int value) { return b.literal(i64, static_cast<std::uint64_t>(value)); }

deep_case chain(int count) {
  return {"binary chain of " + std::to_string(count), [count](graph_builder& b, graph_value x) {
            graph_value v = x;
            for (int i = 0; i < count; ++i)
              v = b.apply(i % 3 == 0 ? operation::multiply : operation::add,
                          {v, i % 5 == 0 ? number(b, i) : x});
            b.output(v);
          }};
}

deep_case unary_chain(int count) {
  return {"unary chain of " + std::to_string(count), [count](graph_builder& b, graph_value x) {
            graph_value v = x;
            for (int i = 0; i < count; ++i)
              v = b.apply(i % 2 == 0 ? operation::square : operation::bitwise_not, {v});
            b.output(v);
          }};
}

/// Each value depends on the two before it.
deep_case shared_values(int count) {
  return {"shared values, " + std::to_string(count), [count](graph_builder& b, graph_value x) {
            graph_value before = x, v = add(b, x, number(b, 1));
            for (int i = 0; i < count; ++i) {
              const graph_value next =
                  i % 2 == 0 ? add(b, v, before) : b.apply(operation::multiply, {v, before});
              before = v;
              v = next;
            }
            b.output(v);
          }};
}

/// All leaves first, then pairs, then pairs of pairs.
deep_case tree(int leaves) {
  return {"tree of " + std::to_string(leaves), [leaves](graph_builder& b, graph_value x) {
            std::vector<graph_value> level;
            for (int i = 0; i < leaves; ++i)
              level.push_back(b.apply(operation::multiply, {x, number(b, i + 3)}));
            while (level.size() > 1) {
              std::vector<graph_value> above;
              for (std::size_t i = 0; i + 1 < level.size(); i += 2)
                above.push_back(b.apply(operation::bitwise_xor, {level[i], level[i + 1]}));
              if (level.size() % 2 != 0) above.push_back(level.back());
              level = above;
            }
            b.output(level[0]);
          }};
}

/// A loop whose states all depend on one another.
deep_case states(int count, int steps) {
  return {"loop of " + std::to_string(count) + " states", [count, steps](graph_builder& b, graph_value x) {
            std::vector<graph_value> all;
            for (int i = 0; i < count; ++i) all.push_back(add(b, x, number(b, i)));
            for (int step = 0; step < steps; ++step) {
              std::vector<graph_value> next;
              for (int i = 0; i < count; ++i)
                next.push_back(add(b, b.apply(operation::multiply, {all[static_cast<std::size_t>(i)], x}),
                                   all[static_cast<std::size_t>((i + 1) % count)]));
              all = next;
            }
            for (const graph_value& state : all) b.output(state);
          }};
}

deep_case reductions(int count, std::uint32_t axes) {
  return {std::to_string(count) + " reductions over axes " + std::to_string(axes),
          [count, axes](graph_builder& b, graph_value x) {
            graph_value v = x;
            for (int i = 0; i < count; ++i)
              v = b.apply(operation::subtract,
                          {b.apply(operation::multiply, {v, x}),
                           b.reduce(i % 2 == 0 ? operation::sum : operation::max, v, axes, true)});
            b.output(v);
          }};
}

deep_case scans(int count, bool both_axes) {
  return {std::to_string(count) + (both_axes ? " scans of both axes" : " scans"),
          [count, both_axes](graph_builder& b, graph_value x) {
            graph_value v = x;
            for (int i = 0; i < count; ++i)
              v = add(b, b.scan(operation::cumsum, v, both_axes && i % 2 == 0 ? 0 : 1), number(b, 1));
            b.output(v);
          }};
}

/// Sums of neighbours at `distance(level)`.
deep_case stencils(int count, std::int64_t (*distance)(int level), std::int64_t length) {
  return {
      std::to_string(count) + " stencils of stencils",
      [count, distance](graph_builder& b, graph_value x) {
        graph_value v = x;
        for (int i = 0; i < count; ++i) {
          const view_item first[] = {all_of(), {view_item::kind::slice, {}, literal_bound(-distance(i)), {}}};
          const view_item second[] = {all_of(), {view_item::kind::slice, literal_bound(distance(i)), {}, {}}};
          v = add(b, b.view(v, first), b.view(v, second));
        }
        b.output(v);
      },
      {2, length}};
}

deep_case many_results(int count, int operations) {
  return {std::to_string(count) + " results", [count, operations](graph_builder& b, graph_value x) {
            for (int i = 0; i < count; ++i) {
              graph_value v = add(b, x, number(b, i));
              for (int j = 0; j < operations; ++j) v = b.apply(operation::multiply, {v, x});
              b.output(v);
            }
          }};
}

std::vector<deep_case> all_cases() {
  return {chain(8000),
          unary_chain(8000),
          shared_values(5000),
          tree(5000),
          states(2, 1500),
          states(7, 300),
          states(300, 8),
          reductions(300, 2),
          reductions(300, 1),
          reductions(300, 3),
          scans(300, false),
          scans(60, true),
          stencils(
              120, [](int) -> std::int64_t { return 1; }, 200),
          stencils(
              13, [](int level) { return std::int64_t{1} << level; }, 8200),
          many_results(300, 20)};
}

std::vector<layout> layouts_of(const deep_case& at) { return {contiguous(at.extents, at.type)}; }

void check_stages(const deep_case& at, const target_facts& target, lowering_variant variant,
                  failure_list& failures) {
  const graph recorded = simplify(at.recorded());
  const lowered_call lowered = variant == lowering_variant::shape_generic
                                   ? lower_general(recorded, layouts_of(at), target)
                                   : lower(recorded, layouts_of(at), target);
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const nest& body = lowered.stages[i].body;
    if (body.body.size() > max_nest_values || body.phases > 40)
      failures.add("too long", at.name + " stage " + std::to_string(i) + " has " +
                                   std::to_string(body.body.size()) + " instructions in " +
                                   std::to_string(body.phases) + " phases");
  }
}

}  // namespace

TEST_SUITE("deep graphs") {
  TEST_CASE("no nest of a deep graph has more operations and phases than a compiler takes") {
    const std::vector<deep_case> all = all_cases();
    sweep(all.size(), [&](std::size_t i, failure_list& failures) {
      for (const target_facts& target : {cpu_facts(), cuda_facts()})
        for (const lowering_variant variant :
             {lowering_variant::specialised, lowering_variant::shape_generic})
          check_stages(all[i], target, variant, failures);
    });
  }

  TEST_CASE("a deep graph gives what the interpreter gives") {
    const std::vector<deep_case> all = all_cases();
    sweep(all.size(), [&](std::size_t i, failure_list& failures) {
      const deep_case& at = all[i];
      const std::vector<bits> values{whole_numbers(at.type, count_of(at.extents), 5,
                                                   [](std::int64_t drawn) { return drawn % 1000 - 500; })};
      for (const device on : sweep_devices())
        check_against_reference(at.name, at.recorded(), values, {at.extents}, placement::contiguous, on, {},
                                failures);
    });
  }

  TEST_CASE("a graph of usual size is not cut, and one cut follows from the graph alone") {
    cut_scratch scratch;
    CHECK(nest_cutter(chain(600).recorded(), scratch).cuts().empty());
    CHECK(nest_cutter(reductions(8, 2).recorded(), scratch).cuts().empty());
    const graph deep = simplify(chain(8000).recorded());
    const nest_cutter cutter(deep, scratch);
    REQUIRE(cutter.cuts().size() > 4);
    CHECK(cutter.cuts().size() < 30);
    std::set<node_id> stored;
    for (const graph_cut& cut : cutter.cuts())
      for (const node_id id : cut.nodes) CHECK(stored.insert(id).second);
    for (const graph_cut& cut : cutter.cuts())
      for (const node_id id : cut.done) CHECK(stored.erase(id) == 1);
    const lowered_call small = lower(deep, {contiguous({2, 2}, i64)}, cpu_facts()),
                       large = lower(deep, {contiguous({2000, 300}, i64)}, cpu_facts());
    CHECK(small.stage_count == large.stage_count);
  }

  TEST_CASE("what nothing reads any more gives its room to what is stored later") {
    const shape extents{100, 100};
    const graph deep = simplify(chain(50000).recorded());
    const lowered_call lowered = lower(deep, {contiguous(extents, i64)}, cpu_facts());
    CHECK(lowered.stage_count > 20);
    CHECK(lowered.workspace_bytes <= 3 * (count_of(extents) * 8 + 256));
  }

  TEST_CASE("explain says why a deep graph is several stages") {
    graph deep = simplify(chain(8000).recorded());
    const lowered_call lowered = lower(deep, {contiguous({3, 7}, i64)}, cpu_facts());
    const std::string why = describe(lowered.stages[0].purpose, cpu_facts());
    CHECK(why.find("too long to compile: cut after 1024 operations") != std::string::npos);
    CHECK(lowered.stages[lowered.stage_count - 1].purpose.reason == stage_reason::results);
  }

  TEST_CASE("graphs of 50,000 and 1,000 reductions are recorded, simplified, told, kept and lowered") {
    for (const deep_case& at :
         {chain(50000), unary_chain(50000), shared_values(50000), reductions(1000, 2)}) {
      CAPTURE(at.name);
      const graph recorded = at.recorded();
      verify(recorded);
      const std::string bytes = to_bytes(recorded);
      graph read;
      std::string fault;
      REQUIRE(read_graph(bytes, read, fault));
      CHECK(read.nodes == recorded.nodes);
      CHECK(to_string(recorded).size() > recorded.nodes.size());
      const graph simplified = simplify(recorded);
      for (const target_facts& target : {cpu_facts(), cuda_facts()})
        CHECK(lower(simplified, layouts_of(at), target).stage_count > 10);
    }
  }

  TEST_CASE("stages, their operations and their text grow in proportion to the graph") {
    struct growth {
      std::function<deep_case(int)> make;
      int small, large;
    };
    const std::vector<growth> all{{chain, 300, 3000},
                                  {shared_values, 300, 3000},
                                  {[](int count) { return reductions(count, 2); }, 30, 300},
                                  {[](int count) { return reductions(count, 3); }, 30, 300}};
    const auto work_of = [](const deep_case& at, const target_facts& target) {
      const graph recorded = simplify(at.recorded());
      const lowered_call lowered = lower(recorded, {contiguous({1000, 1000}, at.type)}, target);
      double bytes = 0, instructions = 0;
      for (std::size_t i = 0; i < lowered.stage_count; ++i) {
        const stage& made = lowered.stages[i];
        CHECK(made.body.body.size() <= 2 * max_nest_work);
        bytes += static_cast<double>(emit(made).source.size());
        instructions += static_cast<double>(made.body.body.size());
      }
      const auto nodes = static_cast<double>(recorded.nodes.size());
      return std::array{static_cast<double>(lowered.stage_count) / nodes, instructions / nodes,
                        bytes / nodes};
    };
    for (const growth& at : all)
      for (const target_facts& target : {cpu_facts(), cuda_facts()}) {
        const auto small = work_of(at.make(at.small), target), large = work_of(at.make(at.large), target);
        CAPTURE(at.make(at.large).name);
        // cuts come on top, whose stages read and write, and begin with a preamble
        CHECK(large[1] <= 1.5 * small[1]);
        CHECK(large[2] <= 1.5 * small[2]);
        CHECK(large[0] <= std::max(0.01, 1.5 * small[0]));
      }
  }

  TEST_CASE("the kernels of deep graphs compile for a GPU") {
    if (nvrtc_is_missing()) return;
    const std::vector<deep_case> all{chain(8000),        shared_values(3000), states(300, 8),
                                     reductions(300, 2), reductions(300, 1),  scans(300, false)};
    const target_facts target = cuda_facts();
    sweep(all.size(), [&](std::size_t i, failure_list& failures) {
      deep_case at = all[i];
      at.extents = {300, 4096};
      const graph recorded = simplify(at.recorded());
      const lowered_call lowered = lower(recorded, layouts_of(at), target);
      std::set<std::string> known;
      for (std::size_t s = 0; s < lowered.stage_count && known.size() < 3; ++s) {
        if (!known.insert(lowered.stages[s].signature).second) continue;
        const kernel_text text = emit(lowered.stages[s]);
        try {
          runtime::compile_kernel(text, target);
        } catch (const error& thrown) {
          failures.add("compile", at.name + " stage " + std::to_string(s) + ": " + thrown.what());
        }
      }
    });
  }

  TEST_CASE("a lambda that records 8,000 operations runs") {
    const auto loop = fuse([](auto x) {
      auto v = x + 0.0f;
      for (int i = 0; i < 4000; ++i) v = v * 0.5f + x;
      return v;
    });
    const auto x = array<float, 1>::from({1, 2, 3, -4}, {4}, device::cpu());
    CHECK(loop(x).to_vector() == std::vector<float>{2, 4, 6, -8});
  }
}

}  // namespace sinter::test
