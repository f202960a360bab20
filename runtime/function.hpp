#pragma once
// A recorded function as the core keeps it.

#include <sinter/codegen/graph.hpp>
#include <sinter/runtime/call.hpp>

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace sinter::runtime {

/// Made by intern(), never freed. All but the simplified graph is fixed when it is made.
class function {
 public:
  function(const graph& content, const graph_hash& content_hash, std::uint32_t number);

  const graph recorded;
  const graph_hash hash;
  const std::uint32_t index;  ///< numbers functions from 0
  /// Parameters that bound views: their values take part in what a call's plan depends on.
  std::vector<std::uint32_t> view_parameters;

  /// What is lowered: the graph after simplification, made at the first call.
  const graph& simplified() const;

  /// Whether the log hook was told that calls fall back to the general variant.
  mutable std::atomic<bool> told_of_general{false};

 private:
  mutable std::once_flag simplified_once_;
  mutable graph simplified_;
};

/// "function 'softmax' (kernel.cpp:17)", for messages.
std::string describe(const function& called);

}  // namespace sinter::runtime
