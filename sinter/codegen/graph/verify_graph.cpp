#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/composed_function.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/order/argsort_node.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/graph/scatters/scatter_node.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/graph/view_rules.hpp>
#include <sinter/codegen/types/rank.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <bit>
#include <iterator>
#include <string>

namespace sinter::inline v0 {
namespace {

class verifier {
 public:
  /// `depth`: bodies around the graph.
  verifier(const graph& recorded, unsigned depth) : graph_(recorded), depth_(depth) {}

  void run() {
    check_tables();
    if (depth_ > 0) check_body();
    for (const graph& body : graph_.bodies) verifier(body, depth_ + 1).run();
    for (id_ = 0; id_ < graph_.nodes.size(); ++id_) check(graph_.nodes[id_]);
    for (const node_id output : graph_.outputs) {
      if (output >= graph_.nodes.size())
        throw type_error("the graph returns n" + std::to_string(output) + ", which does not exist");
      if (is_whole(output))
        throw type_error("the graph returns n" + std::to_string(output) +
                         ", of which it takes elements only");
    }
  }

 private:
  [[noreturn]] void fail_type(const std::string& reason) const { throw type_error(place() + reason); }
  [[noreturn]] void fail_shape(const std::string& reason) const { throw shape_error(place() + reason); }
  std::string place() const {
    const auto op = static_cast<std::size_t>(graph_.nodes[id_].op);
    const std::string name = op < operations().size() ? std::string(operations()[op].name) : "?";
    return "node n" + std::to_string(id_) + " (" + name + ")" + describe_place(graph_, id_) + ": ";
  }
  const node& operand(const node& entry, unsigned i) const { return graph_.nodes[entry.inputs[i]]; }
  /// Whether a node is an array of which a body takes elements.
  bool is_whole(node_id id) const {
    const node& at = graph_.nodes[id];
    return at.op == operation::input && at.payload < graph_.inputs.size() && graph_.inputs[at.payload].whole;
  }

  void check_tables() const {
    const auto known = [](element_type type) {
      return static_cast<std::size_t>(type) < element_types.size();
    };
    const auto real = [&](element_type type) { return known(type) && !is_complex(type); };
    if (!std::all_of(graph_.parameters.begin(), graph_.parameters.end(), real))
      throw type_error("a parameter of the graph has no element type, or a complex one");
    for (const input_declaration& input : graph_.inputs)
      if (!known(input.type) || input.rank > max_rank)
        throw type_error("an input of the graph has no element type, or a rank above " +
                         std::to_string(max_rank));
    for (const input_declaration& input : graph_.inputs)
      if (input.whole && (depth_ == 0 || input.rank == 0))
        throw type_error("an input of the graph is an array for element(), and of rank 0, or not of a body");
    for (const auto& [index, type] : graph_.parameter_limits)
      if (index >= graph_.parameters.size() || !known(type) || !is_integer(type) ||
          !is_integer(graph_.parameters[index]))
        throw type_error("a limit of the graph is not for an integer parameter");
    for (const auto& [id, type] : graph_.derived_limits)
      if (id >= graph_.nodes.size() || !known(type) || !is_integer(type) ||
          !is_integer(graph_.nodes[id].type))
        throw type_error("a limit of the graph is not for an integer node");
    for (const view_range& range : graph_.views)
      if (std::uint64_t{range.first} + range.count > graph_.view_items.size())
        throw shape_error("a view of the graph has items that do not exist");
    if (!graph_.locations.empty() && graph_.locations.size() != graph_.nodes.size())
      throw type_error("the graph has source locations for some of its nodes only");
    if (graph_.mode > arithmetic_mode::fast) throw type_error("the graph has an unknown arithmetic mode");
  }

  void check_body() const {
    if (depth_ > max_body_depth)
      throw type_error("bodies in bodies are more than " + std::to_string(max_body_depth) + " deep");
    if (!graph_.parameters.empty()) throw type_error("a body has parameters: they are captured");
    if (graph_.outputs.empty()) throw type_error("a body returns nothing");
  }

