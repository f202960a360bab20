// Graphs of the fake CUDA driver that are built node by node. A launch queues the uses of all nodes at once,
// and checks that nodes which share memory are ordered by edges.
#include "fake_cuda_driver.hpp"
#include "fake_cuda_state.hpp"

#include <algorithm>
#include <cstdio>
#include <mutex>
#include <string>
#include <vector>

using namespace sinter::runtime;
using namespace sinter::test;

namespace {

CUgraphNode add_node(CUgraph graph, const CUgraphNode* after, std::size_t count, std::vector<fake_use> uses) {
  graph->nodes.push_back(std::make_unique<CUgraphNode_st>());
  CUgraphNode_st& made = *graph->nodes.back();
  made.uses = std::move(uses);
  made.after.assign(after, after + count);
  return &made;
}

std::size_t number_of(const CUgraphExec_st& exec, CUgraphNode node) {
  return static_cast<std::size_t>(std::find(exec.made_from.begin(), exec.made_from.end(), node) -
                                  exec.made_from.begin());
}

bool share_memory(const CUgraphNode_st& a, const CUgraphNode_st& b) {
  for (const fake_use& one : a.uses)
    for (const fake_use& other : b.uses)
      if (one.memory == other.memory && (one.writes || other.writes)) return true;
  return false;
}

// Edges go from nodes that were added before.
void check_edges(const CUgraphExec_st& exec) {
  const std::size_t count = exec.nodes.size();
  std::vector<std::vector<bool>> before(count, std::vector<bool>(count));
  for (std::size_t i = 0; i < count; ++i) {
    for (const CUgraphNode each : exec.nodes[i].after) {
      const std::size_t earlier = number_of(exec, each);
      before[i][earlier] = true;
      for (std::size_t k = 0; k < earlier; ++k) before[i][k] = before[i][k] || before[earlier][k];
    }
    for (std::size_t k = 0; k < i; ++k)
      if (!before[i][k] && share_memory(exec.nodes[i], exec.nodes[k]))
        fake().order.fault("nodes " + std::to_string(k) + " and " + std::to_string(i) +
                           " of a graph share memory and are not ordered");
  }
}

std::string text_of(const CUgraphExec_st& exec) {
  std::string text;
  for (const CUgraphNode_st& each : exec.nodes) {
    text += "after";
    for (const CUgraphNode earlier : each.after) text += " " + std::to_string(number_of(exec, earlier));
    text += " uses";
    for (const fake_use& use : each.uses) {
      char address[32];
      std::snprintf(address, sizeof address, " %zx", static_cast<std::size_t>(use.memory));
      text += address;
    }
    text += '\n';
  }
  return text;
}

}  // namespace

#define FAKE_ENTER()           \
  const driver_call in_driver; \
  if (const CUresult told = enter(__func__); told != CUresult::success) return told

extern "C" {

CUresult cuGraphCreate(CUgraph* graph, unsigned) {
  FAKE_ENTER();
  *graph = new CUgraph_st{0, nullptr, {}};
  return CUresult::success;
}
CUresult cuGraphAddKernelNode_v2(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                 std::size_t count, const CUDA_KERNEL_NODE_PARAMS* launch) {
  FAKE_ENTER();
  *node = add_node(graph, after, count, uses_of(launch->arguments));
  return CUresult::success;
}
CUresult cuGraphAddChildGraphNode(CUgraphNode* node, CUgraph graph, const CUgraphNode* after,
                                  std::size_t count, CUgraph) {
  FAKE_ENTER();
  *node = add_node(graph, after, count, {});
  return CUresult::success;
}
CUresult cuGraphAddDependencies_v2(CUgraph, const CUgraphNode* from, const CUgraphNode* to,
                                   const CUgraphEdgeData*, std::size_t count) {
  FAKE_ENTER();
  for (std::size_t i = 0; i < count; ++i) to[i]->after.push_back(from[i]);
  return CUresult::success;
}
CUresult cuGraphInstantiateWithFlags(CUgraphExec* exec, CUgraph graph, unsigned long long) {
  FAKE_ENTER();
  CUgraphExec_st made;
  for (const auto& each : graph->nodes) {
    made.nodes.push_back(*each);
    made.made_from.push_back(each.get());
  }
  *exec = make(std::move(made));
  return CUresult::success;
}
CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS* launch) {
  FAKE_ENTER();
  const std::size_t number = number_of(*exec, node);
  if (number == exec->nodes.size()) return CUresult::invalid_value;
  exec->nodes[number].uses = uses_of(launch->arguments);
  return CUresult::success;
}
CUresult cuGraphLaunch(CUgraphExec exec, CUstream on) {
  FAKE_ENTER();
  std::vector<fake_use> all;
  for (const CUgraphNode_st& each : exec->nodes) all.insert(all.end(), each.uses.begin(), each.uses.end());
  if (const CUresult told = queue_work(on, __func__, all); told != CUresult::success) return told;
  const std::lock_guard lock(fake().guard);
  check_edges(*exec);
  fake().launched_graph = text_of(*exec);
  return CUresult::success;
}
CUresult cuGraphExecDestroy(CUgraphExec exec) {
  FAKE_ENTER();
  drop(exec);
  return CUresult::success;
}

const char* fake_cuda_launched_graph() { return fake().launched_graph.c_str(); }

}  // extern "C"
