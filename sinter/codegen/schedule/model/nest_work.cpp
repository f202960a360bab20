#include <sinter/codegen/schedule/model/nest_work.hpp>

#include <sinter/codegen/base/integers.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/partial_values.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>
#include <sinter/codegen/nest/reduction_phases.hpp>
#include <sinter/codegen/schedule/model/access_footprint.hpp>
#include <sinter/codegen/schedule/reduction_facts.hpp>
#include <sinter/codegen/schedule/tiling.hpp>
#include <sinter/codegen/target/cuda_limits.hpp>

#include <algorithm>
#include <bit>
#include <numeric>
#include <span>
#include <utility>

namespace sinter::inline v0 {
namespace {

std::int64_t registers_of(element_type type) {
  return divide_up(static_cast<std::int64_t>(size_of(type)), register_bytes);
}

/// Instructions that convert an element between its type in memory and the one that it is computed in.
instruction_counts conversions(element_type type) {
  const element_type computed = facts_of(type).compute;
  const auto bytes = static_cast<std::int64_t>(size_of(type));
  return {.issued = computed != type || bytes < register_bytes ? 1 : 0};
}

/// What it takes to combine two elements.
instruction_counts instructions_of_combining(const nest& body, const instruction& at) {
  if (finds_position(at.op)) return {.issued = 4, .integers = 3};
  if (!has_body(at.op)) return instructions_of(facts_of(at.op).combine, at.compute);
  instruction_counts all;
  for (const instruction& inside : body.body)
    for (std::uint32_t around = inside.owner; around != instruction::no_owner;
         around = body.body[around].owner)
      if (&body.body[around] == &at)
        all.add(instructions_of(inside.op, inside.compute),
                static_cast<std::int64_t>(times_evaluated(body, inside)));
  return all;
}

/// Of a network that sorts a row, for one of its elements: a step compares two words of 64 bits and chooses
/// four of 32, which is half of that for each.
instruction_counts instructions_of_sorting(std::int64_t length) {
  const auto levels =
      static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(power_above(length))) - 1);
  const std::int64_t each = 3 * levels * (levels + 1) / 2;
  return {.issued = each, .integers = each};
}

void add_combining(const nest& body, const instruction& at, loop_work& to) {
  if (at.op == operation::last) return;  // the scan has done it
  const instruction_counts each = instructions_of_combining(body, at);
  to.combined.add(each, 1);
  to.evaluated.add(each, 1);
  ++to.sums;
  each_partial(body, at,
               [&](element_type type) { to.sum_registers += registers_of(facts_of(type).compute); });
}

void add_instruction(const nest& body, const instruction& at, loop_work& to) {
  if (is_reduction(at.op)) return;
  if (at.op == operation::argsort) {
    ++to.scans;
    return to.evaluated.add(instructions_of_sorting(count_rows(body, true)), 1);
  }
  if (is_scan(at.op)) {
    ++to.scans;
    to.evaluated.add(instructions_of_combining(body, at), 2);
    return;
  }
  // what a reduction or scan runs is counted with it
  for (std::uint32_t around = at.owner; around != instruction::no_owner; around = body.body[around].owner)
    if (combines_by_body(body.body[around].op)) return;
  to.evaluated.add(instructions_of(at.op, at.compute), static_cast<std::int64_t>(times_evaluated(body, at)));
}

/// Adds an access that a loop loads or stores for each element.
void add_access(const nest& body, std::uint32_t number, loop_work& to) {
  const access& at = body.accesses[number];
  to.evaluated.add(conversions(at.type), 1);
  const bool is_window = at.base == number;
  for (equal_accesses& each : to.moved) {
    const access& other = body.accesses[each.first];
    if (other.group != at.group || other.what != at.what || size_of(other.type) != size_of(at.type)) continue;
    ++each.count;
    each.windows += is_window ? 1 : 0;
    each.rows = std::max<std::int64_t>(each.rows, at.row_shift);
    each.columns = std::max<std::int64_t>(each.columns, at.shift);
    return;
  }
  to.moved.push_back({number, 1, is_window ? 1 : 0, at.row_shift, at.shift});
}

void count_memory(const nest& body, loop_work& of) {
  position_box everything;
  for (unsigned axis = 0; axis < body.rank; ++axis) everything.add(axis, 1, body.extents[axis]);
  for (const equal_accesses& each : of.moved) {
    const access& at = body.accesses[each.first];
    of.memory_sectors += each.windows * pieces_touched<sector_bytes>(
                                            at, everything, static_cast<std::int64_t>(size_of(at.type)));
  }
}

}  // namespace

instruction_counts instructions_of(operation op, element_type type) {
  const std::int64_t weight = weight_of(op);
  if (weight == 0) return {};
  const element_type_facts& of = facts_of(type);
  const bool wide = size_of(type) >= sizeof(std::int64_t);
  const std::int64_t parts = is_complex(type) ? 4 : 1;
  if (!is_floating(type) && !is_complex(type)) {
    const std::int64_t each = weight * (wide ? weight > 2 ? 6 : 2 : 1);
    return {.issued = each, .integers = each};
  }
  const bool is_double = of.compute == element_type::float64 || type == element_type::complex128;
  if (is_double) return {.issued = 3 * weight * parts / 2, .doubles = weight * parts};
  return {.issued = weight * parts, .special = weight > 2 ? parts : 0};
}

