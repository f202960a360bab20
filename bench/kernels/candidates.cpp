#include "candidates.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>

#include <algorithm>
#include <random>
#include <span>

namespace sinter_bench {
namespace {

using namespace sinter;

/// A field of a schedule, and the values that are drawn for it.
struct field {
  std::uint16_t schedule::* member;
  std::vector<std::uint16_t> values;
};

const std::vector<field>& fields() {
  static const std::vector<field> all{
      {&schedule::vector, {1, 2, 4, 8, 16}},
      {&schedule::steps, {1, 2, 3, 4, 6, 8, 12, 16}},
      {&schedule::rows_per_thread, {1, 1, 2, 4, 8}},
      {&schedule::threads_along, {1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024}},
      {&schedule::threads_across, {1, 1, 2, 4, 8, 16, 32, 64, 128, 256}},
      {&schedule::cluster, {1, 1, 1, 2, 4, 8}},
      {&schedule::shared_steps, {0, 0, 0, 2, 4, 8}},
      {&schedule::tile, {16, 32, 64, 128}}};
  return all;
}

bool is_legal(const schedule& at, const stage& of, const lowering_request& asked) {
  // blocks that nobody would launch
  const int threads = at.threads_along * at.threads_across, work = at.vector * at.steps * at.rows_per_thread;
  if (threads < 32 || threads > 1024 || work > 128) return false;
  try {
    check_schedule(at, of.body, asked.inputs, asked.outputs, asked.target);
    return true;
  } catch (const error&) {
    return false;
  }
}

std::span<const loop_order> orders_of(const nest& body) {
  static constexpr loop_order reductions[] = {loop_order::row_reduction, loop_order::column_reduction};
  static constexpr loop_order pointwise[] = {loop_order::rows, loop_order::flat, loop_order::tiled};
  return body.reduced != 0 ? std::span<const loop_order>(reductions) : pointwise;
}

/// What follows from other fields.
schedule settled(schedule at, const nest& body) {
  if (at.order != loop_order::tiled) at.tile = 0;
  if (at.order == loop_order::tiled) {
    at.steps = 1;
    at.threads_along = static_cast<std::uint16_t>(at.tile / std::max<std::uint16_t>(1, at.vector));
    at.rows_per_thread = static_cast<std::uint16_t>(at.tile / std::max<std::uint16_t>(1, at.threads_across));
  }
  if (body.reduced == 0) {
    at.cluster = 1;
    at.shared_steps = 0;
    at.resident = at.scalar_loads = at.staged = false;
    if (at.order == loop_order::flat || body.rank < 2) {
      if (at.order != loop_order::tiled) at.threads_across = at.rows_per_thread = 1;
    }
  }
  return at;
}

}  // namespace

const stage* heaviest_stage(const lowered_call& lowered) {
  const stage* heaviest = nullptr;
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& at = lowered.stages[i];
    if (at.tiles > 0 && (heaviest == nullptr || at.bytes_moved > heaviest->bytes_moved)) heaviest = &at;
  }
  return heaviest;
}

std::vector<schedule> candidates_of(const stage& of, const lowering_request& asked, std::size_t most,
                                    std::uint64_t seed) {
  std::vector<schedule> found;
  const auto add = [&](const schedule& drawn) {
    for (const bool whole_rows : {true, false})
      for (const bool scalar_loads : {false, true}) {
        schedule at = settled(drawn, of.body);
        at.whole_rows = whole_rows;
        at.scalar_loads = scalar_loads && at.vector > 1;
        at.reads = of.chosen.reads;
        if (at == of.chosen || !is_legal(at, of, asked)) continue;
        if (std::ranges::find(found, at) == found.end()) found.push_back(at);
        return;
      }
  };
  for (const field& member : fields())
    for (const std::uint16_t value : member.values) {
      schedule at = of.chosen;
      at.*member.member = value;
      if (value <= 2 * of.chosen.*member.member && 2 * value >= of.chosen.*member.member) add(at);
    }
  schedule resident = of.chosen;
  resident.resident = !resident.resident;
  resident.shared_steps = 0;
  resident.staged = false;
  add(resident);
  std::mt19937_64 draws(seed);
  const auto below = [&](std::size_t end) { return static_cast<std::size_t>(draws() % end); };
  for (int i = 0; i < 20000 && found.size() < most; ++i) {
    schedule at;
    const auto orders = orders_of(of.body);
    at.order = orders[below(orders.size())];
    for (const field& member : fields()) at.*member.member = member.values[below(member.values.size())];
    at.resident = below(2) == 0;
    add(at);
  }
  if (found.size() > most) found.resize(most);
  return found;
}

}  // namespace sinter_bench
