#pragma once
// The types of what a kernel's statements declare.

#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <string>
#include <string_view>
#include <unordered_map>

namespace sinter::inline v0::codegen {

/// Types of variables and constants, by name. It copies the names: a tree's may move when expressions are
/// added.
class declared_types {
 public:
  explicit declared_types(const loop_tree& tree);

  /// The type of a place's variable, or of the elements of its array; nullptr if no statement declares it.
  const value_type* find(const expression_table& table, expression place) const;

 private:
  struct hash_of_text : std::hash<std::string_view> {
    using is_transparent = void;
  };
  std::unordered_map<std::string, value_type, hash_of_text, std::equal_to<>> types_;
};

}  // namespace sinter::inline v0::codegen
