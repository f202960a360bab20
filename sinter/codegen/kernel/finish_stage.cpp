#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/fill_argument_block.hpp>
#include <sinter/codegen/kernel/finish_stage.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/schedule/choose/choose_reduction.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace sinter::inline v0 {
void check_externals(const graph& recorded, target_kind target) {
  const bool cuda = target == target_kind::cuda;
  for (const external_function* called : recorded.externals)
    if ((cuda ? called->cuda : called->cpu) == external_form::none)
      throw compile_error("the external function '" + called->name + "' has no form for " +
                              (cuda ? "CUDA" : "the CPU") + ": there is " + called->forms + "; " +
                              (cuda ? "make it of CUDA C++ text or object code"
                                    : "add C++ text, LLVM bitcode or a function pointer with on_cpu()"),
                          {}, {});
}

void take_plan(const finish_facts& facts, stage& made) {
  made.purpose = facts.planned.purpose;
  made.chosen = facts.planned.chosen;
  made.bytes_moved = bytes_touched(facts.planned.body);
  std::swap(made.body, facts.planned.body);
  made.overlap = {};
  if (facts.target.overlaps_launches)
    made.overlap = {.waits = !facts.is_first, .releases = made.purpose.reason != stage_reason::results};
}

void finish_sort(const finish_facts& facts, stage& made) {
  const planned_stage& planned = facts.planned;
  const std::int64_t elements = planned.sorts.rows * planned.sorts.length;
  made = {};
  made.purpose = planned.purpose;
  made.sorts = planned.sorts;
  made.tiles = elements == 0 ? 0 : planned.sorts.rows;
  made.bytes_moved = elements * (planned.sorts.key_bytes + 4);
  for (const std::uint32_t temporary : planned.temporaries)
    made.arguments.push_back({argument_slot::source::workspace, 0,
                              static_cast<std::int64_t>(facts.memory.temporaries()[temporary])});
}

void describe(const finish_facts& facts, stage& made) {
  made.sorts = {};
  made.externals = facts.recorded.externals;
  made.argument_block = false;
  describe_kernel(made, facts.target, facts.recorded.mode, facts.recorded.name, facts.scratch.described);
  list_arguments(facts.scratch.described, facts.scratch.fields);
}

void set_arguments(const finish_facts& facts, stage& made) {
  fill_arguments(made, facts.target, facts.scratch.fields, facts.memory.temporaries());
  made.argument_block = needs_argument_block(made.arguments.size(), facts.target);
  facts.scratch.described.argument_block = made.argument_block;
}

void sign(const finish_facts& facts, stage& made) {
  write_signature(facts.scratch.described, made.signature);
}

void set_launch(const finish_facts& facts, stage& made) {
  if (is_empty(made.body)) made.tiles = 0;
  if (made.argument_block && made.tiles != 0)
    made.block_offset = facts.memory.take(argument_bytes(made.arguments.size()));
  if (is_gpu(facts.target.kind) && made.tiles > std::numeric_limits<std::int32_t>::max())
    throw shape_error("a result of " + std::to_string(made.tiles) +
                      " tiles is more than one launch can hold: split it");
  made.threads_along = made.chosen.threads_along;
  made.threads_across = made.chosen.threads_across;
  made.cluster = made.chosen.cluster;
  made.shared_bytes = shared_bytes_of(made.body, made.chosen);
}

}  // namespace sinter::inline v0
