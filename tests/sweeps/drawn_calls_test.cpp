// Random calls, run in every way and compared with the reference, and lowered for both targets. Seeds are
// fixed; SINTER_DRAW_SEED and SINTER_DRAW_COUNT select others for manual runs.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/drawn/draw_call.hpp"
#include "../support/drawn/drawn_call_check.hpp"
#include "../support/seeds.hpp"
#include "../support/sweep/sweep.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile_policy.hpp>

#include <algorithm>
#include <map>
#include <mutex>

namespace sinter::test {
namespace {

const drawing& drawing_of(std::uint64_t seed) { return drawings()[seed % drawings().size()]; }

/// Runs calls of these seeds and reports failing ones, reduced.
void hold_against_reference(seed_range range,
                            const std::function<bool(std::uint64_t seed, way how)>& wanted) {
  failure_list failures;
  std::mutex guard;
  compared_elements all;
  in_parallel(range.count, failures, [&](std::size_t i) {
    const std::uint64_t seed = range.first + i;
    const drawn_call call = draw_call(seed, drawing_of(seed));
    compared_elements counts;
    for (const way how : {way::fused, way::general, way::by_itself}) {
      if (!wanted(seed, how)) continue;
      for (const device on : sweep_devices()) {
        const auto look = [&](const drawn_call& at) { return fault_of(at, how, on, counts); };
        const call_fault found = look(call);
        if (!found) continue;
        const drawn_call small = made_smaller(call, look);
        failures.add(on.to_string() + " " + std::string(to_string(how)) + " " + found.kind,
                     "SINTER_DRAW_SEED=" + std::to_string(seed) + " (" + std::string(drawing_of(seed).name) +
                         "): " + found.text + "\nmade smaller: " + look(small).text + "\n" +
                         to_string(small));
      }
    }
    const std::lock_guard lock(guard);
    all.compared += counts.compared;
    all.undecided += counts.undecided;
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
  // a reference that leaves most elements undecided proves nothing
  INFO(all.compared, " elements compared, ", all.undecided, " undecided");
  if (range.count >= 100) CHECK(all.compared >= 2 * all.undecided);
}

// ---- lowering ----

std::vector<array_layout> arrays_of(const std::vector<layout>& layouts,
                                    const std::vector<drawn_array>& arrays) {
  std::vector<array_layout> made;
  for (std::uint32_t i = 0; i < layouts.size(); ++i) {
    std::uint32_t same = 0;
    while (arrays[same].memory != arrays[i].memory || arrays[same].first != arrays[i].first ||
           arrays[same].extents != arrays[i].extents || arrays[same].strides != arrays[i].strides)
      ++same;
    made.push_back(layouts[i].view(same));
  }
  return made;
}

/// The rule that a launch violates; "" if none.
std::string broken_rule(const stage& at, const drawn_call& call, const lowered_call& of,
                        const target_facts& target) {
  if (!read_signature(at.signature)) return "its signature cannot be read back";
  if (at.tiles < 0 || at.tiles > 0x7fffffff) return std::to_string(at.tiles) + " tiles";
  if (target.kind == target_kind::cuda) {
    const std::uint64_t threads = std::uint64_t{at.threads_along} * at.threads_across;
    if (threads == 0 || threads > 1024) return std::to_string(threads) + " threads a block";
    if (at.shared_bytes > target.shared_bytes_per_block)
      return std::to_string(at.shared_bytes) + " shared bytes";
    if (at.cluster == 0 || at.cluster > target.cluster_blocks)
      return "clusters of " + std::to_string(at.cluster);
    if (!at.argument_block && at.arguments.size() * 8 > target.parameter_bytes)
      return "more arguments than a launch takes";
    if (at.argument_block && at.block_offset + at.arguments.size() * 8 > of.workspace_bytes)
      return "an argument block outside of the workspace";
  }
  // an empty nest reads no element, so its pointers may be invalid
  const bool reads_elements = std::all_of(at.body.extents.begin(), at.body.extents.begin() + at.body.rank,
                                          [](std::int64_t extent) { return extent > 0; });
  for (const argument_slot& slot : at.arguments) {
    using source = argument_slot::source;
    const std::size_t limit = slot.from == source::input_pointer    ? call.inputs.size()
                              : slot.from == source::output_pointer ? call.recorded.outputs.size()
                              : slot.from == source::scalar         ? call.scalars.size()
                                                                    : 1;
    if (slot.from != source::constant && slot.from != source::workspace && slot.index >= limit)
      return "an argument of number " + std::to_string(slot.index) + " of " + std::to_string(limit);
    if (slot.from == source::workspace && reads_elements &&
        (slot.value < 0 || static_cast<std::size_t>(slot.value) > of.workspace_bytes))
      return "a temporary outside of the workspace";
  }
  return {};
}

/// Texts of kernels by signature: equal signatures give one text, which reads the argument count of both
/// stages.
class known_texts {
 public:
  std::string differs(const stage& at, const kernel_text& text) {
    const std::lock_guard lock(guard_);
    const auto [known, is_new] =
        texts_.try_emplace(at.signature, known_text{text.source, at.arguments.size()});
    if (is_new) return {};
    if (known->second.source != text.source) return "one signature, two texts";
    if (known->second.arguments != at.arguments.size())
      return "one signature, " + std::to_string(known->second.arguments) + " and " +
             std::to_string(at.arguments.size()) + " arguments";
    return {};
  }
  std::size_t size() const { return texts_.size(); }

 private:
  struct known_text {
    std::string source;
    std::size_t arguments;
  };
  std::mutex guard_;
  std::map<std::string, known_text> texts_;
};

/// Lowers a call and checks everything that results.
call_fault lowering_fault(const drawn_call& call, const target_facts& target, lowering_variant variant,
                          known_texts& known) {
  const graph recorded = simplify(call.recorded);
  const std::vector<layout> inputs = layouts_of(call, call.inputs), outputs = layouts_of(call, call.into);
  lowered_call lowered;
  try {
    lower({.recorded = recorded,
           .inputs = arrays_of(inputs, call.inputs),
           .outputs = arrays_of(outputs, call.into),
           .scalars = call.scalars,
           .target = target,
           .variant = variant},
          lowered);
    for (std::size_t s = 0; s < lowered.stage_count; ++s) {
      const stage& at = lowered.stages[s];
      if (const std::string wrong = broken_rule(at, call, lowered, target); !wrong.empty())
        return {"rule", "stage " + std::to_string(s) + ": " + wrong};
      if (at.tiles == 0) continue;  // nothing is launched, and no kernel made
      if (const std::string wrong = known.differs(at, emit(at)); !wrong.empty())
        return {"text", "stage " + std::to_string(s) + ": " + wrong};
    }
  } catch (const error& refused) {
    return {"refused", refused.what()};
  }
  return {};
}

/// Compiles all texts of a call with NVRTC.
call_fault compiling_fault(const drawn_call& call) {
  const graph recorded = simplify(call.recorded);
  const target_facts target = cuda_facts();
  const std::vector<layout> inputs = layouts_of(call, call.inputs), outputs = layouts_of(call, call.into);
  lowered_call lowered;
  try {
    lower({.recorded = recorded,
           .inputs = arrays_of(inputs, call.inputs),
           .outputs = arrays_of(outputs, call.into),
           .scalars = call.scalars,
           .target = target},
          lowered);
    for (std::size_t s = 0; s < lowered.stage_count; ++s) {
      if (lowered.stages[s].tiles == 0) continue;
      const kernel_text text = emit(lowered.stages[s]);
      runtime::compile_cuda(text.source, "kernel.cu", text.entry,
                            {target.architecture, runtime::cuda_code::cubin});
    }
  } catch (const compile_error& failed) {
    return {"not compiled", failed.log()};
  } catch (const error& refused) {
    return {"refused", refused.what()};
  }
  return {};
}

/// Checks the calls of these seeds, and reports failing ones, reduced.
void expect_no_fault(seed_range range, const std::string& name,
                     const std::function<call_fault(const drawn_call&)>& fault) {
  failure_list failures;
  in_parallel(range.count, failures, [&](std::size_t i) {
    const std::uint64_t seed = range.first + i;
    const drawn_call call = draw_call(seed, drawing_of(seed));
    const call_fault found = fault(call);
    if (!found) return;
    const drawn_call small = made_smaller(call, fault);
    failures.add(name + ", " + found.kind, "SINTER_DRAW_SEED=" + std::to_string(seed) + ": " + found.text +
                                               "\nmade smaller: " + fault(small).text + "\n" +
                                               to_string(small));
  });
  INFO(failures.text());
  CHECK(failures.count() == 0);
}

std::vector<target_facts> all_targets() {
  target_facts older = cuda_facts();
  older.architecture = 80;
  older.multiprocessors = 108;
  older.shared_bytes_per_block = 163 * 1024;
  older.cluster_blocks = 1;
  older.parameter_bytes = 4096;
  older.overlaps_launches = false;
  return {cuda_facts(), older, cpu_facts()};
}

}  // namespace

TEST_CASE(
    "drawn calls give what the reference gives, fused, by shape-generic kernels and one operation at a "
    "time") {
  hold_against_reference(seeds(240), [](std::uint64_t seed, way how) {
    const std::uint64_t turn = seed / drawings().size();
    return how == way::fused || (how == way::general && turn % 5 == 1) ||
           (how == way::by_itself && turn % 10 == 2);
  });
}

TEST_CASE("drawn calls give what the reference gives by kernels that are compiled quickly") {
  const compile_policy before = current_compile_policy();
  set_compile_policy(compile_policy::quick_first);
  hold_against_reference(seeds(24, 1'100'000), [](std::uint64_t, way how) { return how == way::fused; });
  set_compile_policy(before);
}

TEST_CASE("drawn calls are lowered for every target to launches that can be, with one text for a signature") {
  known_texts known;
  const seed_range range = seeds(1200);
  for (const target_facts& target : all_targets())
    for (const lowering_variant variant : {lowering_variant::specialised, lowering_variant::shape_generic})
      expect_no_fault(
          range,
          (target.kind == target_kind::cpu ? "cpu" : "cuda " + std::to_string(target.architecture)) +
              (variant == lowering_variant::shape_generic ? ", shape-generic kernels" : ""),
          [&](const drawn_call& at) { return lowering_fault(at, target, variant, known); });
  // more kernels than calls: three targets, two variants, and few are equal
  if (range.count >= 100) CHECK(known.size() > range.count / sweep_share());
}

TEST_CASE("the texts of drawn calls compile for a GPU") {
  if (nvrtc_is_missing()) return;
  expect_no_fault(seeds(40, 2'100'000), "cuda", compiling_fault);
}

}  // namespace sinter::test
