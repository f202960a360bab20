#include <fmt/format.h>
#include <fmt/ranges.h>

#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/loops/loop_text.hpp>
#include <sinter/codegen/nest/nest_text.hpp>
#include <sinter/runtime/base/checksum.hpp>
#include <sinter/runtime/cache/kernel_cache.hpp>
#include <sinter/runtime/compile/compile.hpp>
#include <sinter/runtime/dispatch/dump.hpp>
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

}  // namespace

std::string dump_folder() { return environment_value("SINTER_DUMP"); }

void dump_call(const std::string& folder, const function& called, const lowered_call& lowered,
               const target_facts& target) {
  const std::string own = fmt::format("{}/{}-{:016x}/", folder, file_name(called.recorded.name),
                                      called.hash.low ^ called.hash.high);
  write(own + "graph.txt", [&] { return to_string(called.recorded); });
  write(own + "simplified.txt", [&] { return to_string(called.simplified()); });
  std::string text;
  for (const result_layout& result : lowered.results)
    text += fmt::format("result: {}[{}]\n", facts(result.type).name, fmt::join(result.extents, ", "));
  for (std::size_t i = 0; i < lowered.stage_count; ++i) {
    const stage& at = lowered.stages[i];
    text += fmt::format("\nstage {} of {}: {}\n", i + 1, lowered.stage_count, describe(at.purpose, target));
    if (at.tiles == 0) {
      text += text_of_stage(at, {});
      continue;
    }
    const kernel_text made = emit(at);
    const std::string files = fmt::format("{}-{}", file_name(made.entry), hash_text(at.signature));
    text += text_of_stage(at, files);
    const bool is_cuda = target.kind == target_kind::cuda;
    write(own + files + ".kernel.txt", [&] { return to_string(read_signature(at.signature).value()); });
    write(own + files + ".loops.txt", [&] { return text_of_loops(read_signature(at.signature).value()); });
    write(own + files + (is_cuda ? ".cu" : ".cpp"), [&] { return made.source; });
    write(own + files + (is_cuda ? ".ptx" : ".s"), [&] { return listing_of_kernel(made, target); });
  }
  write(own + "call-" + hash_text(text) + ".txt", [&] { return text; });
}

}  // namespace sinter::inline v0::runtime
