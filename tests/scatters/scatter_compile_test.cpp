// Kernels of updates compile for GPUs of each generation, without spilling. Needs NVRTC, no GPU.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/sweep/sweep_reference.hpp"
#include "scatter_broadcast.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/compile/compile.hpp>

namespace sinter::test {
namespace {

graph updating(element_type type, operation combine) {
  graph_builder builder;
  const graph_value base = builder.input(type, 2), index = builder.input(element_type::int32, 2),
                    updates = builder.input(type, 2);
  builder.output(scatter_broadcast(builder, base, index, updates, {0, combine, scatter_rule::reported, 0}));
  return builder.recorded();
}

}  // namespace

TEST_SUITE("kernels of scatters for GPUs") {
  TEST_CASE("updates of each type, by each operation, compile for every architecture and spill nothing") {
    if (nvrtc_is_missing()) return;
    for (const element_type type : {element_type::int32, element_type::uint32, element_type::int64,
                                    element_type::uint64, element_type::float32, element_type::float64})
      for (const operation combine : {operation::add, operation::minimum, operation::maximum})
        for (const int architecture : {90, 80, 120}) {
          if (is_floating(type) && combine != operation::add) continue;
          CAPTURE(std::string(facts_of(type).name));
          CAPTURE(architecture);
          target_facts target = cuda_facts();
          target.architecture = architecture;
          target.overlaps_launches = architecture >= 90;
          const shape extents{300, 4096};
          const std::vector<layout> arrays{
              contiguous(extents, type), contiguous(extents, element_type::int32), contiguous(extents, type)};
          runtime::kernel_resources used;
          for (const unsigned attempt : {0u, 1u}) {  // a kernel that spills gets another one, as at run time
            const lowered_call lowered =
                lower(updating(type, combine), arrays, target, {}, {}, nullptr, attempt);
            REQUIRE(lowered.stage_count == 2);  // the base, then its updates
            const kernel_text text = emit(lowered.stages[1]);
            CHECK(text.source.find("atomic") != std::string::npos);
            used = runtime::compile_cuda(text.source, "kernel.cu", text.entry,
                                         {architecture, runtime::cuda_code::cubin})
                       .resources;
            if (used.spill_store_bytes + used.spill_load_bytes == 0) break;
          }
          CHECK(used.registers > 0);
          CHECK(used.spill_store_bytes + used.spill_load_bytes == 0);
        }
  }
}

}  // namespace sinter::test
