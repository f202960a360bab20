#include <sinter/codegen/nest/computed_operations.hpp>

#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

class operation_counts {
 public:
  explicit operation_counts(const nest& of) : nest_(of) {}
  void add(const instruction& at, bool for_element) {
    if (is_reduction(at.op) || weight_of(at.op) == 0) return;
    if (at.fused) add(operation::multiply, at, for_element);
    add(at.op, at, for_element);
  }
  std::vector<computed_operation> taken() { return std::move(found_); }

 private:
  std::uint32_t loop_around(const instruction& at) const {
    std::uint32_t around = at.owner;
    while (around != instruction::no_owner && !is_repeated(nest_.body[around].op))
      around = nest_.body[around].owner;
    return around;
  }
  bool is_in_combine(const instruction& at) const {
    std::uint32_t around = at.owner;
    while (around != instruction::no_owner && !combines_by_body(nest_.body[around].op))
      around = nest_.body[around].owner;
    return around != instruction::no_owner;
  }
  void add(operation op, const instruction& at, bool for_element) {
    const std::uint32_t loop = loop_around(at);
    auto of = std::ranges::find_if(
        found_, [&](const computed_operation& each) { return each.op == op && each.loop == loop; });
    if (of == found_.end()) of = found_.insert(found_.end(), {.op = op, .loop = loop});
    std::uint64_t computed_operation::* const count = is_in_combine(at) ? &computed_operation::for_combine
                                                      : for_element     ? &computed_operation::for_element
                                                                        : &computed_operation::for_row;
    *of.*count += times_evaluated(nest_, at);
  }

  const nest& nest_;
  std::vector<computed_operation> found_;
};

}  // namespace

std::vector<computed_operation> computed_operations(const nest& loop_nest, bool resident, bool keeps_reads) {
  operation_counts counts(loop_nest);
  if (loop_nest.reduced == 0) {
    for (const instruction& at : loop_nest.body) counts.add(at, true);
    return counts.taken();
  }
  const codegen::phase_plan plan(loop_nest, resident, keeps_reads);
  for (unsigned phase = 0; phase < loop_nest.phases; ++phase)
    for (const std::uint32_t made : plan.evaluated(phase)) counts.add(loop_nest.body[made], true);
  for (const instruction& at : loop_nest.body)
    if (!at.per_element) counts.add(at, false);
  return counts.taken();
}

}  // namespace sinter::inline v0
