#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/composed_function.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/reduction_start.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/graph/view_rules.hpp>
#include <sinter/codegen/types/rank.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <algorithm>
#include <iterator>
#include <string>

namespace sinter::inline v0 {
namespace {

class verifier {
 public:
  explicit verifier(const graph& recorded) : graph_(recorded) {}

  void run() {
    check_tables();
    for (id_ = 0; id_ < graph_.nodes.size(); ++id_) check(graph_.nodes[id_]);
    for (const node_id output : graph_.outputs)
      if (output >= graph_.nodes.size())
        throw type_error("the graph returns n" + std::to_string(output) + ", which does not exist");
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

  void check(const node& entry) const {
    if (static_cast<std::size_t>(entry.op) >= operations().size()) fail_type("no such operation");
    if (static_cast<std::size_t>(entry.type) >= element_types.size()) fail_type("no such element type");
    if (entry.op == operation::external) {
      if (entry.payload >= graph_.externals.size())
        fail_type("there is no external function " + std::to_string(entry.payload));
    } else if (entry.arity != facts(entry.op).arity)
      fail_type("takes " + std::to_string(facts(entry.op).arity) + " operands, not " +
                std::to_string(entry.arity));
    for (unsigned i = 0; i < entry.inputs.size(); ++i)
      if (i < entry.arity ? entry.inputs[i] >= id_ : entry.inputs[i] != 0)
        fail_type("operand " + std::to_string(i) + " is not a node before it");
    const std::size_t named = is_reduction(entry.op) ? std::size(composed_function_names) : 1;
    if (entry.attribute >= named) fail_type("reserved bits are set");
    if (is_structural(entry.op))
      check_structural(entry);
    else if (is_reduction(entry.op))
      check_reduction(entry);
    else if (is_scan(entry.op))
      check_scan(entry);
    else
      check_applied(entry);
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
      case operation::external:
        return check_external(entry);
      default:
        if (entry.payload >= operand(entry, 0).rank)
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

  void check_external(const node& entry) const {
    const external_function& called = *graph_.externals[entry.payload];
    if (entry.arity != called.arity) fail_type("'" + called.name + "' takes another number of operands");
    unsigned rank = 0;
    for (unsigned i = 0; i < entry.arity; ++i) {
      if (operand(entry, i).type != called.arguments[i])
        fail_type("operand " + std::to_string(i) + " is " + std::string(facts(operand(entry, i).type).name) +
                  ", not " + std::string(facts(called.arguments[i]).name));
      rank = std::max<unsigned>(rank, operand(entry, i).rank);
    }
    expect(entry, called.result, rank);
  }

  operation_types types_along_axes(const node& entry) const {
    const operation_types types = apply_rule(facts(entry.op).rule, operand_type{operand(entry, 0).type});
    if (!types.valid) fail_type("not defined for " + std::string(facts(operand(entry, 0).type).name));
    if (operand(entry, 0).type != types.compute.type)
      fail_type("its operand is " + std::string(facts(operand(entry, 0).type).name) + ", not " +
                std::string(facts(types.compute.type).name));
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
    const type_rule rule = facts(entry.op).rule;
    const unsigned first = rule == type_rule::select ? 1 : 0;
    const operand_type type{operand(entry, first).type};
    const operation_types types = apply_rule(rule, type);
    if (first == 1 && !is_boolean(operand(entry, 0).type)) fail_type("its condition is not bool");
    unsigned rank = 0;
    for (unsigned i = 0; i < entry.arity; ++i) {
      if (i >= first && operand(entry, i).type != types.compute.type)
        fail_type("operand " + std::to_string(i) + " is " + std::string(facts(operand(entry, i).type).name) +
                  ", not " + std::string(facts(types.compute.type).name));
      rank = std::max<unsigned>(rank, operand(entry, i).rank);
    }
    if (!types.valid) fail_type("not defined for " + std::string(facts(type.type).name));
    if (entry.payload != 0) fail_type("its payload is not 0");
    expect(entry, types.result.type, rank);
  }

  void expect(const node& entry, element_type type, unsigned rank) const {
    if (entry.type != type)
      fail_type("is " + std::string(facts(entry.type).name) + ", not " + std::string(facts(type).name));
    if (entry.rank != rank)
      fail_shape("has rank " + std::to_string(entry.rank) + ", not " + std::to_string(rank));
  }

  const graph& graph_;
  node_id id_ = 0;
};

}  // namespace

void verify(const graph& recorded) { verifier(recorded).run(); }

}  // namespace sinter::inline v0
