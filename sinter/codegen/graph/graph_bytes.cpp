#include <sinter/codegen/base/bytes.hpp>
#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/types/rank.hpp>

#include <algorithm>
#include <array>

namespace sinter::inline v0 {
namespace {

constexpr auto last_type = static_cast<element_type>(element_types.size() - 1);
constexpr std::uint32_t max_view_items = 2 * max_rank;

/// The operations that a graph uses, numbered in order of first use.
class operation_names {
 public:
  std::uint16_t number_of(operation op) {
    auto& known = numbers_[static_cast<std::size_t>(op)];
    if (known == 0) {
      names_.push_back(facts_of(op).name);
      known = static_cast<std::uint16_t>(names_.size());
    }
    return known - 1;
  }
  void write(byte_writer& to) const {
    to.put(static_cast<std::uint32_t>(names_.size()));
    for (const std::string_view name : names_) to.put_text(name);
  }

 private:
  std::array<std::uint16_t, 256> numbers_{};
  std::vector<std::string_view> names_;
};

std::vector<operation> read_operation_names(byte_reader& from, std::string& fault) {
  std::vector<operation> known;
  const std::uint32_t count = from.take_count(sizeof(std::uint32_t));
  for (std::uint32_t i = 0; i < count && from.good(); ++i) {
    const std::string_view name = from.take_text();
    const auto rows = operations();
    const auto row =
        std::find_if(rows.begin(), rows.end(), [&](const operation_facts& at) { return at.name == name; });
    if (row == rows.end()) {
      fault = "it has the operation '" + std::string(name) + "', which this version does not know";
      from.refuse();
      break;
    }
    known.push_back(row->op);
  }
  return known;
}

void write(const bound& from, byte_writer& to) {
  to.put(static_cast<std::uint8_t>(from.from));
  to.put(from.value);
}

bound read_bound(byte_reader& from) {
  bound made;
  made.from = static_cast<std::uint64_t>(from.take_enumerator(bound::source::parameter));
  made.value = from.take<std::int64_t>();
  return made;
}

void read_nodes(byte_reader& from, const std::vector<operation>& known, graph& to) {
  const std::uint32_t count = from.take_count(13);
  to.nodes.reserve(count);
  for (std::uint32_t i = 0; i < count && from.good(); ++i) {
    node made;
    const auto number = from.take<std::uint16_t>();
    if (number >= known.size()) return from.refuse();
    made.op = known[number];
    made.type = from.take_enumerator(last_type);
    made.rank = from.take<std::uint8_t>();
    made.arity = from.take<std::uint8_t>();
    if (made.arity > made.inputs.size()) return from.refuse();
    for (unsigned operand = 0; operand < made.arity; ++operand) made.inputs[operand] = from.take<node_id>();
    made.payload = from.take<std::uint64_t>();
    if (has_operand_list(made.op)) made.attribute = from.take<std::uint64_t>();
    to.nodes.push_back(made);
  }
}

void read_views(byte_reader& from, graph& to) {
  for (std::uint32_t left = from.take_count(28); left > 0 && from.good(); --left) {
    view_item made;
    const auto kind = from.take<std::uint8_t>();
    if (kind > static_cast<std::uint8_t>(view_item::kind::permute)) return from.refuse();
    made.what = static_cast<view_item::kind>(kind);
    made.start = read_bound(from);
    made.stop = read_bound(from);
    made.step = read_bound(from);
    to.view_items.push_back(made);
  }
  for (std::uint32_t left = from.take_count(8); left > 0 && from.good(); --left) {
    view_range made;
    made.first = from.take<std::uint32_t>();
    made.count = from.take<std::uint32_t>();
    if (made.count > max_view_items) return from.refuse();
    to.views.push_back(made);
  }
}

/// Added to the rank of an input that is a whole array.
constexpr std::uint8_t whole_input = 0x80;

void read_declarations(byte_reader& from, graph& to) {
  for (std::uint32_t left = from.take_count(2); left > 0 && from.good(); --left) {
    input_declaration made;
    made.type = from.take_enumerator(last_type);
    const auto rank = from.take<std::uint8_t>();
    made.rank = rank & ~whole_input;
    made.whole = (rank & whole_input) != 0;
    to.inputs.push_back(made);
  }
  for (std::uint32_t left = from.take_count(1); left > 0 && from.good(); --left)
    to.parameters.push_back(from.take_enumerator(last_type));
  for (std::uint32_t left = from.take_count(5); left > 0 && from.good(); --left) {
    const auto parameter = from.take<std::uint32_t>();
    to.parameter_limits.emplace_back(parameter, from.take_enumerator(last_type));
  }
  for (std::uint32_t left = from.take_count(4); left > 0 && from.good(); --left)
    to.outputs.push_back(from.take<node_id>());
}

/// Lists of operands, and the bodies with the external functions that they call, by their numbers in the
/// graph around them. Graphs that have neither end before them.
void write_bodies(const graph& recorded, byte_writer& to) {
  to.put(static_cast<std::uint32_t>(recorded.operands.size()));
  for (const node_id each : recorded.operands) to.put(each);
  to.put(static_cast<std::uint32_t>(recorded.bodies.size()));
  for (const graph& body : recorded.bodies) {
    to.put(static_cast<std::uint32_t>(body.externals.size()));
    for (const external_function* called : body.externals)
      to.put(static_cast<std::uint32_t>(std::ranges::find(recorded.externals, called) -
                                        recorded.externals.begin()));
    to.put_text(to_bytes(body));
  }
}

bool read_content(std::string_view bytes, graph& to, std::string& fault,
                  std::span<const external_function* const> externals, unsigned depth);

void read_bodies(byte_reader& from, graph& to, std::string& fault, unsigned depth) {
  for (std::uint32_t left = from.take_count(4); left > 0 && from.good(); --left)
    to.operands.push_back(from.take<node_id>());
  for (std::uint32_t left = from.take_count(8); left > 0 && from.good(); --left) {
    std::vector<const external_function*> called;
    for (std::uint32_t more = from.take_count(4); more > 0 && from.good(); --more) {
      const auto number = from.take<std::uint32_t>();
      if (number >= to.externals.size()) return from.refuse();
      called.push_back(to.externals[number]);
    }
    const std::string_view content = from.take_text();
    if (!from.good() || depth == max_body_depth ||
        !read_content(content, to.bodies.emplace_back(), fault, called, depth + 1))
      return from.refuse();
  }
  // Graphs that have neither have one form of bytes: without this part.
  if (to.bodies.empty() && to.operands.empty()) from.refuse();
}

bool read_content(std::string_view bytes, graph& to, std::string& fault,
                  std::span<const external_function* const> externals, unsigned depth) {
  to.clear();
  to.externals.assign(externals.begin(), externals.end());
  byte_reader from(bytes);
  to.mode = from.take_enumerator(arithmetic_mode::fast);
  to.name = from.take_text();
  const std::vector<operation> known = read_operation_names(from, fault);
  read_nodes(from, known, to);
  read_views(from, to);
  read_declarations(from, to);
  if (from.good() && !from.at_end()) read_bodies(from, to, fault, depth);
  return from.good() && from.at_end();
}

}  // namespace

std::string to_bytes(const graph& recorded) {
  operation_names names;
  byte_writer nodes;
  nodes.put(static_cast<std::uint32_t>(recorded.nodes.size()));
  for (const node& each : recorded.nodes) {
    nodes.put(names.number_of(each.op));
    nodes.put(each.type);
    nodes.put(each.rank);
    nodes.put(each.arity);
    for (unsigned operand = 0; operand < each.arity; ++operand) nodes.put(each.inputs[operand]);
    nodes.put(each.payload);
    if (has_operand_list(each.op)) nodes.put(each.attribute);
  }
  byte_writer all;
  all.put(recorded.mode);
  all.put_text(recorded.name);
  names.write(all);
  all.bytes += nodes.bytes;
  all.put(static_cast<std::uint32_t>(recorded.view_items.size()));
  for (const view_item& each : recorded.view_items) {
    all.put(static_cast<std::uint8_t>(each.what));
    write(each.start, all);
    write(each.stop, all);
    write(each.step, all);
  }
  all.put(static_cast<std::uint32_t>(recorded.views.size()));
  for (const view_range& each : recorded.views) {
    all.put(each.first);
    all.put(each.count);
  }
  all.put(static_cast<std::uint32_t>(recorded.inputs.size()));
  for (const input_declaration& each : recorded.inputs) {
    all.put(each.type);
    all.put(static_cast<std::uint8_t>(each.rank | (each.whole ? whole_input : 0)));
  }
  all.put(static_cast<std::uint32_t>(recorded.parameters.size()));
  for (const element_type each : recorded.parameters) all.put(each);
  all.put(static_cast<std::uint32_t>(recorded.parameter_limits.size()));
  for (const auto& [parameter, type] : recorded.parameter_limits) {
    all.put(parameter);
    all.put(type);
  }
  all.put(static_cast<std::uint32_t>(recorded.outputs.size()));
  for (const node_id each : recorded.outputs) all.put(each);
  if (!recorded.bodies.empty() || !recorded.operands.empty()) write_bodies(recorded, all);
  return std::move(all.bytes);
}

bool read_graph(std::string_view bytes, graph& to, std::string& fault,
                std::span<const external_function* const> externals) {
  fault.clear();
  if (!read_content(bytes, to, fault, externals, 0)) {
    if (fault.empty()) fault = "its bytes are not a graph";
    return false;
  }
  try {
    verify(to);
  } catch (const error& refused) {
    fault = refused.what();
    return false;
  }
  return true;
}

}  // namespace sinter::inline v0
