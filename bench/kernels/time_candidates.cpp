#include "time_candidates.hpp"

#include "candidates.hpp"
#include "json.hpp"
#include "timed_call.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/print/emit.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/device_facts.hpp>

#include <algorithm>
#include <atomic>
#include <bit>
#include <chrono>
#include <cstdio>
#include <thread>

namespace sinter_bench {
namespace {

using namespace sinter;
using clock_type = std::chrono::steady_clock;

std::vector<array_layout> layouts_of(std::span<const runtime::operand> operands) {
  std::vector<array_layout> made;
  for (std::uint32_t i = 0; i < operands.size(); ++i) {
    const runtime::operand& at = operands[i];
    const auto address = reinterpret_cast<std::uintptr_t>(at.data);
    std::uint32_t alignment = max_alignment, identity = i;
    if (address != 0)
      alignment = std::min(max_alignment, std::uint32_t{1} << std::min(std::countr_zero(address), 31));
    for (std::uint32_t j = 0; j < i; ++j) {
      const runtime::operand& other = operands[j];
      if (other.data == at.data && other.type == at.type && other.rank == at.rank &&
          std::equal(at.extents, at.extents + at.rank, other.extents) &&
          std::equal(at.strides, at.strides + at.rank, other.strides)) {
        identity = j;
        break;
      }
    }
    made.push_back({at.type, at.rank, at.extents, at.strides, alignment, identity});
  }
  return made;
}

struct timed_schedule {
  schedule chosen;
  std::vector<double> microseconds;
  std::string error;
  bool is_slow = false;

  double median() const {
    std::vector<double> sorted = microseconds;
    std::ranges::sort(sorted);
    return sorted.empty() ? 0 : sorted[sorted.size() / 2];
  }
};

void compile_all(const timed_call& call, std::span<timed_schedule> all, unsigned threads) {
  std::atomic<std::size_t> next = 0;
  const auto work = [&] {
    for (std::size_t i = next++; i < all.size(); i = next++) try {
        call.prepare(all[i].chosen);
      } catch (const std::exception& thrown) {
        all[i].error = thrown.what();
      }
  };
  std::vector<std::jthread> workers;
  for (unsigned i = 0; i < threads; ++i) workers.emplace_back(work);
}

/// Three turns through all schedules, in the order of the list, after one that loads their kernels and does
/// not count. Those that take four times `usual` microseconds have one turn.
void take_turns(const timed_call& call, machine& on, std::span<timed_schedule> all, double usual,
                double seconds) {
  const auto begin = clock_type::now();
  for (int turn = -1; turn < 3; ++turn)
    for (timed_schedule& at : all) {
      if (!at.error.empty() || at.is_slow) continue;
      if (std::chrono::duration<double>(clock_type::now() - begin).count() > seconds) return;
      const double taken = 1e6 * cold_seconds(on, call.touched(), 1, [&] { call(&at.chosen); });
      if (turn < 0) continue;
      at.microseconds.push_back(taken);
      at.is_slow = at.microseconds.front() > 4 * usual;
    }
}

std::string hash_of_text(const stage& of) {
  char text[17];
  std::snprintf(text, sizeof text, "%016llx",
                static_cast<unsigned long long>(runtime::short_hash_of_content(emit(of).source)));
  return text;
}

}  // namespace

std::string time_candidates(const program& of, machine& on, std::span<const timed_candidate> given,
                            std::size_t most, unsigned threads, double seconds) {
  const timed_call call(of, on);
  const graph recorded = simplify(record(of));
  const std::vector<array_layout> inputs = layouts_of(call.operands()), outputs = layouts_of(call.into());
  lowering_request asked{
      .recorded = recorded, .inputs = inputs, .outputs = outputs, .target = runtime::facts_of(on.where())};
  lowered_call lowered;
  lower(asked, lowered);
  const stage* const heaviest = heaviest_stage(lowered);  // until the call is lowered again
  if (heaviest == nullptr) return "{\"id\": " + quoted(of.id) + ", \"error\": \"there is no work\"}";
  std::vector<timed_schedule> all;
  for (const timed_candidate& at : given) all.push_back({at.chosen, {}, {}, false});
  if (given.empty()) {
    all.push_back({heaviest->chosen, {}, {}, false});
    for (const schedule& at : candidates_of(*heaviest, asked, most, std::hash<std::string>{}(of.id)))
      all.push_back({at, {}, {}, false});
  }
  const std::int64_t bytes_moved = heaviest->bytes_moved;
  compile_all(call, all, threads);
  const double bare =
      1e6 * std::min(cold_seconds(on, call.touched(), 3, [&] { on.move(of.read_bytes, of.written_bytes); }),
                     cold_seconds(on, call.touched(), 3, [&] { on.move(of.read_bytes, of.written_bytes); }));
  cold_seconds(on, call.touched(), 1, [&] { call(); });
  const double own = 1e6 * cold_seconds(on, call.touched(), 3, [&] { call(); });
  take_turns(call, on, all, own, seconds);

  std::string text = "{\"id\": " + quoted(of.id) + ", \"stages\": " + std::to_string(lowered.stage_count) +
                     ", \"bare_us\": " + number(bare) + ", \"own_us\": " + number(own) +
                     ", \"bytes\": " + std::to_string(bytes_moved) + ", \"candidates\": [";
  for (const timed_schedule& at : all) {
    asked.forced = &at.chosen;
    if (&at != all.data()) text += ", ";
    std::string hash;
    try {
      lower(asked, lowered);
      if (const stage* const at_work = heaviest_stage(lowered)) hash = hash_of_text(*at_work);
    } catch (const std::exception&) {
    }
    text += "{\"schedule\": " + quoted(to_string(at.chosen)) + ", \"us\": " + number(at.median()) +
            ", \"text\": " + quoted(hash) +
            (at.error.empty() ? "" : ", \"error\": " + quoted(at.error.substr(0, 200))) + "}";
  }
  return text + "]}";
}

}  // namespace sinter_bench
