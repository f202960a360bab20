#include <sinter/codegen/nest/simplify_body.hpp>

namespace sinter::inline v0 {

void merge_equal_reads(nest& loop_nest, std::vector<std::uint32_t>& renumbered) {
  renumbered.resize(loop_nest.body.size());
  for (std::uint32_t i = 0; i < loop_nest.body.size(); ++i) {
    instruction& at = loop_nest.body[i];
    for (unsigned a = 0; a < at.arity; ++a) at.arguments[a] = renumbered[at.arguments[a]];
    renumbered[i] = i;
    if (at.op != operation::input && at.op != operation::coordinate) continue;
    for (std::uint32_t j = 0; j < i; ++j)
      if (loop_nest.body[j].op == at.op && loop_nest.body[j].payload == at.payload) {
        renumbered[i] = j;
        break;
      }
  }
  for (store& at : loop_nest.stores) at.value = renumbered[at.value];
}

void fuse_multiply_add(nest& loop_nest, std::vector<std::uint32_t>& uses) {
  uses.assign(loop_nest.body.size(), 0);
  for (const instruction& at : loop_nest.body)
    for (unsigned a = 0; a < at.arity; ++a) ++uses[at.arguments[a]];
  for (const store& at : loop_nest.stores) ++uses[at.value];
  const auto is_product = [&](std::uint32_t i) {
    return loop_nest.body[i].op == operation::multiply && uses[i] == 1;
  };
  for (instruction& at : loop_nest.body) {
    if (!is_floating(at.type) || (at.op != operation::add && at.op != operation::subtract)) continue;
    const auto [left, right, third] = at.arguments;
    if (is_product(left)) {
      at.arguments = {loop_nest.body[left].arguments[0], loop_nest.body[left].arguments[1], right};
    } else if (is_product(right)) {
      at.arguments = {loop_nest.body[right].arguments[0], loop_nest.body[right].arguments[1], left};
      at.negated = at.op == operation::subtract;
    } else {
      continue;
    }
    at.fused = true;
    at.arity = 3;
  }
}

void remove_unused(nest& loop_nest, std::vector<std::uint32_t>& uses,
                   std::vector<std::uint32_t>& renumbered) {
  uses.assign(loop_nest.body.size(), 0);
  for (const store& at : loop_nest.stores) uses[at.value] = 1;
  for (std::size_t i = loop_nest.body.size(); i-- > 0;)
    if (uses[i] != 0)
      for (unsigned a = 0; a < loop_nest.body[i].arity; ++a) uses[loop_nest.body[i].arguments[a]] = 1;
  renumbered.resize(loop_nest.body.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < loop_nest.body.size(); ++i) {
    if (uses[i] == 0) continue;
    instruction at = loop_nest.body[i];
    for (unsigned a = 0; a < at.arity; ++a) at.arguments[a] = renumbered[at.arguments[a]];
    renumbered[i] = kept;
    loop_nest.body[kept++] = at;
  }
  loop_nest.body.resize(kept);
  for (store& at : loop_nest.stores) at.value = renumbered[at.value];
  remove_unused_constants(loop_nest);
}

void remove_unused_constants(nest& loop_nest) {
  if (loop_nest.constants.empty()) return;
  std::vector<std::int64_t> kept;
  for (instruction& at : loop_nest.body) {
    if (at.op != operation::extent) continue;
    kept.push_back(loop_nest.constants[at.payload]);
    at.payload = kept.size() - 1;
  }
  loop_nest.constants.swap(kept);
}

}  // namespace sinter::inline v0
