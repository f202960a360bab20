#include <sinter/codegen/nest/build/report_indices.hpp>

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

/// Beyond this, a value counts as used where it perhaps is not.
constexpr std::size_t max_terms = 64;

bool is_within(const sides& narrow, const sides& wide) { return std::ranges::includes(narrow, wide); }

/// Adds a term, unless another one holds wherever it does.
void add_term(uses& to, const sides& term) {
  if (std::ranges::any_of(to, [&](const sides& known) { return is_within(term, known); })) return;
  std::erase_if(to, [&](const sides& known) { return is_within(known, term); });
  to.push_back(term);
  if (to.size() > max_terms) to.assign(1, sides{});
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
             const std::function<bool(std::uint32_t)>& is_known)
      : nest_(of), uses_(of.body.size()), is_known_(is_known) {
    for (const result& each : results) add_term(uses_[each.value], each.used);
    for (std::size_t i = nest_.body.size(); i-- > 0;) visit(nest_.body[i], uses_[i]);
  }
  const uses& of(std::uint32_t i) const { return uses_[i]; }

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
    in_loop[i] = is_reduction(at.op) || is_scan(at.op) || at.owner != instruction::no_owner;
    for (const std::uint32_t argument : of.arguments_of(at)) in_loop[i] = in_loop[i] || in_loop[argument];
  }
  return in_loop;
}

class report_writer {
 public:
  explicit report_writer(nest& to) : to_(to), out_(to) {}

  void write(const index_check& at, const uses& used) {
    if (used.empty()) return;
    const auto is_out = apply(operation::not_equal, {at.counted, at.position});
    const bool is_always = used.front().empty();
    instruction made;
    made.op = operation::report;
    made.type = element_type::boolean;
    made.compute = element_type::int64;
    made.arity = 3;
    made.arguments = {is_always ? is_out : apply(operation::logical_and, {is_out, any_of(used)}), at.index,
                      at.extent};
    made.payload = to_.gathers.size();
    to_.gathers.push_back(at.along);
    to_.body.push_back(made);
  }

 private:
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

}  // namespace

void report_indices(std::span<const index_check> checks, std::span<const std::uint32_t> renumbered,
                    nest& to) {
  if (checks.empty()) return;
  const std::vector<bool> in_loop = find_in_loops(to);
  std::vector<result> results;
  for (const store& at : to.stores) results.push_back({at.value, {}});
  const std::function<bool(std::uint32_t)> is_known = [&](std::uint32_t i) { return !in_loop[i]; };
  const use_finder found(to, results, is_known);
  report_writer out(to);
  for (const index_check& at : checks) {
    uses all = found.of(at.position);
    for (const std::uint32_t read : at.reads) add_uses(all, found.of(renumbered[read]), nullptr);
    out.write(at, all);
  }
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
  for (const index_check& at : checks) out.write(at, found.of(at.position));
}

}  // namespace sinter::inline v0
