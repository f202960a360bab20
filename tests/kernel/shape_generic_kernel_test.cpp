// Shape-generic kernels: one set of kernels for all extents, strides and alignments of a function's
// arrays. shape_generic_values_test.cpp compares what they compute.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/recorded.hpp"
#include "../support/shape_generic_cases.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <set>

namespace sinter::test {
namespace {

std::vector<std::string> signatures_of(const lowered_call& lowered) {
  std::vector<std::string> found;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) found.push_back(lowered.stages[i].signature);
  return found;
}

/// Arrays of the same shapes in many layouts.
std::vector<std::vector<layout>> ways_to_lie(const graph& recorded, const std::vector<shape>& extents) {
  std::vector<std::vector<layout>> made(6);
  for (std::size_t i = 0; i < extents.size(); ++i) {
    const element_type type = recorded.inputs[i].type;
    const layout plain = contiguous(extents[i], type);
    made[0].push_back(plain);
    made[1].push_back(unaligned(plain));
    layout backwards = plain, apart = plain, repeated = plain;
    for (std::int64_t& stride : backwards.strides) stride = -stride;
    for (std::int64_t& stride : apart.strides) stride *= 3;
    for (std::int64_t& stride : repeated.strides) stride = 0;
    made[2].push_back(backwards);
    made[3].push_back(apart);
    made[4].push_back(repeated);
    made[5].push_back(extents[i].size() < 2 ? plain : transposed(extents[i], type));
  }
  return made;
}

lowered_call lower_same_arrays(const graph& recorded, const std::vector<layout>& inputs,
                               const target_facts& target, std::span<const std::uint64_t> scalars) {
  std::vector<array_layout> same = views(inputs);
  for (array_layout& at : same) at.identity = 0;
  lowered_call lowered;
  sinter::lower({.recorded = recorded,
                 .inputs = same,
                 .scalars = scalars,
                 .target = target,
                 .variant = lowering_variant::shape_generic},
                lowered);
  return lowered;
}

/// The call with results that are not contiguous.
lowered_call lower_into(const graph& recorded, const std::vector<layout>& inputs, const target_facts& target,
                        std::span<const std::uint64_t> scalars) {
  std::vector<result_layout> results;
  infer_results(recorded, views(inputs), scalars, results);
  std::vector<layout> outputs;
  for (const result_layout& at : results) {
    outputs.push_back(unaligned(contiguous(at.extents, at.type)));
    for (std::int64_t& stride : outputs.back().strides) stride *= -2;
  }
  return lower_general(recorded, inputs, target, outputs, scalars);
}

/// Adds to `found` the shape-generic signatures of a call for arrays of these shapes in all layouts; false if
/// no call has such shapes.
bool collect_signatures(const graph& recorded, const std::vector<shape>& extents,
                        std::span<const std::uint64_t> scalars, const target_facts& target,
                        std::set<std::vector<std::string>>& found) {
  try {
    for (const std::vector<layout>& arrays : ways_to_lie(recorded, extents)) {
      found.insert(signatures_of(lower_general(recorded, arrays, target, {}, scalars)));
      found.insert(signatures_of(lower_same_arrays(recorded, arrays, target, scalars)));
      found.insert(signatures_of(lower_into(recorded, arrays, target, scalars)));
    }
    return true;
  } catch (const shape_error&) {
    return false;
  }
}

const target_facts& sample_target(target_kind kind) {
  static const target_facts cpu = cpu_facts(), cuda = cuda_facts();
  return kind == target_kind::cpu ? cpu : cuda;
}
constexpr target_kind targets[] = {target_kind::cpu, target_kind::cuda};

/// The shapes of a program's inputs with other extents for its rows and columns; a broadcast input may get
/// all elements.
std::vector<shape> resized(const random_program& program, std::int64_t rows, std::int64_t columns,
                           bool whole) {
  std::vector<shape> made = program.extents;
  for (shape& extents : made) {
    if (extents.empty()) continue;
    const bool is_row = extents.size() == 1 || (extents.size() == 2 && extents[0] == 1);
    const bool is_column = extents.size() == 2 && extents[1] == 1;
    extents.back() = is_column && !whole ? 1 : columns;
    if (extents.size() > 1) extents[extents.size() - 2] = is_row && !whole ? 1 : rows;
  }
  return made;
}

}  // namespace

