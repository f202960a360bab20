// Arrays that are put together or taken apart: what the builder records and refuses, text, bytes,
// verification and simplification.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/parts/graph_parts.hpp>
#include <sinter/codegen/graph/parts/shape_parameters.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <functional>
#include <string>

using namespace sinter;

namespace {

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

view_item new_axis() { return {view_item::kind::newaxis, {}, {}, {}}; }

struct named_graph {
  graph_builder builder;
  graph_value x = builder.input(element_type::float32, 2);
  graph_value y = builder.input(element_type::float32, 2);
  graph_value mask = builder.input(element_type::boolean, 2);
  graph_value bytes = builder.input(element_type::int8, 2);
  graph_value row = builder.input(element_type::int64, 1);
  graph_value n = builder.parameter(element_type::int64, true);
};

/// A graph with each part.
graph example() {
  named_graph made;
  graph_builder& builder = made.builder;
  const graph_value two = builder.literal(2),
                    padded = builder.extended(made.x, 1, extension::edge, builder.literal(-1), made.n);
  const graph_value both = builder.concatenate(padded, made.y, 0);
  const graph_value repeated = builder.extended(both, 0, extension::repeat, builder.literal(0), two);
  builder.output(builder.window(repeated, 0, two));
  builder.output(builder.diagonal(made.x, 1, 0, builder.literal(-1)));
  const graph_value flat = builder.merged(made.x, 0);
  builder.output(builder.split(flat, 0, two));
  builder.output(builder.split(flat, 0, builder.extent(made.row, 0), true));
  return builder.recorded();
}

}  // namespace

