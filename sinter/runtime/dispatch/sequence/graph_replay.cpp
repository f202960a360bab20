#include <sinter/runtime/cuda/argument_block.hpp>
#include <sinter/runtime/cuda/check.hpp>
#include <sinter/runtime/cuda/devices.hpp>
#include <sinter/runtime/cuda/stream.hpp>
#include <sinter/runtime/dispatch/sequence/graph_replay.hpp>
#include <sinter/runtime/error.hpp>

namespace sinter::inline v0::runtime {
namespace {

/// What a node is given. The driver copies the arguments when it is told.
struct node_parameters {
  const void* on_device;
  void* arguments[1];
  CUDA_KERNEL_NODE_PARAMS given{};

  node_parameters(const step_launch& launch, const recorded_step& of)
      : on_device(of.workspace() + launch.planned->block_offset),
        arguments{launch.planned->block_on_device ? static_cast<void*>(&on_device)
                                                  : const_cast<std::uint64_t*>(launch.block.data())} {
    const launch_shape& shape = launch.planned->shape;
    given.grid_x = shape.grid_x;
    given.grid_y = shape.grid_y;
    given.grid_z = shape.grid_z;
    given.block_x = shape.block_x;
    given.block_y = shape.block_y;
    given.block_z = shape.block_z;
    given.shared_bytes = shape.shared_bytes;
    given.arguments = arguments;
    given.kernel = launch.planned->cuda;
    given.context = of.context();
  }
  node_parameters(const node_parameters&) = delete;
  node_parameters& operator=(const node_parameters&) = delete;
};

}  // namespace

graph_replay::graph_replay(const step_list& steps, const step_order& order, int device)
    : api_(require_driver()), device_(device) {
  if (api_.cuGraphCreate == nullptr || api_.cuGraphAddKernelNode_v2 == nullptr ||
      api_.cuGraphAddChildGraphNode == nullptr || api_.cuGraphExecKernelNodeSetParams_v2 == nullptr ||
      api_.cuGraphInstantiateWithFlags == nullptr || api_.cuGraphLaunch == nullptr)
    throw device_error(
        "a sequence cannot be made a CUDA graph: the driver lacks functions for that; install a newer "
        "driver, "
        "or make the calls one by one");
  const relaxed_capture while_others_capture;
  const context_guard current(primary_context(device));
  try {
    build(steps, order);
  } catch (...) {
    destroy();
    throw;
  }
}

graph_replay::~graph_replay() { destroy(); }

// A graph that is running is freed by the driver when it is done.
void graph_replay::destroy() noexcept {
  if (driver() != &api_) return;
  const relaxed_capture while_others_capture;
  if (ready_ != nullptr) report_failure(api_.cuGraphExecDestroy(ready_), "destroying a CUDA graph");
  if (graph_ != nullptr) report_failure(api_.cuGraphDestroy(graph_), "destroying a CUDA graph");
}

void graph_replay::build(const step_list& steps, const step_order& order) {
  check(api_.cuGraphCreate(&graph_, 0), "making a CUDA graph");
  for (std::size_t i = 0; i < steps.size(); ++i) {
    std::vector<CUgraphNode> after;
    for (const std::size_t earlier : order.before(i))
      after.insert(after.end(), ends_[earlier].begin(), ends_[earlier].end());
    add_step(steps, i, std::move(after));
  }
  check(api_.cuGraphInstantiateWithFlags(&ready_, graph_, 0), "making a CUDA graph that can be launched");
}

// A step's launches follow one another. One without launches hands on what it would wait for.
void graph_replay::add_step(const step_list& steps, std::size_t number, std::vector<CUgraphNode> after) {
  recorded_step& of = *steps[number];
  bool follows_kernel = false;
  for (std::size_t i = 0; i < of.launches().size(); ++i) {
    step_launch& launch = of.launches()[i];
    if (launch.is_skipped) {
      follows_kernel = false;
      continue;
    }
    const planned_launch& planned = *launch.planned;
    CUgraphNode node = nullptr;
    if (planned.sorts.key_bytes != 0) {
      node = add_sort(launch, after);
    } else if (planned.shape.begins_early && follows_kernel && api_.cuGraphAddDependencies_v2 != nullptr) {
      node = add_kernel(launch, of, {});
      check(api_.cuGraphAddDependencies_v2(graph_, after.data(), &node, &programmatic_edge, 1),
            "ordering the kernels of a CUDA graph");
    } else {
      node = add_kernel(launch, of, after);
    }
    follows_kernel = planned.sorts.key_bytes == 0;
    if (follows_kernel) {
      kernels_.push_back({number, i, node});
      launch.is_changed = launch.is_changed && planned.block_on_device;
    }
    after.assign(1, node);
  }
  ends_.push_back(std::move(after));
}

CUgraphNode graph_replay::add_kernel(const step_launch& launch, const recorded_step& of,
                                     const std::vector<CUgraphNode>& after) {
  const node_parameters parameters(launch, of);
  CUgraphNode node = nullptr;
  check(api_.cuGraphAddKernelNode_v2(&node, graph_, after.data(), after.size(), &parameters.given),
        "adding a kernel to a CUDA graph", launch.planned->code->code.entry().c_str());
  return node;
}

// A sort is several kernels of CUB's dispatch: they are captured into a graph of their own. All its arrays
// are in the workspace of the step or are results, so that it never changes.
CUgraphNode graph_replay::add_sort(const step_launch& launch, const std::vector<CUgraphNode>& after) {
  const cuda_stream capturing(device_);
  check(api_.cuStreamBeginCapture_v2(capturing.handle(), CUstreamCaptureMode::relaxed), "capturing a sort");
  CUgraph sorted = nullptr;
  try {
    const auto address = [&](std::size_t i) { return reinterpret_cast<void*>(launch.block[i]); };
    launch.planned->sorter->sort(launch.planned->sorts,
                                 {address(0), static_cast<std::uint32_t*>(address(1)), address(2)},
                                 capturing.handle());
  } catch (...) {
    api_.cuStreamEndCapture(capturing.handle(), &sorted);
    if (sorted != nullptr) api_.cuGraphDestroy(sorted);
    throw;
  }
  check(api_.cuStreamEndCapture(capturing.handle(), &sorted), "capturing a sort");
  CUgraphNode node = nullptr;
  const CUresult answer = api_.cuGraphAddChildGraphNode(&node, graph_, after.data(), after.size(), sorted);
  api_.cuGraphDestroy(sorted);  // the node has a copy
  check(answer, "adding a sort to a CUDA graph");
  return node;
}

void graph_replay::update(const step_list& steps, const stream& on) {
  for (const node_of_launch& each : kernels_) {
    const recorded_step& of = *steps[each.step];
    step_launch& launch = steps[each.step]->launches()[each.launch];
    if (!launch.is_changed) continue;
    if (launch.planned->block_on_device) {
      copy_arguments(of.workspace() + launch.planned->block_offset, launch.block,
                     static_cast<CUstream>(on.native()), device_);
    } else {
      const node_parameters parameters(launch, of);
      check(api_.cuGraphExecKernelNodeSetParams_v2(ready_, each.node, &parameters.given),
            "changing the arguments of a kernel in a CUDA graph", launch.planned->code->code.entry().c_str());
    }
    launch.is_changed = false;
  }
}

void graph_replay::launch(const stream& on) const {
  check(api_.cuGraphLaunch(ready_, static_cast<CUstream>(on.native())), "launching a CUDA graph");
}

}  // namespace sinter::inline v0::runtime
