#include <sinter/codegen/graph/graph_limits.hpp>
#include <sinter/codegen/nest/nest_bodies.hpp>
#include <sinter/codegen/nest/phase_plan.hpp>

#include <algorithm>
#include <utility>

namespace sinter::inline v0::codegen {
namespace {

constexpr unsigned never = ~0u;

/// Operations of about one machine instruction; on a GPU, wide types need more.
bool is_cheap(const instruction& at, bool wide_too) {
  switch (at.op) {
    case operation::cast:
    case operation::add:
    case operation::subtract:
    case operation::multiply:
    case operation::negative:
    case operation::absolute:
    case operation::maximum:
    case operation::minimum:
    case operation::where:
      return wide_too ||
             (size_of(facts_of(at.compute).compute) <= 4 && size_of(facts_of(at.type).compute) <= 4);
    default:
      return false;
  }
}

/// Whether an instruction's value can stay from one phase to another: not in bodies, and of instructions with
/// bodies only their components.
bool is_value(const instruction& at) { return at.owner == instruction::no_owner && !has_body(at.op); }

std::uint32_t bytes_of_value(const instruction& at) {
  return static_cast<std::uint32_t>(size_of(facts_of(at.type).compute));
}

/// Whether every row reads the same elements, such as weights, which stay in the cache.
template <typename Access>
bool is_shared_by_rows(const nest_body& body, const Access& at) {
  bool has_rows = false;
  for (unsigned axis = 0; axis < body.rank; ++axis) {
    if (body.is_reduced(axis)) continue;
    if (at.moves_along(axis)) return false;
    has_rows = true;
  }
  return has_rows && body.split < 0;
}

/// Whether neighbours of no axis lie beside each other, so that elements are packed one by one.
template <typename Access>
bool is_strided(const nest_body& body, const Access& at) {
  bool moves = false;
  for (unsigned axis = 0; axis < body.rank; ++axis) {
    if (at.pattern(axis) == step_pattern::unit) return false;
    moves = moves || at.moves_along(axis);
  }
  return moves;
}

}  // namespace

/// Of shape-generic nests nobody knows what is packed.
template <typename Access>
std::vector<phase_plan::access_use> phase_plan::uses_of(const nest_body& body,
                                                        std::span<const Access> accesses,
                                                        bool shape_generic) {
  std::vector<access_use> uses;
  uses.reserve(accesses.size());
  for (const Access& at : accesses)
    uses.push_back({.bytes = static_cast<std::uint32_t>(size_of(at.type)),
                    .moves_along_reduced = moves_along_reduced_axes(body, at),
                    .is_shared_by_rows = is_shared_by_rows(body, at),
                    .is_packed = !shape_generic && is_strided(body, at)});
  return uses;
}

phase_plan::phase_plan(const nest& body, bool resident, bool keeps_reads)
    : phase_plan(body, uses_of(body, std::span(body.accesses), body.shape_generic), resident, keeps_reads) {}

phase_plan::phase_plan(const kernel_pattern& body, bool resident, bool keeps_reads)
    : phase_plan(body, uses_of(body, std::span(body.accesses), false), resident, keeps_reads) {}

phase_plan::phase_plan(const nest_body& body, std::vector<access_use> uses, bool resident, bool keeps_reads)
    : body_(body),
      uses_(std::move(uses)),
      keeps_reads_(keeps_reads),
      evaluated_(body.phases),
      loaded_(body.phases),
      crosses_(body.phases * body.body.size(), false),
      level_(body.phases * body.body.size(), 0),
      levels_(body.phases, 1) {
  const auto count = static_cast<std::uint32_t>(body.body.size());
  std::vector<unsigned> first_phase(count, never), first_load(uses_.size(), never);
  std::vector<bool> remade(count, false), wanted, is_evaluated;
  if (resident)
    for (std::uint32_t i = 0; i < count; ++i) remade[i] = is_remade(i);
  for (unsigned phase = 0; phase < body.phases; ++phase) {
    list_wanted(phase, wanted);
    is_evaluated.assign(count, false);
    evaluated_[phase].reserve(count);
    // arguments come before their users, so one backward pass finds all
    for (std::uint32_t i = count; i-- > 0;) {
      const instruction& at = body.body[i];
      // what a loop or a choice reports belongs to it, and is in the phases that evaluate it
      if (at.op == operation::report && at.owner != instruction::no_owner)
        wanted[i] = is_evaluated[outermost_owner(body, i)];
      if (!wanted[i] || !at.per_element) continue;
      if (resident && first_phase[i] != never && !remade[i] && is_value(at)) {
        keep(false, i, first_phase[i], phase);
        continue;
      }
      if (first_phase[i] == never) first_phase[i] = phase;
      evaluated_[phase].push_back(i);
      is_evaluated[i] = true;
      for (const std::uint32_t argument : body.arguments_of(at)) wanted[argument] = true;
      if (at.op != operation::input || at.arity == 1) continue;
      const auto read = static_cast<std::uint32_t>(at.payload);
      if (resident && keeps_reads && first_load[read] != never && first_load[read] != phase &&
          !uses_[read].is_shared_by_rows) {
        keep(true, read, first_load[read], phase);
        continue;
      }
      first_load[read] = phase;
      auto& loaded = loaded_[phase];
      if (std::find(loaded.begin(), loaded.end(), read) == loaded.end()) loaded.push_back(read);
    }
    std::reverse(evaluated_[phase].begin(), evaluated_[phase].end());
    std::reverse(loaded_[phase].begin(), loaded_[phase].end());
    assign_levels(phase);
  }
  assign_slots();
}

void phase_plan::list_wanted(unsigned phase, std::vector<bool>& wanted) const {
  wanted.assign(body_.body.size(), false);
  for (const instruction& at : body_.body)
    if (is_reduction(at.op) && at.phase == phase)
      for (const std::uint32_t argument : body_.arguments_of(at)) wanted[argument] = true;
  for (const store& at : body_.stores)
    if (uses_[at.target].moves_along_reduced && phase_of_store(body_, at) == phase) wanted[at.value] = true;
  for (std::size_t i = 0; i < body_.body.size(); ++i) {
    const instruction& at = body_.body[i];
    if (at.op == operation::report && at.owner == instruction::no_owner && at.phase == phase)
      wanted[i] = true;
  }
}

/// Whether an instruction is recomputed from its operands: a few cheap operations, on elements that take no
/// more space than its value if reads are kept too, and that are not packed again if they are not.
bool phase_plan::is_remade(std::uint32_t instruction) const {
  std::vector<std::uint32_t> pending{instruction}, reads;
  unsigned operations = 0;
  while (!pending.empty()) {
    const auto& at = body_.body[pending.back()];
    pending.pop_back();
    if (!at.per_element || at.op == operation::coordinate) continue;
    if (at.op == operation::input && at.arity == 1) return false;
    if (at.op == operation::input) {
      const auto read = static_cast<std::uint32_t>(at.payload);
      if (std::find(reads.begin(), reads.end(), read) == reads.end()) reads.push_back(read);
      continue;
    }
    if (!is_cheap(at, !keeps_reads_) || ++operations > max_remade) return false;
    const auto arguments = body_.arguments_of(at);
    pending.insert(pending.end(), arguments.begin(), arguments.end());
  }
  if (!keeps_reads_)
    return std::ranges::none_of(reads, [&](std::uint32_t read) { return uses_[read].is_packed; });
  std::uint32_t bytes = 0;
  for (const std::uint32_t read : reads)
    if (!uses_[read].is_shared_by_rows) bytes += uses_[read].bytes;
  return bytes <= bytes_of_value(body_.body[instruction]);
}

const resident_value* phase_plan::find(bool is_read, std::uint32_t index) const {
  const auto found = std::find_if(resident_.begin(), resident_.end(), [&](const resident_value& at) {
    return at.is_read == is_read && at.index == index;
  });
  return found == resident_.end() ? nullptr : &*found;
}

void phase_plan::keep(bool is_read, std::uint32_t index, unsigned first, unsigned phase) {
  for (resident_value& at : resident_)
    if (at.is_read == is_read && at.index == index) {
      if (at.last != phase) at.needed.push_back(phase);
      at.last = phase;
      return;
    }
  const std::uint32_t bytes = is_read ? uses_[index].bytes : bytes_of_value(body_.body[index]);
  resident_.push_back({is_read, index, first, phase, bytes, 0, {phase}});
}

/// A value takes the slot of another that is no longer needed after this phase: a thread reads an element
/// before it writes it. Without kept reads, each value has its own slot.
void phase_plan::assign_slots() {
  std::sort(resident_.begin(), resident_.end(),
            [](const resident_value& a, const resident_value& b) { return a.first < b.first; });
  struct slot {
    std::uint32_t bytes;
    unsigned last;
  };
  std::vector<slot> slots;
  for (resident_value& at : resident_) {
    const auto free = std::find_if(slots.begin(), slots.end(), [&](const slot& have) {
      return keeps_reads_ && have.bytes == at.bytes && have.last <= at.first;
    });
    at.slot = static_cast<std::uint32_t>(free - slots.begin());
    if (free == slots.end())
      slots.push_back({at.bytes, at.last});
    else
      free->last = at.last;
  }
  for (const slot& at : slots) {
    slot_offsets_.push_back(resident_bytes_);
    resident_bytes_ += at.bytes;
  }
}

unsigned phase_plan::available(unsigned phase, std::uint32_t instruction) const {
  const std::span<const std::uint32_t> here = evaluated(phase);
  const bool scanned = needs_chunk(body_.body[instruction].op) &&
                       std::find(here.begin(), here.end(), instruction) != here.end();
  return level(phase, instruction) + (scanned ? 1 : 0);
}

void phase_plan::assign_levels(unsigned phase) {
  std::vector<bool> is_evaluated(body_.body.size(), false);
  for (const std::uint32_t i : evaluated_[phase]) is_evaluated[i] = true;
  std::vector<std::uint32_t> arguments;
  const auto needed_at = [&](std::uint32_t i, unsigned level) {
    levels_[phase] = std::max(levels_[phase], level + 1);
    if (level != level_[place(phase, i)] && is_evaluated[i]) crosses_[place(phase, i)] = true;
  };
  for (const std::uint32_t i : evaluated_[phase]) {
    if (body_.body[i].owner != instruction::no_owner) continue;  // evaluated with its owner
    list_captured(body_, i, arguments);
    unsigned level = 0;
    for (const std::uint32_t argument : arguments) level = std::max(level, available(phase, argument));
    level_[place(phase, i)] = static_cast<std::uint16_t>(level);
    for (const std::uint32_t argument : arguments) needed_at(argument, level);
  }
  for (const instruction& at : body_.body)
    if (is_reduction(at.op) && at.phase == phase) {
      unsigned level = 0;
      for (const std::uint32_t argument : body_.arguments_of(at))
        level = std::max(level, available(phase, argument));
      for (const std::uint32_t argument : body_.arguments_of(at)) needed_at(argument, level);
    }
  for (const store& at : body_.stores)
    if (uses_[at.target].moves_along_reduced && phase_of_store(body_, at) == phase)
      needed_at(at.value, available(phase, at.value));
}

bool phase_plan::has_loop(unsigned phase) const {
  return std::any_of(body_.body.begin(), body_.body.end(),
                     [&](const instruction& at) { return is_reduction(at.op) && at.phase == phase; }) ||
         std::any_of(body_.stores.begin(), body_.stores.end(), [&](const store& at) {
           return uses_[at.target].moves_along_reduced && phase_of_store(body_, at) == phase;
         });
}

}  // namespace sinter::inline v0::codegen
