#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/schedule/choose/choose_schedule.hpp>
#include <sinter/codegen/schedule/tiling.hpp>

#include <algorithm>

namespace sinter::inline v0 {
namespace {

access_pattern pattern_of(const access& from, const nest& body, bool numbers_elements) {
  access_pattern to{from};
  to.is_linear = numbers_elements && is_linear(from, body);
  for (unsigned axis = 0; axis < body.rank; ++axis)
    to.steps[axis] = !to.is_linear ? from.pattern(axis)
                     : axis == 0   ? step_pattern::unit
                                   : step_pattern::strided;
  return to;
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
    case operation::argsort:
    case operation::sum:     // starts_as_scan
    case operation::report:  // whose index it reports
      return true;
    default:
      return false;
  }
}

void set_pattern(const nest& from, const schedule& chosen, target_kind target, kernel_pattern& to) {
  to.rank = from.rank;
  to.reduced = from.reduced;
  to.phases = from.phases;
  to.split = from.split;
  to.stores = from.stores;
  to.accesses.clear();
  for (const access& at : from.accesses)
    to.accesses.push_back(pattern_of(at, from, numbers_elements(chosen.order)));
  to.terms.assign(from.terms.begin(), from.terms.end());
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
  // cache hints are an argument of the kernel, and tasks are the launch's
  described.chosen.tasks = 0;
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
