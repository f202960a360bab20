#pragma once
// Threads of a program's for the CPU's work, in the place of oneTBB's.
//
// Threads: `run` is called from any thread, also from several at once.
// Throws: nothing. `run` must not throw either; what a piece throws goes to the call that made it.

namespace sinter::inline v0 {

/// Threads of the program's, for the CPU's work. `run` calls `body(state, piece)` once for each piece in
/// [0, pieces), on any threads and in any order, and returns when all calls have returned. `body` throws
/// nothing. `run` is called from any thread that calls Sinter, and may be called by several at once, but
/// never by one of the pieces.
struct parallel_for_function {
  void (*run)(void* context, unsigned pieces, void (*body)(const void* state, unsigned piece),
              const void* state) = nullptr;  ///< nullptr: oneTBB
  void* context = nullptr;
  unsigned threads = 1;  ///< how many pieces run at once, by which work is cut
};

}  // namespace sinter::inline v0
