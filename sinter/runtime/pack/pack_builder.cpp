#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>
#include <utility>

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/kernel/representative_calls.hpp>
#include <sinter/codegen/simplify/simplify.hpp>
#include <sinter/codegen/target/cpu_levels.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/compile/make_kernel.hpp>
#include <sinter/runtime/cuda/nvrtc.hpp>
#include <sinter/runtime/device_facts.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/object/extern_function.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/posix/child_process.hpp>
#include <sinter/runtime/posix/host.hpp>
#include <sinter/runtime/posix/program_file.hpp>
#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/sort/sort_kernels.hpp>
#include <sinter/runtime/tuned/call_class.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>

namespace sinter::inline v0::runtime {
namespace {

constexpr unsigned max_threads = 16;  // a compile takes some hundred MB

/// The target that kernels are lowered and compiled for.
struct pack_target {
  target_facts facts;
  std::string_view level{};  ///< a processor level; "": this exact processor, or CUDA
  bool as_ptx = false;       ///< only PTX: for devices newer than all requested architectures
  bool is_cuda() const { return facts.kind == target_kind::cuda; }
};

/// A kernel to compile.
struct wanted_kernel {
  std::string content;  ///< content of its key
  kernel_text text;
  schedule chosen;
  pack_target target;
  unsigned sort_key_bytes = 0;  ///< not 0: the kernels that sort rows of such keys
  cache_entry made;             ///< without images until it is compiled
  std::string fault;            ///< why it could not be compiled
  std::string lacking;          ///< further targets that it could not be compiled for
};

/// A call on one target, which is lowered again if one of its kernels spills.
struct lowered_request {
  const graph* content = nullptr;  ///< simplified
  std::string hash;                ///< of the graph as it was recorded, by which tunings know it
  recorded_call call;
  pack_target target;
  std::vector<std::size_t> kernels;  ///< per stage of the first lowering; `nothing` if it has none
};
constexpr std::size_t nothing = ~std::size_t{0};

std::vector<const cpu_level*> levels_named(const std::vector<std::string>& names) {
  std::vector<const cpu_level*> all;
  for (const std::string& name : names) {
    all.push_back(find_cpu_level(name));
    if (all.back() != nullptr) continue;
    std::vector<std::string_view> known;
    for (const cpu_level& each : cpu_levels()) known.push_back(each.name);
    throw error(fmt::format("'{}' is no level of processors: there are {}", name, fmt::join(known, ", ")));
  }
  return all;
}

void add_cuda(target_facts model, bool as_ptx, std::vector<pack_target>& to) {
  to.push_back({model, {}, as_ptx});
  // Drivers of CUDA 12.0 to 12.2 run code of a CUDA 12 toolkit, but without overlap.
  constexpr int all_drivers_overlap = 13000;
  if (!model.overlaps_launches || nvrtc_version() >= all_drivers_overlap) return;
  model.overlaps_launches = false;
  to.push_back({model, {}, as_ptx});
}

std::vector<pack_target> targets_of(const pack_options& options) {
  std::vector<pack_target> all;
  std::set<int> architectures(options.architectures.begin(), options.architectures.end());
  for (const int architecture : architectures) {
    for (const target_facts& model : facts_of_models(architecture)) add_cuda(model, false, all);
  }
  // With overlapping launches, kernels contain waits for the previous launch, which older architectures lack.
  if (!architectures.empty() && !overlaps_launches_on(*architectures.rbegin()))
    for (const target_facts& model : facts_of_models(first_with_overlap)) add_cuda(model, true, all);
  const std::vector<const cpu_level*> levels = levels_named(options.cpu_levels);
  for (const cpu_level* each : levels)
    for (const target_facts& facts : facts_of_level(*each, levels)) all.push_back({facts, each->name});
  if (options.cpu) all.push_back({facts_of(device::cpu())});
  return all;
}

/// An external function of the graph that a target lacks: no program calls the graph on that target.
const external_function* without_form(const graph& content, const pack_target& target) {
  for (const external_function* called : content.externals)
    if ((target.is_cuda() ? called->cuda : called->cpu) == external_form::none) return called;
  return nullptr;
}

std::vector<tuning_record> read_tunings_of(const pack_options& options) {
  if (options.tunings.empty()) return {};
  return read_tunings(options.tunings, "of the pack");
}

std::vector<array_layout> layouts_of(const std::vector<recorded_array>& arrays) {
  std::vector<array_layout> made;
  made.reserve(arrays.size());
  for (const recorded_array& each : arrays) made.push_back(each.layout());
  return made;
}

class pack_plan {
 public:
  explicit pack_plan(const pack_options& options) : options_(options), targets_(targets_of(options)) {
    tuned_ = best_records(read_tunings_of(options));
    if (!options.architectures.empty())
      newest_ = *std::max_element(options.architectures.begin(), options.architectures.end());
  }

