// The shape of warps where operands are contiguous along different axes.

#include <doctest/doctest.h>

#include "../support/drawn/random_kernels.hpp"
#include "../support/sweep/sweep_layout.hpp"

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/schedule/loop_order.hpp>
#include <sinter/codegen/schedule/warp_shape.hpp>

namespace sinter::test {
namespace {

/// A reduction of a * b over axes, where b is in memory as a is, or transposed.
lowered_call product_sum(const layout& a, const layout& b, std::uint32_t axes) {
  graph_builder builder;
  const graph_value x = builder.input(a.type, static_cast<unsigned>(a.extents.size()));
  const graph_value y = builder.input(b.type, static_cast<unsigned>(b.extents.size()));
  builder.output(builder.reduce(operation::sum, builder.apply(operation::multiply, {x, y}), axes));
  return lower(builder.recorded(), {a, b}, cuda_facts());
}

const shape matrix = {8192, 8192};

}  // namespace

TEST_CASE("a warp lies along one row where all operands do") {
  const schedule chosen = product_sum(contiguous(matrix), contiguous(matrix), 2).stages[0].chosen;
  CHECK(chosen.threads_along >= 32);
}

TEST_CASE("a warp lies along several rows where an operand is contiguous across them") {
  for (const element_type type : {element_type::uint8, element_type::float16, element_type::float32}) {
    const lowered_call lowered = product_sum(contiguous(matrix), transposed(matrix, type), 2);
    const schedule& chosen = lowered.stages[0].chosen;
    INFO(to_string(chosen));
    CHECK(reduces_rows(chosen.order));
    CHECK(chosen.threads_along < 32);
    CHECK(chosen.threads_along * chosen.vector >= 16);  // 64 bytes of a row
    CHECK(chosen.threads_along * chosen.threads_across >= 128);
  }
}

TEST_CASE("neighbouring rows follow the axis along which an operand is contiguous") {
  // axes from the outermost: kept, kept, reduced; the second operand is contiguous along the outermost
  const lowered_call lowered =
      product_sum(contiguous({512, 64, 2048}), strided({512, 64, 2048}, {1, 512 * 2048, 512}), 4);
  const nest& body = lowered.stages[0].body;
  CHECK(body.extents[0] == 2048);
  CHECK(body.extents[1] == 512);
  CHECK(lowered.stages[0].chosen.threads_along < 32);
}

TEST_CASE(
    "a warp lies along several columns and rows where an operand is contiguous along the reduced axis") {
  const schedule chosen = product_sum(contiguous(matrix), transposed(matrix), 1).stages[0].chosen;
  INFO(to_string(chosen));
  CHECK(reduces_columns(chosen.order));
  CHECK(chosen.threads_along < 32);
  CHECK(chosen.threads_across > 8);
}

TEST_CASE("warps along one row stay where only they are enough threads") {
  const schedule chosen = product_sum(contiguous({64, 2048}), transposed({64, 2048}), 2).stages[0].chosen;
  INFO(to_string(chosen));
  CHECK(chosen.threads_along >= 32);
}

TEST_CASE("phases that share no operand are computed apart where one of them reads across the other") {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 2), y = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::add, {x, builder.reduce(operation::min, y, 1, true)}));
  const lowered_call apart =
      lower(builder.recorded(), {contiguous(matrix), transposed(matrix)}, cuda_facts());
  CHECK(apart.stage_count > 1);
  CHECK(reduces_rows(apart.stages[0].chosen.order));  // y's contiguous axis is the reduced one
  const lowered_call together =
      lower(builder.recorded(), {contiguous(matrix), contiguous(matrix)}, cuda_facts());
  CHECK(reduces_columns(together.stages[0].chosen.order));
}

TEST_CASE("the lookups of cache lines decide the shape, until memory takes longer") {
  nest body;
  body.rank = 2;
  body.extents = {4096, 4096};
  body.reduced = 1;
  const auto read = [&](element_type type, std::int64_t along, std::int64_t across) {
    access made;
    made.type = type;
    made.strides = {along, across};
    body.accesses.push_back(made);
  };
  read(element_type::float32, 1, 4096);
  const auto threads = [&](std::int64_t vector) {
    return warp_threads_along(body, 0, 1, vector, 32, cuda_facts());
  };
  CHECK(threads(4) == 32);
  read(element_type::uint8, 4096, 1);
  CHECK(threads(4) == 4);  // 8 lines and 4 loads of 4 lines; memory moves 640 bytes in the time of 33 lines
  CHECK(threads(1) == 8);  // 4 lines and 8 lines: the fewest, though memory takes the time of 8
  body.accesses[1].strides = {4096, 64};  // its neighbours across lie in other sectors
  CHECK_FALSE(reads_transposed(body, 0, 1));
}

TEST_CASE("blocks of random reductions have whole warps") {
  for (std::uint64_t seed = 1; seed <= 1000; ++seed) {
    const random_kernel kernel = make_kernel(seed, 20 + static_cast<unsigned>(seed % 6));
    const lowered_call lowered = lower(kernel.recorded, kernel.inputs, cuda_facts());
    for (std::size_t i = 0; i < lowered.stage_count; ++i) {
      const schedule& chosen = lowered.stages[i].chosen;
      INFO("seed ", seed, ": ", kernel.description, ", stage ", i, ": ", to_string(chosen));
      if (lowered.stages[i].body.reduced != 0) CHECK(chosen.threads_along * chosen.threads_across % 32 == 0);
    }
  }
}

}  // namespace sinter::test