  void check(const node& entry) const {
    if (static_cast<std::size_t>(entry.op) >= operations().size()) fail_type("no such operation");
    if (static_cast<std::size_t>(entry.type) >= element_types.size()) fail_type("no such element type");
    if (entry.op == operation::external) {
      if (entry.payload >= graph_.externals.size())
        fail_type("there is no external function " + std::to_string(entry.payload));
    } else if (entry.arity != facts_of(entry.op).arity)
      fail_type("takes " + std::to_string(facts_of(entry.op).arity) + " operands, not " +
                std::to_string(entry.arity));
    for (unsigned i = 0; i < entry.inputs.size(); ++i)
      if (i < entry.arity ? entry.inputs[i] >= id_ : entry.inputs[i] != 0)
        fail_type("operand " + std::to_string(i) + " is not a node before it");
    for (unsigned i = 0; i < entry.arity; ++i)
      if (is_whole(entry.inputs[i])) fail_type("operand " + std::to_string(i) + " is an array for element()");
    const std::size_t named = is_reduction(entry.op) ? std::size(composed_function_names) : 1;
    if (!has_operand_list(entry.op) && entry.attribute >= named) fail_type("its attribute is not 0");
    if (depth_ > 0 && !is_elementwise(entry.op))
      fail_type(
          "a body is elementwise: views, reductions, scans, positions and extents are taken of what it "
          "captures, outside of it");
    if (is_structural(entry.op))
      check_structural(entry);
    else if (is_reduction(entry.op))
      check_reduction(entry);
    else if (is_scan(entry.op))
      check_scan(entry);
    else
      check_applied(entry);
  }

  /// What a stage of its own computes in memory.
  void check_in_memory(const node& entry) const {
    const bool sorts = entry.op == operation::argsort;
    const std::string fault =
        sorts ? fault_in_argsort(operand(entry, 0), entry.payload) : fault_in_scatter(graph_, entry);
    if (!fault.empty()) fail_type(fault);
    expect(entry, sorts ? argsort_type : operand(entry, 0).type, operand(entry, 0).rank);
  }

  void check_structural(const node& entry) const {
    switch (entry.op) {
      case operation::input:
        if (entry.payload >= graph_.inputs.size())
          fail_type("there is no input " + std::to_string(entry.payload));
        return expect(entry, graph_.inputs[entry.payload].type, graph_.inputs[entry.payload].rank);
      case operation::parameter:
        if (entry.payload >= graph_.parameters.size())
          fail_type("there is no parameter " + std::to_string(entry.payload));
        return expect(entry, graph_.parameters[entry.payload], 0);
      case operation::literal:
        if (is_complex(entry.type)) fail_type("a literal is a real number");
        if (canonical_bits(entry.type, entry.payload) != entry.payload)
          fail_type("its bits do not fit its type");
        return expect(entry, entry.type, 0);
      case operation::cast:
        if (entry.payload != 0) fail_type("its payload is not 0");
        if (is_complex(operand(entry, 0).type) && !is_complex(entry.type) && !is_boolean(entry.type))
          fail_type("a complex number is cast to a real one");
        return expect(entry, entry.type, operand(entry, 0).rank);
      case operation::view:
        return check_view_node(entry);
      case operation::extended:
      case operation::concatenate:
      case operation::window:
      case operation::diagonal:
      case operation::merged:
      case operation::split:
      case operation::gather:
        return check_part(entry);
      case operation::scatter:
      case operation::argsort:
        return check_in_memory(entry);
      case operation::external:
        return check_external(entry);
      case operation::repeat:
      case operation::repeat_while:
      case operation::when:
      case operation::reduce:
      case operation::scan:
        return check_bodies(entry);
      case operation::component:
        return check_component(entry);
      case operation::element:
        return check_element(entry);
      case operation::carried:
      case operation::iteration:
      case operation::partial:
      case operation::last:
      case operation::report:
        fail_type("stands in nests alone");
      default:
        if (entry.payload > operand(entry, 0).rank ||
            (entry.payload == operand(entry, 0).rank && (entry.op == operation::extent || entry.payload < 2)))
          fail_shape("there is no axis " + std::to_string(entry.payload) + " in " +
                     describe(operand(entry, 0).type, operand(entry, 0).rank));
        return expect(entry, element_type::int64, entry.op == operation::extent ? 0 : operand(entry, 0).rank);
    }
  }

  void check_view_node(const node& entry) const {
    if (entry.payload >= graph_.views.size()) fail_shape("there is no view " + std::to_string(entry.payload));
    const view_range range = graph_.views[entry.payload];
    const auto items = std::span(graph_.view_items).subspan(range.first, range.count);
    const view_outcome outcome = check_view(items, operand(entry, 0).rank, graph_.parameters);
    if (!outcome.fault.empty()) fail_shape(std::string(outcome.fault));
    expect(entry, operand(entry, 0).type, outcome.rank);
  }

