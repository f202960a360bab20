#pragma once
// When a nest has too few rows to fill a device, or rows too long to be kept: what is made before it, and
// into which pieces its rows are split.

#include <sinter/codegen/schedule/choose_schedule.hpp>
#include <sinter/codegen/segment/split_rows.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>

namespace sinter {

/// Whether a nest that reduces would be launched on too few blocks for the elements that it walks, if it is
/// scheduled so.
bool leaves_device_idle(const nest& bound, const schedule& chosen, const target_facts& target);

/// Whether rows are so few and so long that a reduction is better done before what follows it than with it:
/// then it can be split over the whole device.
bool has_too_few_rows(const nest& bound, const schedule& chosen, const target_facts& target);

/// The pieces that a nest with deviations (split_rows.hpp) is split into, so that each is read once: where
/// its rows are too few, or longer than what is kept of them. Cuts nothing if it is not to be split.
row_cut deviation_cut(const nest& bound, const schedule& chosen, const target_facts& target);

/// Whether a nest's reductions are better done before what follows them: rows are too few, or they are long
/// and their deviations would read them again and again. Never of a shape-generic nest, whose rows are not
/// known.
bool is_better_ahead(const nest& bound, const schedule& chosen, const target_facts& target);

/// Whether a nest reads every element once, in as many stages as it is split into.
bool reads_once(const nest& bound, const schedule& chosen, const target_facts& target);

/// The pieces that rows are split into so that the device is filled; cuts nothing where rows stay whole.
/// Depends on nothing but extents, schedule and target.
row_cut cut_of_rows(const nest& bound, const schedule& chosen, const target_facts& target);

/// The pieces of a stage that is scheduled so, and why it is split; cuts nothing where it stays one stage, as
/// a shape-generic one does.
struct piece_choice {
  row_cut cut;
  stage_reason reason = stage_reason::results;
};
piece_choice choose_pieces(const nest& bound, const schedule& chosen, const target_facts& target);

}  // namespace sinter
