#pragma once
// The types of what a kernel's statements declare.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <optional>
#include <vector>

namespace sinter::inline v0::codegen {

/// Types of variables and constants, by their numbers.
class declared_types {
 public:
  explicit declared_types(const loop_tree& tree);

  /// The type of a place's variable, or of the elements of its array; nullptr if no statement declares it.
  const value_type* find(const expression_table& table, expression place) const;

 private:
  std::vector<std::optional<value_type>> types_;
};

}  // namespace sinter::inline v0::codegen
