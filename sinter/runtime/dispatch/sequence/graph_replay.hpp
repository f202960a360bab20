#pragma once
// The steps of a sequence as one CUDA graph.

#include <sinter/runtime/cuda/driver.hpp>
#include <sinter/runtime/dispatch/sequence/step_order.hpp>

#include <cstddef>
#include <string>
#include <vector>

namespace sinter::inline v0::runtime {

/// A graph with a node for each kernel. Parameters change in the instantiated graph, which queued launches do
/// not notice. Throws device_error for drivers without these functions.
class graph_replay {
 public:
  graph_replay(const step_list& steps, const step_order& order, int device);
  graph_replay(const graph_replay&) = delete;
  graph_replay& operator=(const graph_replay&) = delete;
  ~graph_replay();

  /// Gives changed launches their parameters. Blocks that kernels read from memory are copied on the stream.
  void update(const step_list& steps, const stream& on);
  /// Queues one launch of everything.
  void launch(const stream& on) const;

 private:
  struct node_of_launch {
    std::size_t step, launch;
    CUgraphNode node;
  };
  void build(const step_list& steps, const step_order& order);
  void add_step(const step_list& steps, std::size_t number, std::vector<CUgraphNode> after);
  CUgraphNode add_kernel(const step_launch& launch, const recorded_step& of,
                         const std::vector<CUgraphNode>& after);
  CUgraphNode add_sort(const step_launch& launch, const std::vector<CUgraphNode>& after);
  void destroy() noexcept;

  const driver_api& api_;
  int device_;
  CUgraph graph_ = nullptr;
  CUgraphExec ready_ = nullptr;
  std::vector<node_of_launch> kernels_;
  std::vector<std::vector<CUgraphNode>> ends_;  ///< of each step: what a step after it waits for
};

}  // namespace sinter::inline v0::runtime
