#include "draw_call.hpp"

#include "../sweep/sweep.hpp"
#include "draw_graph.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <random>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/types/scalar.hpp>

namespace sinter::test {
namespace {

constexpr std::size_t max_axes_of_values = 12;

std::int64_t elements_in(std::span<const std::int64_t> extents) {
  return std::accumulate(extents.begin(), extents.end(), std::int64_t{1}, std::multiplies<>());
}

class call_maker {
 public:
  call_maker(std::uint64_t seed, const drawing& from) : random_(seed), from_(from) {
    const std::size_t mode = below(10);
    builder_.restart(mode < 6 ? arithmetic_mode::strict : arithmetic_mode::standard);
  }

  drawn_call make() {
    choose_extents();
    const std::size_t inputs = 1 + below(4);
    for (std::size_t tries = 0; made_.inputs.size() < inputs && tries < 40; ++tries) add_input();
    if (made_.inputs.empty()) add_input_of({}, any_type());
    // what some calls have more of
    scans_ = chance(30) ? 2 + below(4) : 0;
    reductions_ = chance(20) ? 6 : 3;
    const std::size_t nodes = 4 + below(from_.max_nodes);
    for (std::size_t tries = 0; values_.size() < nodes && tries < 6 * nodes; ++tries) try_step();
    choose_outputs();
    made_.recorded = builder_.recorded();
    if (chance(20)) choose_targets();
    return std::move(made_);
  }

 private:
  std::size_t below(std::size_t limit) { return random_() % limit; }
  bool chance(unsigned percent) { return below(100) < percent; }
  std::int64_t between(std::int64_t low, std::int64_t high) {
    return low + static_cast<std::int64_t>(below(static_cast<std::size_t>(high - low + 1)));
  }
  template <class Kind, std::size_t Count>
  Kind one_of(const Kind (&all)[Count]) {
    return all[below(Count)];
  }
  element_type any_type() { return from_.types[below(from_.types.size())]; }
  /// Prefers later values, so that programs are deep.
  graph_value any_value() {
    std::size_t back = 0;
    while (back + 1 < values_.size() && !chance(25)) ++back;
    return values_[values_.size() - 1 - back];
  }

  void choose_extents() {
    constexpr std::int64_t extents[] = {0, 1, 2, 3, 5, 7, 16, 17, 33, 64, 100, 257, 1000};
    const std::size_t cap = chance(40) ? 300 : from_.max_elements;
    std::size_t rank = std::min<std::size_t>(below(6) + (chance(50) ? 0 : 1), from_.max_axes);
    if (chance(3)) rank = 8 + below(3);
    for (;;) {
      base_.clear();
      for (std::size_t axis = 0; axis < rank; ++axis)
        base_.push_back(rank >= 8 ? between(1, 2) : extents[chance(70) ? below(13) : 1 + below(5)]);
      if (elements_in(base_) == 0 && !chance(20)) continue;
      shape whole = base_;  // an empty axis may be left out, or have 1 element
      std::replace(whole.begin(), whole.end(), std::int64_t{0}, std::int64_t{1});
      if (elements_in(whole) <= static_cast<std::int64_t>(cap)) return;
    }
  }

  // ---- arrays ----
  bits draw_elements(element_type type, std::size_t count) {
    const element_type part = component_of(type);
    const std::size_t all = count * parts_of(type);
    if (chance(15)) {  // including the type's special values
      bits drawn = random_values(part, all, random_());
      const bits corners = special_values(part);
      for (std::uint64_t& each : drawn)
        if (chance(30)) each = corners[below(corners.size())];
      return drawn;
    }
    bits drawn(all);
    const unsigned style = static_cast<unsigned>(below(4)), density = one_of({5u, 50u, 95u});
    for (std::uint64_t& each : drawn) {
      const auto whole = static_cast<long double>(between(-8, 11));
      const auto unit = static_cast<long double>(random_() >> 11) * 0x1p-53L;
      if (is_boolean(part))
        each = chance(density);
      else if (is_floating(part))
        each = real_bits(part, style == 0   ? whole
                               : style == 1 ? 4 * unit - 2
                               : style == 2 ? 0.1L + 3 * unit
                                            : whole * std::exp2(static_cast<long double>(below(16)) - 8));
      else
        each = style == 3 ? canonical_bits(part, random_())
                          : canonical_bits(
                                part, static_cast<std::uint64_t>(kind_of(part) == element_kind::signed_integer
                                                                     ? between(-8, 11)
                                                                     : between(0, 11)));
    }
    return drawn;
  }

