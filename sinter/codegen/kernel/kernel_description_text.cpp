#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/kernel/argument_block.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/codegen/nest/nest_text.hpp>

#include <array>

namespace sinter::inline v0 {
namespace {

std::string text_of_access(const kernel_pattern& body, std::uint32_t number) {
  constexpr std::array<std::string_view, 3> patterns{"broadcast", "contiguous", "strided"};
  const access_pattern& at = body.accesses[number];
  std::string line = "a" + std::to_string(number) + " = " + text_of_kind(at) + " [";
  for (unsigned axis = 0; axis < body.rank; ++axis)
    line += (axis == 0 ? "" : ", ") + std::string(patterns[static_cast<std::size_t>(at.pattern(axis))]);
  line += "]";
  if (at.base != number)
    line += ", " + std::to_string(at.shift) + " elements and " + std::to_string(at.row_shift) +
            " rows from the corner of a" + std::to_string(at.base);
  for (const term_pattern& term : terms_of(body, at)) line += text_of_rule(term);
  return line + "\n";
}

std::string text_of_target(const kernel_description& described) {
  if (described.target == target_kind::cpu) return "the CPU";
  return "compute capability " + std::to_string(described.architecture / 10) + "." +
         std::to_string(described.architecture % 10);
}

std::string text_of_arguments(const kernel_description& described) {
  std::vector<argument_field> fields;
  list_arguments(described, fields);
  std::string text;
  for (const argument_field& field : fields) text += (text.empty() ? "" : ", ") + to_string(field);
  return text.empty() ? "none" : text;
}

}  // namespace

std::string to_string(const kernel_description& described) {
  constexpr std::array<std::string_view, 3> modes{"standard", "strict", "fast"};
  const kernel_pattern& body = described.body;
  std::string text = "kernel" + (described.name.empty() ? std::string() : " '" + described.name + "'") +
                     " for " + text_of_target(described) + ", " +
                     std::string(modes[static_cast<std::size_t>(described.mode)]) + " arithmetic, emitter " +
                     std::to_string(emitter_version) + "\n";
  text += "schedule: " + to_string(described.chosen) + "\n";
  if (described.overlap.waits) text += "launched early: waits for the stage before\n";
  if (described.overlap.releases) text += "lets the next stage be launched early\n";
  text += std::string("arguments") + (described.argument_block ? ", in device memory: " : ": ") +
          text_of_arguments(described) + "\n";
  text += "axes from the innermost:";
  for (unsigned axis = 0; axis < body.rank; ++axis)
    text += std::string(axis == 0 ? " " : ", ") + (body.is_reduced(axis) ? "reduced" : "kept");
  if (body.rank == 0) text += " none";
  if (body.split >= 0) text += "; axis " + std::to_string(body.split) + " counts pieces";
  text += body.phases > 1 ? "; " + std::to_string(body.phases) + " phases\n" : "\n";
  if (described.narrow_reduced) text += "positions of reduced axes in 32 bits\n";
  if (described.narrow_kept) text += "positions of kept axes in 32 bits\n";
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i) text += text_of_access(body, i);
  std::vector<std::string_view> externals;
  for (const external_function& each : described.externals) externals.emplace_back(each.name);
  return text + text_of_body(body, externals);
}

}  // namespace sinter::inline v0
