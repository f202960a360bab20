#pragma once
// The lowering pass: a graph and the layouts of one call in; kernel signatures, launch recipes and, when a
// signature is new, kernel text out. Pure: no clock, file, thread or device is touched here.
//
// Threads: threads may lower at once, each into a value of its own.
// Throws: shape_error, type_error, compile_error, out_of_memory, and what `show` throws.
// After a failure: the graph is as it was; what was to be made holds something unspecified, and may be given
// to the next call.

#include <sinter/codegen/base/export.hpp>
#include <sinter/codegen/graph/array_layout.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/kernel/stage.hpp>
#include <sinter/codegen/nest/lowering_variant.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/codegen/schedule/cut_choice.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/shape/result_layout.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace sinter::inline v0 {

/// What one call needs. Reused between calls so that a repeated layout allocates nothing.
struct lowered_call {
  std::vector<stage> stages;
  std::size_t stage_count = 0;  ///< stages in use; the rest keep their memory
  std::vector<result_layout> results;
  /// For each input: an output with the same address and layout may overwrite it, because the first stage
  /// that writes a result reads of it only the very element that it writes, and later stages read nothing of
  /// it.
  std::vector<std::uint8_t> overwritable;
  std::size_t workspace_bytes = 0;
};

/// Shapes of the results alone. Throws shape_error as lower() does.
SINTER_API void infer_results(const graph& recorded, std::span<const array_layout> inputs,
                              std::span<const std::uint64_t> scalars, std::vector<result_layout>& results);

/// One call to be lowered.
struct lowering_request {
  const graph& recorded;
  std::span<const array_layout> inputs;
  std::span<const array_layout> outputs = {};  ///< of each result; none: fresh contiguous results
  std::span<const std::uint64_t> scalars = {};
  const target_facts& target;
  /// A number for stages from the first on: 1 asks for the schedule after the one that spilled, 0, as for
  /// stages that it does not reach, for the best one. They change no stage but their own, nor how many there
  /// are.
  std::span<const std::uint8_t> attempts = {};
  const schedule* forced = nullptr;  ///< the caller's schedule, for stages of its kind
  /// Measured schedules for stages from the first on, where there are any: they take the place of what the
  /// pass chose last, and change neither other stages nor how many there are. type_error for one that its
  /// stage cannot have.
  std::span<const std::optional<schedule>> tuned = {};
  /// How rows are cut into pieces, as was measured. It decides how many stages there are.
  cut_choice cuts = {};
  /// Shape-generic kernels have the same stages with the same signatures whatever the extents, strides and
  /// alignments of the arrays are and whichever of them are the same: graph, target and mode decide. No
  /// `forced` schedule is looked at. A stage with nothing to do (tiles 0) has its signature all the same.
  lowering_variant variant = lowering_variant::specialised;
};

struct planned_stage;

/// A pass that has just run on a stage, for who looks on. If the stage does not go on, there is nothing in
/// `made`: other stages come first, after which it begins again, or parts take its place.
struct shown_pass {
  std::string_view name;
  std::size_t stage = 0;  ///< the number that the stage has if it goes on, from 0
  const planned_stage& made;
  bool goes_on = true;
};
using show_pass = std::function<void(const shown_pass&)>;

/// Lowers one call. Throws shape_error (naming the operation, the shapes and the source line), type_error (a
/// weak integer that does not fit, or a schedule that cannot run), compile_error (an external function
/// without a form for the target) and out_of_memory. Threads may lower at the same time, each into a value of
/// its own. `show`, if there is one, sees each stage after each pass of its plan.
SINTER_API void lower(const lowering_request& asked, lowered_call& lowered, const show_pass& show = {});

}  // namespace sinter::inline v0
