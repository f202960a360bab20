#include "sweep_program.hpp"

#include "../drawn/draw_graph.hpp"
#include "sweep.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <random>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/scalars/scalar_limits.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

constexpr unsigned max_axes = 4;

class program_maker {
 public:
  program_maker(std::uint64_t seed, const program_options& options) : random_(seed), options_(options) {
    builder_.restart(options.mode);
    if (options_.types.empty())
      for (const element_type_facts& type : real_types) options_.types.push_back(type.type);
  }

  random_program make() {
    rows_ = static_cast<std::int64_t>(1 + below(static_cast<std::size_t>(options_.max_rows)));
    columns_ = static_cast<std::int64_t>(1 + below(static_cast<std::size_t>(options_.max_columns)));
    const std::size_t inputs = 2 + below(4);
    for (std::size_t i = 0; i < inputs; ++i) add_input(i == 0 ? 0 : below(6));
    for (std::size_t i = 0; i < 3; ++i) add_scalar();
    for (std::size_t tries = 0; values_.size() < options_.nodes && tries < 20 * options_.nodes; ++tries)
      try_step();
    const std::size_t results = 1 + below(4);
    for (std::size_t i = 0; i < results; ++i)
      builder_.output(values_[values_.size() - 1 - below(values_.size() / 3 + 1)]);
    made_.recorded = builder_.recorded();
    return std::move(made_);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  element_type any_type() { return options_.types[below(options_.types.size())]; }
  graph_value any_value() {
    // prefer later values, so that programs are deep
    const std::size_t from = below(2) == 0 ? 0 : values_.size() / 2;
    return values_[from + below(values_.size() - from)];
  }

  void add_input(std::size_t form) {
    const shape forms[] = {{rows_, columns_}, {columns_}, {rows_, 1},
                           {1, columns_},     {},         {2, rows_, columns_}};
    const shape& extents = forms[form];
    const element_type type = any_type();
    std::size_t count = 1;
    for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
    operand_values values = sweep_operands(type, count, random_());
    std::shuffle(values.first.begin(), values.first.end(), random_);
    made_.extents.push_back(extents);
    made_.values.push_back(std::move(values.first));
    constexpr placement places[] = {placement::contiguous, placement::unaligned, placement::strided,
                                    placement::padded,     placement::backwards, placement::transposed};
    made_.where.push_back(places[below(extents.size() < 2 ? 5 : 6)]);
    values_.push_back(builder_.input(type, static_cast<unsigned>(extents.size())));
  }

  void add_scalar() {
    const bool weak = below(2) == 0;
    const element_type type =
        weak ? (below(2) == 0 ? element_type::int64 : element_type::float32) : any_type();
    std::uint64_t value = random_values(type, 1, random_())[0];
    if (weak)
      value = is_floating(type) ? real_bits(type, static_cast<long double>(below(100)) / 4) : below(100);
    if (below(2) == 0) {
      values_.push_back(builder_.literal(type, value, weak));
      return;
    }
    made_.scalars.push_back(value);
    values_.push_back(builder_.parameter(type, weak));
  }

  /// Adds a node, or leaves the program unchanged if types, shapes or sizes forbid it.
  void try_step() {
    try_to_add(builder_, made_.scalars, values_, [&] { return step(); }, [&] { return fits(); });
  }

  std::optional<graph_value> step() {
    if (options_.reductions && below(4) == 0) return random_reduction(any_value());
    switch (below(10)) {
      case 0:
        return builder_.cast(any_value(), any_type());
      case 1: {
        const graph_value of = any_value();
        if (of.rank == 0) return std::nullopt;
        const auto axis = static_cast<unsigned>(below(of.rank));
        return below(3) == 0 ? builder_.extent(of, axis) : builder_.coordinate(of, axis);
      }
      case 2:
      case 3:
        return random_view(any_value());
      default:
        return random_operation();
    }
  }

  std::optional<graph_value> random_operation() {
    const auto rows = element_operations();
    const operation op = rows[below(rows.size())].op;
    const std::array<graph_value, 3> operands{any_value(), any_value(), any_value()};
    if (!options_.rounded_functions && op == operation::normal_of_bits) return std::nullopt;
    const graph_value made = builder_.apply(op, std::span(operands).first(facts_of(op).arity));
    const node& applied = builder_.recorded().nodes[made.id];
    const element_type compute = builder_.recorded().nodes[applied.inputs[applied.arity - 1u]].type;
    // for complex numbers only operations made of sums and products, because quotients and functions have
    // implementation-specific results
    if (!options_.rounded_functions && is_complex(compute) && facts_of(op).spelling.empty() &&
        op != operation::real && op != operation::imag && op != operation::conj && op != operation::negative)
      return std::nullopt;
    if (!options_.rounded_functions && is_inexact(compute)) {
      if (is_smooth(op)) return std::nullopt;
      // the sign of a NaN is unspecified
      if (op == operation::signbit || op == operation::copysign) return std::nullopt;
      const bool product = op == operation::multiply || op == operation::square;
      if (product && options_.mode != arithmetic_mode::strict) return std::nullopt;
    }
    return made;
  }

  std::optional<graph_value> random_reduction(graph_value of) {
    constexpr operation reductions[] = {operation::sum, operation::sum,    operation::prod,   operation::max,
                                        operation::min, operation::nanmax, operation::nanmin, operation::all,
                                        operation::any, operation::argmax, operation::argmin};
    const operation op = reductions[below(std::size(reductions))];
    const element_type type = of.type.type;
    if (is_complex(type) && op == operation::sum) of = builder_.apply(operation::real, {of});
    if (is_inexact(type) && op == operation::sum)
      of = builder_.cast(builder_.cast(of, element_type::int8), type);
    if (is_inexact(type) && op == operation::prod)
      of = builder_.cast(builder_.cast(of, element_type::boolean), type);
    const bool scans = (op == operation::sum || op == operation::prod) && of.rank > 0 && below(2) == 0;
    if (scans)
      return builder_.scan(op == operation::sum ? operation::cumsum : operation::cumprod, of,
                           static_cast<unsigned>(below(of.rank)));
    const auto axes = static_cast<std::uint32_t>(below(std::size_t{1} << of.rank));
    return builder_.reduce(op, of, axes, below(2) == 0);
  }

  std::optional<graph_value> random_view(graph_value of) {
    std::vector<view_item> items;
    if (of.rank >= 2 && below(3) == 0) return builder_.view(of, permuted_axes(of.rank, random_));
    unsigned rank = of.rank;
    for (unsigned axis = 0; axis < of.rank; ++axis) {
      switch (below(8)) {
        case 0:
          items.push_back(every(-1));
          break;
        case 1:
          items.push_back(slice(1, -1));
          break;
        case 2:
          items.push_back(every(2));
          break;
        case 3:
          items.push_back(at_index(below(2) == 0 ? 0 : -1));
          break;
        case 4:
          if (rank < max_axes) {
            items.push_back(new_axis());
            ++rank;
          }
          items.push_back(all_of());
          break;
        case 5:
          items.push_back(slice_from_parameter(builder_, made_.scalars, below(5)));
          break;
        default:
          items.push_back(all_of());
          break;
      }
    }
    if (items.empty()) items.push_back(new_axis());
    return builder_.view(of, items);
  }

  bool fits() {
    std::vector<array_layout> layouts;
    const graph& recorded = builder_.recorded();
    for (std::size_t i = 0; i < made_.extents.size(); ++i)
      layouts.push_back({.type = recorded.inputs[i].type,
                         .rank = recorded.inputs[i].rank,
                         .extents = made_.extents[i].data(),
                         .strides = made_.extents[i].data()});
    shape_table shapes;
    infer_shapes(recorded, layouts, made_.scalars, shapes);
    check_parameter_limits(recorded, made_.scalars);
    check_derived_limits(recorded, made_.scalars);
    std::size_t count = 1;
    const auto extents = shapes.of(static_cast<node_id>(recorded.nodes.size() - 1));
    for (const std::int64_t extent : extents) count *= static_cast<std::size_t>(extent);
    return count <= options_.max_elements && extents.size() <= max_axes;
  }

  std::mt19937_64 random_;
  program_options options_;
  graph_builder builder_;
  std::vector<graph_value> values_;
  random_program made_;
  std::int64_t rows_ = 1, columns_ = 1;
};

}  // namespace

