#pragma once
// A stage of a call before it is a kernel: what it is for, its nest and its schedule.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>
#include <sinter/codegen/shape/call_facts.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <span>

namespace sinter {

struct planned_stage {
  stage_purpose purpose;
  nest body;
  schedule chosen;
  bool is_given = false;         ///< the schedule is the caller's
  std::int64_t bytes_moved = 0;  ///< see bytes_moved() of its nest
};

/// What a call's stages are chosen by.
struct planning_facts {
  const call_facts& call;
  const target_facts& target;
  /// The caller's schedule, for the stages that reduce if it is one for reductions, else for the others;
  /// nullptr if there is none.
  const schedule* given = nullptr;
};

/// Sets the schedule of a stage whose nest is there; may swap axes of the nest. Throws type_error where the
/// caller's schedule is for nests of this kind and cannot run this one.
void schedule_stage(planned_stage& at, const planning_facts& facts, unsigned attempt);

/// Stages in the order in which they run. Keeps the memory of those that are in use no more; a stage stays
/// where it is when others are added.
class stage_list {
 public:
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  planned_stage& operator[](std::size_t number) { return stages_[number]; }
  /// The stage after the last one, which is being made; add_next() adds it to the list.
  planned_stage& next() {
    if (stages_.size() == count_) stages_.emplace_back();
    return stages_[count_];
  }
  void add_next() { ++count_; }

 private:
  std::deque<planned_stage> stages_;
  std::size_t count_ = 0;
};

}  // namespace sinter
