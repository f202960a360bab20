#pragma once
// The choice among candidates by their estimated times.

#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/model/cost_model.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace sinter::inline v0 {

/// Estimates for one nest, at the sizes that stand for its class. One that is assigned again for a nest of
/// one loop allocates only if the nest is larger.
class candidate_ranking {
 public:
  void assign(const nest& loop_nest, const schedule& proposed, const target_facts& target);
  /// The estimated time as a share of the proposed schedule's, in 1/1000, at the largest size; at a size
  /// where it is slower, the share there. A share of `most` or more may be of any size.
  std::int64_t share_of(const schedule& at,
                        std::int64_t most = std::numeric_limits<std::int64_t>::max()) const;
  /// What share_of() is of no schedule below.
  std::int64_t min_share() const;

 private:
  struct member {
    nest body;
    work_by_residence work;
    std::int64_t proposed_cycles = 1;
  };
  std::int64_t cycles(const member& sizes, const schedule& at) const;

  std::array<member, 3> members_;
  std::size_t count_ = 0;
  gpu_rates rates_{};
  target_facts target_;
};

/// The largest estimated time with which a candidate is taken, in 1/1000 of the proposed schedule's.
std::int64_t asked_share(const nest& loop_nest, const schedule& proposed, const target_facts& target);

/// The candidate with the least estimated time; `proposed` where the nest is not ranked, or where no
/// candidate is estimated to be enough faster. For GPUs. Follows from the nest's size class, its types and
/// patterns, and the table of the GPU; of a nest without reductions also from whether its arrays are aligned
/// for the best candidate's vectors: if not, from the candidates without vectors.
schedule choose_candidate(const nest& loop_nest, const schedule& proposed,
                          std::span<const array_layout> inputs, std::span<const array_layout> outputs,
                          const target_facts& target);

/// A schedule and its estimated cost at a nest's own sizes.
struct estimated_schedule {
  schedule chosen;
  kernel_cost cost;
};

/// The estimates of a schedule, first, and of up to `others` of its candidates with the least estimated
/// times. Not all of these have to be legal for the alignment of a call's arrays. For GPUs.
std::vector<estimated_schedule> list_estimates(const nest& loop_nest, const schedule& chosen,
                                               const target_facts& target, std::size_t others);

}  // namespace sinter::inline v0