random_program make_program(std::uint64_t seed, const program_options& options) {
  return program_maker(seed, options).make();
}

std::vector<placed_array> place(const random_program& program, device on) {
  std::vector<placed_array> made;
  for (std::size_t i = 0; i < program.values.size(); ++i)
    made.emplace_back(program.recorded.inputs[i].type, program.values[i], program.extents[i],
                      program.where[i], on);
  return made;
}

std::vector<bits> run_node_by_node(const random_program& program, device on) {
  const graph& whole = program.recorded;
  std::vector<array_layout> layouts;
  for (std::size_t i = 0; i < program.extents.size(); ++i)
    layouts.push_back({.type = whole.inputs[i].type,
                       .rank = whole.inputs[i].rank,
                       .extents = program.extents[i].data(),
                       .strides = program.extents[i].data()});
  shape_table shapes;
  infer_shapes(whole, layouts, program.scalars, shapes);

  std::vector<bits> values(whole.nodes.size());
  for (node_id id = 0; id < whole.nodes.size(); ++id) {
    const node& at = whole.nodes[id];
    if (at.op == operation::input) {
      values[id] = program.values[at.payload];
      continue;
    }
    // a graph of this node alone with its operands as inputs, and the same numbering of views and parameters
    graph alone;
    alone.mode = whole.mode;
    alone.view_items = whole.view_items;
    alone.views = whole.views;
    alone.parameters = whole.parameters;
    std::vector<placed_array> arrays;
    for (unsigned i = 0; i < at.arity; ++i) {
      const node& operand = whole.nodes[at.inputs[i]];
      node input;
      input.op = operation::input;
      input.type = operand.type;
      input.rank = operand.rank;
      input.payload = i;
      alone.nodes.push_back(input);
      alone.inputs.push_back({operand.type, operand.rank});
      const auto extents = shapes.of(at.inputs[i]);
      arrays.emplace_back(operand.type, values[at.inputs[i]], shape(extents.begin(), extents.end()),
                          placement::contiguous, on);
    }
    node copy = at;
    for (unsigned i = 0; i < at.arity; ++i) copy.inputs[i] = i;
    alone.nodes.push_back(copy);
    alone.outputs.push_back(static_cast<node_id>(alone.nodes.size() - 1));
    values[id] = run(runtime::intern(alone), arrays, program.scalars, on)[0];
  }
  std::vector<bits> results;
  for (const node_id output : whole.outputs) results.push_back(values[output]);
  return results;
}

}  // namespace sinter::test
