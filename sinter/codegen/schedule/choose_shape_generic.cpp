#include <sinter/codegen/schedule/choose_shape_generic.hpp>

namespace sinter {
namespace {

// Blocks that long rows and short ones can both live with; nothing here was tuned for any.
constexpr std::uint16_t threads_along_one_axis = 256, threads_along = 32, threads_across = 8;
constexpr std::uint16_t loads_in_flight = 4;
constexpr std::size_t most_accesses_in_flight = 16;  ///< of more a thread has one element at a time
constexpr std::uint16_t threads_of_a_row = 256;
constexpr std::uint16_t host_lanes = 32;

std::uint16_t in_flight(const nest& bound, unsigned attempt) {
  return attempt == 0 && bound.accesses.size() <= most_accesses_in_flight ? loads_in_flight : 1;
}

}  // namespace

schedule choose_general(const nest& bound, const target_facts& target, unsigned attempt) {
  schedule chosen;
  const bool reduces = bound.reduced != 0;
  chosen.order = reduces ? walk::row_reduction : walk::rows;
  if (target.kind == target_kind::host) {
    chosen.vector = reduces ? host_lanes : 1;
    chosen.threads_along = 1;
    return chosen;
  }
  if (reduces) {
    chosen.threads_along = threads_of_a_row;
    chosen.steps = in_flight(bound, attempt);
  } else if (bound.rank < 2) {
    chosen.threads_along = threads_along_one_axis;
    chosen.steps = in_flight(bound, attempt);
  } else {
    chosen.threads_along = threads_along;
    chosen.threads_across = threads_across;
    chosen.rows_per_thread = in_flight(bound, attempt);
  }
  return chosen;
}

}  // namespace sinter
