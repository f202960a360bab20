#pragma once
// Bodies of a graph as instructions of a nest: those of a body refer to what it captures directly.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/nest/build/bodies/body_elements.hpp>
#include <sinter/codegen/nest/nest.hpp>

#include <cstdint>
#include <span>
#include <vector>

namespace sinter::inline v0 {

class body_instructions {
 public:
  body_instructions(const graph& recorded, const node_demands& demands, body_elements& elements, nest& built)
      : graph_(recorded), demands_(demands), elements_(elements), nest_(built) {}

  /// Appends what a demanded node with bodies runs; returns the instruction of the node.
  std::uint32_t append(const node& entry, const node_demands::demand& demand);
  /// The instruction of a component of a demanded node; of a reduction or scan over `elements`, of which one
  /// is the result itself and none give the identity.
  std::uint32_t component(const node_demands::demand& owner, std::uint64_t number, std::int64_t elements);
  /// Names the owners, which come after what is in their bodies. Call it when all is appended.
  void set_owners();

 private:
  /// A body that is being appended; its owner does not exist yet.
  struct scope {
    std::uint32_t owner = instruction::no_owner;  ///< set when the owner is appended
    bool otherwise = false;
    std::vector<index_check> checks;  ///< of the elements that it takes
  };
  /// Instructions, and demands where an array is meant of which bodies take elements.
  using values = std::vector<std::uint32_t>;
  /// What one node with bodies runs: of each operand and component its instruction, where it is needed.
  std::uint32_t append(const graph& around, const node& entry, const needed_parts& parts,
                       const values& operands);
  void append_loop(const graph& around, const node& entry, const needed_parts& parts, const values& operands,
                   std::vector<std::uint32_t>& arguments);
  void append_combining(const graph& around, const node& entry, const needed_parts& parts,
                        const values& operands, std::vector<std::uint32_t>& arguments);
  /// The nodes of a body that `wanted` needs, of which the first is the condition of a loop if it
  /// `has_condition`; returns the instructions of `wanted`.
  values append_body(const graph& body, std::span<const node_id> wanted, const values& inputs,
                     bool has_condition = false);
  std::uint32_t append_node(const graph& body, const node& entry, const values& nodes);
  std::uint32_t append_element(const graph& body, const node& entry, const values& nodes);
  void report(const values& results, bool has_condition);
  void take_into_scope(std::size_t first);
  bool is_visible(std::uint32_t value) const;
  std::uint32_t append_last(std::uint32_t scan);
  std::uint32_t append_component(std::uint32_t owner, element_type type, std::size_t number);
  std::uint32_t add(instruction made);
  std::uint32_t external_of(const external_function* called) const;
  void open_scope(bool otherwise);
  void close_scope() { current_ = around_[current_]; }

  const graph& graph_;
  const node_demands& demands_;
  body_elements& elements_;
  nest& nest_;
  node_id root_ = 0;  ///< the node of the graph whose bodies are being appended
  std::vector<scope> scopes_;
  values around_;  ///< the scope around each
  std::uint32_t current_ = instruction::no_owner;
};

}  // namespace sinter::inline v0