TEST_SUITE("graph parts") {
  TEST_CASE("ranks follow from the part, types from the source") {
    named_graph made;
    graph_builder& builder = made.builder;
    const graph_value two = builder.literal(2);
    const auto rank_of = [](const graph_value& value) { return unsigned{value.rank}; };
    CHECK(rank_of(builder.extended(made.bytes, 1, extension::wrap, made.n, two)) == 2);
    CHECK(rank_of(builder.concatenate(made.x, made.y, 1)) == 2);
    CHECK(rank_of(builder.window(made.bytes, 0, two)) == 3);
    CHECK(rank_of(builder.diagonal(made.bytes, 0, 1, two)) == 1);
    CHECK(rank_of(builder.merged(made.bytes, 0)) == 1);
    CHECK(rank_of(builder.split(made.bytes, 0, two)) == 3);
    CHECK(rank_of(builder.split(made.bytes, 0, two, true)) == 2);
    CHECK(builder.window(made.bytes, 0, two).type.type == element_type::int8);
  }

  TEST_CASE("concatenate promotes as add does, and keeps booleans") {
    named_graph made;
    graph_builder& builder = made.builder;
    const auto type_of = [&](const graph_value& a, const graph_value& b) {
      return builder.concatenate(a, b, 0).type.type;
    };
    CHECK(type_of(made.x, made.bytes) == element_type::float32);
    CHECK(type_of(made.bytes, made.mask) == element_type::int8);
    CHECK(type_of(made.mask, made.mask) == element_type::boolean);
    const view_item axes[] = {new_axis(), new_axis()};
    const graph_value three = builder.view(builder.literal(3), axes);
    CHECK(type_of(made.bytes, three) == element_type::int8);
    CHECK(contains(
        message_of<type_error>([&] { type_of(made.bytes, builder.view(builder.literal(300), axes)); }),
        "300 does not fit int8"));
  }

  TEST_CASE("a weak number is converted before its elements are moved, so that its range is checked") {
    named_graph made;
    graph_builder& builder = made.builder;
    const view_item axis = new_axis();
    const graph_value block = builder.extended(builder.view(made.n, std::span(&axis, 1)), 0,
                                               extension::broadcast, made.n, builder.literal(4));
    builder.cast(block, element_type::int8);
    CHECK(builder.recorded().parameter_limits == decltype(graph::parameter_limits){{0, element_type::int8}});
    CHECK(builder.recorded().nodes.back().op == operation::extended);
    CHECK_NOTHROW(verify(builder.recorded()));
  }

  TEST_CASE("sizes are computed from numbers, parameters and extents") {
    named_graph made;
    graph_builder& builder = made.builder;
    const graph_value length = builder.extent(made.row, 0);
    const graph_value half = builder.apply(operation::floor_divide, {length, builder.literal(2)});
    CHECK_NOTHROW(builder.window(made.x, 0, builder.apply(operation::add, {half, made.n})));
    CHECK_NOTHROW(builder.window(made.x, 0, builder.parameter(element_type::uint8)));
    const view_item first{view_item::kind::index, literal_bound(0), {}, {}};
    const graph_value element = builder.view(made.row, std::span(&first, 1));
    for (const graph_value& refused : {element, builder.reduce(operation::sum, made.row, 1), made.row})
      CHECK(contains(message_of<type_error>([&] { builder.window(made.x, 0, refused); }),
                     "a size or position is known before the call: compute it from numbers, scalar arguments "
                     "and extents, or pass what is read from an array as a scalar"));
    CHECK(contains(message_of<type_error>([&] { builder.window(made.x, 0, builder.literal(2.0)); }),
                   "a size or position is an integer"));
    CHECK(contains(message_of<type_error>([&] { builder.window(made.x, 0, {}); }),
                   "not a value of this graph"));
  }

  TEST_CASE("axes that do not exist are refused") {
    named_graph made;
    graph_builder& builder = made.builder;
    const graph_value two = builder.literal(2);
    const auto message = [](const auto& action) { return message_of<shape_error>(action); };
    CHECK(contains(message([&] { builder.extended(made.x, 2, extension::edge, two, two); }),
                   "extended(float32[:,:], int64, int64)"));
    CHECK(contains(message([&] { builder.extended(made.x, 2, extension::edge, two, two); }),
                   ": there is no axis 2"));
    CHECK(contains(message([&] { builder.concatenate(made.x, made.row, 0); }), "the ranks differ: 2 and 1"));
    CHECK(contains(message([&] { builder.concatenate(two, two, 0); }), "there is no axis 0"));
    CHECK(contains(message([&] { builder.diagonal(made.x, 0, 3, two); }), "there is no axis 3"));
    CHECK(contains(message([&] { builder.diagonal(made.x, 1, 1, two); }), "a diagonal is that of two axes"));
    CHECK(contains(message([&] { builder.merged(made.x, 1); }), "there is no axis 2, which would be merged"));
    const graph_value many = builder.input(element_type::float32, 32);
    CHECK(contains(message([&] { builder.window(many, 0, two); }), "more than 32 axes"));
    CHECK(contains(message([&] { builder.split(many, 0, two); }), "more than 32 axes"));
  }

  TEST_CASE("text names axes and rules") {
    const std::string text = to_string(example());
    CHECK(contains(text, "extended(n0, n7, n5, axis 1, edge)"));
    CHECK(contains(text, "concatenate(n8, n1, axis 0)"));
    CHECK(contains(text, "extended(n9, n11, n6, axis 0, repeat)"));
    CHECK(contains(text, "window(n12, n6, axis 0)"));
    CHECK(contains(text, "diagonal(n0, n14, axis 1 0)"));
    CHECK(contains(text, "merged(n0, axis 0)"));
    CHECK(contains(text, "split(n16, n6, axis 0)"));
    CHECK(contains(text, "split(n16, n18, axis 0, whole)"));
  }

  TEST_CASE("bytes are read back, and what no builder makes is refused") {
    const graph made = example();
    graph read;
    std::string fault;
    REQUIRE(read_graph(to_bytes(simplify(made)), read, fault));
    CHECK(read.same_content(simplify(made)));
    const auto fault_of = [&](operation op, const std::function<void(graph&, node&)>& change) {
      graph changed = made;
      changed.locations.clear();
      for (node& entry : changed.nodes)
        if (entry.op == op) {
          change(changed, entry);
          break;
        }
      return message_of<error>([&] { verify(changed); });
    };
    CHECK_NOTHROW(verify(made));
    CHECK(contains(fault_of(operation::extended, [](graph&, node& at) { at.payload = 1 | 5 << 8; }),
                   "there is no extension 5"));
    CHECK(contains(fault_of(operation::extended, [](graph&, node& at) { at.payload = 1 | 4 << 8; }),
                   "its first position is not the literal 0"));
    CHECK(
        contains(fault_of(operation::extended, [](graph&, node& at) { at.payload |= 2 << 16; }), "payload"));
    CHECK(contains(fault_of(operation::extended, [](graph&, node& at) { at.payload = 1 | 1 << 16; }),
                   "payload"));
    CHECK(contains(fault_of(operation::window, [](graph&, node& at) { at.payload |= 256; }), "payload"));
    CHECK(contains(fault_of(operation::split, [](graph&, node& at) { at.payload |= 512; }), "payload"));
    CHECK(contains(fault_of(operation::split, [](graph&, node& at) { at.payload |= 256; }),
                   "has rank 2, not 1"));
    CHECK(contains(fault_of(operation::concatenate, [](graph&, node& at) { at.inputs[1] = 3; }),
                   "its operands have different types"));
    CHECK(contains(fault_of(operation::window, [](graph&, node& at) { at.inputs[1] = 0; }),
                   "a size or position is not int64"));
    CHECK(contains(fault_of(operation::window, [](graph&, node& at) { at.inputs[1] = 4; }),
                   "depends on more than numbers"));
    CHECK(contains(fault_of(operation::merged, [](graph&, node& at) { at.payload = 1; }),
                   "there is no axis 2"));
  }

  TEST_CASE("parameters on which sizes depend decide shapes, as bounds of views do") {
    named_graph made;
    graph_builder& builder = made.builder;
    const graph_value factor = builder.parameter(element_type::float32);
    builder.parameter(element_type::int64);
    const graph_value count = builder.parameter(element_type::int32);
    const view_item bounded{view_item::kind::slice, parameter_bound(2), {}, {}};
    builder.output(builder.window(builder.apply(operation::multiply, {made.x, factor}), 0,
                                  builder.apply(operation::add, {count, builder.literal(1)})));
    builder.output(builder.view(made.row, std::span(&bounded, 1)));
    CHECK(shape_parameters(builder.recorded()) == std::vector<std::uint32_t>{2, 3});
  }

  TEST_CASE("a body has none") {
    graph_builder body;
    const graph_value x = body.input(element_type::float32, 1);
    body.output(body.extended(x, 0, extension::wrap, body.literal(1), body.literal(1)));
    CHECK(contains(message_of<type_error>([&] { verify_body(body.recorded()); }), "a body is elementwise"));
  }

  TEST_CASE("equal parts are one node, and integers are folded") {
    named_graph made;
    graph_builder& builder = made.builder;
    const auto rolled = [&](const graph_value& first) {
      return builder.extended(made.x, 0, extension::wrap, first, builder.extent(made.x, 0));
    };
    const graph_value three = builder.apply(operation::add, {builder.literal(1), builder.literal(2)});
    builder.output(builder.apply(operation::add, {rolled(three), rolled(builder.literal(3))}));
    const graph simple = simplify(builder.recorded());
    std::size_t parts = 0;
    for (const node& entry : simple.nodes) parts += is_part(entry.op);
    CHECK(parts == 1);
    CHECK_NOTHROW(verify(simple));
  }
}
