#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/task_arena.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <exception>
#include <utility>

#include <sinter/codegen/base/default_arithmetic.hpp>
#include <sinter/codegen/base/integers.hpp>
#include <sinter/runtime/base/environment_state.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/posix/environment.hpp>

namespace sinter::inline v0::runtime {
namespace {

// A separate arena only if the user set a number of threads. Otherwise the caller's arena is used, with any
// limit that the caller has set.
tbb::task_arena* chosen_arena() {
  static tbb::task_arena* const arena = [] {
    return environment_value("SINTER_THREADS").empty() ? nullptr
                                                       : new tbb::task_arena(static_cast<int>(cpu_threads()));
  }();
  return arena;
}

// This thread runs a piece on the threads of an environment: all that it calls stays on it, because those
// threads take no pieces of pieces, and are not oneTBB's.
constinit thread_local bool runs_piece = false;

unsigned available_threads() {
  if (runs_piece) return 1;
  if (const parallel_for_function* const own = current_parallel_for()) return own->threads;
  if (chosen_arena() != nullptr) return cpu_threads();
  return static_cast<unsigned>(std::max(1, tbb::this_task_arena::max_concurrency()));
}

// A partition of the work into ranges of about equal length.
struct cut {
  unsigned pieces = 1;
  bool balanced = false;  // idle threads take further ranges; else each thread has one
};

/// Isolated: a waiting thread must not pick up a task of the program that calls back into this library during
/// a call.
template <class Work>
void run_isolated(const Work& work) {
  const auto run = [&] { tbb::this_task_arena::isolate(work); };
  if (tbb::task_arena* arena = chosen_arena())
    arena->execute(run);
  else
    run();
}

/// Pieces of work for threads that are the program's: nothing is thrown through it. The first exception
/// waits.
template <class Work>
class caught_pieces {
 public:
  explicit caught_pieces(const Work& work) : work_(work) {}
  void run(unsigned piece) const noexcept {
    const bool ran_piece = std::exchange(runs_piece, true);  // the pool may use the calling thread
    try {
      work_(piece);
    } catch (...) {
      if (!has_thrown_.test_and_set()) thrown_ = std::current_exception();
    }
    runs_piece = ran_piece;
  }
  void rethrow() const {
    if (thrown_) std::rethrow_exception(thrown_);
  }

