#include <sinter/codegen/schedule/tuning/combining_order.hpp>

#include <sinter/codegen/nest/nest_facts.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// Whether an operation of elements of this type gives the same bits in any order.
bool is_exact(operation combine, element_type type) {
  switch (combine) {
    case operation::add:
    case operation::multiply:
      return is_integer(type) || type == element_type::boolean;
    case operation::maximum:
    case operation::minimum:
    case operation::fmax:
    case operation::fmin:
    case operation::logical_and:
    case operation::logical_or:
      return true;
    default:
      return false;
  }
}

}  // namespace

bool combines_exactly(const nest& loop_nest) {
  const bool computes_exactly = std::ranges::all_of(loop_nest.body, [](const instruction& at) {
    if (combines_by_body(at.op) || at.op == operation::last) return false;
    return (!is_reduction(at.op) && !is_scan(at.op)) || is_exact(facts_of(at.op).combine, at.type);
  });
  return computes_exactly && std::ranges::all_of(loop_nest.stores, [&](const store& at) {
           return !at.is_update() || is_exact(at.combine, loop_nest.accesses[at.target].type);
         });
}

bool combines_alike(const nest& loop_nest, const schedule& a, const schedule& b, const target_facts& target) {
  if (combines_exactly(loop_nest)) return true;
  if (loop_nest.has_updates()) return a.private_updates == b.private_updates && a == b;
  if (loop_nest.reduced == 0) return true;
  if (a.order != b.order || a.staged != b.staged) return false;
  const bool columns = reduces_columns(a.order);
  // on the CPU the lanes of a strip are columns of their own, and a row is one task's
  if (!is_gpu(target.kind)) return columns || a.vector == b.vector;
  // threads that share a column are of one warp or of several, by how many lie along the columns
  if (a.steps != b.steps || a.threads_along != b.threads_along || a.resident != b.resident ||
      a.cluster != b.cluster || a.shared_steps != b.shared_steps)
    return false;
  return columns ? a.threads_across == b.threads_across && a.rows_per_thread == b.rows_per_thread
                 : a.vector == b.vector;
}

}  // namespace sinter::inline v0
