#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/ir/loop_text.hpp>
#include <sinter/codegen/nest/nest_text.hpp>
#include <sinter/codegen/segment/planned_stage.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/dispatch/explain/dump.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/posix/environment.hpp>
#include <sinter/runtime/posix/whole_file.hpp>

#include <filesystem>
#include <functional>

namespace sinter::inline v0::runtime {
namespace {

std::string hash_text(std::string_view bytes) { return fmt::format("{:016x}", short_hash_of_content(bytes)); }

/// Names come from users, so a file name contains only their letters, digits and underscores.
std::string file_name(std::string_view name) {
  std::string made;
  for (const char letter : name.substr(0, 80)) {
    const bool is_plain = (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
                          (letter >= '0' && letter <= '9') || letter == '_';
    made += is_plain ? letter : '_';
  }
  return made.empty() ? "function" : made;
}

void write(const std::string& path, const std::function<std::string()>& content) {
  try {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    write_whole_file(path, content());
  } catch (const std::exception& failed) {
    warn_once("dump", std::string("what the pass makes is not dumped: ") + failed.what());
  }
}

std::string text_of_stage(const stage& at, const std::string& files) {
  if (at.sorts.key_bytes != 0) return describe(at.sorts) + '\n';
  std::string text = files.empty() ? "kernel: none, a result is empty\n" : fmt::format("kernel: {}\n", files);
  text += fmt::format("schedule: {}\n", to_string(at.chosen));
  text += fmt::format(
      "launch: {} tiles, {} x {} threads, clusters of {}, {} bytes of shared memory, {} arguments\n",
      at.tiles, at.threads_along, at.threads_across, at.cluster, at.shared_bytes, at.arguments.size());
  return text + to_string(at.body);
}

/// The kernel's loops after each pass that changes them.
std::string text_of_loops(const kernel_description& described) {
  std::string text, before;
  codegen::loop_tree tree;
  codegen::build_loops(described, tree, [&](std::string_view pass, const codegen::loop_tree& made) {
    std::string now = to_string(made);
    text += now == before ? fmt::format("# {}: the same\n", pass) : fmt::format("# {}\n{}\n", pass, now);
    before = std::move(now);
  });
  return text;
}

/// What the passes make of each stage, in the order in which they run. Stages that are put off begin again.
class plan_text {
 public:
  void add(const shown_pass& pass) {
    if (is_ended_ || pass.stage != stage_) {
      text_ += fmt::format("{}# stage {}\n", text_.empty() ? "" : "\n", pass.stage + 1);
      nest_.clear();
      schedule_ = to_string(schedule{});
    }
    stage_ = pass.stage;
    is_ended_ = !pass.goes_on;
    if (is_ended_) {
      text_ += fmt::format("## {}: other stages come first, or take its place\n", pass.name);
      return;
    }
    const std::string changes =
        change(nest_, to_string(pass.made.body)) + change(schedule_, to_string(pass.made.chosen));
    text_ += fmt::format("## {}{}\n{}", pass.name, changes.empty() ? ": the same" : "", changes);
  }
  const std::string& text() const { return text_; }

 private:
  static std::string change(std::string& before, std::string now) {
    if (now == before) return {};
    before = std::move(now);
    return before.ends_with('\n') ? before : before + '\n';
  }

  std::string text_, nest_, schedule_;
  std::size_t stage_ = 0;
  bool is_ended_ = true;
};

/// Writes what is made of a stage's kernel; returns the name of the files.
std::string dump_kernel(const std::string& folder, const stage& at, const target_facts& target) {
  const kernel_text made = emit(at);
  const kernel_description described = read_signature(at.signature).value();
  std::string files = fmt::format("{}-{}", file_name(made.entry), hash_text(at.signature));
  const bool is_cuda = target.kind == target_kind::cuda;
  write(folder + files + ".kernel.txt", [&] { return to_string(described); });
  write(folder + files + ".loops.txt", [&] { return text_of_loops(described); });
  write(folder + files + (is_cuda ? ".cu" : ".cpp"), [&] { return made.source; });
  write(folder + files + (is_cuda ? ".ptx" : ".s"), [&] { return listing_of_kernel(made, target); });
  return files;
}

}  // namespace

std::string dump_folder() { return environment_value("SINTER_DUMP"); }

void dump_call(const std::string& folder, const function& called, const lowering_request& asked) {
  lowered_call lowered;
  plan_text passes;
  lower(asked, lowered, [&](const shown_pass& pass) { passes.add(pass); });

  const target_facts& target = asked.target;
  const std::string own = fmt::format("{}/{}-{:016x}/", folder, file_name(called.recorded.name),
                                      called.hash.low ^ called.hash.high);
  write(own + "graph.txt", [&] { return to_string(called.recorded); });
  write(own + "simplified.txt", [&] { return to_string(called.simplified()); });
  std::string text;
  for (const result_layout& result : lowered.results)
    text += fmt::format("result: {}[{}]\n", facts_of(result.type).name, fmt::join(result.extents, ", "));
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& at = lowered.stages[i];
    text += fmt::format("\nstage {} of {}: {}\n", i + 1, lowered.stage_count, describe(at.purpose, target));
    text += text_of_stage(at, !at.has_kernel() ? std::string() : dump_kernel(own, at, target));
  }
  const std::string name = own + "call-" + hash_text(text);
  write(name + ".txt", [&] { return text; });
  write(name + ".passes.txt", [&] { return passes.text(); });
}

}  // namespace sinter::inline v0::runtime
