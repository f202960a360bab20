#pragma once
// A recorded function as the core keeps it.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/runtime/call.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sinter::runtime {

/// Made by intern(), freed with the last handle. All but the simplified graph is fixed when it is made.
class function {
 public:
  function(const graph& content, const graph_hash& content_hash);
  function(const function&) = delete;
  function& operator=(const function&) = delete;
  ~function();

  const graph recorded;
  const graph_hash hash;
  /// Of no other function, before or after: what is known of its calls is found by this.
  const std::uint64_t number;
  /// Parameters that bound views: their values take part in what a call's plan depends on.
  std::vector<std::uint32_t> view_parameters;

  /// What is lowered: the graph after simplification, made at the first call.
  const graph& simplified() const;

  /// Whether the log hook was told that calls fall back to the general variant.
  mutable std::atomic<bool> told_of_general{false};

 private:
  friend class function_handle;
  friend class function_table;
  mutable std::atomic<std::uint32_t> users_{0};
  mutable std::once_flag simplified_once_;
  mutable graph simplified_;
};

/// "function 'softmax' (kernel.cpp:17)", for messages.
std::string describe(const function& called);

}  // namespace sinter::runtime
