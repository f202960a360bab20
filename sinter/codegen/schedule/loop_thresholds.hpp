#pragma once
// Thresholds of the passes over loops (loops/passes/). A kernel's text is written from its description alone,
// which names no model, so these are the same for all models.

#include <cstddef>

namespace sinter::inline v0 {

/// Partial values of a row that one thread combines; more are combined by the threads of a warp
/// (bench/results/2026-11-22-nvidia-h200-schedules.md has the rows).
inline constexpr int max_thread_parts = 8;
/// Partial values of all of a thread's lanes from which threads share the work of combining columns: fewer
/// are read in less time than a barrier takes (bench/results/2026-11-22-nvidia-h200-warp-shapes.md).
inline constexpr int min_shared_parts = 32;
/// 32-bit registers that a chunk's loads and sums take at most where whole chunks have statements of their
/// own: of the 64 with which a multiprocessor holds half of its threads, addresses and loops take the others
/// (bench/results/2026-11-22-nvidia-h200-random-reductions.md).
inline constexpr int max_chunk_registers = 48;
/// Functions with a fast path from which a GPU's thread with several elements takes it for all of them or
/// none. With fewer, memory hides the branches of several elements, and the text is half as long
/// (bench/results/2026-11-22-nvidia-h200-schedules.md).
inline constexpr std::size_t min_fast_paths = 3;
/// Words of a thread that the warps of a sort exchange at once, at most.
inline constexpr int sort_words_exchanged = 8;
/// Elements that a lane of the CPU adds one after the other before sums are combined pairwise, as NumPy's
/// chains.
inline constexpr int steps_of_a_block = 16;
/// Levels of that tree: pairs of more elements than any memory holds.
inline constexpr int max_levels = 48;

}  // namespace sinter::inline v0
