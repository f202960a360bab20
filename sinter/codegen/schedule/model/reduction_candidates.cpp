#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/choose/choose_rows.hpp>
#include <sinter/codegen/schedule/model/candidate_list.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

class reduction_list : candidate_list {
 public:
  reduction_list(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                 std::vector<schedule>& found)
      : candidate_list(loop_nest, proposed, target, found),
        can_be_resident_(loops_of(loop_nest) > 1 && is_needed_again(loop_nest)),
        by_body_(reduces_by_body(loop_nest)),
        length_(power_above(count_rows(loop_nest, true))) {}

  void run() {
    list_order(loop_order::row_reduction);
    list_order(loop_order::column_reduction);
    if (has_scans(body_) || body_.split >= 0) return;
    if (can_be_resident_) {
      list_staged();
      list_long_rows();
    } else if (loops_of(body_) == 1) {
      list_clusters();
    }
  }

 private:
  /// Rows and columns in the registers of one block, or loaded by each loop. What scans and pieces of rows
  /// hold is given by the proposal.
  void list_order(loop_order order) {
    const bool columns = reduces_columns(order);
    if (columns && body_.is_reduced(0)) return;
    const bool is_given = has_scans(body_) || body_.split >= 0 || !can_be_resident_;
    const std::int64_t width = columns ? power_above(body_.extents[0]) : length_;
    for_each_lanes(order, [&](std::int64_t lanes) {
      for (const std::int64_t threads : values_.reduction_threads)
        for (std::int64_t along = 1; along <= threads; along *= 2) {
          if (along > 1 && along * lanes > width) break;
          const std::int64_t across = threads / along;
          if (columns && across > length_) continue;
          for (const bool resident : {false, true})
            if (!is_given || resident == proposed_.resident)
              list_steps(order, lanes, along, across, resident);
        }
    });
  }

  template <typename Visit>
  void for_each_lanes(loop_order order, Visit visit) const {
    const bool columns = reduces_columns(order);
    const unsigned axis = columns ? 0 : first_reduced_axis(body_);
    const std::int64_t most = columns ? lanes_along(body_, 0, target_) : row_lanes(body_, target_);
    for (std::int64_t lanes = most; lanes >= 1; lanes /= 2)
      if (lanes <= power_above(body_.extents[axis])) visit(lanes);
  }

  void list_steps(loop_order order, std::int64_t lanes, std::int64_t along, std::int64_t across,
                  bool resident) {
    const bool columns = reduces_columns(order);
    const bool one_row = columns || has_scans(body_) || body_.split >= 0;
    for (const std::int64_t steps : values_.reduction_steps)
      for (const std::int64_t rows : values_.reduction_rows_per_thread) {
        if (rows > 1 && (one_row || rows * steps > values_.max_loads)) break;
        const std::int64_t in_flight = columns ? across * steps : along * lanes * steps;
        if (resident ? in_flight < length_ || in_flight > 2 * length_ : steps > 1 && in_flight > length_)
          continue;
        schedule at = with_lanes(order, lanes);
        at.steps = narrow(steps);
        at.rows_per_thread = narrow(rows);
        at.threads_along = narrow(along);
        at.threads_across = narrow(across);
        at.resident = resident;
        at.whole_rows = at.whole_rows && !(by_body_ && tests_chunks(body_, at));
        if (columns && exchanges_too_much(at)) continue;
        add(at);
      }
  }

  schedule with_lanes(loop_order order, std::int64_t lanes) const {
    const bool columns = reduces_columns(order);
    schedule at = with_order(order);
    at.vector = narrow(lanes);
    at.whole_rows = !columns && fills_vectors(body_, lanes);
    at.scalar_loads = columns && body_.extents[0] % lanes != 0;
    return at;
  }

  bool exchanges_too_much(const schedule& at) const {
    const gpu_thresholds& table = gpu_thresholds_of(target_);
    return bytes_of_column_exchange(body_, at.threads_along, at.threads_across, at.vector,
                                    warp_threads(target_.kind)) > table.reductions.max_static_bytes ||
           (has_scans(body_) && bytes_of_scan_exchange(body_, at) > table.scans.max_shared_bytes);
  }