TEST_CASE("shape-generic kernels of a function have the same signatures for all arrays") {
  for (const general_case& at : general_cases())
    for (const target_kind target : targets) {
      std::set<std::vector<std::string>> found;
      std::size_t shapes = 0;
      for (const std::int64_t rows : {0, 1, 2, 3, 4, 33, 5000})
        for (const std::int64_t columns : {0, 1, 2, 3, 4, 130, 70000})
          shapes += collect_signatures(at.recorded, at.shapes(rows, columns), at.scalars,
                                       sample_target(target), found);
      CHECK_MESSAGE(found.size() == 1, at.name, ": ", found.size());
      CHECK_MESSAGE(shapes >= 30, at.name, ": ", shapes);
    }
}

TEST_CASE("the shape-generic kernels of random programs have the same signatures for all arrays") {
  std::size_t compared = 0;
  for (std::uint64_t seed = 1; seed <= 60; ++seed) {
    const random_program program = make_program(seed, general_program(seed % 2 == 0));
    const graph recorded = simplify(program.recorded);
    for (const target_kind target : targets) {
      std::set<std::vector<std::string>> found;
      std::size_t shapes =
          collect_signatures(recorded, program.extents, program.scalars, sample_target(target), found);
      for (const std::int64_t rows : {1, 2, 3, 7, 40, 1000})
        for (const std::int64_t columns : {1, 2, 4, 9, 70, 3000})
          for (const bool whole : {false, true})
            shapes += collect_signatures(recorded, resized(program, rows, columns, whole), program.scalars,
                                         sample_target(target), found);
      CHECK_MESSAGE(found.size() == 1, seed, ": ", found.size(), "\n", to_string(recorded));
      compared += shapes;
    }
  }
  CHECK(compared > 2000);
}

TEST_CASE("equal signatures of shape-generic kernels have byte-equal texts") {
  for (const general_case& at : general_cases())
    for (const target_kind target : targets) {
      const auto texts = [&](std::int64_t rows, std::int64_t columns, std::size_t way) {
        const std::vector<layout> arrays = ways_to_lie(at.recorded, at.shapes(rows, columns))[way];
        const lowered_call lowered =
            lower_general(at.recorded, arrays, sample_target(target), {}, at.scalars);
        std::string all;
        for (std::size_t i = 0; i < lowered.stage_count; ++i) all += text_of(lowered.stages[i]);
        return all;
      };
      const std::string first = texts(33, 130, 0);
      CHECK(texts(1, 1, 4) == first);
      CHECK(texts(5000, 2, 2) == first);
      CHECK(texts(2, 70000, 5) == first);
    }
}

TEST_CASE("the texts of shape-generic kernels compile for GPUs") {
  if (nvrtc_is_missing()) return;
  const auto compile_all = [](const std::string& name, const graph& recorded,
                              const std::vector<shape>& extents, std::span<const std::uint64_t> scalars,
                              failure_list& failures) {
    const target_facts& target = sample_target(target_kind::cuda);
    const lowered_call lowered =
        lower_general(recorded, ways_to_lie(recorded, extents)[0], target, {}, scalars);
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const kernel_text text = emit(lowered.stages[i]);
      const runtime::nvrtc_result made =
          runtime::compile_cuda(text.source, "kernel.cu", text.entry, {90, runtime::cuda_code::cubin});
      if (made.code.empty()) failures.add(name, "no code");
    }
  };
  const std::vector<general_case> all = general_cases();
  sweep(all.size() + 8, [&](std::size_t i, failure_list& failures) {
    if (i < all.size())
      return compile_all(all[i].name, all[i].recorded, all[i].shapes(5, 7), all[i].scalars, failures);
    const random_program program = make_program(i, general_program(i % 2 == 0));
    compile_all("seed " + std::to_string(i), simplify(program.recorded), program.extents, program.scalars,
                failures);
  });
}

TEST_CASE("shape-generic kernels take no schedule of the caller's") {
  const auto doubled = fuse([](auto x) { return x * 2.0f; });
  const auto x = array<float, 1>::from(std::vector<float>{1, 2, 3}, {3}, device::cpu());
  CHECK_THROWS_AS(doubled.with(schedule{}).general()(x), type_error);
  CHECK(doubled.general()(x).to_vector() == std::vector<float>{2, 4, 6});
  CHECK(doubled.general().explain(x).find("kernels: shape-generic") != std::string::npos);
  CHECK(doubled.explain(x).find("kernels: shape-generic") == std::string::npos);
}

}  // namespace sinter::test