  /// A layout in a separate memory: padded rows, columns or whole arrays, any axis with a negative or zero
  /// stride, axes in any order.
  drawn_array lay_out(element_type type, const shape& extents, bool may_broadcast) {
    const std::size_t rank = extents.size();
    std::vector<std::size_t> order(rank);
    std::iota(order.begin(), order.end(), std::size_t{0});
    const bool plain = chance(35), permutes = !plain && chance(50), steps = !plain && chance(60),
               broadcasts = may_broadcast && !plain && chance(15);
    if (permutes) std::shuffle(order.begin(), order.end(), random_);
    drawn_array made{made_.memories.size(), 0, extents, shape(rank, 0)};
    std::int64_t stride = 1;
    for (std::size_t i = rank; i-- > 0;) {
      const std::size_t axis = order[i];
      if (broadcasts && chance(50)) continue;
      const std::int64_t step = steps ? one_of<std::int64_t>({1, 1, 2, 3, -1, -1, -2}) : 1;
      made.strides[axis] = step * stride;
      if (step < 0) made.first -= made.strides[axis] * std::max<std::int64_t>(extents[axis] - 1, 0);
      stride *= std::abs(step) * std::max<std::int64_t>(extents[axis], 1);
      if (steps && chance(20)) stride += between(1, 3);  // padded
    }
    if (!plain) made.first += between(0, 3);
    made_.memories.push_back({type, draw_elements(type, static_cast<std::size_t>(stride + 8))});
    return made;
  }

  void add_input_of(const shape& extents, element_type type) {
    made_.inputs.push_back(lay_out(type, extents, true));
    values_.push_back(builder_.input(type, static_cast<unsigned>(extents.size())));
  }
  void add_input() {
    if (!made_.inputs.empty() && chance(15)) {  // another view of existing memory, or the same view
      drawn_array made = made_.inputs[below(made_.inputs.size())];
      for (std::size_t axis = 0; axis < made.extents.size() && !chance(15); ++axis) {
        std::int64_t &extent = made.extents[axis], &stride = made.strides[axis];
        const std::int64_t from = extent > 1 && chance(30) ? 1 : 0,
                           until = extent > 1 && chance(30) ? extent - 1 : extent, step = chance(20) ? 2 : 1;
        made.first += from * stride;
        extent = (until - from + step - 1) / step;
        if (chance(25)) {
          made.first += std::max<std::int64_t>(extent - 1, 0) * step * stride;
          stride = -stride;
        }
        stride *= step;
      }
      if (chance(30)) {
        std::reverse(made.extents.begin(), made.extents.end());
        std::reverse(made.strides.begin(), made.strides.end());
      }
      values_.push_back(
          builder_.input(made_.memories[made.memory].type, static_cast<unsigned>(made.extents.size())));
      made_.inputs.push_back(made);
      return;
    }
    shape extents = base_;
    if (!extents.empty() && chance(35))
      extents.erase(extents.begin(),
                    extents.begin() + static_cast<std::ptrdiff_t>(below(extents.size() + 1)));
    for (std::int64_t& extent : extents)
      if (chance(15)) extent = 1;
    add_input_of(extents, any_type());
  }

  // ---- nodes ----
  /// Adds a node, or leaves the call unchanged if types, shapes or sizes forbid it.
  void try_step() {
    try_to_add(builder_, made_.scalars, values_, [&] { return step(); }, [&] { return fits(); });
  }

