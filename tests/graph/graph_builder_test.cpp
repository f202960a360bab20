// Recording through the run-time builder: types, ranks, conversions, weak scalars, and every message.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <string>

using namespace sinter;

namespace {

std::uint64_t bits(double value, element_type type = element_type::float64) { return real_bits(type, value); }
std::uint64_t bits(int value) { return static_cast<std::uint64_t>(std::int64_t{value}); }

/// The message of the exception that `action` throws.
template <typename Error, typename Action>
std::string message_of(const Action& action) {
  try {
    action();
  } catch (const Error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
std::string here(const std::source_location& where) {
  return std::string(where.file_name()) + ":" + std::to_string(where.line());
}

const node& node_of(const graph_builder& builder, const graph_value& value) {
  return builder.recorded().nodes[value.id];
}

struct named_graph {
  graph_builder builder;
  graph_value x = builder.input(element_type::float32, 2);
  graph_value n = builder.input(element_type::int32, 1);
  graph_value byte = builder.input(element_type::int8, 1);
  graph_value mask = builder.input(element_type::boolean, 1);
  graph_value half = builder.input(element_type::float16, 1);
};

}  // namespace

TEST_SUITE("graph_builder") {
  TEST_CASE("inputs, parameters and literals carry their declarations") {
    graph_builder builder;
    const graph_value x = builder.input(element_type::float32, 3);
    const graph_value p = builder.parameter(element_type::float64, true);
    const graph_value c = builder.literal(element_type::int8, bits(-1));
    CHECK(x.type == operand_type{element_type::float32});
    CHECK(x.rank == 3);
    CHECK(p.type == operand_type{element_type::float64, true});
    CHECK(node_of(builder, c).payload == 0xff);
    CHECK(builder.recorded().inputs.size() == 1);
    CHECK(builder.recorded().parameters == std::vector{element_type::float64});
    CHECK(builder.recorded().locations.size() == builder.recorded().nodes.size());
  }

  TEST_CASE("operands are cast to the type in which the operation computes") {
    named_graph g;
    const graph_value sum = g.builder.apply(operation::add, {g.x, g.n});
    CHECK(sum.type == operand_type{element_type::float64});
    CHECK(sum.rank == 2);
    const node& added = node_of(g.builder, sum);
    for (unsigned i = 0; i < 2; ++i) {
      const node& operand = g.builder.recorded().nodes[added.inputs[i]];
      CHECK(operand.op == operation::cast);
      CHECK(operand.type == element_type::float64);
    }
    const graph_value same = g.builder.apply(operation::multiply, {g.x, g.x});
    CHECK(node_of(g.builder, same).inputs[0] == g.x.id);
  }

  TEST_CASE("where takes its condition to bool and promotes the others") {
    named_graph g;
    const graph_value chosen = g.builder.apply(operation::where, {g.n, g.x, g.half});
    CHECK(chosen.type == operand_type{element_type::float32});
    CHECK(g.builder.recorded().nodes[node_of(g.builder, chosen).inputs[0]].type == element_type::boolean);
    const graph_value weak_float = g.builder.literal(element_type::float64, bits(1.5), true);
    CHECK(g.builder.apply(operation::where, {g.mask, weak_float, g.half}).type.type == element_type::float16);
  }

  TEST_CASE("logical operations compute in bool") {
    named_graph g;
    const graph_value both = g.builder.apply(operation::logical_and, {g.x, g.n});
    CHECK(both.type == operand_type{element_type::boolean});
    CHECK(g.builder.recorded().nodes[node_of(g.builder, both).inputs[1]].type == element_type::boolean);
  }

  TEST_CASE("a weak literal becomes a literal of the type it meets") {
    named_graph g;
    const graph_value two = g.builder.literal(element_type::int64, bits(2), true);
    const graph_value sum = g.builder.apply(operation::multiply, {g.half, two});
    const node& literal = g.builder.recorded().nodes[node_of(g.builder, sum).inputs[1]];
    CHECK(literal.op == operation::literal);
    CHECK(literal.type == element_type::float16);
    CHECK(literal.payload == 0x4000);
    const graph_value tenth = g.builder.literal(element_type::float64, bits(0.1), true);
    const node& rounded_literal =
        g.builder.recorded()
            .nodes[node_of(g.builder, g.builder.apply(operation::add, {tenth, g.x})).inputs[0]];
    CHECK(rounded_literal.payload == real_bits(element_type::float32, 0.1));
  }

  TEST_CASE("a weak integer literal outside the type is refused, one inside is not") {
    named_graph g;
    const graph_value big = g.builder.literal(element_type::int64, bits(300), true);
    const auto where = std::source_location::current();
    const std::string message =
        message_of<type_error>([&] { g.builder.apply(operation::add, {g.byte, big}, where); });
    CHECK(contains(message, "300 does not fit int8 at " + here(where)));
    CHECK(g.builder.apply(operation::add, {g.n, big}).type.type == element_type::int32);
    const graph_value least = g.builder.literal(element_type::int64, bits(-128), true);
    CHECK(g.builder.apply(operation::add, {g.byte, least}).type.type == element_type::int8);
    const graph_value wide = g.builder.input(element_type::uint64, 1);
    CHECK_THROWS_AS(g.builder.apply(operation::add, {wide, least}), type_error);
  }

  TEST_CASE("a weak integer parameter is limited to the types it is used as, each once") {
    named_graph g;
    const graph_value p = g.builder.parameter(element_type::int64, true);
    g.builder.apply(operation::add, {g.byte, p});
    g.builder.apply(operation::multiply, {p, g.byte});
    g.builder.apply(operation::add, {g.x, p});
    const auto& limits = g.builder.recorded().parameter_limits;
    REQUIRE(limits.size() == 1);
    CHECK(limits[0] == std::pair<std::uint32_t, element_type>(0, element_type::int8));
    CHECK(g.builder.apply(operation::add, {g.mask, p}).type.type == element_type::int64);
    CHECK(limits.size() == 1);
  }

  TEST_CASE("results of weak operands alone are weak until they are reduced, cast or returned") {
    named_graph g;
    const graph_value one = g.builder.literal(element_type::float32, 0x3f800000, true);
    const graph_value choice = g.builder.apply(operation::where, {g.mask, one, one});
    CHECK(choice.type == operand_type{element_type::float32, true});
    CHECK(g.builder.apply(operation::multiply, {g.half, choice}).type == operand_type{element_type::float16});
    CHECK_FALSE(g.builder.apply(operation::less, {one, one}).type.weak);
    CHECK_FALSE(g.builder.cast(one, element_type::float32).type.weak);
    CHECK_FALSE(g.builder.reduce(operation::max, choice, 1).type.weak);
    CHECK_FALSE(g.builder.reduce(operation::max, choice, 0).type.weak);
    const view_item whole;
    CHECK(g.builder.view(choice, std::span(&whole, 1)).type.weak);
    const graph_value byte = g.builder.literal(element_type::int8, 5, true);
    CHECK(g.builder.apply(operation::where, {g.mask, byte, byte}).type == operand_type{element_type::int64});
    g.builder.output(byte);
    const graph& recorded = g.builder.recorded();
    CHECK(recorded.nodes[recorded.outputs.back()].type == element_type::int64);
  }

  TEST_CASE("a weak integer that is made of scalars is limited to the types it is used as, each once") {
    named_graph g;
    const graph_value p = g.builder.parameter(element_type::int64, true);
    const graph_value twice = g.builder.apply(operation::add, {p, p});
    CHECK(twice.type == operand_type{element_type::int64, true});
    g.builder.apply(operation::add, {g.byte, twice});
    g.builder.apply(operation::multiply, {twice, g.byte});
    g.builder.apply(operation::add, {g.x, twice});
    const auto& limits = g.builder.recorded().derived_limits;
    REQUIRE(limits.size() == 1);
    CHECK(limits[0] == std::pair<node_id, element_type>(twice.id, element_type::int8));
  }

  TEST_CASE("the rank of a result is the largest of its operands'") {
    named_graph g;
    const graph_value scalar = g.builder.parameter(element_type::float32);
    CHECK(g.builder.apply(operation::add, {scalar, scalar}).rank == 0);
    CHECK(g.builder.apply(operation::add, {scalar, g.x}).rank == 2);
    CHECK(g.builder.apply(operation::clip, {g.half, g.half, g.x}).rank == 2);
  }

  TEST_CASE("int64 and uint64 compare exactly") {
    graph_builder builder;
    const graph_value a = builder.input(element_type::int64, 1), b = builder.input(element_type::uint64, 1);
    for (const operation op : {operation::less, operation::equal, operation::greater_equal}) {
      CHECK(builder.apply(op, {a, b}).type.type == element_type::boolean);
      CHECK(builder.apply(op, {b, a}).type.type == element_type::boolean);
    }
    for (const node& entry : builder.recorded().nodes) CHECK_FALSE(is_floating(entry.type));
  }

  TEST_CASE("views have the rank that their items give") {
    named_graph g;
    const view_item whole{view_item::kind::slice, {}, {}, {}};
    const view_item at{view_item::kind::index, literal_bound(-1), {}, {}};
    const view_item added{view_item::kind::newaxis, {}, {}, {}};
    const view_item axis0{view_item::kind::permute, literal_bound(0), {}, {}};
    const view_item axis1{view_item::kind::permute, literal_bound(1), {}, {}};
    CHECK(g.builder.view(g.x, std::vector{at}).rank == 1);
    CHECK(g.builder.view(g.x, std::vector{whole, added, at, added}).rank == 3);
    CHECK(g.builder.view(g.x, std::vector{axis1, axis0}).rank == 2);
    CHECK(g.builder.view(g.x, {}).rank == 2);

    const auto where = std::source_location::current();
    const auto fault = [&](const std::vector<view_item>& items) {
      return message_of<shape_error>([&] { g.builder.view(g.x, items, where); });
    };
    CHECK(fault({at, at, whole}) ==
          "view [-1, -1, :] of float32[:,:] at " + here(where) + ": there are more indices than axes");
    CHECK(contains(fault({{view_item::kind::slice, {}, {}, literal_bound(0)}}), "[::0]"));
    CHECK(contains(fault({{view_item::kind::slice, {}, {}, literal_bound(0)}}), "step 0"));
    CHECK(contains(fault({axis0, axis0}), "permute(0, 0)"));
    CHECK(contains(fault({axis0}), "every axis once"));
    CHECK(contains(fault({axis0, whole}), "nothing else"));
    CHECK(contains(fault({whole, axis0}), "cannot be mixed"));
    CHECK(contains(fault({{view_item::kind::index, {}, {}, {}}}), "no position"));
    CHECK(contains(fault(std::vector<view_item>(31, added)), "more axes"));
    CHECK(contains(fault({{view_item::kind::index, parameter_bound(0), {}, {}}}), "not an int64 parameter"));
    g.builder.parameter(element_type::int64);
    CHECK(g.builder.view(g.x, std::vector{view_item{view_item::kind::index, parameter_bound(0), {}, {}}})
              .rank == 1);
  }

  TEST_CASE("coordinates and extents are int64, and need an axis that exists") {
    named_graph g;
    CHECK(g.builder.coordinate(g.x, 1).rank == 2);
    CHECK(g.builder.extent(g.x, 1).rank == 0);
    CHECK(g.builder.extent(g.x, 1).type == operand_type{element_type::int64});
    const auto where = std::source_location::current();
    CHECK(message_of<shape_error>([&] { g.builder.extent(g.x, 2, where); }) ==
          "extent(float32[:,:]) at " + here(where) + ": there is no axis 2");
    CHECK(message_of<shape_error>([&] { g.builder.coordinate(g.n, 1, where); }) ==
          "coordinate(int32[:]) at " + here(where) + ": there is no axis 1");
  }

  TEST_CASE("a refusal names the operation, its operands, the line and what to use instead") {
    named_graph g;
    const auto where = std::source_location::current();
    const auto fault = [&](operation op, std::initializer_list<graph_value> operands) {
      return message_of<type_error>([&] { g.builder.apply(op, operands, where); });
    };
    CHECK(fault(operation::subtract, {g.mask, g.mask}) ==
          "subtract(bool[:], bool[:]) at " + here(where) +
              ": not defined for booleans: use logical_xor or logical_not, or convert to an integer first");
    CHECK(contains(fault(operation::negative, {g.mask}), "negative(bool[:])"));
    CHECK(contains(fault(operation::left_shift, {g.n, g.x}), "left_shift(int32[:], float32[:,:])"));
    CHECK(contains(fault(operation::left_shift, {g.n, g.x}), "takes integers and booleans only"));
    CHECK(contains(fault(operation::gcd, {g.mask, g.mask}), "takes integers only"));
    const graph_value weak = g.builder.literal(element_type::float64, bits(-0.5), true);
    CHECK(contains(fault(operation::bitwise_and, {g.n, weak}), "bitwise_and(int32[:], -0.5)"));
    CHECK(contains(fault(operation::add, {g.x}), "takes 2 operands"));
    CHECK(contains(fault(operation::cast, {g.x}), "function of its own"));
    CHECK(contains(fault(operation::add, {g.x, graph_value{99, {element_type::float32}, 0}}),
                   "not a value of this graph"));
    CHECK_THROWS_AS(g.builder.cast(graph_value{99, {element_type::float32}, 0}, element_type::int8),
                    type_error);
    CHECK_THROWS_AS(g.builder.output(graph_value{99, {element_type::float32}, 0}), type_error);
    CHECK(contains(message_of<shape_error>([&] { g.builder.input(element_type::int8, 33); }), "rank 33"));
  }

  TEST_CASE("a reduction by an operation of two operands says which reduction is meant") {
    named_graph g;
    const auto where = std::source_location::current();
    const auto reduced = [&](operation op) {
      return message_of<type_error>([&] { g.builder.reduce(op, g.n, 1, false, where); });
    };
    const auto scanned = [&](operation op) {
      return message_of<type_error>([&] { g.builder.scan(op, g.n, 0, where); });
    };
    CHECK(reduced(operation::add) ==
          "add(int32[:]) at " + here(where) +
              ": reduce takes an operation that combines all elements of an axis, for add operation::sum");
    CHECK(contains(reduced(operation::maximum), "for maximum operation::max"));
    CHECK(contains(reduced(operation::cumsum), "such as sum"));
    CHECK(contains(scanned(operation::multiply), "for multiply operation::cumprod"));
    CHECK(contains(scanned(operation::exp), "such as cumsum"));
  }

  TEST_CASE("what the builder makes passes verification") {
    named_graph g;
    const graph_value weak = g.builder.parameter(element_type::int64, true);
    for (const operation_facts& row : element_operations()) {
      for (const graph_value& value : {g.x, g.n, g.byte, g.mask, g.half}) {
        const graph_value candidates[] = {value, weak, g.n};
        try {
          g.builder.output(g.builder.apply(row.op, std::span(candidates).first(row.arity)));
        } catch (const type_error&) {  // a rejection
        }
      }
    }
    g.builder.output(g.builder.view(g.x, std::vector{view_item{view_item::kind::newaxis, {}, {}, {}}}));
    g.builder.output(g.builder.coordinate(g.x, 0));
    CHECK(g.builder.recorded().outputs.size() > 250);
    CHECK_NOTHROW(verify(g.builder.recorded()));
  }

  TEST_CASE("starting over gives the same graph as starting fresh") {
    graph_builder used;
    const auto record = [](graph_builder& builder) {
      const graph_value x = builder.input(element_type::float32, 1);
      builder.output(builder.apply(operation::sqrt, {x}));
    };
    named_graph other;
    other.builder.recorded().name = "name";
    other.builder.restart(arithmetic_mode::strict);
    record(other.builder);
    used.restart(arithmetic_mode::strict);
    record(used);
    CHECK(used.recorded().same_content(other.builder.recorded()));
    CHECK(used.recorded().mode == arithmetic_mode::strict);
  }
}
