#include <sinter/codegen/schedule/model/candidate_list.hpp>

#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>
#include <sinter/codegen/schedule/model/candidate_space.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <span>

namespace sinter::inline v0 {
namespace {

class pointwise_list : candidate_list {
 public:
  using candidate_list::candidate_list;

  /// No more lanes than proposed: arrays are aligned for those, and a layout has one kernel for arrays that
  /// are and one for others.
  void run() {
    const bool shares_windows = has_window(body_) && proposed_.order == loop_order::rows;
    const std::int64_t most =
        has_early_exits(body_) ? 1 : std::min<std::int64_t>(max_lanes_of_elements(), proposed_.vector);
    for (std::int64_t lanes = most; lanes >= 1; lanes /= 2) {
      if (has_long_rows(proposed_)) list_rows(lanes);
      // the rows of a thread share the loads of windows, which the flat order repeats
      if (body_.rank > 1 && !shares_windows) list_flat(lanes);
      if (proposed_.tile != 0) list_tiles(lanes);
    }
  }

 private:
  /// Elements in two loads of the widest type.
  std::int64_t max_lanes_of_elements() const {
    std::size_t widest = 0;
    for (const access& at : body_.accesses)
      if (at.what != access::kind::position && at.strides[0] == 1)
        widest = std::max(widest, size_of(at.type));
    const std::int64_t load = widest == 0 ? 1 : static_cast<std::int64_t>(target_.vector_bytes / widest);
    return std::min(values_.max_lanes, 2 * load);
  }

  /// Elements of a thread leave loops one after the other: one alone, whose neighbours are those of its warp,
  /// waits for the fewest others.
  std::int64_t max_loads() const { return has_early_exits(body_) ? 1 : values_.max_loads; }

  void list_rows(std::int64_t lanes) {
    const bool two = body_.rank > 1;
    for (const threads_of_block& threads :
         two ? std::span<const threads_of_block>(values_.blocks_of_two_axes) : values_.blocks_of_one_axis)
      for (const std::int64_t rows : values_.rows_per_thread)
        for (const std::int64_t steps : values_.steps) {
          if (rows * steps > max_loads() || (!two && rows > 1)) continue;
          schedule at = with_order(loop_order::rows);
          at.vector = narrow(lanes);
          at.threads_along = threads.along;
          at.threads_across = threads.across;
          at.rows_per_thread = narrow(rows);
          at.steps = narrow(steps);
          add(at);
        }
  }

  void list_flat(std::int64_t lanes) {
    if (body_.extents[0] >= min_wide_extent) return;
    for (const std::int64_t threads : values_.flat_threads)
      for (const std::int64_t steps : values_.steps) {
        if (steps > max_loads()) continue;
        schedule at = with_order(loop_order::flat);
        at.vector = narrow(lanes);
        at.threads_along = narrow(threads);
        at.steps = narrow(steps);
        // only for long rows: short rows have one kernel for every length
        at.whole_rows = lanes > 1 && has_long_rows(proposed_);
        add(at);
      }
  }

  void list_tiles(std::int64_t lanes) {
    for (const std::int64_t tile : values_.tile_sides)
      for (const std::int64_t rows : values_.tile_rows_per_thread) {
        const std::int64_t along = tile / lanes, across = tile / rows;
        const std::int64_t threads = along * across;
        if (threads < warp_threads(target_.kind) || threads > values_.max_tile_threads) continue;
        if (staged_bytes(body_, tile) > default_shared_bytes) continue;
        schedule at = with_order(loop_order::tiled);
        at.vector = narrow(lanes);
        at.tile = narrow(tile);
        at.threads_along = narrow(along);
        at.threads_across = narrow(across);
        at.rows_per_thread = narrow(rows);
        add(at);
      }
  }
};

}  // namespace

void list_pointwise(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                    std::vector<schedule>& found) {
  pointwise_list(loop_nest, proposed, target, found).run();
}

}  // namespace sinter::inline v0
