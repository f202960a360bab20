#pragma once
// The candidates of one nest while they are listed.

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/model/model_tables.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/target.hpp>

#include <algorithm>
#include <vector>

namespace sinter::inline v0 {

/// Adds schedules whose threads do not have too much. The arguments outlive it.
class candidate_list {
 public:
  candidate_list(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                 std::vector<schedule>& found)
      : body_(loop_nest), proposed_(proposed), target_(target), found_(found) {
    for (const access& at : body_.accesses)
      if (at.what == access::kind::read) bytes_ += static_cast<std::int64_t>(size_of(at.type));
    for (const instruction& at : body_.body) weight_ += weight_of(at.op);
  }

 protected:
  void add(const schedule& at) {
    const std::int64_t elements = std::int64_t{at.vector} * at.steps * at.rows_per_thread;
    if (elements > values_.max_elements || elements * bytes_ > std::max(values_.max_bytes, bytes_)) return;
    // with this much work for each multiprocessor, none is idle
    if (body_.reduced == 0 &&
        elements * at.threads_along * at.threads_across > gpu_thresholds_of(target_).fill.min_work)
      return;
    if (elements > 1 && elements * weight_ > gpu_thresholds_of(target_).max_unrolled_weight) return;
    found_.push_back(at);
  }
  schedule with_order(loop_order order) const {
    schedule at;
    at.order = order;
    at.reads = proposed_.reads;
    return at;
  }

  const candidate_values& values_ = gpu_candidates;
  const nest& body_;
  const schedule& proposed_;
  const target_facts& target_;

 private:
  std::vector<schedule>& found_;
  std::int64_t bytes_ = 0, weight_ = 0;
};

/// The candidates of a nest without reductions, and those of one with them.
void list_pointwise(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                    std::vector<schedule>& found);
void list_reductions(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                     std::vector<schedule>& found);

}  // namespace sinter::inline v0
