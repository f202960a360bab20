// The machine code of kernels for the CPU: loops over elements are vectors. Loops with scalar floating
// arithmetic are listed, with what makes them scalar; no others may appear, and none may grow.

#include <doctest/doctest.h>

#include "../support/beside.hpp"
#include "../support/drawn/random_kernels.hpp"
#include "../support/scalar_loops.hpp"
#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/cpu/compiler.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace sinter::test {
namespace {

/// Instructions of scalar floating arithmetic in each innermost loop of a text, the most first.
std::vector<std::size_t> scalar_arithmetic(const std::string& text) {
  std::vector<std::size_t> made;
  for (const scalar_loop& each : scalar_loops(runtime::cpu_assembly(text, "kernel.cpp", {}, "x86-64-v3")))
    made.push_back(each.arithmetic);
  std::ranges::sort(made, std::greater());
  return made;
}

std::string text_of_file(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

/// The texts of a golden file's kernels: each begins with its name and schedule in a comment.
std::vector<std::string> kernels_of(const std::string& file) {
  std::vector<std::string> made;
  std::istringstream lines(file);
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("// ") && line.find("_kernel: ") != std::string::npos) made.emplace_back();
    if (!made.empty()) made.back() += line + '\n';
  }
  return made;
}

std::string listed(const std::vector<std::size_t>& counts) {
  std::string text;
  for (const std::size_t each : counts) text += (text.empty() ? "" : " ") + std::to_string(each);
  return text;
}

}  // namespace

TEST_CASE("innermost loops are found by their jumps back, and scalar arithmetic by its instructions") {
  const std::vector<scalar_loop> found = scalar_loops(R"(f:
.LBB0_1:
	vaddss	%xmm0, %xmm1, %xmm1
.LBB0_2:
	vmulps	%ymm0, %ymm1, %ymm1
	vfmadd213sd	%xmm0, %xmm1, %xmm1
	vcvtsi2ss	%eax, %xmm0, %xmm0
	jne	.LBB0_2
	jne	.LBB0_1
g:
.LBB1_1:
	vmulps	%ymm0, %ymm1, %ymm1
	jb	.LBB1_1
)");
  REQUIRE(found.size() == 1);
  CHECK(found[0].function == "f");
  CHECK(found[0].arithmetic == 1);
  CHECK(found[0].instructions == 4);
}

TEST_CASE("loops over elements of the golden texts are vectors, but for the ends of rows, scans and pieces") {
  // The scalar instructions of each innermost loop that has some, kernel by kernel:
  // - lanes at the end of a row, or of a strip of columns, that fill no vector;
  // - what a scan combines one after the other: 1 and 2 of cumsum and cumprod;
  // - partial results of pieces, of which there are few: the second kernel of column_variances and
  //   normalize_full.
  const std::map<std::string, std::string> known{
      {"column_sums", "2"},
      {"column_variances", "4 1, 9 7 1"},
      {"cumprod_columns", "1"},
      {"cumsum_of_all", "1, 2, 2"},
      {"cumsum_rows", "2 1"},
      {"layer_norm_general", "1, 4, "},
      {"mean_of_all", "1, 1"},
      {"nearest_distance", "8"},
      {"normalize_full", "4 1, 9 7 1, "},
      {"softmax_long_rows", "16 16 2"},
      {"softmax_rows", "16 2 1"},
      {"sum_of_few_rows", "1, 1"},
  };
  std::string found_now;
  for (const auto& file :
       std::filesystem::directory_iterator(path_beside_or("golden", SINTER_GOLDEN_FOLDER))) {
    const std::string name = file.path().filename().string();
    if (!name.ends_with(".cpu.txt")) continue;
    const std::vector<std::string> kernels = kernels_of(text_of_file(file.path()));
    REQUIRE(!kernels.empty());
    std::string counts;
    for (const std::string& kernel : kernels)
      counts += (counts.empty() ? "" : ", ") + listed(scalar_arithmetic(kernel));
    if (counts.find_first_of("123456789") == std::string::npos) counts.clear();
    const std::string golden = name.substr(0, name.find('.'));
    const auto expected = known.find(golden);
    INFO(golden);
    CHECK(counts == (expected == known.end() ? "" : expected->second));
  }
}

TEST_CASE("every operation on floating arrays is evaluated as vectors, but for remainders of float64") {
  // remainders of float64 whose quotients are long divide digit by digit
  const std::map<std::string, std::string> known{{"floor_divide float64", "5 1"},
                                                 {"fmod float64", "5 3"},
                                                 {"remainder float64", "5"},
                                                 {"trunc_divide float64", "5 3"}};
  failure_list failures;
  for (const element_type type :
       {element_type::float32, element_type::float64, element_type::float16, element_type::bfloat16})
    for (const operation_group& group : groups_of(type, 1)) {
      const operation op = group.operations[0];
      graph_builder builder;
      std::vector<graph_value> operands;
      for (unsigned a = 0; a < facts_of(op).arity; ++a)
        operands.push_back(builder.input(op == operation::where && a == 0 ? element_type::boolean : type, 1));
      builder.output(builder.apply(op, operands));
      const graph recorded = builder.recorded();
      std::vector<layout> arrays(recorded.inputs.size(), contiguous({100000}));
      for (std::size_t a = 0; a < arrays.size(); ++a) arrays[a].type = recorded.inputs[a].type;
      const lowered_call lowered = lower(recorded, arrays, cpu_facts());
      const std::string name = std::string(facts_of(op).name) + " " + std::string(facts_of(type).name),
                        counts = listed(scalar_arithmetic(emit(lowered.stages[0]).source));
      const auto expected = known.find(name);
      if (counts != (expected == known.end() ? "" : expected->second)) failures.add(name, counts);
    }
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

TEST_CASE("random kernels that reduce nothing are vectors, but for integers of 64 bits as float64") {
  int compared = 0;
  for (std::uint64_t seed = 1; seed < 200; ++seed) {
    const random_kernel kernel = make_kernel(seed, 16);
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cpu_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const stage& at = lowered.stages[i];
      if (at.tiles == 0 || at.body.reduced != 0) continue;
      // AVX2 converts none of these, and adds the two halves of each
      const bool converts = std::ranges::any_of(at.body.body, [&](const instruction& made) {
        return made.op == operation::cast && made.compute == element_type::int64;
      });
      INFO("seed ", seed, ": ", kernel.description);
      const std::vector<std::size_t> counts = scalar_arithmetic(emit(at).source);
      CHECK(std::ranges::all_of(counts, [&](std::size_t each) { return converts && each == 1; }));
      ++compared;
    }
  }
  CHECK(compared > 20);
}

}  // namespace sinter::test
