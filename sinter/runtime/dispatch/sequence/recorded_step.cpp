#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <utility>

#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/scalars/scalar_limits.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>
#include <sinter/runtime/cpu/executor.hpp>
#include <sinter/runtime/cpu/sort_rows.hpp>
#include <sinter/runtime/dispatch/aliasing/overlap.hpp>
#include <sinter/runtime/dispatch/aliasing/overlapping_results.hpp>
#include <sinter/runtime/dispatch/call_request.hpp>
#include <sinter/runtime/dispatch/sequence/recorded_step.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/order/timeline_table.hpp>

namespace sinter::inline v0::runtime {
namespace {

// Strides of axes of extent 1 are never taken.
bool same_extents(const operand& a, const operand& b) {
  for (unsigned axis = 0; axis < a.rank; ++axis) {
    if (a.extents[axis] != b.extents[axis]) return false;
    if (a.extents[axis] > 1 && a.strides[axis] != b.strides[axis]) return false;
  }
  return true;
}

bool same_array(const operand& a, const operand& b) {
  return a.data == b.data && a.type == b.type && a.rank == b.rank && same_extents(a, b);
}

// The largest power of two that divides an address, as far as a kernel may need it: for its widest access.
std::size_t alignment_of(const operand& array) {
  const auto bits = reinterpret_cast<std::uintptr_t>(array.data) | access_bytes;
  return std::size_t{1} << std::countr_zero(bits);
}

std::string layout_text(const operand& array) {
  return fmt::format("({}) with strides ({})", fmt::join(array.extents, array.extents + array.rank, ", "),
                     fmt::join(array.strides, array.strides + array.rank, ", "));
}

// Replays use it on whatever stream: it is made before all of them.
buffer make_workspace(const call_request& asked, std::size_t bytes) {
  if (bytes == 0) return {};
  const stream on_cpu = stream::default_of(asked.where);
  const stream& on = asked.where.is_cuda() ? own_stream_of(asked.where.index()) : on_cpu;
  buffer made = asked.memory != nullptr ? buffer(asked.where, bytes, on, *asked.memory)
                                        : buffer(asked.where, bytes, on);
  on.synchronize();
  return made;
}

void make_plan(const call_request& asked, plan& prepared) {
  const state_guard state;
  state->fill_plan(asked, prepared);
}

}  // namespace

kept_memory::kept_memory(const call_request& of) {
  records_.reserve(of.operands.size() + of.into.size());
  for (const std::span<const operand> arrays : {of.operands, of.into})
    for (const operand& array : arrays) {
      if (array.record == nullptr) continue;
      array.record->add_owner();
      records_.push_back(array.record);
    }
}

kept_memory::~kept_memory() {
  for (allocation_record* const each : records_) each->drop_owner();
}

recorded_step::recorded_step(const call_request& asked, std::size_t number)
    : number_(number), asked_(std::make_unique<const copied_call>(asked)) {
  check_memory(asked);
  make_plan(request(), prepared_);
  check_directly_written(request());
  workspace_ = make_workspace(asked, prepared_.workspace_bytes());
  kept_ = kept_memory(request());
  faults_.record = reinterpret_cast<std::uintptr_t>(&fault_);
  for (const planned_launch& launch : prepared_.launches()) {
    step_launch& made = launches_.emplace_back();
    made.planned = &launch;
    made.block.resize(launch.block_words);
    if (!asked.where.is_cuda()) continue;
    // as of a captured call: a graph may run when this object is gone
    if (launch.code != nullptr) launch.code->code.keep_loaded();
    if (launch.sorter != nullptr) launch.sorter->keep_loaded();
  }
  take_blocks(make_blocks(request(), faults_));
}

std::string recorded_step::describe() const {
  return fmt::format("step {} of a sequence, {}", number_, runtime::describe(called()));
}

change_effects recorded_step::change(std::span<const operand> operands, std::span<const scalar> scalars) {
  call_request wanted = request();
  std::vector<operand> all(wanted.operands.begin(), wanted.operands.end());
  std::vector<scalar> numbers(wanted.scalars.begin(), wanted.scalars.end());
  if (operands.size() > all.size() || scalars.size() > numbers.size())
    throw_counts(called(), operands.size(), scalars.size(), wanted.into.size());
  for (std::size_t i = 0; i < operands.size(); ++i) check_operand(operands[i], all[i], i);
  std::copy(operands.begin(), operands.end(), all.begin());
  std::copy(scalars.begin(), scalars.end(), numbers.begin());
  wanted.operands = all;
  wanted.scalars = numbers;
  check_arguments(wanted);
  auto asked = std::make_unique<const copied_call>(wanted);
  kept_memory kept(wanted);
  auto blocks = make_blocks(wanted, faults_);
  // nothing throws from here on
  asked_.swap(asked);
  kept_ = std::move(kept);
  const std::span<const operand> before = asked->request().operands;
  const bool same_memory =
      std::equal(before.begin(), before.end(), wanted.operands.begin(),
                 [](const operand& a, const operand& b) { return a.data == b.data && a.record == b.record; });
  return {!same_memory, take_blocks(std::move(blocks))};
}

void recorded_step::check_operand(const operand& wanted, const operand& known, std::size_t index) const {
  if (wanted.type != known.type || wanted.rank != known.rank)
    throw type_error(fmt::format("{}: operand {} is {}, and was {} when the step was added", describe(),
                                 index, sinter::describe(wanted.type, wanted.rank),
                                 sinter::describe(known.type, known.rank)));
  if (wanted.where != known.where)
    throw device_error(
        fmt::format("{}: operand {} is on {}, and the sequence on {}; move it with .to(device)", describe(),
                    index, wanted.where.to_string(), known.where.to_string()));
  if (!same_extents(wanted, known))
    throw shape_error(
        fmt::format("{}: operand {} is {}, and was {} when the step was added, whose kernels are for that; "
                    "add a step for "
                    "other extents or strides",
                    describe(), index, layout_text(wanted), layout_text(known)));
  if (alignment_of(wanted) < alignment_of(known))
    throw shape_error(fmt::format(
        "{}: operand {} is at {}, aligned to {} bytes, and was aligned to {} when the step was added, whose "
        "kernels may need it; add a step for it, or copy it to an array of its own",
        describe(), index, wanted.data, alignment_of(wanted), alignment_of(known)));
}

// A plan holds for arguments of these layouts where the same operands are one array.
void recorded_step::check_arguments(const call_request& wanted) const {
  const call_request known = request();
  check_memory(wanted);
  for (std::size_t i = 0; i < known.operands.size(); ++i)
    for (std::size_t other = 0; other < i; ++other)
      if (same_array(known.operands[i], known.operands[other]) &&
          !same_array(wanted.operands[i], wanted.operands[other]))
        throw shape_error(fmt::format(
            "{}: operands {} and {} were one array when the step was added, which its kernels read once, and "
            "are two now; add a step with two arrays, which takes one for both as well",
            describe(), other, i));
  const graph& recorded = called().recorded;
  if (!recorded.parameter_limits.empty()) check_parameter_limits(recorded, wanted.scalars);
  if (!recorded.derived_limits.empty()) check_derived_limits(recorded, wanted.scalars);
  for (const std::uint32_t parameter : called().view_parameters)
    if (wanted.scalars[parameter] != known.scalars[parameter])
      throw shape_error(
          fmt::format("{}: scalar {} is {}, and was {} when the step was added; it chooses a part of an "
                      "array or a shape, "
                      "for which the kernels were made: add a step for it",
                      describe(), parameter, static_cast<std::int64_t>(wanted.scalars[parameter]),
                      static_cast<std::int64_t>(known.scalars[parameter])));
  check_directly_written(wanted);
}

void recorded_step::check_directly_written(const call_request& wanted) const {
  const std::vector<bool> temporary = results_in_temporaries(wanted, prepared_);
  const auto first = std::find(temporary.begin(), temporary.end(), true);
  if (first == temporary.end()) return;
  throw shape_error(
      fmt::format("{}: result {} shares memory with another array of the call, which it may not be written "
                  "over; write it into an array of its own",
                  describe(), first - temporary.begin()));
}

bool recorded_step::is_skipped(const call_request& request, const planned_launch& launch) const {
  if (launch.tiles == 0) return true;
  return launch.copies.has_value() &&
         same_elements(request.into[launch.copies->result], request.operands[launch.copies->input]);
}

// The blocks of all launches. The values are in the numbering of a plan's patches.
std::vector<std::vector<std::uint64_t>> recorded_step::make_blocks(const call_request& of,
                                                                   stream_faults::target faults) const {
  std::vector<std::uint64_t> values;
  for (const std::span<const operand> arrays : {of.operands, of.into})
    for (const operand& array : arrays) values.push_back(reinterpret_cast<std::uintptr_t>(array.data));
  values.insert(values.end(), of.scalars.begin(), of.scalars.end());
  values.push_back(reinterpret_cast<std::uintptr_t>(workspace_.data()));
  values.push_back(faults.record);
  values.push_back(faults.first_site);
  std::vector<std::vector<std::uint64_t>> blocks;
  blocks.reserve(launches_.size());
  for (const step_launch& each : launches_) {
    const planned_launch& from = *each.planned;
    const std::uint64_t* const words = prepared_.words() + from.block;
    std::vector<std::uint64_t>& block = blocks.emplace_back(words, words + from.block_words);
    const argument_patch* const patches = prepared_.patches(from);
    for (std::uint32_t i = 0; i < from.patch_count; ++i) block[patches[i].slot] += values[patches[i].value];
  }
  return blocks;
}

// Returns whether another launch is skipped than before.
bool recorded_step::take_blocks(std::vector<std::vector<std::uint64_t>>&& blocks) noexcept {
  const call_request now = request();
  bool other_launches = false;
  for (std::size_t i = 0; i < launches_.size(); ++i) {
    step_launch& each = launches_[i];
    const bool skipped = is_skipped(now, *each.planned);
    other_launches |= skipped != each.is_skipped;
    each.is_skipped = skipped;
    if (blocks[i] == each.block) continue;
    each.block.swap(blocks[i]);
    each.is_changed = true;
  }
  return other_launches;
}

void recorded_step::report_to(stream_faults::target faults) {
  auto blocks = make_blocks(request(), faults);
  faults_ = faults;
  take_blocks(std::move(blocks));
}

double recorded_step::nanoseconds() const {
  double all = 0;
  for (const step_launch& each : launches_) all += each.planned->division.nanoseconds;
  return all;
}

void recorded_step::add_uses(std::vector<memory_use>& to) const {
  const call_request now = request();
  for (const operand& array : now.into) to.push_back({array.record, memory_access::write});
  if (workspace_.record() != nullptr) to.push_back({workspace_.record(), memory_access::write});
  for (const operand& array : now.operands) to.push_back({array.record, memory_access::read});
}

bool recorded_step::shares_memory_with(const recorded_step& other) const {
  const call_request mine = request(), theirs = other.request();
  const auto any = [](std::span<const operand> written, std::span<const operand> used) {
    return std::any_of(written.begin(), written.end(), [&](const operand& result) {
      return std::any_of(used.begin(), used.end(),
                         [&](const operand& array) { return may_share_memory(result, array); });
    });
  };
  return any(mine.into, theirs.operands) || any(mine.into, theirs.into) || any(theirs.into, mine.operands);
}

void recorded_step::run_on_cpu(bool alone) {
  fault_ = {};
  for (const step_launch& each : launches_) {
    if (each.is_skipped) continue;
    const planned_launch& launch = *each.planned;
    if (launch.sorts.key_bytes != 0)
      sort_rows_on_cpu(launch.sorts, reinterpret_cast<void*>(each.block[0]),
                       reinterpret_cast<std::uint32_t*>(each.block[1]));
    else
      run_cpu_kernel(launch.cpu, each.block.data(), launch.tiles, alone ? cpu_division() : launch.division);
  }
}

}  // namespace sinter::inline v0::runtime
