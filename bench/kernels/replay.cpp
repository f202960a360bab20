#include "replay.hpp"

#include "json.hpp"
#include "program.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/lowering.hpp>
#include <sinter/codegen/schedule/model/kernel_work.hpp>
#include <sinter/codegen/schedule/model/rank_candidates.hpp>
#include <sinter/codegen/schedule/model/size_class.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/target/known_devices.hpp>

#include <algorithm>
#include <bit>
#include <cmath>
#include <istream>
#include <ostream>
#include <stdexcept>
#include <vector>

namespace sinter_bench {
namespace {

using namespace sinter;

target_facts facts_of_device(std::string_view name) {
  for (const known_device& each : known_devices())
    if (each.name == name) return facts_of(each);
  throw std::runtime_error("there is no known device " + std::string(name));
}

/// The program's only stage under its proposed schedule.
nest nest_of(const program& of, const schedule& proposed, const target_facts& target) {
  const graph recorded = simplify(record(of));
  std::vector<array_layout> inputs;
  for (const operand_layout& at : of.inputs) {
    const auto offset = static_cast<std::uint64_t>(at.offset);
    const std::uint32_t alignment =
        offset == 0 ? max_alignment
                    : std::min(max_alignment, std::uint32_t{1} << std::min(std::countr_zero(offset), 31));
    inputs.push_back({at.type, static_cast<std::uint8_t>(at.extents.size()), at.extents.data(),
                      at.strides.data(), alignment, static_cast<std::uint32_t>(inputs.size())});
  }
  lowered_call lowered;
  lower({.recorded = recorded, .inputs = inputs, .target = target, .forced = &proposed}, lowered);
  if (lowered.stage_count != 1)
    throw std::runtime_error(of.id + " has several stages: its times cannot be replayed");
  return lowered.stages[0].body;
}

/// The time of a choice over the least, for each program.
struct regrets {
  std::vector<double> all;

  void add(double taken, double least) { all.push_back(taken / least); }
  double mean() const {
    double sum = 0;
    for (const double each : all) sum += std::log(each);
    return all.empty() ? 1 : std::exp(sum / static_cast<double>(all.size()));
  }
  double most() const { return all.empty() ? 1 : *std::ranges::max_element(all); }
  std::string text() const { return "{\"mean\": " + number(mean()) + ", \"most\": " + number(most()) + "}"; }
};

}  // namespace

std::string replay(std::istream& programs, const times_by_program& times, std::string_view device) {
  const target_facts target = facts_of_device(device);
  regrets proposed, ranked;
  program of;
  while (read_program(programs, of)) {
    const auto found = times.find(of.id);
    if (found == times.end()) continue;
    const std::vector<timed_candidate>& candidates = found->second;
    candidate_ranking ranking;
    const schedule& first = candidates.front().chosen;
    const nest body = nest_of(of, first, target);
    ranking.assign(body, first, target);
    const timed_candidate* taken = &candidates.front();
    std::int64_t least = asked_share(body, first, target);
    for (const timed_candidate& each : candidates)
      if (const std::int64_t share = ranking.share_of(each.chosen); share < least) {
        least = share;
        taken = &each;
      }
    const double fastest =
        std::ranges::min_element(candidates, {}, &timed_candidate::microseconds)->microseconds;
    proposed.add(candidates.front().microseconds, fastest);
    ranked.add(taken->microseconds, fastest);
  }
  return "{\"programs\": " + std::to_string(proposed.all.size()) + ", \"proposed\": " + proposed.text() +
         ", \"ranked\": " + ranked.text() + "}";
}

void write_work(std::istream& programs, const times_by_program& times, std::string_view device,
                std::ostream& to) {
  const target_facts target = facts_of_device(device);
  program of;
  while (read_program(programs, of)) {
    const auto found = times.find(of.id);
    if (found == times.end()) continue;
    nest body = nest_of(of, found->second.front().chosen, target);
    step_along_pieces(body);
    bound_sizes(body);
    work_by_residence work;
    work.assign(body);
    for (const timed_candidate& each : found->second) {
      const kernel_work made = work_of(body, work.of(each.chosen), each.chosen, target);
      const std::pair<const char*, std::int64_t> counts[] = {{"reads_again", made.reads_again ? 1 : 0},
                                                             {"blocks", made.blocks},
                                                             {"warps", made.warps},
                                                             {"resident_blocks", made.resident_blocks},
                                                             {"spilled", made.spilled},
                                                             {"chunks", made.chunks},
                                                             {"waits", made.waits},
                                                             {"cluster_waits", made.cluster_waits},
                                                             {"shared_steps", made.shared_steps},
                                                             {"issued", made.instructions.issued},
                                                             {"integers", made.instructions.integers},
                                                             {"doubles", made.instructions.doubles},
                                                             {"special", made.instructions.special},
                                                             {"lookups", made.lookups},
                                                             {"sectors", made.sectors},
                                                             {"memory_sectors", made.memory_sectors},
                                                             {"memory_pages", made.memory_pages}};
      std::string text;
      for (const auto& [name, count] : counts)
        text += (text.empty() ? "\"" : ", \"") + std::string(name) + "\": " + std::to_string(count);
      to << "{\"id\": \"" << of.id << "\", \"microseconds\": " << number(each.microseconds) << ", \"work\": {"
         << text << "}}\n";
    }
  }
}

}  // namespace sinter_bench
