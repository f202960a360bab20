// Register tiles of products: several rows of a strip of columns in a thread have the bits of single rows.

#include "../bodies/check_kernels.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/verify/verify_loops.hpp>
#include <sinter/dsl/products/compose_products.hpp>

#include <string>
#include <type_traits>
#include <vector>

namespace sinter::test {
namespace {

/// A strip of the CPU.
schedule strip_of(unsigned lanes, unsigned rows) {
  schedule made;
  made.order = loop_order::column_reduction;
  made.vector = static_cast<std::uint16_t>(lanes);
  made.rows_per_thread = static_cast<std::uint16_t>(rows);
  made.threads_along = 1;
  return made;
}

/// Numbers whose sums depend on the order of additions.
template <class T, unsigned Rank>
array<T, Rank> rough_numbers(const std::array<std::int64_t, Rank>& extents, std::int64_t factor) {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  std::vector<T> made;
  for (std::int64_t i = 0; i < count; ++i) {
    const std::int64_t number = i * factor % 1009;
    if constexpr (std::is_integral_v<T>)
      made.push_back(static_cast<T>(number));
    else
      made.push_back(static_cast<T>(0.3f + static_cast<float>(number) / 997.f));
  }
  return array<T, Rank>::from(made, extents, device::cpu());
}

/// Calls a function with strips of one row, and of several, and as it is: results are equal bit by bit.
template <class Function, class... Operands>
void check_rows(const Function& function, std::int64_t columns, const Operands&... operands) {
  const auto wanted = function.with(strip_of(64, 1))(operands...).to_vector();
  CHECK(function(operands...).to_vector() == wanted);
  for (const unsigned lanes : {8u, 16u, 64u})
    for (const unsigned rows : {2u, 3u, 8u, 16u}) {
      if (lanes > columns) continue;
      CAPTURE(lanes);
      CAPTURE(rows);
      CHECK(function.with(strip_of(lanes, rows))(operands...).to_vector() == wanted);
    }
}

graph product_graph(element_type type = f32) {
  const declared operand{type, 2};
  return graph_of({operand, operand}, [](graph_builder& builder, const values& given) -> values {
    return {matmul(builder, given[0], given[1])};
  });
}
/// The schedule of the product of a matrix of m x k elements and one of k x n.
schedule chosen_of(std::int64_t m, std::int64_t k, std::int64_t n, const target_facts& target,
                   const schedule* forced = nullptr) {
  return lower(product_graph(), {contiguous({m, k}), contiguous({k, n})}, target, {}, {}, forced)
      .stages[0]
      .chosen;
}
std::string refusal(const graph& recorded, const std::vector<layout>& inputs, const target_facts& target,
                    const schedule& forced) {
  try {
    lower(recorded, inputs, target, {}, {}, &forced);
  } catch (const type_error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}
bool has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

target_facts wide_cpu() {
  target_facts target = cpu_facts();
  target.vector_bytes = 64;
  return target;
}

}  // namespace

TEST_SUITE("register tiles") {
  TEST_CASE("a product has the same bits whatever rows a strip has, ragged along every axis") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    for (const auto& [m, k, n] : std::vector<std::array<std::int64_t, 3>>{
             {64, 32, 64}, {37, 100, 70}, {129, 33, 65}, {64, 300, 200}, {70, 16, 67}, {5, 17, 9}}) {
      CAPTURE(text_of({m, k, n}));
      check_rows(product, n, rough_numbers<float, 2>({m, k}, 37), rough_numbers<float, 2>({k, n}, 53));
    }
  }
  TEST_CASE("a chain before a product, a bias and an activation after it share the rows of a tile") {
    const auto layer = fuse([](auto a, auto b, auto bias, auto residual) {
      return maximum(matmul(2 * a - 1, exp(b)) + bias - 50, 0) + residual;
    });
    check_rows(layer, 70, rough_numbers<float, 2>({37, 60}, 37), rough_numbers<float, 2>({60, 70}, 53),
               rough_numbers<float, 1>({70}, 11), rough_numbers<float, 2>({37, 70}, 17));
    const auto per_row = fuse([](auto a, auto b, auto bias) { return matmul(a, b) + bias(all(), newaxis); });
    check_rows(per_row, 70, rough_numbers<float, 2>({37, 60}, 37), rough_numbers<float, 2>({60, 70}, 53),
               rough_numbers<float, 1>({37}, 11));
  }
  TEST_CASE("batches of products have tiles of one matrix each") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    check_rows(product, 70, rough_numbers<float, 3>({3, 21, 40}, 37),
               rough_numbers<float, 3>({3, 40, 70}, 53));
    const auto shared = fuse([](auto a, auto b) { return einsum<"bij,jk->bik">(a, b); });
    check_rows(shared, 70, rough_numbers<float, 3>({3, 21, 40}, 37), rough_numbers<float, 2>({40, 70}, 53));
    const auto contracted = fuse([](auto a, auto b) { return einsum<"ijk,jkl->il">(a, b); });
    check_rows(contracted, 70, rough_numbers<float, 3>({37, 4, 9}, 37),
               rough_numbers<float, 3>({4, 9, 70}, 53));
  }
  TEST_CASE("tiles of other types: halves, doubles and integers") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    check_rows(product, 70, rough_numbers<float16, 2>({37, 60}, 37), rough_numbers<float16, 2>({60, 70}, 53));
    check_rows(product, 70, rough_numbers<bfloat16, 2>({37, 60}, 37),
               rough_numbers<bfloat16, 2>({60, 70}, 53));
    check_rows(product, 70, rough_numbers<double, 2>({37, 60}, 37), rough_numbers<double, 2>({60, 70}, 53));
    check_rows(product, 70, rough_numbers<std::int32_t, 2>({37, 60}, 37),
               rough_numbers<std::int32_t, 2>({60, 70}, 53));
  }
  TEST_CASE("the result may be an operand that is added") {
    const auto added = fuse([](auto a, auto b, auto c) { return matmul(a, b) + c; });
    const auto a = rough_numbers<float, 2>({37, 60}, 37), b = rough_numbers<float, 2>({60, 70}, 53);
    array<float, 2> c = rough_numbers<float, 2>({37, 70}, 17);
    const std::vector<float> wanted = added(a, b, c).to_vector();
    added.with(strip_of(64, 8)).into(c)(a, b, c);
    CHECK(c.to_vector() == wanted);
  }
  TEST_CASE("on the CPU large products have tiles as registers allow, and others have single rows") {
    CHECK(chosen_of(512, 512, 512, wide_cpu()).rows_per_thread == 8);
    CHECK(chosen_of(512, 512, 512, wide_cpu()).vector == 32);
    target_facts narrow_cpu = cpu_facts();
    narrow_cpu.vector_bytes = 32;
    CHECK(chosen_of(512, 512, 512, narrow_cpu).rows_per_thread == 4);
    CHECK(chosen_of(512, 512, 512, narrow_cpu).vector == 16);
    CHECK(chosen_of(6, 512, 2048, wide_cpu()).rows_per_thread ==
          4);  // rows beside the last one would be idle
    CHECK(chosen_of(4096, 8, 4096, wide_cpu()).rows_per_thread == 1);
    CHECK(chosen_of(16, 4096, 16, wide_cpu()).rows_per_thread == 1);
    CHECK(chosen_of(1, 512, 2048, wide_cpu()).rows_per_thread == 1);
  }
  TEST_CASE("reductions whose reads are of one element each have single rows") {
    const graph weighted =
        graph_of({declared{f32, 3}, matrix}, [](graph_builder& builder, const values& given) -> values {
          return {builder.reduce(operation::sum, builder.apply(operation::multiply, {given[0], given[1]}), 2u,
                                 false)};
        });
    for (const target_facts& target : {wide_cpu(), cuda_facts()})
      CHECK(lower(weighted, {contiguous({512, 512, 512}), contiguous({512, 512})}, target)
                .stages[0]
                .chosen.rows_per_thread == 1);
  }
  TEST_CASE("on GPUs large products have tiles while there are blocks enough") {
    const schedule large = chosen_of(4096, 4096, 4096, cuda_facts());
    CHECK(large.order == loop_order::column_reduction);
    CHECK(large.rows_per_thread == 4);
    CHECK(chosen_of(64, 4096, 128, cuda_facts()).rows_per_thread == 1);
    const schedule thin = chosen_of(4096, 8, 4096, cuda_facts());
    CHECK(thin.rows_per_thread == 4);
    CHECK(thin.threads_across == 1);
  }
  TEST_CASE("every pass leaves right loops of tiles") {
    for (const target_facts& target : {wide_cpu(), cuda_facts()}) {
      const lowered_call lowered =
          lower(product_graph(), {contiguous({4096, 512}), contiguous({512, 4096})}, target);
      const kernel_description kernel = read_signature(lowered.stages[0].signature).value();
      REQUIRE(kernel.chosen.rows_per_thread > 1);
      codegen::loop_tree tree;
      codegen::build_loops(kernel, tree, [&](std::string_view pass, const codegen::loop_tree& made) {
        CAPTURE(pass);
        CHECK(codegen::fault_of(kernel, made) == "");
      });
    }
  }
  TEST_CASE("a GPU's tiles have the bits of single rows") {
    for (const auto& [m, k, n] :
         std::vector<std::array<std::int64_t, 3>>{{13, 70, 130}, {8, 64, 128}, {5, 33, 67}, {19, 200, 40}}) {
      CAPTURE(text_of({m, k, n}));
      const std::vector<placed_array> arrays = [&] {
        std::vector<placed_array> made;
        made.emplace_back(f32, some_numbers(static_cast<std::size_t>(m * k)), shape{m, k},
                          placement::contiguous, device::cpu());
        made.emplace_back(f32, some_numbers(static_cast<std::size_t>(k * n)), shape{k, n},
                          placement::contiguous, device::cpu());
        return made;
      }();
      for (const unsigned across : {1u, 8u}) {
        schedule forced;
        forced.order = loop_order::column_reduction;
        forced.vector = 2;
        forced.scalar_loads = n % 2 != 0;
        forced.steps = 4;
        forced.threads_along = 32;
        forced.threads_across = static_cast<std::uint16_t>(across);
        const auto run_with = [&](unsigned rows) {
          forced.rows_per_thread = static_cast<std::uint16_t>(rows);
          return simulate(product_graph(), {arrays[0].operand(), arrays[1].operand()}, {},
                          {.forced = &forced});
        };
        const std::vector<bits> wanted = run_with(1);
        for (const unsigned rows : {2u, 4u, 8u}) {
          CAPTURE(across);
          CAPTURE(rows);
          CHECK(run_with(rows) == wanted);
        }
      }
    }
  }
  TEST_CASE("schedules with tiles that a kernel cannot have are refused") {
    const std::vector<layout> operands{contiguous({16, 64}), contiguous({64, 40})};
    CHECK_MESSAGE(
        has(refusal(product_graph(), operands, wide_cpu(), strip_of(64, 4)), "use a smaller vector"),
        refusal(product_graph(), operands, wide_cpu(), strip_of(64, 4)));
    CHECK_MESSAGE(has(refusal(product_graph(), operands, wide_cpu(), strip_of(32, 17)), "fewer rows"),
                  refusal(product_graph(), operands, wide_cpu(), strip_of(32, 17)));
    CHECK_MESSAGE(has(refusal(product_graph(), operands, wide_cpu(), strip_of(24, 4)), "a power of two"),
                  refusal(product_graph(), operands, wide_cpu(), strip_of(24, 4)));
    schedule other = strip_of(32, 4);
    other.steps = 2;
    CHECK_MESSAGE(has(refusal(product_graph(), operands, wide_cpu(), other), "one schedule, but for vector"),
                  refusal(product_graph(), operands, wide_cpu(), other));
    const graph columns = graph_of({matrix}, [](graph_builder& builder, const values& given) -> values {
      return {builder.reduce(operation::sum, given[0], 1u, false)};
    });
    CHECK_MESSAGE(
        has(refusal(columns, {contiguous({64, 64})}, wide_cpu(), strip_of(64, 4)), "a second kept axis"),
        refusal(columns, {contiguous({64, 64})}, wide_cpu(), strip_of(64, 4)));
    schedule on_gpu;
    on_gpu.order = loop_order::column_reduction;
    on_gpu.threads_along = 32;
    on_gpu.threads_across = 8;
    on_gpu.rows_per_thread = 4;
    CHECK_MESSAGE(has(refusal(columns, {contiguous({64, 64})}, cuda_facts(), on_gpu), "a second kept axis"),
                  refusal(columns, {contiguous({64, 64})}, cuda_facts(), on_gpu));
    on_gpu.resident = true;
    on_gpu.steps = 8;
    CHECK_MESSAGE(has(refusal(product_graph(), operands, cuda_facts(), on_gpu), "are not resident"),
                  refusal(product_graph(), operands, cuda_facts(), on_gpu));
    on_gpu.resident = false;
    on_gpu.vector = 4;
    on_gpu.rows_per_thread = 64;
    CHECK_MESSAGE(has(refusal(product_graph(), operands, cuda_facts(), on_gpu), "fewer rows a thread"),
                  refusal(product_graph(), operands, cuda_facts(), on_gpu));
  }
  TEST_CASE("explain says how many rows a tile has") {
    const auto product = fuse([](auto a, auto b) { return matmul(a, b); });
    const std::string text =
        product.with(strip_of(16, 4))
            .explain(rough_numbers<float, 2>({64, 64}, 37), rough_numbers<float, 2>({64, 64}, 53));
    CHECK(has(text, "rows_per_thread=4"));
    CHECK(has(text, "register tiles of 4 rows"));
  }
}

}  // namespace sinter::test
