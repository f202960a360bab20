#pragma once
// A stage: one kernel of a call and how it is launched.

#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/segment/sorted_rows.hpp>
#include <sinter/codegen/segment/stage_purpose.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace sinter::inline v0 {

/// One eight-byte slot of a kernel's argument block and how the runtime fills it.
struct argument_slot {
  enum class source : std::uint8_t {
    input_pointer,   ///< address of input `index` plus `value` bytes
    output_pointer,  ///< address of output `index` plus `value` bytes
    scalar,          ///< bits of scalar argument `index`
    workspace,       ///< address of the call's workspace plus `value` bytes
    fault_record,    ///< address of the record of indices that are out of range
    fault_site,      ///< what the reports of the call count from, plus `value`
    constant,        ///< the constant `value`
  };
  source from = source::constant;
  std::uint32_t index = 0;
  std::int64_t value = 0;
};

/// How a stage's launch overlaps the launches before and after it (CUDA). Normally there is a gap of
/// microseconds between launches; with overlap, the next launch's blocks are on the device before the
/// previous one is done, and wait for it.
struct launch_overlap {
  bool waits = false;  ///< it may be launched early: its text waits for the whole stage before it
  bool releases =
      false;  ///< another stage follows, whose blocks may start once all blocks of this one have started
};

/// One kernel launch of a call, or rows that the runtime sorts.
struct stage {
  stage_purpose purpose;
  nest body;  ///< the computation of the kernel; its pattern, not its extents, is in the text
  schedule chosen;
  std::string signature;  ///< bytes of the kernel's description (kernel_description.hpp)
  std::vector<argument_slot> arguments;
  bool argument_block =
      false;  ///< CUDA: the arguments are in the workspace, and the kernel receives their address
  std::size_t block_offset = 0;  ///< offset in the workspace
  launch_overlap overlap;
  std::int64_t tiles = 0;  ///< blocks (CUDA) or parallel pieces (CPU); 0: nothing to do
  std::uint32_t threads_along = 1, threads_across = 1;  ///< block shape, CUDA
  std::uint32_t cluster = 1;                            ///< blocks of a cluster, CUDA
  std::uint32_t shared_bytes = 0;                       ///< dynamic shared memory of a block
  std::int64_t bytes_moved = 0;                     ///< least memory traffic: each element read once, written
                                                    ///< once
  std::vector<const external_function*> externals;  ///< of the graph
  /// If its keys have bytes, the stage has no kernel: the runtime sorts rows. Its arguments are the addresses
  /// of the keys, of the positions and of scratch memory.
  sorted_rows sorts;

  bool has_kernel() const { return tiles != 0 && sorts.key_bytes == 0; }
};

}  // namespace sinter::inline v0
