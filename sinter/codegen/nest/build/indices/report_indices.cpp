#include <sinter/codegen/nest/build/indices/report_indices.hpp>

#include <sinter/codegen/nest/build/indices/fault_codes.hpp>
#include <sinter/codegen/nest/nest_writer.hpp>

#include <algorithm>
#include <functional>
#include <vector>

namespace sinter::inline v0 {
namespace {

/// A condition, by its instruction, and whether it holds or not.
struct side {
  std::uint32_t condition = 0;
  bool holds = true;
  auto operator<=>(const side&) const = default;
};
/// Where a value is used: where all sides of some term are so. No term: nowhere; a term without sides:
/// everywhere.
using sides = std::vector<side>;
using uses = std::vector<sides>;

/// More terms are one: this side, which nothing knows.
constexpr std::size_t max_terms = 64;
constexpr side too_many{~0u, true};

bool is_within(const sides& narrow, const sides& wide) { return std::ranges::includes(narrow, wide); }

/// Adds a term, unless another one holds wherever it does.
void add_term(uses& to, const sides& term) {
  if (std::ranges::any_of(to, [&](const sides& known) { return is_within(term, known); })) return;
  std::erase_if(to, [&](const sides& known) { return is_within(known, term); });
  to.push_back(term);
  if (to.size() > max_terms) to.assign(1, sides{too_many});
}

/// Adds where a user's operand is used: where the user is, and where `chosen` is so, if it is given.
void add_uses(uses& to, const uses& of_user, const side* chosen) {
  for (sides term : of_user) {
    if (chosen != nullptr) {
      const side other{chosen->condition, !chosen->holds};
      if (std::ranges::binary_search(term, other)) continue;
      const auto place = std::ranges::lower_bound(term, *chosen);
      if (place == term.end() || *place != *chosen) term.insert(place, *chosen);
    }
    add_term(to, term);
  }
}

/// What the outside of a nest or a body takes of it, and where.
struct result {
  std::uint32_t value = 0;
  sides used;
};

/// Where the values of a nest are used, from the last one that uses any to the first.
class use_finder {
 public:
  /// `is_known`: whether a condition can be tested where a report will stand.
  use_finder(const nest& of, std::span<const result> results,
             const std::function<bool(std::uint32_t)>& is_known, std::span<const index_check> checks = {})
      : nest_(of), uses_(of.body.size()), is_known_(is_known) {
    for (const result& each : results) add_term(uses_[each.value], each.used);
    for (std::size_t i = nest_.body.size(); i-- > 0;) {
      for (const index_check& check : checks)  // no argument of what reads at it
        if (!uses_[i].empty() && check.code == index_check::none &&
            std::ranges::find(check.reads, i) != check.reads.end())
          add_uses(uses_[check.index], uses_[i], nullptr);
      visit(nest_.body[i], uses_[i]);
    }
  }
  /// Where the elements that an index chooses are used.
  uses of(const index_check& check) const {
    uses all;
    if (check.position != index_check::none) all = uses_[check.position];
    for (const std::uint32_t read : check.reads) add_uses(all, uses_[read], nullptr);
    return all;
  }

 private:
  void visit(const instruction& at, const uses& used) {
    if (used.empty()) return;
    const auto arguments = nest_.arguments_of(at);
    const bool chooses = at.op == operation::where || at.op == operation::when;
    const bool decides = at.op == operation::logical_and || at.op == operation::logical_or;
    const bool is_known = (chooses || decides) && is_known_(arguments[0]);
    for (std::size_t a = 0; a < arguments.size(); ++a) {
      const side chosen{arguments[0], chooses ? a % 2 == 1 : at.op == operation::logical_and};
      add_uses(uses_[arguments[a]], used, is_known && a != 0 ? &chosen : nullptr);
    }
  }

  const nest& nest_;
  std::vector<uses> uses_;
  const std::function<bool(std::uint32_t)>& is_known_;
};

/// Which values depend on a reduction or scan, or are in a body.
std::vector<bool> find_in_loops(const nest& of) {
  std::vector<bool> in_loop(of.body.size(), false);
  for (std::size_t i = 0; i < of.body.size(); ++i) {
    const instruction& at = of.body[i];
    in_loop[i] = is_reduction(at.op) || needs_chunk(at.op) || at.owner != instruction::no_owner;
    for (const std::uint32_t argument : of.arguments_of(at)) in_loop[i] = in_loop[i] || in_loop[argument];
  }
  return in_loop;
}

class report_writer {
 public:
  explicit report_writer(nest& to) : to_(to), out_(to) {}

  /// Where an element is used that the index chooses.
  void write(const index_check& at, const uses& used) {
    if (used.empty()) return;
    const bool is_always = used.front().empty();
    const bool is_stored = at.code != index_check::none;
    const std::uint32_t is_out = is_stored ? is_code_of(at.code, at.along.node, to_)
                                           : apply(operation::not_equal, {at.counted, at.position});
    const std::uint32_t condition =
        is_always ? is_out : apply(operation::logical_and, {is_out, any_of(used)});
    append(condition, is_stored ? index_of_code(at.code, to_) : at.index, at);
  }
  /// Where a value has the code of the index.
  void write(const index_check& at, std::uint32_t code) {
    const std::uint32_t condition = is_code_of(code, at.along.node, to_);
    append(condition, index_of_code(code, to_), at);
  }