/// Registers of the values of one element that wait for their last use, at the instruction with the most.
std::int64_t nest_work::live_registers(const nest& body, std::span<const std::uint32_t> evaluated) {
  last_use_.assign(body.body.size(), 0);
  for (std::uint32_t place = 0; place < evaluated.size(); ++place) {
    const instruction& at = body.body[evaluated[place]];
    for (const std::uint32_t argument : body.arguments_of(at)) last_use_[argument] = place;
  }
  alive_.clear();
  const auto registers_of_value = [&](std::uint32_t value) {
    return registers_of(facts_of(body.body[value].type).compute);
  };
  std::int64_t registers = 0, most = 0;
  for (std::uint32_t place = 0; place < evaluated.size(); ++place) {
    const std::uint32_t made = evaluated[place];
    if (body.body[made].op == operation::literal) continue;
    registers += registers_of_value(made);
    alive_.push_back(made);
    most = std::max(most, registers);
    std::erase_if(alive_, [&](std::uint32_t value) {
      const bool is_done = last_use_[value] <= place && value != made;
      if (is_done) registers -= registers_of_value(value);
      return is_done;
    });
  }
  return most;
}

loop_work& nest_work::add_loop() {
  if (count_ == loops_.size()) loops_.emplace_back();
  loop_work& made = loops_[count_++];
  std::vector<equal_accesses> moved = std::move(made.moved);
  moved.clear();
  made = {};
  made.moved = std::move(moved);
  return made;
}

void nest_work::add_pointwise(const nest& body) {
  loop_work& made = add_loop();
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
    if (body.accesses[i].what == access::kind::read) add_access(body, i, made);
  for (const store& at : body.stores) add_access(body, at.target, made);
  for (const instruction& at : body.body) add_instruction(body, at, made);
  evaluated_.resize(body.body.size());
  std::iota(evaluated_.begin(), evaluated_.end(), 0u);
  made.live_registers = live_registers(body, evaluated_);
}

void nest_work::add_only_phase(const nest& body) {
  loop_work& made = add_loop();
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i)
    if (body.accesses[i].what == access::kind::read && moves_along_reduced_axes(body, body.accesses[i]))
      add_access(body, i, made);
  for (const store& at : body.stores)
    if (stores_elements(body, at)) add_access(body, at.target, made);
  evaluated_.clear();
  for (std::uint32_t i = 0; i < body.body.size(); ++i) {
    const instruction& at = body.body[i];
    if (is_reduction(at.op)) {
      add_combining(body, at, made);
    } else if (at.per_element) {
      add_instruction(body, at, made);
      evaluated_.push_back(i);
    }
  }
  made.live_registers = live_registers(body, evaluated_);
}

void nest_work::add_phase(const nest& body, const codegen::phase_plan& plan, unsigned phase) {
  loop_work& made = add_loop();
  for (const std::uint32_t i : plan.loaded(phase))
    if (body.accesses[i].what == access::kind::read) add_access(body, i, made);
  for (const store& at : body.stores)
    if (stores_elements(body, at) && phase_of_store(body, at) == phase) add_access(body, at.target, made);
  for (const std::uint32_t i : plan.evaluated(phase)) add_instruction(body, body.body[i], made);
  for (const instruction& at : body.body)
    if (is_reduction(at.op) && at.phase == phase) add_combining(body, at, made);
  made.live_registers = live_registers(body, plan.evaluated(phase));
}

void nest_work::assign(const nest& loop_nest, bool resident) {
  count_ = 0;
  resident_registers_ = resident_bytes_ = 0;
  if (loop_nest.reduced == 0) {
    add_pointwise(loop_nest);
  } else if (loops_of(loop_nest) == 1) {
    add_only_phase(loop_nest);
  } else {
    const codegen::phase_plan plan(loop_nest, resident);
    for (unsigned phase = 0; phase < loop_nest.phases; ++phase)
      if (plan.has_loop(phase)) add_phase(loop_nest, plan, phase);
    for (unsigned phase = 0; phase < loop_nest.phases; ++phase) {  // from this phase to the next
      std::int64_t registers = 0;
      for (const codegen::resident_value& each : plan.resident())
        if (each.first <= phase && each.last > phase)
          registers += divide_up<std::int64_t>(each.bytes, register_bytes);
      resident_registers_ = std::max(resident_registers_, registers);
    }
    resident_bytes_ = plan.resident_bytes();
  }
  for (loop_work& each : std::span(loops_.data(), count_)) count_memory(loop_nest, each);
}

void work_by_residence::assign(const nest& loop_nest) {
  loaded_.assign(loop_nest, false);
  has_resident_ = loop_nest.reduced != 0 && loops_of(loop_nest) > 1;
  if (has_resident_) resident_.assign(loop_nest, true);
}

}  // namespace sinter::inline v0
