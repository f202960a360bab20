// graph_builder: positions by which rows are in order.
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/order/argsort_node.hpp>

#include <array>
#include <string>

namespace sinter::inline v0 {

graph_value graph_builder::argsort(graph_value keys, unsigned bits, const std::source_location& where) {
  const std::array operands{keys};
  const std::string fault = owns(keys) ? fault_in_argsort(graph_.nodes[keys.id], bits)
                                       : std::string("its keys are no value of this graph");
  if (!fault.empty()) throw type_error(describe_given(operation::argsort, operands, where) + fault);
  return append_node(operation::argsort, operand_type{argsort_type}, keys.rank, operands, bits, where);
}

}  // namespace sinter::inline v0
