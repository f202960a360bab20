#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

/// An access as text sees it. Its strides are placeholders: 1 if it is contiguous, else 0 and a bit in
/// `strided`; an access in the order of the elements has the strides of an array whose extents are all 2.
void set_pattern(const access& from, const nest& body, bool numbers_elements, access& to) {
  to = {};
  to.what = from.what;
  to.type = from.type;
  to.base = from.base;
  to.shift = from.shift;
  to.row_shift = from.row_shift;
  to.group = from.group;
  const bool linear = numbers_elements && is_linear(from, body);
  for (unsigned axis = 0; axis < body.rank; ++axis) {
    const step_pattern pattern = from.pattern(axis);
    if (linear)
      to.strides[axis] = std::int64_t{1} << axis;
    else if (pattern == step_pattern::strided)
      to.strided |= 1u << axis;
    else
      to.strides[axis] = pattern == step_pattern::unit ? 1 : 0;
  }
}

/// Whether an instruction uses its payload.
bool has_payload(operation op) {
  switch (op) {
    case operation::input:
    case operation::coordinate:
    case operation::parameter:
    case operation::literal:
    case operation::extent:
    case operation::external:
    case operation::repeat:
    case operation::repeat_while:
    case operation::when:
    case operation::reduce:
    case operation::scan:
    case operation::component:
    case operation::carried:
    case operation::partial:
    case operation::sum:  // starts_as_scan
      return true;
    default:
      return false;
  }
}

void set_pattern(const nest& from, const schedule& chosen, target_kind target, nest& to) {
  to.rank = from.rank;
  to.extents = {};
  std::fill_n(to.extents.begin(), from.rank, 2);
  to.reduced = from.reduced;
  to.phases = from.phases;
  to.split = from.split;
  to.whole = 0;
  to.constants.clear();
  to.stores = from.stores;
  to.accesses.resize(from.accesses.size());
  for (std::size_t i = 0; i < from.accesses.size(); ++i)
    set_pattern(from.accesses[i], from, numbers_elements(chosen.order), to.accesses[i]);
  to.body.clear();
  to.arguments = from.arguments;
  for (instruction at : from.body) {
    std::fill(at.arguments.begin() + at.arity, at.arguments.end(), 0);
    if (!has_payload(at.op)) at.payload = 0;
    at.by_pointer = at.by_pointer && target == target_kind::cpu;
    at.ascending = counts_steps(from, at, chosen, target);
    to.body.push_back(at);
  }
}

/// The parts of an external function that text and linking depend on.
external_function pattern_of(const external_function& from, bool is_cpu, bool by_pointer) {
  external_function to;
  to.name = from.name;
  to.result = from.result;
  to.arity = from.arity;
  std::copy_n(from.arguments.begin(), from.arity, to.arguments.begin());
  if (!by_pointer)
    (is_cpu ? to.cpu_content : to.cuda_content) = is_cpu ? from.cpu_content : from.cuda_content;
  return to;
}

}  // namespace

void describe_kernel(const stage& made, const target_facts& target, arithmetic_mode mode,
                     std::string_view name, kernel_description& described) {
  const bool is_cpu = target.kind == target_kind::cpu;
  described.target = target.kind;
  described.architecture = target.architecture;
  described.mode = mode;
  described.argument_block = made.argument_block;
  described.narrow_reduced = !is_cpu && counts_narrowly(made.body, made.chosen, true);
  described.narrow_kept = !is_cpu && counts_narrowly(made.body, made.chosen, false);
  described.overlap = made.overlap;
  described.chosen = made.chosen;
  // cache hints are an argument of the kernel
  described.chosen.streaming = false;
  described.chosen.reads = eviction::normal;
  set_pattern(made.body, made.chosen, target.kind, described.body);
  described.externals.clear();
  for (const instruction& at : described.body.body) {
    if (at.op != operation::external) continue;
    if (described.externals.size() <= at.payload) described.externals.resize(at.payload + 1);
    described.externals[at.payload] = pattern_of(*made.externals[at.payload], is_cpu, at.by_pointer);
  }
  described.name = name;
}

}  // namespace sinter::inline v0
