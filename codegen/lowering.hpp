#pragma once
// The lowering pass: a graph and the layouts of one call in; kernel signatures, launch recipes and, when a
// signature is new, kernel text out. Pure: no clock, file, thread or device is touched here.

#include <sinter/codegen/graph.hpp>
#include <sinter/codegen/host_kernel.hpp>
#include <sinter/codegen/nest.hpp>
#include <sinter/codegen/schedule.hpp>
#include <sinter/codegen/stage_purpose.hpp>
#include <sinter/codegen/target.hpp>
#include <sinter/codegen/variant.hpp>

#include <span>
#include <string>
#include <vector>

namespace sinter {

/// Layout of one array of a call. The pass sees no address: only how it is aligned and whom it equals.
struct array_layout {
  element_type type{};
  std::uint8_t rank = 0;
  const std::int64_t* extents = nullptr;
  const std::int64_t* strides = nullptr;  ///< in elements
  std::uint32_t alignment = 256;          ///< largest power of two up to 256 that divides the address
  std::uint32_t identity = 0;             ///< index of the first input with the same address and layout
};

/// One eight-byte slot of a kernel's argument block and how the runtime fills it.
struct argument_slot {
  enum class source : std::uint8_t {
    input_pointer,   ///< address of input `index` plus `value` bytes
    output_pointer,  ///< address of output `index` plus `value` bytes
    scalar,          ///< bits of scalar argument `index`
    workspace,       ///< address of the call's workspace plus `value` bytes
    constant,        ///< `value`
  };
  source from = source::constant;
  std::uint32_t index = 0;
  std::int64_t value = 0;
};

/// How a stage's launch overlaps those beside it, CUDA: instead of a gap of microseconds between them, the
/// next one's blocks are on the device already when the one before is done, and wait for that.
struct launch_overlap {
  bool waits = false;  ///< it may be launched early: its text waits for the stage before, whole
  bool releases =
      false;  ///< another stage follows, whose blocks may come as soon as all of this one's are there
};

/// One kernel launch of a call.
struct stage {
  stage_purpose purpose;
  nest body;  ///< what the kernel computes; its pattern, not its extents, is in the text
  schedule chosen;
  std::string signature;  ///< bytes of the kernel's description (kernel_description.hpp)
  std::vector<argument_slot> arguments;
  bool argument_block =
      false;  ///< CUDA: the arguments lie in the workspace, and the kernel takes their address
  std::size_t block_offset = 0;  ///< where in the workspace
  launch_overlap overlap;
  std::int64_t tiles = 0;  ///< blocks (CUDA) or parallel pieces (host); 0: nothing to do
  std::uint32_t threads_along = 1, threads_across = 1;  ///< block shape, CUDA
  std::uint32_t cluster = 1;                            ///< blocks of a cluster, CUDA
  std::uint32_t shared_bytes = 0;                       ///< dynamic shared memory of a block
  std::int64_t bytes_moved = 0;                     ///< least traffic: each element read once, written once
  std::vector<const external_function*> externals;  ///< the graph's
};

struct result_layout {
  element_type type{};
  std::uint8_t rank = 0;
  std::vector<std::int64_t> extents;
};

/// What one call needs. Reused between calls so that a repeated layout allocates nothing.
struct lowered_call {
  std::vector<stage> stages;
  std::size_t stage_count = 0;  ///< stages in use; the rest keep their memory
  std::vector<result_layout> results;
  /// For each input: every read of it is of the very element that is being written, so that an output with
  /// the same address and layout may overwrite it. False also where several stages read it.
  std::vector<std::uint8_t> overwritable;
  std::size_t workspace_bytes = 0;
};

/// Shapes of the results alone. Throws shape_error as lower() does.
void infer_results(const graph& recorded, std::span<const array_layout> inputs,
                   std::span<const std::uint64_t> scalars, std::vector<result_layout>& results);

/// Lowers one call. `outputs` is empty (fresh contiguous results) or holds the layout of each result.
/// `attempts` has a number for stages from the first on: 1 asks for the schedule after the one that spilled,
/// 0, as for stages that it does not reach, for the best one. They change no stage but their own, nor how
/// many there are. Throws shape_error (naming the operation, the shapes and the source line) and type_error
/// (a weak integer that does not fit).
///
/// The general variant of a call has the same stages with the same signatures whatever the extents, strides
/// and alignments of its arrays are and whichever of them are the same: graph, target and mode decide. It
/// does not look at `forced`. A stage with nothing to do (tiles 0) has its signature all the same.
void lower(const graph& recorded, std::span<const array_layout> inputs, std::span<const array_layout> outputs,
           std::span<const std::uint64_t> scalars, const target_facts& target,
           std::span<const std::uint8_t> attempts, const schedule* forced, lowered_call& lowered,
           lowering_variant variant = lowering_variant::specialised);

/// The text of a kernel, and the name of its entry point.
struct kernel_text {
  std::string source;
  std::string entry;
  /// Functions that the text declares and does not define: their code is to be linked to it.
  std::vector<const external_function*> linked{};
};
/// The kernel of a stage: written from its signature, so that stages of one signature have one text.
kernel_text emit(const stage& lowered);

/// Version of everything that shapes text; part of every cache key.
inline constexpr int emitter_version = 9;

}  // namespace sinter
