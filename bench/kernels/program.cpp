#include "program.hpp"

#include <array>
#include <istream>
#include <sstream>
#include <stdexcept>
#include <utility>

namespace sinter_bench {
namespace {

using namespace sinter;
using kind = value_line::kind;

constexpr std::array<std::pair<std::string_view, arithmetic_mode>, 3> modes{
    {{"standard", arithmetic_mode::standard},
     {"strict", arithmetic_mode::strict},
     {"fast", arithmetic_mode::fast}}};
constexpr std::array<std::pair<std::string_view, kind>, 7> kinds{{{"input", kind::input},
                                                                  {"literal", kind::literal},
                                                                  {"apply", kind::apply},
                                                                  {"cast", kind::cast},
                                                                  {"view", kind::view},
                                                                  {"reduce", kind::reduce},
                                                                  {"scan", kind::scan}}};

template <class Rows>
auto named(const Rows& rows, std::string_view name) {
  for (const auto& [known, meant] : rows)
    if (known == name) return meant;
  throw std::runtime_error("no such word: " + std::string(name));
}

template <class Value>
Value next(std::istream& in) {
  Value value{};
  if (!(in >> value)) throw std::runtime_error("a line of a program ends early");
  return value;
}
element_type next_type(std::istream& in) {
  const auto name = next<std::string>(in);
  for (const element_type_facts& row : element_types)
    if (row.name == name) return row.type;
  throw std::runtime_error("no element type " + name);
}
operation next_operation(std::istream& in) {
  const auto name = next<std::string>(in);
  for (const operation_facts& row : operations())
    if (row.name == name) return row.op;
  throw std::runtime_error("no operation " + name);
}

bound bound_of(const std::string& text) { return text == "_" ? bound{} : literal_bound(std::stoll(text)); }

view_item next_item(std::istream& in) {
  const auto text = next<std::string>(in);
  view_item item;
  if (text == "n") {
    item.what = view_item::kind::newaxis;
  } else if (text[0] == 's') {
    std::istringstream parts(text.substr(2));
    for (bound view_item::* const part : {&view_item::start, &view_item::stop, &view_item::step}) {
      std::string word;
      std::getline(parts, word, ':');
      item.*part = bound_of(word);
    }
  } else {
    item.what = text[0] == 'i' ? view_item::kind::index : view_item::kind::permute;
    item.start = bound_of(text.substr(2));
  }
  return item;
}

operand_layout next_layout(std::istream& in) {
  operand_layout made;
  made.buffer = next<std::size_t>(in);
  made.type = next_type(in);
  made.offset = next<std::int64_t>(in);
  const auto rank = next<std::size_t>(in);
  for (std::size_t axis = 0; axis < rank; ++axis) made.extents.push_back(next<std::int64_t>(in));
  for (std::size_t axis = 0; axis < rank; ++axis) made.strides.push_back(next<std::int64_t>(in));
  return made;
}

value_line next_value(kind what, std::istream& in) {
  value_line made;
  made.what = what;
  if (what == kind::literal) {
    made.type = next_type(in);
    in >> std::hex >> made.bits >> std::dec >> made.flag;
    return made;
  }
  if (what == kind::apply || what == kind::reduce || what == kind::scan) made.op = next_operation(in);
  made.operands.push_back(next<unsigned>(in));
  if (what == kind::apply) {
    for (unsigned operand = 0; in >> operand;) made.operands.push_back(operand);
  } else if (what == kind::cast) {
    made.type = next_type(in);
  } else if (what == kind::view) {
    for (auto items = next<unsigned>(in); items > 0; --items) made.items.push_back(next_item(in));
  } else {
    made.number = next<std::uint32_t>(in);
    if (what == kind::reduce) made.flag = next<bool>(in);
  }
  return made;
}

graph_value build(graph_builder& builder, const value_line& line, std::span<const graph_value> operands) {
  switch (line.what) {
    case kind::literal:
      return builder.literal(line.type, line.bits, line.flag);
    case kind::apply:
      return builder.apply(line.op, operands);
    case kind::cast:
      return builder.cast(operands[0], line.type);
    case kind::view:
      return builder.view(operands[0], line.items);
    case kind::reduce:
      return builder.reduce(line.op, operands[0], line.number, line.flag);
    case kind::scan:
      return builder.scan(line.op, operands[0], line.number);
    case kind::input:
      break;
  }
  throw std::runtime_error("an input is no operation");
}

}  // namespace

bool read_program(std::istream& from, program& to) {
  to = {};
  for (std::string line; std::getline(from, line);) {
    std::istringstream in(line);
    std::string word;
    if (!(in >> word)) continue;
    if (word == "end") return true;
    if (word == "program") {
      to.id = next<std::string>(in);
      to.mode = named(modes, next<std::string>(in));
    } else if (word == "roofline") {
      to.read_bytes = next<double>(in);
      to.written_bytes = next<double>(in);
    } else if (word == "buffer") {
      to.buffer_bytes.push_back(next<std::size_t>(in));
    } else if (word == "output") {
      to.outputs.push_back(next<unsigned>(in));
    } else if (const kind what = named(kinds, word); what == kind::input) {
      to.inputs.push_back(next_layout(in));
      to.values.emplace_back();
    } else {
      to.values.push_back(next_value(what, in));
    }
  }
  return false;
}

graph record(const program& of) {
  graph_builder builder;
  builder.restart(of.mode);
  std::vector<graph_value> values, operands;
  std::size_t inputs = 0;
  for (const value_line& line : of.values) {
    if (line.what == kind::input) {
      const operand_layout& at = of.inputs[inputs++];
      values.push_back(builder.input(at.type, static_cast<unsigned>(at.extents.size())));
      continue;
    }
    operands.clear();
    for (const unsigned operand : line.operands) operands.push_back(values.at(operand));
    values.push_back(build(builder, line, operands));
  }
  for (const unsigned output : of.outputs) builder.output(values.at(output));
  return builder.recorded();
}

}  // namespace sinter_bench
