#pragma once
// The builder of a kernel's loops. All kernels do the same in the same order:
//
//   for each tile of the kept axes
//     for each phase
//       for each chunk of the reduced axes
//         load, evaluate, combine, store
//
// A nest without reductions has one phase, and of each tile one chunk.

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/ir/loop_ir.hpp>

#include <memory>

namespace sinter::inline v0::codegen {

/// The steps of the builder, for one shape of tiles on one target: which loops there are, and where an
/// element lies in them. A step writes its statements into the loops that the steps before it have opened.
/// Pointwise kernels do not override the steps that are empty here.
class tile_steps {
 public:
  tile_steps() = default;
  tile_steps(const tile_steps&) = delete;
  tile_steps& operator=(const tile_steps&) = delete;
  virtual ~tile_steps() = default;

  /// Phases of a row, and whether one has anything to do for each element.
  virtual unsigned phases() const { return 1; }
  virtual bool has_loop(unsigned) const { return true; }
  /// How often a chunk's elements are evaluated: again after each chain of scans.
  virtual unsigned levels(unsigned) const { return 1; }

  /// The launch or the loop over tiles, and where a tile lies.
  virtual void open_tiles() = 0;
  virtual void close_tiles() {}
  /// Values of whole rows whose operands are known before a phase; and their stores.
  virtual void evaluate_once(unsigned) {}
  virtual void store_once() {}

  /// A phase's loop over chunks: the accumulators start before it and are finished after it.
  virtual void open_chunks(unsigned) {}
  virtual void close_chunks(unsigned) {}
  /// The elements that are loaded together: of a thread's step, or of a piece of a row.
  virtual void open_elements(unsigned, unsigned /*level*/) {}
  virtual void close_elements(unsigned) {}
  virtual void load(unsigned) {}
  /// One element of these after the other.
  virtual void open_lane(unsigned) {}
  virtual void close_lane(unsigned) {}
  virtual void evaluate_lane(unsigned) = 0;
  virtual void combine_lane(unsigned) {}
  virtual void store_lane(unsigned) = 0;
  /// Scans whose elements a level has evaluated.
  virtual void scan(unsigned, unsigned /*level*/) {}
};

/// Builds the loops of a kernel into an empty tree.
void build_kernel(const kernel_description& described, loop_tree& tree);

// The steps for each shape of tiles: rectangles of axis 0 by axis 1, runs of consecutive elements of the
// whole space, and rows or columns that are reduced or scanned.
std::unique_ptr<tile_steps> make_cpu_tiles(const kernel_description& described, loop_tree& tree);
std::unique_ptr<tile_steps> make_cpu_flat(const kernel_description& described, loop_tree& tree);
std::unique_ptr<tile_steps> make_cpu_rows(const kernel_description& described, loop_tree& tree);
std::unique_ptr<tile_steps> make_cuda_tiles(const kernel_description& described, loop_tree& tree);
std::unique_ptr<tile_steps> make_cuda_flat(const kernel_description& described, loop_tree& tree);
std::unique_ptr<tile_steps> make_cuda_rows(const kernel_description& described, loop_tree& tree);

}  // namespace sinter::inline v0::codegen