  void add(const recorded_request& request) {
    const graph& content = simplified_.emplace_back(simplify(request.content));
    const std::vector<recorded_call> calls =
        request.call ? std::vector{*request.call} : representative_calls(request.content);
    std::string refused, without;
    bool any = false;
    for (const pack_target& target : targets_) {
      if (const external_function* called = without_form(content, target)) {
        without = fmt::format("'{}', which it calls, has no form for {}", called->name, describe(target));
        continue;
      }
      for (const recorded_call& call : calls) {
        lowered_request made{
            &content, name_of(tuning_hash_of(request.content, hash_of(request.content))), call, target, {}};
        try {
          lower_forms(made);
          any = true;
        } catch (const error& thrown) {
          // The shape does not fit the function, or the schedule does not fit this target.
          if (request.call) fault(content, target, thrown.what());
          refused = thrown.what();
          continue;
        }
        lowered_.push_back(std::move(made));
      }
    }
    if (any) return;
    if (refused.empty() && !without.empty())
      faults_.push_back(
          fmt::format("function '{}': no target of the pack can run it: {}", content.name, without));
    else if (!targets_.empty() && !request.call)
      faults_.push_back(
          fmt::format("function '{}': no usual shape fits it, record a run: {}", content.name, refused));
  }

  built_pack build() {
    compile_new();
    for (lowered_request& at : lowered_) lower_again(at);
    compile_new();
    built_pack built;
    std::vector<cache_entry> entries;
    for (wanted_kernel& each : kernels_) {
      if (each.fault.empty())
        entries.push_back(std::move(each.made));
      else
        faults_.push_back(std::move(each.fault));
      if (!each.lacking.empty()) faults_.push_back(std::move(each.lacking));
    }
    built.kernels = entries.size();
    built.bytes = make_pack(entries, options_.tunings);
    std::sort(faults_.begin(), faults_.end());
    faults_.erase(std::unique(faults_.begin(), faults_.end()), faults_.end());
    built.faults = std::move(faults_);
    return built;
  }

 private:
  /// Lowers a call in each form in which a program may request it.
  void lower_forms(lowered_request& request) {
    lower_form(request, {});
    request.kernels = stage_kernels_;
    if (request.call.forced) return;
    lower_tuned(request);
    // serves calls that no recording has
    lower_form(request, {}, lowering_variant::shape_generic);
  }

  /// The kernels with measured schedules, as a program that opens the pack asks for them.
  void lower_tuned(const lowered_request& request) {
    if (tuned_.empty()) return;
    const std::string call = class_of_call(layouts_of(request.call.inputs), layouts_of(request.call.outputs));
    for (const auto& [key, report] : tuned_) {
      if (key.graph != request.hash || key.call != call || !is_of_model(key.device, request.target.facts))
        continue;
      try {
        lower_form(request, {}, lowering_variant::specialised, entry_of(report, {}).tuned.get());
      } catch (const error&) {
        // layouts of a class differ in what decides whether a schedule is legal: such a call has the default
      }
    }
  }