  std::optional<graph_value> step() {
    const std::size_t elements = from_.structure ? 8 : 11;
    std::size_t drawn = below(elements + 2 + 2 + reductions_ + scans_ + 2);
    if (drawn < elements) return random_operation();
    if ((drawn -= elements) < 2) return random_view(any_value());
    if ((drawn -= 2) < 2)
      return drawn == 0 ? builder_.cast(any_value(), any_type()) : random_place(any_value());
    if ((drawn -= 2) < reductions_) return random_reduction(any_value(), random_axes());
    if ((drawn -= reductions_) < scans_) return random_scan(any_value());
    return composition(any_value());
  }

  std::optional<graph_value> random_place(graph_value of) {
    if (of.rank == 0) return std::nullopt;
    const auto axis = static_cast<unsigned>(below(of.rank));
    return chance(30) ? builder_.extent(of, axis) : builder_.coordinate(of, axis);
  }

  graph_value random_scalar(graph_value beside) {
    const element_type like = beside.type.type;
    const bool weak = chance(60);
    element_type type =
        weak ? (is_inexact(like) && chance(60) ? one_of({element_type::float64, element_type::float32})
                                               : element_type::int64)
             : any_type();
    if (is_complex(type)) type = component_of(type);
    std::uint64_t value = 0;
    if (is_floating(type))
      value = real_bits(type, one_of<long double>({0.0L, -0.0L, 0.5L, 1, 2, -1, 3.25L, 0.1L, 8, -2,
                                                   std::numeric_limits<long double>::infinity(),
                                                   -std::numeric_limits<long double>::infinity(),
                                                   std::numeric_limits<long double>::quiet_NaN()}));
    else if (weak)
      value = canonical_bits(type,
                             static_cast<std::uint64_t>(one_of<std::int64_t>({0, 1, 2, 3, -1, 7, 100, 31})));
    else
      value = random_values(type, 1, random_())[0];
    if (chance(75)) return builder_.literal(type, value, weak);
    made_.scalars.push_back(value);
    return builder_.parameter(type, weak);
  }

  std::optional<graph_value> random_operation() {
    const auto rows = element_operations();
    constexpr operation cheap[] = {operation::add,     operation::subtract, operation::multiply,
                                   operation::maximum, operation::minimum,  operation::less,
                                   operation::equal,   operation::where,    operation::bitwise_xor};
    operation op = from_.structure || chance(40) ? one_of(cheap) : rows[below(rows.size())].op;
    const unsigned arity = facts_of(op).arity;
    std::array<graph_value, 3> operands{any_value(), any_value(), any_value()};
    // a scalar in one of two operands, never in all
    if (arity > 1 && chance(30)) {
      const std::size_t place = below(arity);
      operands[place] = random_scalar(operands[(place + 1) % arity]);
    }
    if (chance(8)) operands[1] = operands[0];
    const graph_value made = builder_.apply(op, std::span(operands).first(arity));
    const node& applied = builder_.recorded().nodes[made.id];
    const element_type compute = builder_.recorded().nodes[applied.inputs[applied.arity - 1u]].type;
    if (op == operation::normal_of_bits && !from_.functions) return std::nullopt;
    if (!is_inexact(compute)) return made;
    if (op == operation::signbit || op == operation::copysign)
      return std::nullopt;  // the sign of a NaN is unspecified
    if (!from_.functions &&
        (is_smooth(op) || (is_complex(compute) && facts_of(op).spelling.empty() && chance(50))))
      return std::nullopt;
    return made;
  }

  std::uint32_t random_axes() { return static_cast<std::uint32_t>(random_()); }

  std::optional<graph_value> random_reduction(graph_value of, std::uint32_t axes) {
    constexpr operation reductions[] = {operation::sum, operation::sum, operation::sum,    operation::prod,
                                        operation::max, operation::min, operation::nanmax, operation::nanmin,
                                        operation::all, operation::any, operation::argmax, operation::argmin};
    const std::uint32_t all = (std::uint32_t{1} << of.rank) - 1;
    const unsigned how = static_cast<unsigned>(below(10));
    axes = how < 4 && of.rank > 0 ? std::uint32_t{1} << below(of.rank) : how < 7 ? all : axes & all;
    const graph_value made = builder_.reduce(one_of(reductions), of, axes, chance(50));
    if (!chance(35) || of.rank == 0) return made;
    // combined with its own operand
    return builder_.apply(
        one_of({operation::subtract, operation::multiply, operation::less, operation::maximum}), {of, made});
  }