 private:
  const Work& work_;
  mutable std::atomic_flag has_thrown_;
  mutable std::exception_ptr thrown_;
};

/// On the threads of an environment. A piece divides itself no further.
template <class Work>
void for_pieces_on(const parallel_for_function& threads, unsigned pieces, const Work& work) {
  const caught_pieces<Work> caught(work);
  threads.run(
      threads.context, pieces,
      [](const void* state, unsigned piece) { static_cast<const caught_pieces<Work>*>(state)->run(piece); },
      &caught);
  caught.rethrow();
}

template <class Work>
void for_pieces(cut how, const Work& work) {
  if (const parallel_for_function* const own = current_parallel_for())
    return for_pieces_on(*own, how.pieces, work);
  const default_arithmetic modes;  // oneTBB hands it on to its threads, and clears exceptions
  const auto each = [&](const tbb::blocked_range<unsigned>& range) {
    for (unsigned piece = range.begin(); piece != range.end(); ++piece) work(piece);
  };
  run_isolated([&] {
    const tbb::blocked_range<unsigned> all(0, how.pieces, 1);
    if (how.balanced)
      tbb::parallel_for(all, each, tbb::simple_partitioner{});
    else
      tbb::parallel_for(all, each, tbb::static_partitioner{});
  });
}

// Measured on 16 cores: distributing work once costs 5 us; in ranges that idle threads may take, 15 us. From
// some milliseconds on the latter gains a tenth, and more if other programs run.
constexpr double worthwhile_nanoseconds = 20'000;
constexpr double worth_balancing_nanoseconds = 5'000'000;

cut choose_cut(std::int64_t tiles, double nanoseconds) {
  if (tiles <= 1 || nanoseconds < worthwhile_nanoseconds) return {};
  const unsigned threads = available_threads();
  if (threads == 1) return {};
  const bool balanced = nanoseconds >= worth_balancing_nanoseconds;
  const double worth = nanoseconds / (worthwhile_nanoseconds / 2);
  const auto most = static_cast<unsigned>(std::min<double>(balanced ? 4 * threads : threads, worth));
  return {static_cast<unsigned>(std::min<std::int64_t>(tiles, most)), balanced};
}

/// As many pieces as are asked for. Where they are more than threads, idle threads take further ones.
cut cut_into(std::int64_t tiles, unsigned tasks) {
  const unsigned threads = available_threads();
  if (threads == 1) return {};
  return {static_cast<unsigned>(std::min<std::int64_t>(tiles, tasks)), tasks > threads};
}

}  // namespace

void run_cpu_kernel(cpu_kernel kernel, const void* arguments, std::int64_t tiles, cpu_division division) {
  const cut how =
      division.tasks != 0 ? cut_into(tiles, division.tasks) : choose_cut(tiles, division.nanoseconds);
  const unsigned pieces = how.pieces;
  if (pieces <= 1) {
    const default_arithmetic modes;
    kernel(arguments, 0, tiles);
    return;
  }
  for_pieces(how, [&](unsigned piece) {
    // Ranges of equal length within one, without overflow for any number of tiles.
    const std::int64_t least = tiles / pieces, longer = tiles % pieces;
    const std::int64_t first = piece * least + std::min<std::int64_t>(piece, longer);
    const default_arithmetic modes;  // a thread of the pool may have its creator's
    kernel(arguments, first, first + least + (piece < longer ? 1 : 0));
  });
}

void run_in_arena(const std::function<void()>& work) {
  if (runs_piece || current_parallel_for() != nullptr) return work();
  run_isolated(work);
}

void run_both(const std::function<void()>& first, const std::function<void()>& second) {
  if (!runs_piece && current_parallel_for() == nullptr) return tbb::parallel_invoke(first, second);
  first();
  second();
}

void run_ranges(std::size_t count, std::size_t grain,
                const std::function<void(std::size_t, std::size_t)>& range) {
  if (runs_piece) return range(0, count);
  if (const parallel_for_function* const own = current_parallel_for()) {
    const std::size_t pieces = std::min<std::size_t>(divide_up(count, grain), 4 * own->threads);
    if (pieces <= 1) return range(0, count);
    return for_pieces_on(*own, static_cast<unsigned>(pieces), [&](unsigned piece) {
      range(count * piece / pieces, count * (piece + 1) / pieces);
    });
  }
  tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                    [&](const tbb::blocked_range<std::size_t>& part) { range(part.begin(), part.end()); });
}

void run_beside(unsigned count, double nanoseconds, const std::function<void(unsigned, bool alone)>& work) {
  if (choose_cut(count, nanoseconds).pieces <= 1) {
    for (unsigned i = 0; i < count; ++i) work(i, false);
    return;
  }
  const bool alone = current_parallel_for() != nullptr || count >= available_threads();
  for_pieces({count, true}, [&](unsigned i) { work(i, alone); });
}

void host_copy(void* to, const void* from, std::size_t bytes) {
  constexpr std::size_t tile = std::size_t{1} << 18;
  const auto tiles = static_cast<std::int64_t>(divide_up(bytes, tile));
  const cut how = choose_cut(tiles, static_cast<double>(bytes) / 8);
  const unsigned pieces = how.pieces;
  if (pieces <= 1) {
    std::memcpy(to, from, bytes);
    return;
  }
  for_pieces(how, [&](unsigned piece) {
    const std::size_t begin = bytes / pieces * piece;
    const std::size_t end = piece + 1 == pieces ? bytes : bytes / pieces * (piece + 1);
    std::memcpy(static_cast<char*>(to) + begin, static_cast<const char*>(from) + begin, end - begin);
  });
}

}  // namespace sinter::inline v0::runtime
