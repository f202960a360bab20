#include "bare_kernel.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/types/scalar.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/dispatch/function.hpp>

namespace sinter_bench {

using namespace sinter;
using namespace sinter::runtime;

bare_kernel::bare_kernel(const graph& recorded, std::span<const operand> operands, const operand& result) {
  const auto layout_of = [](const operand& of, std::size_t index) {
    array_layout layout;
    layout.type = of.type;
    layout.rank = of.rank;
    layout.extents = of.extents;
    layout.strides = of.strides;
    layout.identity = static_cast<std::uint32_t>(index);
    return layout;
  };
  std::vector<array_layout> inputs;
  for (std::size_t i = 0; i < operands.size(); ++i) inputs.push_back(layout_of(operands[i], i));
  const array_layout output = layout_of(result, inputs.size());

  const device where = result.where;
  const target_facts& target = facts_of(where);
  lowered_call lowered;
  lower({.recorded = intern(recorded)->simplified(),
         .inputs = inputs,
         .outputs = std::span(&output, 1),
         .target = target},
        lowered);
  if (lowered.stage_count != 1) throw error("this benchmark needs a function that is one kernel");
  const stage& only = lowered.stages[0];
  text_ = emit(only);
  code_ = compile_kernel(text_, target);

  for (const argument_slot& slot : only.arguments) {
    auto value = static_cast<std::uint64_t>(slot.value);
    if (slot.from == argument_slot::source::input_pointer)
      value += reinterpret_cast<std::uintptr_t>(operands[slot.index].data);
    else if (slot.from == argument_slot::source::output_pointer)
      value += reinterpret_cast<std::uintptr_t>(result.data);
    block_.push_back(value);
  }
  arguments_[0] = block_.data();
  tiles_ = only.tiles;
  if (where.is_cpu()) {
    cpu_ = code_.cpu_entry();
    return;
  }
  driver_ = &require_driver();
  const CUcontext context = primary_context(where.index());
  check(driver_->cuCtxSetCurrent(context), "choosing the device");
  function_ = reinterpret_cast<CUfunction>(code_.cuda_entry(context));
  grid_ = static_cast<unsigned>(only.tiles);
  threads_along_ = only.threads_along;
  threads_across_ = only.threads_across;
  shared_bytes_ = only.shared_bytes;
  check(driver_->cuLaunchKernel(function_, grid_, 1, 1, threads_along_, threads_across_, 1, shared_bytes_,
                                nullptr, arguments_, nullptr),
        "launching a kernel", text_.entry.c_str());
}

graph five_operations() {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1), y = builder.input(element_type::float32, 1);
  const graph_value zero = builder.literal(element_type::int64, 0, true);
  const graph_value one = builder.literal(element_type::int64, 1, true);
  const graph_value positive = builder.apply(operation::greater, {x, zero});
  const graph_value raised = builder.apply(operation::add, {builder.apply(operation::multiply, {x, y}), one});
  builder.output(
      builder.apply(operation::where, {positive, raised, builder.apply(operation::subtract, {y, x})}));
  return builder.recorded();
}

graph polynomial(int steps) {
  graph_builder builder;
  builder.restart();
  graph_value r = builder.input(element_type::float32, 1);
  const graph_value scale =
      builder.literal(element_type::float32, real_bits(element_type::float32, 0.5L), true);
  const graph_value shift =
      builder.literal(element_type::float32, real_bits(element_type::float32, 0.25L), true);
  for (int i = 0; i < steps; ++i)
    r = builder.apply(operation::add, {builder.apply(operation::multiply, {r, scale}), shift});
  builder.output(r);
  return builder.recorded();
}

}  // namespace sinter_bench
