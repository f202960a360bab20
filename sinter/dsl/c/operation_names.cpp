#include <sinter/dsl/builder/operation_names.hpp>
#include <sinter/dsl/c/failures.hpp>
#include <sinter/dsl/c/operation_names.hpp>

#include <optional>
#include <string>
#include <string_view>

namespace sinter::inline v0::c {
namespace {

std::string function_for(const operation_facts& row) {
  if (is_reduction(row.op)) return "is a reduction: use sinter_builder_reduce";
  if (is_scan(row.op)) return "is a scan: use sinter_builder_scan";
  return "works on elements: use sinter_builder_apply";
}

}  // namespace

operation operation_named(const char* name, operation_kind kind) {
  const std::string_view wanted = &checked(name, "the name of the operation");
  if (const std::optional<operation> op = detail::find_operation(wanted)) {
    const operation_kind found = is_reduction(*op) ? operation_kind::reduction
                                 : is_scan(*op)    ? operation_kind::scan
                                                   : operation_kind::on_elements;
    if (found == kind) return *op;
    throw invalid_argument("'" + std::string(wanted) + "' " + function_for(facts_of(*op)));
  }
  throw invalid_argument("there is no operation '" + std::string(wanted.substr(0, 40)) +
                         "': " + detail::similar_operations(wanted) +
                         "sinter_operation_name lists their names, docs/operations.md their meaning");
}

}  // namespace sinter::inline v0::c
