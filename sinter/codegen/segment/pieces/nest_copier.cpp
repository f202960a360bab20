#include <sinter/codegen/segment/pieces/nest_copier.hpp>

namespace sinter::inline v0 {

std::uint32_t nest_copier::instruction_of(std::uint32_t wanted) {
  std::vector<bool> needed(wanted + 1, false);
  needed[wanted] = true;
  for (std::size_t i = wanted + 1; i-- > 0;) {
    // nothing has a report as argument: a body that is copied has its own
    const instruction& at = from_.body[i];
    if (at.op == operation::report && at.owner < wanted + 1) needed[i] = needed[i] || needed[at.owner];
    if (needed[i] && instructions_[i] == none)
      for (const std::uint32_t argument : from_.arguments_of(at)) needed[argument] = true;
  }
  for (std::uint32_t i = 0; i <= wanted; ++i)
    if (needed[i] && instructions_[i] == none) instructions_[i] = copy(from_.body[i]);
  // owners come after what is in their bodies
  for (std::uint32_t i = 0; i <= wanted; ++i)
    if (needed[i] && from_.body[i].owner != instruction::no_owner)
      to_.body[instructions_[i]].owner = instructions_[from_.body[i].owner];
  return instructions_[wanted];
}

std::uint32_t nest_copier::combine_instead(std::uint32_t i, std::span<const std::uint32_t> values,
                                           std::span<const std::uint32_t> before) {
  instruction made = from_.body[i];
  const combining_arguments of = from_.arguments_of_combining(made);
  std::vector<std::uint32_t> arguments(values.begin(), values.end());
  for (const auto list : {of.identities, of.results})
    for (const std::uint32_t each : list) arguments.push_back(instruction_of(each));
  arguments.insert(arguments.end(), before.begin(), before.end());
  made.continued = !before.empty();
  made.argument_count = static_cast<std::uint32_t>(arguments.size());
  made.payload = to_.arguments.size();
  to_.arguments.insert(to_.arguments.end(), arguments.begin(), arguments.end());
  to_.body.push_back(made);
  instructions_[i] = static_cast<std::uint32_t>(to_.body.size() - 1);
  for (std::uint32_t inside = 0; inside < i; ++inside)
    if (from_.body[inside].owner == i && instructions_[inside] != none)
      to_.body[instructions_[inside]].owner = instructions_[i];
  return instructions_[i];
}

std::uint32_t nest_copier::access_of(std::uint32_t i) {
  if (accesses_[i] != none) return accesses_[i];
  std::vector<access_term> terms;
  for (access_term term : terms_of(from_, from_.accesses[i])) {
    term.position = access_of(term.position);
    terms.push_back(term);
  }
  access made = from_.accesses[i];
  made.first_term = static_cast<std::uint32_t>(to_.terms.size());
  to_.terms.insert(to_.terms.end(), terms.begin(), terms.end());
  to_.accesses.push_back(made);
  return accesses_[i] = static_cast<std::uint32_t>(to_.accesses.size() - 1);
}

std::uint32_t nest_copier::copy(instruction made) {
  const auto arguments = from_.arguments_of(made);
  if (has_body(made.op)) {
    made.payload = to_.arguments.size();
    for (const std::uint32_t argument : arguments) to_.arguments.push_back(instructions_[argument]);
  }
  for (unsigned a = 0; a < made.arity; ++a) made.arguments[a] = instructions_[made.arguments[a]];
  if (made.op == operation::input || made.op == operation::coordinate)
    made.payload = access_of(static_cast<std::uint32_t>(made.payload));
  to_.body.push_back(made);
  return static_cast<std::uint32_t>(to_.body.size() - 1);
}

}  // namespace sinter::inline v0
