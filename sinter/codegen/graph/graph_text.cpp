#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>

#include <algorithm>
#include <span>
#include <string>
#include <string_view>

namespace sinter::inline v0 {
namespace {

constexpr std::string_view rule_names[] = {"checked", "wrap", "clip", "known"};
constexpr std::string_view scatter_rule_names[] = {", checked", ", within", ", checked from 0"};

/// The axes of a part, and what else its payload says: ", axis 1, reflect".
std::string part_text(const node& part) {
  constexpr std::string_view rules[] = {"broadcast", "edge", "reflect", "wrap", "repeat"};
  std::string text = ", axis " + std::to_string(part_axis(part));
  if (part.op == operation::extended)
    text += ", " + std::string(rules[static_cast<std::size_t>(extension_of(part))]);
  if (part.op == operation::extended && is_pad(part)) text += ", pad";
  if (part.op == operation::gather && is_checked(part)) text += ", checked";
  if (part.op == operation::diagonal) text += " " + std::to_string(second_axis(part));
  if (part.op == operation::split && is_whole(part)) text += ", whole";
  return text;
}

std::string node_text(const graph& recorded, node_id id) {
  const node& entry = recorded.nodes[id];
  std::string text(facts_of(entry.op).name);
  switch (entry.op) {
    case operation::input:
    case operation::parameter:
      return text + " " + std::to_string(entry.payload);
    case operation::literal:
      return text + " " + describe_scalar(entry.type, entry.payload);
    default:
      break;
  }
  if (entry.op == operation::external) text += " " + recorded.externals[entry.payload]->name;
  text += "(";
  std::string_view before = "n";
  for (const node_id operand : recorded.operands_of(entry)) {
    text += std::string(before) + std::to_string(operand);
    before = ", n";
  }
  if (entry.op == operation::element)
    text += ", " + std::string(rule_names[static_cast<std::size_t>(rule_of_element(entry))]);
  if (entry.op == operation::component) text += ", result " + std::to_string(entry.payload);
  if (entry.op == operation::coordinate || entry.op == operation::extent)
    text += entry.op == operation::coordinate && entry.payload == entry.rank
                ? ", row-major"
                : ", axis " + std::to_string(entry.payload);
  if (is_part(entry.op)) text += part_text(entry);
  if (entry.op == operation::scatter)
    text += ", " + std::string(facts_of(form_of_scatter(entry).combine).name) + ", axis " +
            std::to_string(form_of_scatter(entry).axis) +
            std::string(scatter_rule_names[static_cast<std::size_t>(form_of_scatter(entry).rule)]);
  if (entry.op == operation::argsort) text += ", keys of " + std::to_string(entry.payload) + " bits";
  if (combines_in_order(entry)) text += ", in order";
  if (is_scan(entry.op)) text += ", axis " + std::to_string(scanned_axis(entry));
  if (is_reduction(entry.op)) {
    std::string_view separator = ", axes ";
    for (unsigned axis = 0; axis < entry.rank; ++axis)
      if ((reduced_axes(entry) >> axis & 1) != 0) {
        text += std::string(separator) + std::to_string(axis);
        separator = " ";
      }
    if (!has_body(entry.op) && (entry.payload & start_if_empty) != 0) text += ", or its start value";
  }
  text += ")";
  if (entry.op == operation::view) {
    const view_range range = recorded.views[entry.payload];
    text += " " + describe_view(std::span(recorded.view_items).subspan(range.first, range.count));
  }
  return text;
}

/// The nodes of a graph, each line behind `indent`; bodies stand below their node.
void append_nodes(const graph& recorded, const std::string& indent, std::string& text) {
  constexpr std::size_t type_column = 44;
  for (node_id id = 0; id < recorded.nodes.size(); ++id) {
    const node& entry = recorded.nodes[id];
    std::string line = indent + "n" + std::to_string(id) + " = " + node_text(recorded, id);
    line.resize(std::max(line.size() + 2, type_column), ' ');
    text += line + describe(entry.type, entry.rank) + "\n";
    for (unsigned which = 0; which < body_count(entry.op); ++which) {
      text += indent + (which == 0 ? "  body" : "  otherwise") + "\n";
      append_nodes(body_of(recorded, entry, which), indent + "    ", text);
    }
  }
  text += indent + "return";
  for (std::size_t i = 0; i < recorded.outputs.size(); ++i)
    text += (i == 0 ? " n" : ", n") + std::to_string(recorded.outputs[i]);
  text += "\n";
}

}  // namespace

std::string ir::to_string(const graph& recorded) {
  constexpr std::string_view modes[] = {"", " strict", " fast"};
  std::string text = (recorded.name.empty() ? "graph" : recorded.name) +
                     std::string(modes[static_cast<std::size_t>(recorded.mode)]) + "\n";
  append_nodes(recorded, "  ", text);
  return text;
}

}  // namespace sinter::inline v0
