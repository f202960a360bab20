#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/nest/nest_text.hpp>

#include <array>

namespace sinter::inline v0 {
namespace {

std::string_view name_of(element_type type) { return facts_of(type).name; }

std::string text_of_operands(const nest_body& body, const instruction& at) {
  switch (at.op) {
    case operation::input:
      if (at.arity == 1) return " a" + std::to_string(at.payload) + " at %" + std::to_string(at.arguments[0]);
      [[fallthrough]];
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
  std::string_view before = " %";
  for (const std::uint32_t argument : body.arguments_of(at)) {
    text += std::string(before) + std::to_string(argument);
    before = ", %";
  }
  if (at.op == operation::carried || at.op == operation::partial || at.op == operation::component)
    text += ", number " + std::to_string(at.payload);
  return text;
}

std::string text_of_instruction(const nest_body& body, std::uint32_t number,
                                std::span<const std::string_view> externals) {
  const instruction& at = body.body[number];
  std::string line = "%" + std::to_string(number) + " = ";
  if (at.exclusive) line += "exclusive ";
  if (at.continued) line += "continued ";
  if (at.ascending) line += "ascending ";
  if (at.fused) line += at.negated ? "negated multiply-" : "multiply-";
  line +=
      std::string(facts_of(at.op).name) + text_of_operands(body, at) + " : " + std::string(name_of(at.type));
  if (at.op == operation::external)
    line +=
        ", calls " +
        (at.payload < externals.size() ? std::string(externals[at.payload]) : std::to_string(at.payload)) +
        (at.by_pointer ? ", through a pointer" : "");
  if (at.compute != at.type && at.arity != 0) line += ", computed in " + std::string(name_of(at.compute));
  if (body.phases > 1) line += ", phase " + std::to_string(at.phase + 1u);
  if (!at.per_element) line += ", once a row";
  if (at.owner != instruction::no_owner)
    line += (at.otherwise ? ", otherwise in %" : ", in %") + std::to_string(at.owner);
  return line + "\n";
}

std::string text_of_place(const access& at) {
  if (at.what == access::kind::position) return {};
  const bool is_temporary = at.place == access::where::temporary;
  return std::string(is_temporary       ? " of temporary "
                     : !at.is_written() ? " of input "
                                        : " of result ") +
         std::to_string(at.array);
}

}  // namespace

std::string text_of_rule(const term_pattern& term) {
  constexpr std::array<std::string_view, 9> rules{"clipped",      "clipped or none", "wrapped",
                                                  "wrapped once", "reflected",       "reflected once",
                                                  "divided",      "a digit",         "as index"};
  static_assert(rules.size() == static_cast<std::size_t>(position_rule::index) + 1);
  return ", a" + std::to_string(term.position) + " " +
         std::string(rules[static_cast<std::size_t>(term.rule)]);
}

namespace {

std::string text_of_term(const access_term& term) {
  std::string text = text_of_rule(term);
  if (!keeps_positions(term.rule) && term.rule != position_rule::index)
    text += " by " + std::to_string(term.divisor);
  if (term.rule != position_rule::quotient) text += " of " + std::to_string(term.extent);
  return text + " times " + std::to_string(term.stride);
}

}  // namespace

std::string text_of_kind(const access_facts& at) {
  constexpr std::array<std::string_view, 5> kinds{"read", "write", "position", "gathered read", "update"};
  return std::string(kinds[static_cast<std::size_t>(at.what)]) + " " + std::string(name_of(at.type));
}

std::string text_of_body(const nest_body& body, std::span<const std::string_view> externals) {
  std::string text;
  for (std::uint32_t i = 0; i < body.body.size(); ++i) text += text_of_instruction(body, i, externals);
  for (const store& at : body.stores) {
    if (at.is_update())
      text += "update a" + std::to_string(at.target) + " at %" + std::to_string(at.place) + " by " +
              std::string(facts_of(at.combine).name) + " of %" + std::to_string(at.value) + ", if %" +
              std::to_string(at.condition) +
              (at.has_elements() ? ", of %" + std::to_string(at.elements) + " elements\n" : "\n");
    else
      text += "store %" + std::to_string(at.value) + " to a" + std::to_string(at.target) + "\n";
  }
  return text;
}

std::string to_string(const nest& body) {
  std::string text = "nest, axes from the innermost:";
  for (unsigned axis = 0; axis < body.rank; ++axis)
    text += (axis == 0 ? " " : ", ") + std::to_string(body.extents[axis]) +
            (body.is_reduced(axis) ? " reduced" : " kept");
  if (body.rank == 0) text += " none";
  if (body.phases > 1) text += "; " + std::to_string(body.phases) + " phases";
  if (body.split >= 0)
    text += "; axis " + std::to_string(body.split) + " counts pieces of " + std::to_string(body.whole) +
            " elements";
  text += "\n";
  for (std::uint32_t i = 0; i < body.accesses.size(); ++i) {
    const access& at = body.accesses[i];
    text += "a" + std::to_string(i) + " = " + text_of_kind(at) + text_of_place(at) + " at " +
            std::to_string(at.offset) + " + [";
    for (unsigned axis = 0; axis < body.rank; ++axis)
      text += (axis == 0 ? "" : ", ") + std::to_string(at.strides[axis]);
    text += "]";
    for (const access_term& term : terms_of(body, at)) text += text_of_term(term);
    text += "\n";
  }
  return text + text_of_body(body);
}

}  // namespace sinter::inline v0
