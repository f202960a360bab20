#pragma once
// A recorded function as the core stores it.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/dispatch/compiles/compile_history.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <vector>

namespace sinter::inline v0::runtime {

/// Made by intern(), freed with the last handle. Everything but the simplified graph is fixed at creation.
class function {
 public:
  function(const graph& content, const graph_hash& content_hash);
  function(const function&) = delete;
  function& operator=(const function&) = delete;
  ~function();

  const graph recorded;
  const graph_hash hash;
  /// By which tunings are kept: the hash without graph::derived_limits, which graphs of recordings do not
  /// have.
  const graph_hash tuning_hash;
  /// Unique among all functions ever made; identifies the function in the tables of its calls. It has another
  /// one after its schedules were tuned, so that no plan from before matches.
  std::uint64_t number() const { return number_.load(std::memory_order_relaxed); }
  /// shape_parameters() of the graph: a call's plan depends on their values.
  std::vector<std::uint32_t> view_parameters;

  /// The graph that is lowered: the simplified one, made at the first call.
  const graph& simplified() const;

  /// Whether the log hook was told that calls fall back to the shape-generic kernels.
  mutable std::atomic<bool> told_of_shape_generic{false};
  /// The graphs that its place had recorded when this function was made, with this one; 0 once that was told.
  mutable std::atomic<std::size_t> recorded_at_place{0};
  /// The calls for which it has compiled; nullptr before the first. Only note_compile() reads it.
  mutable std::unique_ptr<compile_history> compiled_calls;

 private:
  friend class function_handle;
  friend class function_table;
  void renumber() const;

  mutable std::atomic<std::uint64_t> number_;
  mutable std::atomic<std::uint32_t> users_{0};
  mutable std::once_flag simplified_once_;
  mutable graph simplified_;
};

/// Gives all functions with this tuning_hash, or, without one, all functions new numbers: their calls are
/// planned again.
void renumber_functions(const graph_hash* of);

/// "function 'softmax' (kernel.cpp:17)", for messages.
std::string describe(const function& called);

}  // namespace sinter::inline v0::runtime