  std::optional<graph_value> random_scan(graph_value of) {
    if (of.rank == 0) return std::nullopt;
    return builder_.scan(chance(70) ? operation::cumsum : operation::cumprod, of,
                         static_cast<unsigned>(below(of.rank)));
  }

  /// Means, variances, softmaxes and similar compositions of user code.
  std::optional<graph_value> composition(graph_value of) {
    if (of.rank == 0 || is_complex(of.type.type)) return std::nullopt;
    std::uint32_t axes = random_axes() & ((std::uint32_t{1} << of.rank) - 1);
    if (axes == 0) axes = 1;
    const auto total = [&](operation op, graph_value x) { return builder_.reduce(op, x, axes, true); };
    if (chance(25)) return total(operation::sum, builder_.cast(of, element_type::boolean));
    if (chance(25)) return builder_.apply(operation::equal, {of, total(operation::max, of)});
    if (!is_floating(of.type.type)) {
      if (from_.types.size() > 1 && std::none_of(from_.types.begin(), from_.types.end(), is_floating))
        return builder_.apply(operation::floor_divide,
                              {total(operation::sum, of), total(operation::max, of)});
      of = builder_.cast(of, one_of({element_type::float32, element_type::float64}));
    }
    const graph_value count =
        total(operation::sum, builder_.cast(builder_.apply(operation::equal, {of, of}), of.type.type));
    const graph_value mean = builder_.apply(operation::true_divide, {total(operation::sum, of), count});
    const graph_value apart = builder_.apply(operation::subtract, {of, mean});
    switch (below(4)) {
      case 0:
        return mean;
      case 1:
        return apart;
      case 2:
        return builder_.apply(
            operation::true_divide,
            {total(operation::sum, builder_.apply(operation::multiply, {apart, apart})), count});
      default: {
        if (!from_.functions) return std::nullopt;
        const graph_value e = builder_.apply(
            operation::exp, {builder_.apply(operation::subtract, {of, total(operation::max, of)})});
        return builder_.apply(operation::true_divide, {e, total(operation::sum, e)});
      }
    }
  }

  bound random_bound(std::int64_t low, std::int64_t high) {
    return chance(50) ? bound{} : literal_bound(between(low, high));
  }
  std::optional<graph_value> random_view(graph_value of) {
    std::vector<view_item> items;
    if (of.rank >= 2 && chance(30)) return builder_.view(of, permuted_axes(of.rank, random_));
    for (unsigned axis = 0; axis < of.rank; ++axis) {
      if (chance(12)) items.push_back(new_axis());
      const unsigned drawn = static_cast<unsigned>(below(100));
      if (drawn < 40) {
        items.push_back(all_of());
      } else if (drawn < 50) {
        items.push_back(at_index(between(-2, 1)));
      } else if (drawn < 65) {
        items.push_back(every(-1));
      } else if (drawn < 80) {
        items.push_back(chance(50) ? slice(1, std::numeric_limits<std::int64_t>::max()) : slice(0, -1));
      } else if (drawn < 94) {
        view_item item{view_item::kind::slice, random_bound(-9, 9), random_bound(-9, 9), {}};
        if (chance(60)) item.step = literal_bound(one_of<std::int64_t>({1, 2, 3, -1, -2}));
        items.push_back(item);
      } else if (drawn < 98) {
        items.push_back(slice_from_parameter(builder_, made_.scalars, below(5)));
      } else {
        break;  // the remaining axes stay whole
      }
    }
    if (items.empty() || chance(15)) items.push_back(new_axis());
    return builder_.view(of, items);
  }

