#pragma once
// How a schedule divides the iteration space of a nest into tiles.

#include <sinter/codegen/nest/nest.hpp>
#include <sinter/codegen/schedule/schedule.hpp>
#include <sinter/codegen/target/target.hpp>

#include <cstdint>

namespace sinter::inline v0 {

/// The tiles of the iteration space: elements along axis 0, rows along axis 1 (of columns along the second
/// kept axis, see axis_of_rows()) and the number of digits of a tile number (tiles along axis 0, tiles along
/// axis 1, then the outer axes).
struct tiling {
  std::int64_t along = 1, across = 1;
  unsigned digits = 1;
};
tiling tile_of(const nest& body, const schedule& chosen, target_kind target);
/// The digits of its tile numbers: of reductions none. They follow from the pattern alone, as does on GPUs
/// how large a tile is.
unsigned tile_digits(const nest_body& body, const schedule& chosen);
tiling gpu_tile(const nest_body& body, const schedule& chosen);
/// The axis along which a strip of columns has several rows: the second kept axis; the nest's rank if there
/// is none, or if it has no digit of its own.
unsigned axis_of_rows(const nest_body& body);
/// Whether tiles are numbered along that axis first: then the tiles of a task read one strip, which stays in
/// the cache. Of register tiles on the CPU.
constexpr bool numbers_rows_first(const schedule& chosen, target_kind target) {
  return !is_gpu(target) && reduces_columns(chosen.order) && chosen.rows_per_thread > 1;
}
/// Number of positions of a nest's kept axes, or of its reduced ones.
std::int64_t count_rows(const nest& body, bool reduced);
/// Whether the CUDA kernel of a reduction counts positions along its reduced axes, or along its kept ones, in
/// 32 bits, a chunk or a block beyond the end included: where they are taken apart, which takes a third of
/// the instructions then. Positions of resident rows and of scans are not: their kernels have no registers to
/// spare for positions of both widths.
bool counts_narrowly(const nest& body, const schedule& chosen, bool reduced);
/// Whether the threads that find the position of an argmax or argmin visit elements in order and note the
/// step of the best one, in 32 bits, instead of its position. The CPU does so along one axis alone: where
/// lanes start again in each row, steps would be divided by their number.
bool counts_steps(const nest& body, const instruction& made, const schedule& chosen, target_kind target);
/// Extent of digit `index` of a tile number; in a reduction, of axis `index`.
std::int64_t digit_extent(const nest& body, const schedule& chosen, const tiling& cut, unsigned index);
/// Number of tiles.
std::int64_t count_tiles(const nest& body, const schedule& chosen, const tiling& cut);

}  // namespace sinter::inline v0
