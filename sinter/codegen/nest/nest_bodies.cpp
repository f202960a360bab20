#include <sinter/codegen/nest/nest_bodies.hpp>

#include <sinter/codegen/graph/graph_limits.hpp>

#include <algorithm>

namespace sinter::inline v0 {

std::optional<std::int64_t> known_iterations(const nest_body& body, const instruction& loop) {
  if (loop.op != operation::repeat) return {};
  const instruction& count = body.body[body.arguments_of_bodies(loop).lead];
  if (count.op != operation::literal) return {};
  return std::max<std::int64_t>(static_cast<std::int64_t>(count.payload), 0);
}

std::uint64_t counted_iterations(const nest_body& body, const instruction& owner) {
  if (!is_repeated(owner.op)) return 1;
  const std::optional<std::int64_t> known = known_iterations(body, owner);
  return known ? std::min(static_cast<std::uint64_t>(*known), max_counted_iterations) : usual_iterations;
}

std::uint64_t times_evaluated(const nest_body& body, const instruction& at) {
  std::uint64_t times = 1;
  for (std::uint32_t owner = at.owner; owner != instruction::no_owner; owner = body.body[owner].owner)
    times = std::min(times * counted_iterations(body, body.body[owner]),
                     max_counted_iterations * max_counted_iterations);
  return times;
}

std::uint32_t outermost_owner(const nest_body& body, std::uint32_t i) {
  while (body.body[i].owner != instruction::no_owner) i = body.body[i].owner;
  return i;
}

void list_captured(const nest_body& body, std::uint32_t i, std::vector<std::uint32_t>& to) {
  to.clear();
  const auto add = [&](const instruction& at) {
    for (const std::uint32_t argument : body.arguments_of(at))
      if (outermost_owner(body, argument) != i) to.push_back(argument);
  };
  add(body.body[i]);
  if (!has_body(body.body[i].op)) return;
  for (std::uint32_t inside = 0; inside < i; ++inside)
    if (outermost_owner(body, inside) == i) add(body.body[inside]);
}

bool has_bodies(const nest_body& body) {
  return std::ranges::any_of(body.body, [](const instruction& at) { return has_body(at.op); });
}

bool has_early_exits(const nest_body& body) {
  return std::ranges::any_of(body.body,
                             [](const instruction& at) { return at.op == operation::repeat_while; });
}

std::vector<bool> needed_in_body(const nest_body& body, std::uint32_t owner, std::uint32_t wanted) {
  std::vector<bool> below(body.body.size(), false);
  below[wanted] = true;
  for (std::uint32_t i = owner; i-- > 0;) {
    const instruction& at = body.body[i];
    if (at.op == operation::carried && at.owner == owner) continue;
    // reports of a loop in this one, which is written whole
    if (at.op == operation::report && at.owner < owner) below[i] = below[i] || below[at.owner];
    if (below[i])
      for (const std::uint32_t argument : body.arguments_of(at)) below[argument] = true;
  }
  return below;
}

std::uint64_t weight_of_body(const nest_body& body, std::uint32_t owner) {
  std::uint64_t sides[2] = {};
  for (std::uint32_t i = 0; i < owner; ++i) {
    const instruction& at = body.body[i];
    for (std::uint32_t around = i; around != instruction::no_owner; around = body.body[around].owner)
      if (body.body[around].owner == owner) sides[body.body[around].otherwise ? 1 : 0] += weight_of(at.op);
  }
  return std::max(sides[0], sides[1]);
}

bool is_cheap_choice(const nest_body& body, std::uint32_t owner) {
  constexpr std::uint64_t max_weight = 8;
  const bool has_loops = std::ranges::any_of(body.body, [&](const instruction& at) {
    return at.owner == owner && (has_body(at.op) || at.op == operation::external);
  });
  return !has_loops && weight_of_body(body, owner) <= max_weight;
}

std::vector<std::uint32_t> loops_left_by(const nest_body& body, std::uint32_t report) {
  std::vector<std::uint32_t> loops;
  for (std::uint32_t owner = body.body[report].owner; owner != instruction::no_owner;
       owner = body.body[owner].owner)
    if (body.body[owner].op == operation::repeat_while) loops.push_back(owner);
  return loops;
}

// It is out of range where it is not what was counted, perhaps under a condition (report_indices.cpp).
std::uint32_t position_reported(const nest_body& body, std::uint32_t report) {
  const instruction* condition = &body.body[body.body[report].arguments[0]];
  if (condition->op == operation::logical_and) condition = &body.body[condition->arguments[0]];
  return condition->arguments[1];
}

void hoist_invariants(nest& loop_nest) {
  if (loop_nest.arguments.empty()) return;
  auto& body = loop_nest.body;
  for (instruction& at : body) {
    if (has_body(at.op) || at.op == operation::external || at.op == operation::carried ||
        at.op == operation::iteration || at.op == operation::partial || at.op == operation::component ||
        at.op == operation::report)
      continue;
    while (at.owner != instruction::no_owner && body[at.owner].op != operation::when) {
      const bool varies = std::ranges::any_of(loop_nest.arguments_of(at), [&](std::uint32_t argument) {
        return body[argument].owner == at.owner;
      });
      if (varies) break;
      const instruction& loop = body[at.owner];
      at.otherwise = loop.otherwise;
      at.owner = loop.owner;
    }
  }
}

}  // namespace sinter::inline v0