  /// A program that finds a kernel spilling requests the next schedule of its stage.
  void lower_again(lowered_request& request) {
    std::vector<std::uint8_t> attempts;
    for (const std::size_t index : request.kernels)
      attempts.push_back(index != nothing && kernels_[index].made.spill_bytes > 0);
    const bool any = std::find(attempts.begin(), attempts.end(), 1) != attempts.end();
    if (any && !request.call.forced) lower_form(request, attempts);
  }

  /// Adds the kernels of each stage to the wanted ones; they are then in `stage_kernels_`.
  void lower_form(const lowered_request& request, std::span<const std::uint8_t> attempts,
                  lowering_variant variant = lowering_variant::specialised,
                  const call_schedules* tuned = nullptr) {
    const std::vector<array_layout> inputs = layouts_of(request.call.inputs),
                                    outputs = layouts_of(request.call.outputs);
    const call_schedules chosen = tuned != nullptr ? *tuned : call_schedules();
    const schedule* forced = request.call.forced ? &*request.call.forced : nullptr;
    lower({.recorded = *request.content,
           .inputs = inputs,
           .outputs = outputs,
           .scalars = request.call.scalars,
           .target = request.target.facts,
           .attempts = attempts,
           .forced = forced,
           .tuned = chosen.stages,
           .cuts = chosen.cuts,
           .variant = variant},
          scratch_);
    // a call whose stages are not those that were measured has the default's
    if (!chosen.stages.empty() && chosen.stages.size() != scratch_.stage_count) return;
    stage_kernels_.clear();
    for (std::size_t i = 0; i < scratch_.stage_count; ++i)
      stage_kernels_.push_back(kernel_of(scratch_.stages[i], request));
  }

  std::size_t kernel_of(const stage& lowered, const lowered_request& request) {
    if (lowered.has_kernel()) return want(lowered, request);
    const bool sorts = lowered.tiles != 0 && lowered.sorts.key_bytes != 0;
    return sorts && request.target.is_cuda() ? want_sort(lowered.sorts.key_bytes, request) : nothing;
  }

  std::size_t want_sort(unsigned key_bytes, const lowered_request& request) {
    std::string content = sort_key_content(key_bytes, request.target.facts.architecture);
    if (const auto known = by_content_.find(content); known != by_content_.end()) return known->second;
    if (request.target.as_ptx) return nothing;  // newer devices compile them
    const std::size_t index = kernels_.size();
    wanted_kernel& made = kernels_.emplace_back();
    made.content = content;
    made.text.entry = fmt::format("sort of keys of {} bytes", key_bytes);
    made.target = request.target;
    made.sort_key_bytes = key_bytes;
    by_content_.emplace(std::move(content), index);
    return index;
  }

  std::size_t want(const stage& lowered, const lowered_request& request) {
    std::string content = key_content_of(lowered, request.target.facts, request.target.level);
    if (const auto known = by_content_.find(content); known != by_content_.end()) return known->second;
    const std::size_t index = kernels_.size();
    wanted_kernel& made = kernels_.emplace_back();
    made.content = content;
    made.text = emit(lowered);
    made.chosen = lowered.chosen;
    made.target = request.target;
    by_content_.emplace(std::move(content), index);
    return index;
  }

  static code_image ptx_of(const kernel_text& text, int architecture) {
    std::string ptx = text.linked.empty() ? compile_cuda(text.source, (text.entry + ".cu").c_str(),
                                                         text.entry, {architecture, cuda_code::ptx})
                                                .code
                                          : link_external_calls(text, architecture, true).images()[0].bytes;
    return {code_format::ptx, architecture, std::move(ptx)};
  }

  static object_code code_of(const wanted_kernel& wanted) {
    const pack_target& target = wanted.target;
    if (!target.as_ptx)
      return compile_kernel(wanted.text, target.facts, compile_effort::optimised, target.level);
    object_facts facts;
    facts.compiler = fmt::format("nvrtc {}.{}", nvrtc_version() / 1000, nvrtc_version() % 1000 / 10);
    return {
        {ptx_of(wanted.text, target.facts.architecture)}, wanted.text.entry, std::move(facts), "compiled"};
  }