  void check_part(const node& entry) const {
    if (const std::string fault = fault_in_axes(graph_, entry); !fault.empty()) fail_shape(fault);
    for (const node_id scalar : scalars_of(entry)) {
      if (graph_.nodes[scalar].type != element_type::int64) fail_type("a size or position is not int64");
      if (!is_host_scalar(graph_, scalar))
        fail_type("a size or position depends on more than numbers, parameters and extents");
    }
    if (entry.op == operation::extended && !is_first_read(extension_of(entry)) &&
        (operand(entry, 1).op != operation::literal || operand(entry, 1).payload != 0))
      fail_type("its first position is not the literal 0");
    if (entry.op == operation::concatenate && operand(entry, 1).type != entry.type)
      fail_type("its operands have different types");
    if (entry.op == operation::gather && operand(entry, 1).type != element_type::int64)
      fail_type("its index is not int64");
    expect(entry, operand(entry, 0).type, rank_of_part(graph_, entry));
  }

  static bool is_elementwise(operation op) {
    if (!is_structural(op)) return !is_reduction(op) && !is_scan(op);
    return op == operation::input || op == operation::literal || op == operation::cast ||
           op == operation::external || op == operation::component || op == operation::element ||
           (has_body(op) && !combines_by_body(op));
  }

  /// How many operands a list has, all of which are earlier nodes.
  std::uint64_t check_list(const node& entry) const {
    const std::uint64_t first = static_cast<std::uint32_t>(entry.attribute), count = entry.attribute >> 32;
    if (first + count > graph_.operands.size()) fail_type("has operands that do not exist");
    for (const node_id operand : graph_.operands_of(entry))
      if (operand >= id_) fail_type("an operand is not a node before it");
    return count;
  }

  void check_element(const node& entry) const {
    const std::uint64_t count = check_list(entry);
    const auto operands = graph_.operands_of(entry);
    if (count == 0 || !is_whole(operands[0])) fail_type("its first operand is no array around the body");
    const node& source = graph_.nodes[operands[0]];
    if (count != source.rank + 1u) fail_shape("it has not one index for each axis");
    if (entry.payload > static_cast<std::uint64_t>(index_rule::known)) fail_type("it has an unknown rule");
    unsigned rank = 0;
    for (const node_id index : operands.subspan(1)) {
      const element_type type = graph_.nodes[index].type;
      if (type != element_type::int64 && type != element_type::uint64) fail_type("an index is not int64");
      if (type == element_type::uint64 && rule_of_element(entry) != index_rule::wrap)
        fail_type("an index is uint64 and does not wrap");
      if (is_whole(index)) fail_type("an index is an array for element()");
      rank = std::max<unsigned>(rank, graph_.nodes[index].rank);
    }
    expect(entry, source.type, rank);
  }

  /// Operands are what the bodies take, states what the body returns, and both sides return the same.
  void check_bodies(const node& entry) const {
    const std::uint64_t count = check_list(entry);
    if (body_count(entry.op) == 1 && entry.payload >> 32 != 0 && !combines_by_body(entry.op))
      fail_type("has a body too many");
    const body_layout layout = layout_of(entry.op);
    if (count < layout.lead) fail_type("has too few operands");
    const auto operands = graph_.operands_of(entry);
    if (layout.lead == 1) check_lead(entry, graph_.nodes[operands[0]]);
    if (layout.lead == 1 && is_whole(operands[0])) fail_type("its first operand is an array for element()");
    for (unsigned which = 0; which < body_count(entry.op); ++which) check_body_of(entry, which);
    const graph& body = body_of(graph_, entry);
    if (layout.combines) check_axes_of_combining(entry);
    if (entry.op == operation::when && body_of(graph_, entry, 1).outputs.size() != body.outputs.size())
      fail_type("its sides return different numbers of values");
    expect(entry, result_of(body, entry, 0).type, rank_of_components(graph_, entry));
  }

  void check_axes_of_combining(const node& entry) const {
    const unsigned rank = rank_of_components(graph_, entry);
    if (entry.op == operation::scan ? scanned_axis(entry) >= rank
                                    : reduced_axes(entry) == 0 || reduced_axes(entry) >> rank != 0)
      fail_shape("combines along axes that its values do not have");
    if (combines_in_order(entry) && !std::has_single_bit(reduced_axes(entry)))
      fail_shape("combines along several axes in order");
  }

