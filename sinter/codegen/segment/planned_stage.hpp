#pragma once
// A stage of a call before it becomes a kernel: its purpose, nest and schedule.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/segment/sorted_rows.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>
#include <sinter/codegen/shape/call_facts.hpp>
#include <sinter/codegen/target/target.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <span>

namespace sinter::inline v0 {

struct planned_stage {
  stage_purpose purpose;
  nest body;
  schedule chosen;
  bool is_given = false;         ///< the schedule is the caller's
  std::int64_t bytes_moved = 0;  ///< bytes_moved() of its nest
  sorted_rows sorts;             ///< if its keys have bytes, the stage sorts rows, and has no nest
  /// Of a stage that sorts, the temporaries of keys, positions and scratch memory.
  std::array<std::uint32_t, 3> temporaries{};
};

/// What the choice of a call's stages depends on.
struct planning_facts {
  const call_facts& call;
  const target_facts& target;
  /// The caller's schedule; it applies to stages with reductions if it is a schedule for reductions, else to
  /// the others. nullptr if there is none.
  const schedule* given = nullptr;
  std::span<const std::uint8_t> attempts = {};  ///< for stages from the first on: 1 for the second schedule
  std::span<const std::optional<schedule>> tuned = {};  ///< for stages from the first on: what was measured
  cut_choice cuts = {};                                 ///< what was measured of pieces
};

/// Stages in the order in which they run. Retains the memory of unused stages; a stage keeps its address when
/// others are added.
class stage_list {
 public:
  void clear() { count_ = 0; }
  std::size_t size() const { return count_; }
  planned_stage& operator[](std::size_t number) { return stages_[number]; }
  /// The stage after the last one, under construction; add_next() adds it to the list.
  planned_stage& next() {
    if (stages_.size() == count_) stages_.emplace_back();
    return stages_[count_];
  }
  void add_next() { ++count_; }

 private:
  std::deque<planned_stage> stages_;
  std::size_t count_ = 0;
};

}  // namespace sinter::inline v0