  void compile(wanted_kernel& wanted) const {
    try {
      if (wanted.sort_key_bytes != 0) {
        wanted.made = compile_sort_entry(wanted.sort_key_bytes, wanted.target.facts.architecture);
        return;
      }
      const object_code code = code_of(wanted);
      wanted.made = entry_of(code, wanted.text, wanted.chosen);
      wanted.made.key_content = wanted.content;
      if (wanted.target.is_cuda() && wanted.target.facts.architecture == newest_ &&
          wanted.made.images.front().format != code_format::ptx) {
        try {
          wanted.made.images.push_back(ptx_of(wanted.text, newest_));
        } catch (const std::exception& thrown) {
          wanted.lacking = fmt::format("kernel '{}' has no PTX for devices newer than {}: {}",
                                       wanted.text.entry, describe(wanted.target), thrown.what());
        }
      }
    } catch (const std::exception& thrown) {
      wanted.fault =
          fmt::format("kernel '{}' for {}: {}", wanted.text.entry, describe(wanted.target), thrown.what());
    }
  }

  void compile_new() {
    const std::size_t all = kernels_.size();
    std::atomic<std::size_t> next = compiled_;
    std::mutex guard;
    std::size_t done = compiled_;
    const auto work = [&] {
      for (std::size_t index = next++; index < all; index = next++) {
        compile(kernels_[index]);
        if (!options_.progress) continue;
        const std::lock_guard lock(guard);
        options_.progress({++done, all, kernels_[index].text.entry});
      }
    };
    const unsigned threads =
        std::clamp(options_.threads != 0 ? options_.threads : usable_processors(), 1u, max_threads);
    std::vector<std::jthread> others;
    for (unsigned i = 1; i < threads && i < all - compiled_; ++i) others.emplace_back(work);
    work();
    others.clear();
    compiled_ = all;
  }

  static std::string describe(const pack_target& target) {
    const int architecture = target.facts.architecture;
    if (target.is_cuda())
      return fmt::format("compute capability {}.{}", architecture / 10, architecture % 10);
    return target.level.empty() ? "the CPU" : fmt::format("{} processors", target.level);
  }

  void fault(const graph& content, const pack_target& target, const char* reason) {
    faults_.push_back(fmt::format("function '{}' for {}: {}", content.name, describe(target), reason));
  }

  const pack_options& options_;
  const std::vector<pack_target> targets_;
  std::map<tuned_key, tuning_report> tuned_;
  int newest_ = 0;
  std::deque<graph> simplified_;
  std::deque<wanted_kernel> kernels_;
  std::size_t compiled_ = 0;  ///< indices in kernels_
  std::unordered_map<std::string, std::size_t> by_content_;
  std::vector<lowered_request> lowered_;
  std::vector<std::string> faults_;
  lowered_call scratch_;
  std::vector<std::size_t> stage_kernels_;
};

}  // namespace

built_pack build_pack(std::span<const recorded_request> requests, const pack_options& options) {
  pack_plan plan(options);
  for (const recorded_request& each : requests) plan.add(each);
  return plan.build();
}

recording_content functions_of_program(const std::string& path) {
  // without this the program would not exit before its main()
  if (!find_section(path, ".note.sinter"))
    throw device_error(
        fmt::format("'{}' has no fused functions that could be packed without a recording", path));
  const temporary_file list;
  std::vector<std::string> environment{"SINTER_LIST_FUNCTIONS=" + list.path()};
  std::string program = path;
  if (!is_program(path)) {
    environment.push_back("LD_PRELOAD=" + path);
    program = path_of_this_program();
  }
  if (const program_answer answer = run_program(program, {}, environment, program_streams::inherited);
      answer.status != 0)
    throw device_error(fmt::format("'{}' did not list its functions: {}", path, describe_end(answer)));
  recording_content made;
  read_recording(read_whole_file(list.path()), made);
  return made;
}

}  // namespace sinter::inline v0::runtime
