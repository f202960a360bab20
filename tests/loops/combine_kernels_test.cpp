// Kernels that combine the parts of many warps keep nothing in local memory. Needs NVRTC, no GPU.
#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>

#include <string>

namespace sinter::test {
namespace {

/// The sum, or the position of the largest, of each column.
graph columns(operation op) {
  graph_builder builder;
  builder.output(builder.reduce(op, builder.input(element_type::float32, 2), 1, false));
  return builder.recorded();
}

}  // namespace

TEST_CASE("the parts of 2 to 32 warps are combined in registers, by each thread and by one for a column") {
  if (nvrtc_is_missing()) return;
  constexpr int warp = 32;
  for (const operation op : {operation::sum, operation::argmax})
    for (const int along : {4, 8, 32})
      for (const int warps : {2, 4, 8, 16, 32})
        for (const int vector : {1, 2}) {
          const int across = warps * warp / along;
          schedule forced;
          forced.order = loop_order::column_reduction;
          forced.vector = static_cast<std::uint16_t>(vector);
          forced.steps = 4;
          forced.threads_along = static_cast<std::uint16_t>(along);
          forced.threads_across = static_cast<std::uint16_t>(across);
          CAPTURE(to_string(forced));
          CAPTURE(std::string(facts_of(op).name));
          const lowered_call lowered =
              lower(columns(op), {contiguous({1 << 12, 1 << 12}, element_type::float32)}, cuda_facts(), {},
                    {}, &forced);
          const kernel_text text = emit(lowered.stages[0]);
          const runtime::kernel_resources used =
              runtime::compile_cuda(text.source, "kernel.cu", text.entry,
                                    {cuda_facts().architecture, runtime::cuda_code::cubin})
                  .resources;
          CHECK(used.registers > 0);
          CHECK(used.stack_bytes == 0);
        }
}

}  // namespace sinter::test
