#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/external_function.hpp>
#include <sinter/codegen/kernel/describe_signature.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>

#include <array>

namespace sinter {
namespace {

std::string_view name_of(element_type type) { return facts(type).name; }

std::string told_access(const kernel_description& described, std::uint32_t number) {
  constexpr std::array<const char*, 3> kinds{"read", "write", "position"};
  constexpr std::array<const char*, 3> patterns{"broadcast", "contiguous", "strided"};
  const access& at = described.body.accesses[number];
  std::string line = "a" + std::to_string(number) + " = " + kinds[static_cast<std::size_t>(at.what)] + " " +
                     std::string(name_of(at.type)) + " [";
  for (unsigned axis = 0; axis < described.body.rank; ++axis)
    line += (axis == 0 ? "" : ", ") + std::string(patterns[static_cast<std::size_t>(at.pattern(axis))]);
  line += "]";
  if (at.base != number)
    line += ", " + std::to_string(at.shift) + " elements and " + std::to_string(at.row_shift) +
            " rows from the corner of a" + std::to_string(at.base);
  return line + "\n";
}

std::string operands(const instruction& at) {
  switch (at.op) {
    case operation::input:
    case operation::coordinate:
      return " a" + std::to_string(at.payload);
    case operation::parameter:
    case operation::extent:
      return " " + std::to_string(at.payload);
    case operation::literal:
      return " " + describe_scalar(at.type, at.payload);
    default:
      break;
  }
  std::string text;
  for (unsigned a = 0; a < at.arity; ++a) text += (a == 0 ? " %" : ", %") + std::to_string(at.arguments[a]);
  return text;
}

std::string told_instruction(const kernel_description& described, std::uint32_t number) {
  const instruction& at = described.body.body[number];
  std::string line = "%" + std::to_string(number) + " = ";
  if (at.exclusive) line += "exclusive ";
  if (at.fused) line += at.negated ? "negated multiply-" : "multiply-";
  line += std::string(facts(at.op).name) + operands(at) + " : " + std::string(name_of(at.type));
  if (at.op == operation::external)
    line += ", calls " + described.externals[at.payload].name + (at.by_pointer ? ", through a pointer" : "");
  if (at.compute != at.type && at.arity != 0) line += ", computed in " + std::string(name_of(at.compute));
  if (described.body.phases > 1) line += ", phase " + std::to_string(at.phase + 1u);
  if (!at.per_element) line += ", once a row";
  return line + "\n";
}

}  // namespace

std::optional<std::string> describe_signature(std::string_view signature) {
  const std::optional<kernel_description> described = read_signature(signature);
  if (!described) return std::nullopt;
  const nest& body = described->body;
  constexpr std::array<const char*, 3> modes{"standard", "strict", "fast"};
  std::string text =
      std::string(modes[static_cast<std::size_t>(described->mode)]) + " arithmetic, axes from the innermost:";
  for (unsigned axis = 0; axis < body.rank; ++axis)
    text += std::string(axis == 0 ? " " : ", ") + (body.is_reduced(axis) ? "reduced" : "kept");
  if (body.rank == 0) text += " none";
  text += body.phases > 1 ? ", " + std::to_string(body.phases) + " phases\n" : "\n";
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i) text += told_access(*described, i);
  for (std::uint32_t i = 0; i < body.body.size(); ++i) text += told_instruction(*described, i);
  for (const store& at : body.stores)
    text += "store %" + std::to_string(at.value) + " to a" + std::to_string(at.target) + "\n";
  return text;
}

}  // namespace sinter