  /// Short rows, each the work of one thread, which are staged in shared memory.
  void list_staged() {
    const std::int64_t length = count_rows(body_, true);
    if (length < 2 || length > gpu_thresholds_of(target_).resident_rows.max_staged_extent) return;
    for (const std::int64_t threads : values_.staged_threads)
      for (const std::int64_t rows : values_.reduction_rows_per_thread) {
        if (!can_be_staged(body_, threads * rows, target_)) continue;
        schedule at = with_order(loop_order::row_reduction);
        at.steps = narrow(length);
        at.rows_per_thread = narrow(rows);
        at.threads_along = 1;
        at.threads_across = narrow(threads);
        at.resident = at.staged = true;
        add(at);
      }
  }

  /// Rows that one block's registers do not hold, or that leave it too few for other blocks: in its shared
  /// memory too, and in several blocks.
  void list_long_rows() {
    const std::int64_t room = room_of_resident_row(body_, target_);
    const auto bytes = std::max<std::int64_t>(1, codegen::phase_plan(body_, true).resident_bytes());
    for_each_lanes(loop_order::row_reduction, [&](std::int64_t lanes) {
      for (const std::int64_t threads : values_.long_row_threads)
        for_each_cluster(1, [&](std::int64_t cluster) {
          const std::int64_t steps = divide_up(room, cluster * threads * lanes);
          if (steps == 1 && cluster > 1) return;
          schedule at = with_lanes(loop_order::row_reduction, lanes);
          at.threads_along = narrow(threads);
          at.cluster = narrow(cluster);
          at.resident = true;
          list_places(at, steps, bytes);
        });
    });
  }

  /// What a thread has of its row: all in registers, or some of it in shared memory.
  void list_places(schedule at, std::int64_t steps, std::int64_t bytes) {
    if (steps > values_.max_long_row_steps) return;
    const auto has = [](const auto& values, std::int64_t value) {
      return std::ranges::find(values, value) != values.end();
    };
    if (at.cluster > 1 || !has(values_.reduction_threads, at.threads_along) ||
        !has(values_.reduction_steps, steps)) {
      at.steps = narrow(steps);
      add(at);
    }
    const std::int64_t room = target_.shared_bytes_per_block -
                              std::max(gpu_thresholds_of(target_).reductions.exchange_bytes,
                                       bytes_of_row_exchange(body_, at, warp_threads(target_.kind)));
    for (const std::int64_t in_registers : values_.reduction_steps) {
      const std::int64_t shared = steps - in_registers;
      if (in_registers == 1 || shared < 1) continue;
      if (target_.architecture < first_with_asynchronous_copies ||
          shared * at.threads_along * at.vector * bytes > room)
        continue;
      at.steps = narrow(in_registers);
      at.shared_steps = narrow(shared);
      add(at);
    }
  }

  /// Few rows that are read once, each the work of several blocks.
  void list_clusters() {
    const std::int64_t rows = count_rows(body_, false);
    if (length_ < gpu_thresholds_of(target_).rows.min_clustered_extent || rows > target_.multiprocessors)
      return;
    for_each_lanes(loop_order::row_reduction, [&](std::int64_t lanes) {
      for (const std::int64_t threads : values_.long_row_threads)
        for_each_cluster(2, [&](std::int64_t cluster) {
          for (const std::int64_t steps : values_.reduction_steps) {
            if (steps * threads * lanes * cluster > length_) break;
            schedule at = with_lanes(loop_order::row_reduction, lanes);
            at.threads_along = narrow(threads);
            at.cluster = narrow(cluster);
            at.steps = narrow(steps);
            add(at);
          }
        });
    });
  }

  template <typename Visit>
  void for_each_cluster(std::int64_t least, Visit visit) const {
    for (std::int64_t cluster = least; cluster <= target_.cluster_blocks; cluster *= 2) visit(cluster);
  }

  bool can_be_resident_;
  bool by_body_;
  std::int64_t length_;  ///< of a row, up to a power of two
};

}  // namespace

void list_reductions(const nest& loop_nest, const schedule& proposed, const target_facts& target,
                     std::vector<schedule>& found) {
  reduction_list(loop_nest, proposed, target, found).run();
}

}  // namespace sinter::inline v0
