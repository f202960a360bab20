#include <fmt/format.h>

#include <sinter/runtime/dispatch/explain/describe_code.hpp>

#include <sinter/codegen/kernel/occupancy.hpp>
#include <sinter/runtime/posix/child_process.hpp>

#include <algorithm>

namespace sinter::inline v0::runtime {
namespace {

std::string known(int value) { return value < 0 ? "not reported" : fmt::format("{}", value); }

/// A word as a shell reads it, in quotes if it has letters that a shell takes for something else.
std::string shell_word(std::string_view word) {
  const bool is_plain = !word.empty() && std::ranges::all_of(word, [](char letter) {
    return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
           (letter >= '0' && letter <= '9') ||
           std::string_view("_-./+:,@%=").find(letter) != std::string_view::npos;
  });
  if (is_plain) return std::string(word);
  std::string made = "'";
  for (const char letter : word) {
    if (letter == '\'')
      made += "'\\''";
    else
      made += letter;
  }
  return made + '\'';
}

std::string describe_occupancy(const stage& at, const object_facts& facts, const target_facts& target) {
  if (facts.registers < 0 || facts.shared_bytes < 0) return {};
  const block_use use{.threads = std::int64_t{at.threads_along} * at.threads_across,
                      .registers = facts.registers,
                      .shared_bytes = std::int64_t{facts.shared_bytes} + at.shared_bytes};
  return fmt::format("  occupancy: {}\n", describe(occupancy_of(use, target), use));
}

}  // namespace

std::string profiler_command(std::string_view entry, std::string_view program) {
  return fmt::format("ncu --set full --kernel-name {} --launch-count 1 {}", entry, shell_word(program));
}

std::string describe(const explained_code& of) {
  const object_facts& facts = of.code.facts();
  const code_image& image = of.code.images().front();
  std::string text = fmt::format("  code: {} of {} bytes, entry '{}', ", to_string(image.format),
                                 image.bytes.size(), of.code.entry());
  text += of.is_fresh ? fmt::format("compiled just now in {:.1f} ms", facts.compile_milliseconds)
                      : fmt::format("from {} (compiled in {:.1f} ms)",
                                    of.code.origin() == "compiled" ? "memory" : of.code.origin(),
                                    facts.compile_milliseconds);
  text += fmt::format(" by {}\n", facts.compiler);
  if (!is_gpu(of.target.kind)) return text;
  text += fmt::format("  registers: {}, spilled bytes: {}, static shared bytes: {}\n", known(facts.registers),
                      known(facts.spill_bytes), known(facts.shared_bytes));
  text += describe_occupancy(of.of, facts, of.target);
  if (of.is_here)
    text += fmt::format("  ncu: {}\n", profiler_command(of.code.entry(), path_of_this_program()));
  return text;
}

}  // namespace sinter::inline v0::runtime
