// Compositions of integer operations are bit for bit what the interpreter makes of them, on every device; and
// the PTX of their kernels has none of the forms that the assembler is known to evaluate wrongly.
// SINTER_DRAW_SEED and SINTER_DRAW_COUNT (graphs of eight trees) select others for manual runs.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/drawn/integer_trees.hpp"
#include "../support/seeds.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/math/assembler_guards.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/compile/compile.hpp>

#include <regex>
#include <set>
#include <sstream>

namespace sinter::test {
namespace {

constexpr std::size_t trees_of_a_graph = 8, elements = 2500;

/// The first line of PTX of a type's kernel that has a form of assembler_faults(), with what was measured of
/// it; empty if there is none.
std::string forbidden_line(element_type type, const std::string& ptx) {
  static const std::vector<std::pair<std::regex, std::regex>> patterns = [] {
    std::vector<std::pair<std::regex, std::regex>> made;
    for (const codegen::assembler_fault& fault : codegen::assembler_faults())
      made.emplace_back(std::string(fault.instruction), std::string(fault.operand));
    return made;
  }();
  static const std::regex statement(R"(^\s*([a-z0-9_.]+)\s+(%[a-z]+[0-9]+),\s*(.*);)"),
      reg(R"(%[a-z]+[0-9]+)");
  std::vector<std::set<std::string>> defined(patterns.size());
  std::istringstream lines(ptx);
  for (std::string line; std::getline(lines, line);) {
    std::smatch parts;
    if (!std::regex_search(line, parts, statement)) continue;
    const std::string name = parts[1], target = parts[2], operands = parts[3];
    for (std::size_t i = 0; i < patterns.size(); ++i) {
      const codegen::assembler_fault& fault = codegen::assembler_faults()[i];
      if (!fault.concerns(facts_of(type).suffix)) continue;
      if (!fault.operand.empty() && std::regex_match(name, patterns[i].second)) defined[i].insert(target);
      if (!std::regex_match(name, patterns[i].first)) continue;
      bool meets = fault.operand.empty();
      for (std::sregex_iterator at(operands.begin(), operands.end(), reg), end; at != end; ++at)
        meets |= defined[i].contains(at->str());
      if (meets) return line + " (" + std::string(fault.measured) + ")";
    }
  }
  return {};
}

/// Graphs whose kernels once had such a form, which few graphs of other seeds have.
constexpr std::uint64_t once_forbidden[] = {
    639465531764,  // max.u16 of uint64
    636581627659,  // max.s32 of the negation of a comparison, of int8
};

std::string ptx_of(const stage& made) {
  const kernel_text text = emit(made);
  return runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::ptx}).code;
}

}  // namespace

TEST_CASE("trees of integer operations are bit for bit what the interpreter makes of them") {
  const seed_range range = seeds(200);
  sweep(range.count, [&](std::size_t i, failure_list& failures) {
    const integer_trees drawn = draw_integer_trees(range.first + i, trees_of_a_graph, elements);
    const std::vector<shape> extents(3, shape{static_cast<std::int64_t>(elements)});
    for (const device on : sweep_devices())
      check_against_reference(on.to_string() + " seed " + std::to_string(range.first + i), drawn.recorded,
                              drawn.values, extents, placement::contiguous, on, {}, failures);
  });
}

TEST_CASE("no PTX of trees of integer operations has a form that the assembler evaluates wrongly") {
  if (nvrtc_is_missing()) return;
  const seed_range range = seeds(200);
  sweep(range.count + std::size(once_forbidden), [&](std::size_t i, failure_list& failures) {
    const std::uint64_t seed = i < range.count ? range.first + i : once_forbidden[i - range.count];
    const integer_trees drawn = draw_integer_trees(seed, trees_of_a_graph, elements);
    const std::vector<layout> arrays(3, contiguous({static_cast<std::int64_t>(elements)}, drawn.type));
    const lowered_call lowered = lower(drawn.recorded, arrays, cuda_facts(), {}, {}, nullptr, 0);
    for (std::size_t stage = 0; stage < lowered.stage_count; ++stage)
      if (const std::string line = forbidden_line(drawn.type, ptx_of(lowered.stages[stage])); !line.empty())
        failures.add("forbidden form of " + std::string(facts_of(drawn.type).name),
                     std::string(facts_of(drawn.type).name) + ", seed " + std::to_string(seed) + ": " + line);
  });
}

TEST_CASE("an integer that becomes wider is not taken from one that wrapped around before it became wider") {
  if (nvrtc_is_missing()) return;
  for (const bool hidden : {false, true}) {
    graph_builder b;
    const graph_value x = b.input(element_type::int32, 1);
    graph_value more = b.apply(operation::add, {x, b.literal(element_type::int32, 255)});
    if (hidden) more = b.apply(operation::minimum, {more, b.literal(element_type::int32, 1 << 20)});
    b.output(b.scan(operation::cumsum, b.cast(more, element_type::int64), 0));
    b.output(b.scan(operation::cumsum, b.cast(x, element_type::int64), 0));
    const lowered_call lowered = lower(b.recorded(), {contiguous({5}, element_type::int32)}, cuda_facts());
    const std::string ptx = ptx_of(lowered.stages[0]);
    CHECK(ptx.find(", 255;") != std::string::npos);
    CHECK(ptx.find(", -255;") == std::string::npos);
  }
}

TEST_CASE("a negation of a comparison that is compared and chosen does not become the operand of a minimum") {
  if (nvrtc_is_missing()) return;
  for (const element_type type : {element_type::int8, element_type::int16, element_type::uint8,
                                  element_type::uint16, element_type::int32, element_type::int64})
    for (const operation op : {operation::less, operation::greater}) {
      graph_builder b;
      const graph_value x = b.input(type, 1), y = b.input(type, 1), z = b.input(type, 1);
      const graph_value negation =
          b.apply(operation::negative, {b.cast(b.apply(operation::greater, {z, b.literal(type, 0)}), type)});
      const graph_value chosen = b.apply(operation::where, {b.apply(op, {x, negation}), x, negation});
      b.output(b.apply(operation::minimum, {b.apply(operation::maximum, {x, y}), chosen}));
      const std::vector<layout> arrays(3, contiguous({1000}, type));
      const lowered_call lowered = lower(simplify(b.recorded()), arrays, cuda_facts());
      CHECK_MESSAGE(forbidden_line(type, ptx_of(lowered.stages[0])) == "", facts_of(type).name);
    }
}

TEST_CASE("PTX of a forbidden form is recognised") {
  CHECK(forbidden_line(element_type::int16, "\tmax.s16 \t%rs3, %rs1, %rs2;\n") != "");
  CHECK(forbidden_line(element_type::int16, "\tneg.s32 \t%r3, %r1;\n\tmin.s32 \t%r4, %r3, %r2;\n") != "");
  CHECK(forbidden_line(
            element_type::int16,
            "\tneg.s32 \t%r3, %r1;\n\tprmt.b32 %r5, %r3, 0, 0x3210;\n\tmin.s32 \t%r4, %r5, %r2;\n") == "");
  CHECK(forbidden_line(element_type::int16, "\tmin.s32 \t%r4, %r3, %r2;\n") == "");
  CHECK(forbidden_line(element_type::int64, "\tabs.s64 \t%rd4, %rd3;\n\tmin.s64 \t%rd5, %rd4, 0;\n") != "");
}

}  // namespace sinter::test
