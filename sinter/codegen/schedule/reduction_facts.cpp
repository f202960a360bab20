#include <sinter/codegen/schedule/reduction_facts.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_facts.hpp>
#include <sinter/codegen/nest/normalise.hpp>
#include <sinter/codegen/nest/partial_values.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/access_alignment.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>
#include <sinter/codegen/target/cpu_piece.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>
#include <cstdlib>

namespace sinter::inline v0 {

unsigned first_reduced_axis(const nest& loop_nest) {
  return static_cast<unsigned>(std::countr_zero(loop_nest.reduced));
}

unsigned first_kept_axis(const nest& loop_nest) {
  return std::min(static_cast<unsigned>(std::countr_one(loop_nest.reduced)), loop_nest.rank);
}

bool is_near_along(const access& at, unsigned axis) {
  return std::llabs(at.strides[axis]) * static_cast<std::int64_t>(size_of(at.type)) <=
         codegen::cpu_cache_line_bytes;
}

std::int64_t joint_lanes(const nest& loop_nest) {
  std::int64_t lanes = loop_nest.extents[0];
  for (unsigned axis = 1; axis < loop_nest.rank && !loop_nest.is_reduced(axis); ++axis) {
    if (std::ranges::any_of(loop_nest.accesses, [&](const access& at) {
          return moves_along_reduced_axes(loop_nest, at) &&
                 at.strides[axis] != at.strides[axis - 1] * loop_nest.extents[axis - 1];
        }))
      break;
    lanes *= loop_nest.extents[axis];
  }
  return lanes;
}

bool has_vector_values(const nest& loop_nest) {
  return std::ranges::none_of(loop_nest.body, [](const instruction& at) {
    return is_complex(at.type) || is_complex(at.compute) || at.op == operation::external;
  });
}

bool has_short_runs(const nest& loop_nest, const cpu_thresholds& table) {
  return loop_nest.rank > 0 && loop_nest.is_reduced(0) && !std::has_single_bit(loop_nest.reduced) &&
         loop_nest.extents[0] < table.row_lanes && has_vector_values(loop_nest);
}

bool finds_positions(const nest& loop_nest) {
  return std::any_of(loop_nest.body.begin(), loop_nest.body.end(),
                     [](const instruction& at) { return is_reduction(at.op) && finds_position(at.op); });
}

unsigned loops_of(const nest& loop_nest) {
  unsigned loops = 0;
  for (unsigned phase = 0; phase < loop_nest.phases; ++phase) {
    const bool reduces =
        std::any_of(loop_nest.body.begin(), loop_nest.body.end(),
                    [&](const instruction& at) { return is_reduction(at.op) && at.phase == phase; });
    const bool stores = std::any_of(loop_nest.stores.begin(), loop_nest.stores.end(), [&](const store& at) {
      return moves_along_reduced_axes(loop_nest, loop_nest.accesses[at.target]) &&
             phase_of_store(loop_nest, at) == phase;
    });
    loops += reduces || stores ? 1 : 0;
  }
  return loops;
}

namespace {

/// Bytes of the partial values of a reduction.
std::int64_t bytes_of_sum(const nest& loop_nest, const instruction& at) {
  return is_reduction(at.op) && at.op != operation::last
             ? static_cast<std::int64_t>(bytes_of_partials(loop_nest, at))
             : 0;
}

std::int64_t bytes_of_all_sums(const nest& loop_nest) {
  std::int64_t bytes = 0;
  for (const instruction& at : loop_nest.body) bytes += bytes_of_sum(loop_nest, at);
  return bytes;
}

}  // namespace

std::int64_t bytes_of_sums(const nest& loop_nest) {
  std::int64_t most = 1;
  for (unsigned phase = 0; phase < loop_nest.phases; ++phase) {
    std::int64_t bytes = 0;
    for (const instruction& at : loop_nest.body)
      if (at.phase == phase) bytes += bytes_of_sum(loop_nest, at);
    most = std::max(most, bytes);
  }
  return most;
}

std::int64_t bytes_of_row_exchange(const nest& loop_nest, const schedule& chosen, std::int64_t warp) {
  const std::int64_t parts = std::int64_t{chosen.threads_along} * chosen.cluster / warp;
  return bytes_of_all_sums(loop_nest) * parts * chosen.threads_across * chosen.rows_per_thread;
}

std::int64_t bytes_of_column_exchange(const nest& loop_nest, std::int64_t along, std::int64_t across,
                                      std::int64_t vector, std::int64_t warp) {
  return bytes_of_all_sums(loop_nest) * along * vector * divide_up(across * along, warp);
}

std::int64_t bytes_of_scan_exchange(const nest& loop_nest, const schedule& chosen) {
  std::int64_t bytes = 0;
  for (const instruction& at : loop_nest.body)
    if (is_scan(at.op)) bytes += static_cast<std::int64_t>(bytes_of_partials(loop_nest, at));
  return 2 * bytes * loop_nest.phases * chosen.threads_along * chosen.threads_across * chosen.vector;
}

std::int64_t lanes_along(const nest& loop_nest, unsigned axis, const target_facts& target) {
  const access* heaviest = nullptr;
  for (const access& at : loop_nest.accesses)
    if (at.what != access::kind::position && at.strides[axis] == 1 &&
        (heaviest == nullptr || bytes_of(loop_nest, at) > bytes_of(loop_nest, *heaviest)))
      heaviest = &at;
  if (heaviest == nullptr) return 1;
  const auto in_a_load = static_cast<std::int64_t>(target.vector_bytes / size_of(heaviest->type));
  const std::int64_t max_sum_bytes = gpu_thresholds_of(target).reductions.max_sum_bytes;
  return std::clamp<std::int64_t>(in_a_load, 1, power_below(max_sum_bytes / bytes_of_sums(loop_nest)));
}

bool loads_whole_lanes(const nest& loop_nest, unsigned axis, std::int64_t lanes,
                       std::span<const array_layout> inputs, std::span<const array_layout> outputs) {
  return std::all_of(loop_nest.accesses.begin(), loop_nest.accesses.end(), [&](const access& at) {
    if (at.what == access::kind::position || at.strides[axis] != 1) return true;
    const std::int64_t bytes = static_cast<std::int64_t>(size_of(at.type)) * lanes;
    if (alignment_of(at, inputs, outputs) < std::min<std::int64_t>(bytes, access_bytes)) return false;
    for (unsigned other = 0; other < loop_nest.rank; ++other)
      if (other != axis && at.strides[other] % lanes != 0) return false;
    return std::ranges::all_of(terms_of(loop_nest, at),
                               [&](const access_term& term) { return term.stride % lanes == 0; });
  });
}

bool reduces_by_body(const nest& loop_nest) { return combines_by_body(loop_nest) && !has_scans(loop_nest); }

bool tests_chunks(const nest& loop_nest, const schedule& chosen) {
  return reduces_by_body(loop_nest) && !chosen.resident && chosen.steps > 1 &&
         chosen.threads_along * chosen.threads_across < max_block_threads;
}

bool fills_vectors(const nest& loop_nest, std::int64_t vector) {
  if (vector == 1) return false;
  const unsigned innermost = first_reduced_axis(loop_nest);
  const bool in_pieces = loop_nest.split >= 0 && innermost == split_axis(loop_nest);
  return (in_pieces ? loop_nest.whole : loop_nest.extents[innermost]) % vector == 0;
}

bool is_needed_again(const nest& loop_nest) {
  return codegen::phase_plan(loop_nest, true).resident_bytes() > 0;
}

bool stores_each_element(const nest& loop_nest) {
  return std::any_of(loop_nest.stores.begin(), loop_nest.stores.end(),
                     [&](const store& at) { return stores_elements(loop_nest, at); });
}

std::int64_t bytes_of_reads(const nest& loop_nest) {
  std::size_t bytes = 0;
  for (const access& at : loop_nest.accesses)
    if (at.what == access::kind::read && moves_along_reduced_axes(loop_nest, at)) bytes += size_of(at.type);
  return static_cast<std::int64_t>(std::max<std::size_t>(1, bytes));
}

}  // namespace sinter::inline v0