  shape_table shapes() const {
    std::vector<array_layout> arrays;
    const graph& recorded = builder_.recorded();
    for (std::size_t i = 0; i < made_.inputs.size(); ++i)
      arrays.push_back({.type = recorded.inputs[i].type,
                        .rank = recorded.inputs[i].rank,
                        .extents = made_.inputs[i].extents.data(),
                        .strides = made_.inputs[i].strides.data()});
    shape_table made;
    infer_shapes(recorded, arrays, made_.scalars, made);
    check_parameter_limits(recorded, made_.scalars);
    return made;
  }
  bool fits() const {
    const shape_table made = shapes();
    const graph& recorded = builder_.recorded();
    for (node_id id = 0; id < recorded.nodes.size(); ++id) {
      const auto extents = made.of(id);
      if (extents.size() > max_axes_of_values ||
          elements_in(extents) > static_cast<std::int64_t>(from_.max_elements))
        return false;
    }
    return true;
  }

  // ---- results ----
  void choose_outputs() {
    std::vector<bool> used(builder_.recorded().nodes.size(), false);
    for (const node& each : builder_.recorded().nodes)
      for (unsigned i = 0; i < each.arity; ++i) used[each.inputs[i]] = true;
    std::vector<graph_value> leaves;
    for (const graph_value& each : values_)
      if (!used[each.id]) leaves.push_back(each);
    std::shuffle(leaves.begin(), leaves.end(), random_);
    leaves.resize(std::min(leaves.size(), one_of<std::size_t>({1, 2, 3, 4, 8})));
    if (leaves.empty() || chance(20)) leaves.push_back(any_value());
    for (const graph_value& each : leaves) builder_.output(each);
  }
  /// One of them may overlap an input.
  void choose_targets() {
    const shape_table made = shapes();
    bool shared = false;
    for (const node_id output : made_.recorded.outputs) {
      const element_type type = made_.recorded.nodes[output].type;
      const shape extents(made.of(output).begin(), made.of(output).end());
      std::optional<drawn_array> target;
      for (std::size_t i = 0; i < made_.inputs.size() && !shared && chance(60) && !target; ++i) {
        const drawn_array& input = made_.inputs[i];
        const drawn_memory& memory = made_.memories[input.memory];
        const std::int64_t count = elements_in(extents);
        if (memory.type != type) continue;
        bool broadcasts = false;
        for (std::size_t axis = 0; axis < input.extents.size(); ++axis)
          broadcasts = broadcasts || (input.strides[axis] == 0 && input.extents[axis] > 1);
        if (input.extents == extents && !broadcasts && chance(60))
          target = input;
        else if (static_cast<std::int64_t>(memory.size()) >= count)
          target = drawn_array{input.memory, between(0, static_cast<std::int64_t>(memory.size()) - count),
                               extents, contiguous_strides(extents)};
      }
      shared = shared || target.has_value();
      made_.into.push_back(target ? *target : lay_out(type, extents, false));
    }
  }

  std::mt19937_64 random_;
  const drawing& from_;
  graph_builder builder_;
  std::vector<graph_value> values_;
  drawn_call made_;
  shape base_;
  std::size_t scans_ = 0, reductions_ = 3;
};

}  // namespace

const std::vector<drawing>& drawings() {
  static const std::vector<drawing> all = [] {
    using enum element_type;
    const std::vector<element_type> integers{boolean, int8,   int16,  int32, int64,
                                             uint8,   uint16, uint32, uint64};
    std::vector<element_type> mixed = integers, whole = integers;
    mixed.insert(mixed.end(), {float32, float64});
    whole.insert(whole.end(), {float16, bfloat16, float32, float64, complex64, complex128});
    std::vector<drawing> made{
        {.name = "int", .types = integers},
        {.name = "mixed", .types = mixed},
        {.name = "float", .types = {float32, float64, boolean, int32, int64}, .functions = true},
        {.name = "half",
         .types = {float16, float16, bfloat16, float32, boolean, int8, int16},
         .functions = true},
        {.name = "complex",
         .types = {complex64, complex128, float32, float64, int32, boolean},
         .functions = true},
        {.name = "all", .types = whole, .functions = true}};
    for (std::size_t i = 0, count = made.size(); i < count; ++i) {
      drawing structure = made[i];
      structure.functions = false;
      structure.structure = true;
      structure.max_nodes = 22;
      made.push_back(structure);
    }
    return made;
  }();
  return all;
}

drawn_call draw_call(std::uint64_t seed, const drawing& from) { return call_maker(seed, from).make(); }

}  // namespace sinter::test
