#include <sinter/codegen/nest/build/sorted_in_nest.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/build/indices/deferred_reports.hpp>
#include <sinter/codegen/target/sort_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {

bool is_sorted_in_nest(const call_facts& call, node_id argsort) {
  if (call.shape_generic || !is_gpu(call.target)) return false;
  const std::int64_t length = call.shapes.of(argsort).back();
  return length >= 2 && length <= max_resident_sort && checked_gathers_under(call.recorded, argsort).empty();
}

std::int64_t elements_of_sort(const call_facts& call, node_id argsort) {
  return std::max(power_above(call.shapes.of(argsort).back()), elements_of_short_sorts);
}

}  // namespace sinter::inline v0