  const node& result_of(const graph& body, const node& entry, unsigned k) const {
    return body.nodes[component_of(body, entry.op, k)];
  }

  void check_lead(const node& entry, const node& operand) const {
    const element_type wanted = entry.op == operation::when ? element_type::boolean : element_type::int64;
    if (operand.type != wanted)
      fail_type("its first operand is " + std::string(facts_of(operand.type).name) + ", not " +
                std::string(facts_of(wanted).name));
    if (entry.op == operation::repeat && operand.rank != 0) fail_shape("its count is not of rank 0");
  }

  void check_body_of(const node& entry, unsigned which) const {
    if (body_number(entry, which) >= graph_.bodies.size()) fail_type("its body does not exist");
    const body_layout layout = layout_of(entry.op);
    const graph& body = body_of(graph_, entry, which);
    const auto operands = graph_.operands_of(entry);
    if (body.outputs.size() <= layout.conditions) fail_type("its body returns too little");
    if (body.inputs.size() != operands.size() - layout.lead + layout.iteration)
      fail_type("its body takes " + std::to_string(body.inputs.size()) + " values");
    if (layout.iteration == 1 && body.inputs[0] != input_declaration{element_type::int64, 0})
      fail_type("its body does not take the iteration's number first");
    const std::size_t states = layout.has_states ? body.outputs.size() - layout.conditions : 0;
    if (layout.lead + states > operands.size()) fail_type("has fewer operands than states");
    if (layout.combines) check_combining(entry, body);
    for (std::size_t i = layout.lead; i < operands.size(); ++i) {
      const input_declaration& declared = body.inputs[i - layout.lead + layout.iteration];
      const node& operand = graph_.nodes[operands[i]];
      const bool is_state = i - layout.lead < states;
      const bool has_elements = layout.combines && i < body.outputs.size();
      if (operand.type != declared.type ||
          (is_state ? operand.rank > declared.rank : !has_elements && operand.rank != declared.rank))
        fail_type("operand " + std::to_string(i) + " is " + describe(operand.type, operand.rank) +
                  ", and its body takes " + describe(declared.type, declared.rank));
      const bool has_value = is_state || (layout.combines && i < 2 * body.outputs.size());
      if (declared.whole ? has_value || (depth_ > 0 && !is_whole(operands[i])) : is_whole(operands[i]))
        fail_type("operand " + std::to_string(i) + " is an array for element(), and its body takes values");
      if (!is_state) continue;
      const node& next = result_of(body, entry, static_cast<unsigned>(i - layout.lead));
      if (next.type != declared.type || next.rank > declared.rank)
        fail_type("state " + std::to_string(i - layout.lead) + " is " +
                  describe(declared.type, declared.rank) + " and becomes " + describe(next.type, next.rank));
      if (layout.conditions == 1 && body.nodes[body.outputs[0]].rank > declared.rank)
        fail_shape("its condition has a higher rank than state " + std::to_string(i - layout.lead));
    }
    if (layout.conditions == 1 && !is_boolean(body.nodes[body.outputs[0]].type))
      fail_type("its condition is not bool");
    check_same_results(entry, body);
    for (const external_function* called : body.externals)
      if (std::ranges::find(graph_.externals, called) == graph_.externals.end())
        fail_type("its body calls a function that the graph does not");
    if (body.mode != graph_.mode) fail_type("its body has another arithmetic mode");
  }

  /// Both sides take, and the body returns, scalars of the values' types.
  void check_combining(const node& entry, const graph& body) const {
    const std::size_t count = body.outputs.size();
    if (2 * count > body.inputs.size()) fail_type("has fewer operands than values and identities");
    for (const input_declaration& declared : body.inputs)
      if (declared.rank != 0) fail_shape("its body takes an array");
    for (std::size_t k = 0; k < count; ++k) {
      const element_type type = body.inputs[k].type;
      const node& result = result_of(body, entry, static_cast<unsigned>(k));
      if (body.inputs[count + k].type != type || result.type != type)
        fail_type("value " + std::to_string(k) + " is " + std::string(facts_of(type).name) +
                  ", and its body takes and returns another type");
    }
  }