 private:
  void append(std::uint32_t condition, std::uint32_t index, const index_check& at) {
    append_report(condition, index, at.extent, at.along, to_);
  }
  std::uint32_t apply(operation op, std::initializer_list<std::uint32_t> arguments) {
    return out_.apply(op, element_type::boolean, arguments);
  }
  std::uint32_t any_of(const uses& used) {
    std::uint32_t made = all_of(used.front());
    for (std::size_t i = 1; i < used.size(); ++i)
      made = apply(operation::logical_or, {made, all_of(used[i])});
    return made;
  }
  std::uint32_t all_of(const sides& term) {
    std::uint32_t made = value_of(term.front());
    for (std::size_t i = 1; i < term.size(); ++i)
      made = apply(operation::logical_and, {made, value_of(term[i])});
    return made;
  }
  std::uint32_t value_of(const side& at) {
    return at.holds ? at.condition : apply(operation::logical_not, {at.condition});
  }

  nest& to_;
  nest_writer out_;
};

/// The reports of a nest.
class nest_reports {
 public:
  nest_reports(std::span<const index_check> checks, nest& to) : checks_(checks), to_(to) {}

  void write(std::span<const std::uint32_t> code_targets) {
    const std::vector<bool> in_loop = find_in_loops(to_);
    std::vector<result> results;
    const std::size_t stores = to_.stores.size();
    for (std::size_t i = 0; i < stores; ++i)
      if (code_targets[i] == index_check::none) add_results(to_.stores[i], results);
    const std::function<bool(std::uint32_t)> is_known = [&](std::uint32_t i) {
      return to_.body[i].owner == instruction::no_owner;
    };
    const auto is_late = [&](const side& at) { return at == too_many || in_loop[at.condition]; };
    const use_finder found(to_, results, is_known, checks_);
    std::vector<const index_check*> late, all;
    report_writer out(to_);
    for (const index_check& at : checks_) {
      const uses used = found.of(at);
      all.push_back(&at);
      if (std::ranges::none_of(used, [&](const sides& term) { return std::ranges::any_of(term, is_late); }))
        out.write(at, used);
      else if (can_be_coded(at.along.node + 1))
        late.push_back(&at);
      else
        out.write(at, uses{sides{}});  // everywhere
    }
    if (!late.empty()) report_codes(late, results);
    if (std::ranges::any_of(code_targets, [](std::uint32_t at) { return at != index_check::none; }))
      store_codes(all, code_targets);
  }

 private:
  /// What a store uses always. Whether an update is in range is known before it.
  static void add_results(const store& at, std::vector<result>& to) {
    to.push_back({at.value, {}});
    if (!at.is_update()) return;
    to.push_back({at.place, {}});
    to.push_back({at.condition, {}});
  }
  /// Reports each code that a result comes to.
  void report_codes(std::span<const index_check* const> late, std::span<const result> results) {
    const fault_codes codes(late, checks_, to_);
    report_writer out(to_);
    for (const result& each : results) {
      const std::uint32_t code = codes.of(each.value);
      for (const index_check* at : late)
        if (code != index_check::none) out.write(*at, code);
    }
  }
  void store_codes(std::span<const index_check* const> all, std::span<const std::uint32_t> code_targets) {
    const fault_codes codes(all, checks_, to_);
    for (std::size_t i = 0; i < code_targets.size(); ++i) {
      if (code_targets[i] == index_check::none) continue;
      std::uint32_t code = codes.of(to_.stores[i].value);
      if (code == index_check::none) code = nest_writer(to_).literal(element_type::int64, 0);
      to_.stores.push_back({code, code_targets[i]});
    }
  }

  std::span<const index_check> checks_;
  nest& to_;
};

}  // namespace

void append_report(std::uint32_t condition, std::uint32_t index, std::uint32_t extent,
                   const gathered_axis& along, nest& to) {
  instruction made;
  made.op = operation::report;
  made.type = element_type::boolean;
  made.compute = element_type::int64;
  made.arity = 3;
  made.arguments = {condition, index, extent};
  made.payload = to.gathers.size();
  to.gathers.push_back(along);
  to.body.push_back(made);
}

void report_indices(std::span<index_check> checks, std::span<const std::uint32_t> renumbered,
                    std::span<const std::uint32_t> code_targets, nest& to) {
  const bool stores_codes =
      std::ranges::any_of(code_targets, [](std::uint32_t at) { return at != index_check::none; });
  if (checks.empty() && !stores_codes) return;
  for (index_check& at : checks) {
    for (std::uint32_t* each : {&at.index, &at.counted, &at.extent, &at.position, &at.code})
      if (*each != index_check::none) *each = renumbered[*each];
    for (std::uint32_t& read : at.reads) read = renumbered[read];
  }
  nest_reports(checks, to).write(code_targets);
}

void report_indices_of_body(std::span<const index_check> checks, std::span<const std::uint32_t> results,
                            bool is_ended_by_first, const std::function<bool(std::uint32_t)>& is_visible,
                            nest& to) {
  if (checks.empty()) return;
  std::vector<result> taken;
  for (const std::uint32_t value : results)
    taken.push_back({value, is_ended_by_first && !taken.empty() ? sides{{results[0], true}} : sides{}});
  const use_finder found(to, taken, is_visible);
  report_writer out(to);
  for (const index_check& at : checks) {
    uses used = found.of(at);
    // the body cannot wait until it is known: the element counts as used
    if (std::ranges::find(used, sides{too_many}) != used.end()) used.assign(1, sides{});
    out.write(at, used);
  }
}

}  // namespace sinter::inline v0
