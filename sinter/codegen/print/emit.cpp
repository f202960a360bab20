#include <sinter/codegen/print/emit.hpp>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/loops/build_loops.hpp>
#include <sinter/codegen/print/cpu/emit_cpu.hpp>
#include <sinter/codegen/print/cuda/emit_cuda.hpp>
#include <sinter/codegen/print/device_function_text.hpp>

#include <cctype>

namespace sinter::inline v0 {
namespace {

/// A valid identifier for the kernel: the given name, or one of ours.
std::string entry_name(std::string_view name) {
  std::string entry;
  for (const char c : name) entry += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (entry.empty()) return "sinter_kernel";
  // "exp" and the like are functions of the text: a suffix keeps names apart
  return (std::isdigit(static_cast<unsigned char>(entry.front())) != 0 ? "_" + entry : entry) + "_kernel";
}

}  // namespace

kernel_text emit(const kernel_description& described, std::span<const external_function* const> called) {
  codegen::loop_tree tree;
  codegen::build_loops(described, tree);
  kernel_text text{.source = {}, .entry = entry_name(described.name)};
  const bool is_cuda = described.target == target_kind::cuda;
  text.source = (is_cuda ? codegen::emit_cuda : codegen::emit_cpu)(described, tree, text.entry);
  for (const std::uint64_t i : codegen::linked_externals(described)) text.linked.push_back(called[i]);
  return text;
}

kernel_text emit(const stage& lowered) {
  const std::optional<kernel_description> described = read_signature(lowered.signature);
  if (!described)
    throw compile_error("a stage without a signature has no kernel: lower() gives it one", {}, {});
  return emit(*described, lowered.externals);
}

}  // namespace sinter::inline v0
