#include <sinter/codegen/nest/simplify_body.hpp>

namespace sinter::inline v0 {

void merge_equal_reads(nest& bound, std::vector<std::uint32_t>& renumbered) {
  renumbered.resize(bound.body.size());
  for (std::uint32_t i = 0; i < bound.body.size(); ++i) {
    instruction& at = bound.body[i];
    for (unsigned a = 0; a < at.arity; ++a) at.arguments[a] = renumbered[at.arguments[a]];
    renumbered[i] = i;
    if (at.op != operation::input && at.op != operation::coordinate) continue;
    for (std::uint32_t j = 0; j < i; ++j)
      if (bound.body[j].op == at.op && bound.body[j].payload == at.payload) {
        renumbered[i] = j;
        break;
      }
  }
  for (store& at : bound.stores) at.value = renumbered[at.value];
}

void fuse_multiply_add(nest& bound, std::vector<std::uint32_t>& uses) {
  uses.assign(bound.body.size(), 0);
  for (const instruction& at : bound.body)
    for (unsigned a = 0; a < at.arity; ++a) ++uses[at.arguments[a]];
  for (const store& at : bound.stores) ++uses[at.value];
  const auto is_product = [&](std::uint32_t i) {
    return bound.body[i].op == operation::multiply && uses[i] == 1;
  };
  for (instruction& at : bound.body) {
    if (!is_floating(at.type) || (at.op != operation::add && at.op != operation::subtract)) continue;
    const auto [left, right, third] = at.arguments;
    if (is_product(left)) {
      at.arguments = {bound.body[left].arguments[0], bound.body[left].arguments[1], right};
    } else if (is_product(right)) {
      at.arguments = {bound.body[right].arguments[0], bound.body[right].arguments[1], left};
      at.negated = at.op == operation::subtract;
    } else {
      continue;
    }
    at.fused = true;
    at.arity = 3;
  }
}

void remove_unused(nest& bound, std::vector<std::uint32_t>& uses, std::vector<std::uint32_t>& renumbered) {
  uses.assign(bound.body.size(), 0);
  for (const store& at : bound.stores) uses[at.value] = 1;
  for (std::size_t i = bound.body.size(); i-- > 0;)
    if (uses[i] != 0)
      for (unsigned a = 0; a < bound.body[i].arity; ++a) uses[bound.body[i].arguments[a]] = 1;
  renumbered.resize(bound.body.size());
  std::uint32_t kept = 0;
  for (std::uint32_t i = 0; i < bound.body.size(); ++i) {
    if (uses[i] == 0) continue;
    instruction at = bound.body[i];
    for (unsigned a = 0; a < at.arity; ++a) at.arguments[a] = renumbered[at.arguments[a]];
    renumbered[i] = kept;
    bound.body[kept++] = at;
  }
  bound.body.resize(kept);
  for (store& at : bound.stores) at.value = renumbered[at.value];
  remove_unused_constants(bound);
}

void remove_unused_constants(nest& bound) {
  if (bound.constants.empty()) return;
  std::vector<std::int64_t> kept;
  for (instruction& at : bound.body) {
    if (at.op != operation::extent) continue;
    kept.push_back(bound.constants[at.payload]);
    at.payload = kept.size() - 1;
  }
  bound.constants.swap(kept);
}

}  // namespace sinter::inline v0