  /// Both sides of `when` return the same types.
  void check_same_results(const node& entry, const graph& body) const {
    if (entry.op != operation::when) return;
    const graph& first = body_of(graph_, entry);
    for (std::size_t k = 0; k < std::min(first.outputs.size(), body.outputs.size()); ++k)
      if (first.nodes[first.outputs[k]].type != body.nodes[body.outputs[k]].type)
        fail_type("result " + std::to_string(k) + " has another type on each side");
  }

  void check_component(const node& entry) const {
    const node& owner = operand(entry, 0);
    if (!has_body(owner.op)) fail_type("is of a node without bodies");
    if (entry.payload >= component_count(graph_, owner))
      fail_type("there is no result " + std::to_string(entry.payload));
    const auto k = static_cast<unsigned>(entry.payload);
    expect(entry, result_of(body_of(graph_, owner), owner, k).type, rank_of_component(graph_, owner, k));
  }

  void check_external(const node& entry) const {
    const external_function& called = *graph_.externals[entry.payload];
    if (entry.arity != called.arity) fail_type("'" + called.name + "' takes another number of operands");
    unsigned rank = 0;
    for (unsigned i = 0; i < entry.arity; ++i) {
      if (operand(entry, i).type != called.arguments[i])
        fail_type("operand " + std::to_string(i) + " is " +
                  std::string(facts_of(operand(entry, i).type).name) + ", not " +
                  std::string(facts_of(called.arguments[i]).name));
      rank = std::max<unsigned>(rank, operand(entry, i).rank);
    }
    expect(entry, called.result, rank);
  }

  operation_types types_along_axes(const node& entry) const {
    const operation_types types = apply_rule(facts_of(entry.op).rule, operand_type{operand(entry, 0).type});
    if (!types.valid) fail_type("not defined for " + std::string(facts_of(operand(entry, 0).type).name));
    if (operand(entry, 0).type != types.compute.type)
      fail_type("its operand is " + std::string(facts_of(operand(entry, 0).type).name) + ", not " +
                std::string(facts_of(types.compute.type).name));
    return types;
  }

  void check_scan(const node& entry) const {
    const operation_types types = types_along_axes(entry);
    if (entry.payload >= operand(entry, 0).rank)
      fail_shape("there is no axis " + std::to_string(entry.payload) + " in " +
                 describe(operand(entry, 0).type, operand(entry, 0).rank));
    expect(entry, types.result.type, operand(entry, 0).rank);
  }

  void check_reduction(const node& entry) const {
    const operation_types types = types_along_axes(entry);
    const std::uint64_t axes = reduced_axes(entry);
    if (axes == 0 || axes >> operand(entry, 0).rank != 0)
      fail_shape("reduces axes that its operand does not have");
    expect(entry, types.result.type, operand(entry, 0).rank);
  }

  void check_applied(const node& entry) const {
    const type_rule rule = facts_of(entry.op).rule;
    const unsigned first = rule == type_rule::select ? 1 : 0;
    const operand_type type{operand(entry, first).type};
    const operation_types types = apply_rule(rule, type);
    if (first == 1 && !is_boolean(operand(entry, 0).type)) fail_type("its condition is not bool");
    unsigned rank = 0;
    for (unsigned i = 0; i < entry.arity; ++i) {
      if (i >= first && operand(entry, i).type != types.compute.type)
        fail_type("operand " + std::to_string(i) + " is " +
                  std::string(facts_of(operand(entry, i).type).name) + ", not " +
                  std::string(facts_of(types.compute.type).name));
      rank = std::max<unsigned>(rank, operand(entry, i).rank);
    }
    if (!types.valid) fail_type("not defined for " + std::string(facts_of(type.type).name));
    if (entry.payload != 0) fail_type("its payload is not 0");
    expect(entry, types.result.type, rank);
  }

  void expect(const node& entry, element_type type, unsigned rank) const {
    if (entry.type != type)
      fail_type("is " + std::string(facts_of(entry.type).name) + ", not " + std::string(facts_of(type).name));
    if (entry.rank != rank)
      fail_shape("has rank " + std::to_string(entry.rank) + ", not " + std::to_string(rank));
  }

  const graph& graph_;
  unsigned depth_;
  node_id id_ = 0;
};

}  // namespace

void verify(const graph& recorded) { verifier(recorded, 0).run(); }

void verify_body(const graph& recorded) { verifier(recorded, 1).run(); }

}  // namespace sinter::inline v0
