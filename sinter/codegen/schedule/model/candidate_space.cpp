#include <sinter/codegen/schedule/model/candidate_space.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/model/model_tables.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

constexpr const candidate_values& values = gpu_candidates;

class candidate_list {
 public:
  candidate_list(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                 std::vector<schedule>& found)
      : body_(loop_nest), proposed_(proposed), target_(target), found_(found) {
    for (const access& at : body_.accesses)
      if (at.what == access::kind::read) bytes_ += static_cast<std::int64_t>(size_of(at.type));
    for (const instruction& at : body_.body) weight_ += weight_of(at.op);
  }

  /// No more lanes than proposed: arrays are aligned for those, and a layout has one kernel for arrays that
  /// are and one for others.
  void list_pointwise() {
    const bool shares_windows = has_window(body_) && proposed_.order == loop_order::rows;
    const std::int64_t most = std::min<std::int64_t>(most_lanes_of_elements(), proposed_.vector);
    for (std::int64_t lanes = most; lanes >= 1; lanes /= 2) {
      if (has_long_rows(proposed_)) list_rows(lanes);
      // the rows of a thread share the loads of windows, which the flat order repeats
      if (body_.rank > 1 && !shares_windows) list_flat(lanes);
      if (proposed_.tile != 0) list_tiles(lanes);
    }
  }

  void list_reduction(loop_order order) {
    const bool columns = reduces_columns(order);
    if (columns && body_.is_reduced(0)) return;
    const unsigned axis = columns ? 0 : first_reduced_axis(body_);
    const std::int64_t length = power_above(count_rows(body_, true));
    const std::int64_t width = columns ? power_above(body_.extents[0]) : length;
    const std::int64_t most = columns ? lanes_along(body_, 0, target_) : row_lanes(body_, target_);
    for (std::int64_t lanes = most; lanes >= 1; lanes /= 2) {
      if (lanes > power_above(body_.extents[axis])) continue;
      for (const std::int64_t threads : values.reduction_threads)
        for (std::int64_t along = 1; along <= threads; along *= 2) {
          if (along > 1 && along * lanes > width) break;
          const std::int64_t across = threads / along;
          if (!columns || across <= length) list_steps(order, lanes, along, across, length);
        }
    }
  }

 private:
  void add(const schedule& at) {
    const std::int64_t elements = std::int64_t{at.vector} * at.steps * at.rows_per_thread;
    if (elements > values.most_elements || elements * bytes_ > std::max(values.most_bytes, bytes_)) return;
    // with this much work for each multiprocessor, none is idle
    if (body_.reduced == 0 &&
        elements * at.threads_along * at.threads_across > gpu_thresholds_of(target_).fill.least_work)
      return;
    if (elements > 1 && elements * weight_ > gpu_thresholds_of(target_).most_unrolled_weight) return;
    found_.push_back(at);
  }
  schedule with_order(loop_order order) const {
    schedule at;
    at.order = order;
    at.reads = proposed_.reads;
    return at;
  }

  /// Elements in two loads of the widest type.
  std::int64_t most_lanes_of_elements() const {
    std::size_t widest = 0;
    for (const access& at : body_.accesses)
      if (at.what != access::kind::position && at.strides[0] == 1)
        widest = std::max(widest, size_of(at.type));
    const std::int64_t load = widest == 0 ? 1 : static_cast<std::int64_t>(target_.vector_bytes / widest);
    return std::min(values.most_lanes, 2 * load);
  }

  void list_rows(std::int64_t lanes) {
    const bool two = body_.rank > 1;
    for (const threads_of_block& threads :
         two ? std::span<const threads_of_block>(values.blocks_of_two_axes) : values.blocks_of_one_axis)
      for (const std::int64_t rows : values.rows_per_thread)
        for (const std::int64_t steps : values.steps) {
          if (rows * steps > values.most_loads || (!two && rows > 1)) continue;
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
    if (body_.extents[0] >= least_wide_extent) return;
    for (const std::int64_t threads : values.flat_threads)
      for (const std::int64_t steps : values.steps) {
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
    for (const std::int64_t tile : values.tile_sides)
      for (const std::int64_t rows : values.tile_rows_per_thread) {
        const std::int64_t along = tile / lanes, across = tile / rows;
        const std::int64_t threads = along * across;
        if (threads < warp_threads(target_.kind) || threads > values.most_tile_threads) continue;
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

  void list_steps(loop_order order, std::int64_t lanes, std::int64_t along, std::int64_t across,
                  std::int64_t length) {
    const bool columns = reduces_columns(order);
    const bool one_row = columns || has_scans(body_) || body_.split >= 0;
    for (const std::int64_t steps : values.reduction_steps)
      for (const std::int64_t rows : values.reduction_rows_per_thread) {
        if (rows > 1 && (one_row || rows * steps > values.most_loads)) break;
        const std::int64_t in_flight = columns ? across * steps : along * lanes * steps;
        if (proposed_.resident ? in_flight < length || in_flight > 2 * length
                               : steps > 1 && in_flight > length)
          continue;
        schedule at = with_order(order);
        at.vector = narrow(lanes);
        at.steps = narrow(steps);
        at.rows_per_thread = narrow(rows);
        at.threads_along = narrow(along);
        at.threads_across = narrow(across);
        at.whole_rows = !columns && fills_vectors(body_, lanes);
        at.scalar_loads = columns && body_.extents[0] % lanes != 0;
        at.resident = proposed_.resident;
        if (columns && exchanges_too_much(at)) continue;
        add(at);
      }
  }

  bool exchanges_too_much(const schedule& at) const {
    const gpu_thresholds& table = gpu_thresholds_of(target_);
    return bytes_of_column_exchange(body_, at.threads_along, at.threads_across, at.vector,
                                    warp_threads(target_.kind)) > table.reductions.most_static_bytes ||
           (has_scans(body_) && bytes_of_scan_exchange(body_, at) > table.scans.most_shared_bytes);
  }

  const nest& body_;
  const schedule& proposed_;
  const target_facts& target_;
  std::vector<schedule>& found_;
  std::int64_t bytes_ = 0, weight_ = 0;
};

}  // namespace

bool has_long_rows(const schedule& proposed) {
  return proposed.order != loop_order::flat || proposed.whole_rows;
}

void list_candidates(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                     std::vector<schedule>& candidates) {
  candidates.clear();
  if (loop_nest.shape_generic || proposed.staged || proposed.cluster > 1 || proposed.shared_steps > 0) return;
  candidate_list list(loop_nest, proposed, target, candidates);
  if (loop_nest.reduced == 0) return list.list_pointwise();
  list.list_reduction(loop_order::row_reduction);
  list.list_reduction(loop_order::column_reduction);
}

schedule with_loads(schedule chosen, const nest& loop_nest, std::span<const array_layout> inputs,
                    std::span<const array_layout> outputs) {
  if (!is_reduction_order(chosen.order)) return chosen;
  const unsigned axis = reduces_columns(chosen.order) ? 0 : first_reduced_axis(loop_nest);
  chosen.scalar_loads =
      chosen.vector > 1 && !loads_whole_lanes(loop_nest, axis, chosen.vector, inputs, outputs);
  return chosen;
}

}  // namespace sinter::inline v0
