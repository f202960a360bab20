#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/kernel/fill_argument_block.hpp>
#include <sinter/codegen/kernel/finish_stage.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/schedule/choose_reduction.hpp>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace sinter::inline v0 {
namespace {

/// The kernel: its description, the layout of its arguments, and its signature.
void describe(const finish_facts& facts, finish_scratch& scratch, stage& made) {
  made.externals = facts.recorded.externals;
  made.argument_block = false;
  kernel_description& described = scratch.described;
  describe_kernel(made, facts.target, facts.recorded.mode, facts.recorded.name, described);
  list_arguments(described, scratch.fields);
  fill_arguments(made, facts.target.kind, scratch.fields, facts.memory.temporaries());
  described.argument_block = made.argument_block = needs_argument_block(made.arguments.size(), facts.target);
  write_signature(described, made.signature);
}

/// The launch: the number of blocks, and the shape of each.
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

}  // namespace

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

void finish_stage(planned_stage& planned, const finish_facts& facts, bool is_first, finish_scratch& scratch,
                  stage& made) {
  made.purpose = planned.purpose;
  made.chosen = planned.chosen;
  made.bytes_moved = planned.bytes_moved;
  std::swap(made.body, planned.body);
  made.overlap = {};
  if (facts.target.overlaps_launches)
    made.overlap = {.waits = !is_first, .releases = made.purpose.reason != stage_reason::results};
  describe(facts, scratch, made);
  set_launch(facts, made);
}

}  // namespace sinter::inline v0
