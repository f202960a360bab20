#include <sinter/codegen/schedule/tuning/cpu_candidates.hpp>

#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/thresholds.hpp>

#include <cstdint>

namespace sinter::inline v0 {
namespace {

// Lines of 64 bytes hold 16 floats: smaller tiles use lines in part, larger ones leave the first-level cache.
constexpr std::uint16_t tile_sides[] = {8, 16, 32, 64, 128};
constexpr std::uint16_t lane_counts[] = {1, 2, 4, 8, 16, 32, 64};
constexpr std::uint16_t strip_rows[] = {1, 2, 3, 4, 6, 8, 12, 16};

void add_pointwise(const nest& loop_nest, const schedule& chosen, const cpu_thresholds& table,
                   std::vector<schedule>& found) {
  schedule at = chosen;
  at.tile = 0;
  at.threads_along = narrow(table.row_elements);
  for (const loop_order order : {loop_order::rows, loop_order::flat}) {
    at.order = order;
    at.rows_per_thread =
        order == loop_order::rows && loop_nest.rank >= 2 ? narrow(table.rows) : std::uint16_t{1};
    found.push_back(at);
  }
  at.order = loop_order::tiled;
  for (const std::uint16_t side : tile_sides) {
    at.tile = at.threads_along = at.rows_per_thread = side;
    if (loop_nest.rank >= 2) found.push_back(at);
  }
}

void add_reductions(const schedule& chosen, std::vector<schedule>& found) {
  for (const std::uint16_t lanes : lane_counts)
    for (const std::uint16_t rows : strip_rows)
      for (const bool resident : {false, true}) {
        schedule at = chosen;
        at.vector = lanes;
        at.rows_per_thread = rows;
        at.resident = resident;
        found.push_back(at);
      }
}

}  // namespace

std::vector<schedule> list_cpu_candidates(const nest& loop_nest, const schedule& chosen,
                                          const target_facts& target) {
  std::vector<schedule> found;
  if (loop_nest.reduced == 0)
    add_pointwise(loop_nest, chosen, cpu_thresholds_of(target), found);
  else
    add_reductions(chosen, found);
  return found;
}

}  // namespace sinter::inline v0
