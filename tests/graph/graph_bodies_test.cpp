// Graphs with bodies as data: text, bytes, comparison, and what is refused.

#include <doctest/doctest.h>

#include "../bodies/body_graphs.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/bodies/graph_bodies.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/shape/shape_inference.hpp>
#include <sinter/codegen/simplify/simplify.hpp>

#include <algorithm>
#include <string>

namespace sinter::test {
namespace {

constexpr element_type f32 = element_type::float32;

graph scaled(int count, float factor) {
  return graph_of({{f32, 2}, {f32, 1}}, [&](graph_builder& builder, const values& given) {
    return builder.repeat(builder.literal(count), values{given[0]}, values{given[1]},
                          scaled_and_moved(factor, {f32, 2}, {f32, 1}));
  });
}

template <class Call>
std::string message_of(Call call) {
  try {
    call();
  } catch (const error& refused) {
    return refused.what();
  }
  return "nothing was refused";
}

bool contains(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

std::vector<std::vector<std::int64_t>> shapes_of(const graph& recorded,
                                                 const std::vector<std::vector<std::int64_t>>& inputs) {
  std::vector<array_layout> layouts;
  for (std::size_t i = 0; i < inputs.size(); ++i)
    layouts.push_back({.type = recorded.inputs[i].type,
                       .rank = static_cast<std::uint8_t>(inputs[i].size()),
                       .extents = inputs[i].data()});
  shape_table shapes;
  infer_shapes(recorded, layouts, {}, shapes);
  std::vector<std::vector<std::int64_t>> made;
  for (const node_id output : recorded.outputs)
    made.emplace_back(shapes.of(output).begin(), shapes.of(output).end());
  return made;
}

}  // namespace

TEST_SUITE("graphs with bodies") {
  TEST_CASE("the text of a body stands below its node") {
    CHECK(to_string(scaled(3, 0.5f)) ==
          "graph strict\n"
          "  n0 = input 0                              float32[:,:]\n"
          "  n1 = input 1                              float32[:]\n"
          "  n2 = literal 3                            int64\n"
          "  n3 = repeat(n2, n0, n1)                   float32[:,:]\n"
          "    body\n"
          "      n0 = input 0                          int64\n"
          "      n1 = input 1                          float32[:,:]\n"
          "      n2 = input 2                          float32[:]\n"
          "      n3 = literal 0.5                      float32\n"
          "      n4 = multiply(n1, n3)                 float32[:,:]\n"
          "      n5 = add(n4, n2)                      float32[:,:]\n"
          "      return n5\n"
          "  n4 = component(n3, result 0)              float32[:,:]\n"
          "  return n4\n");
  }

  TEST_CASE("bodies count in comparisons and hashes") {
    CHECK(scaled(3, 0.5f).same_content(scaled(3, 0.5f)));
    CHECK(hash_of(scaled(3, 0.5f)) == hash_of(scaled(3, 0.5f)));
    CHECK_FALSE(scaled(3, 0.5f).same_content(scaled(3, 0.25f)));
    CHECK_FALSE(hash_of(scaled(3, 0.5f)) == hash_of(scaled(3, 0.25f)));
  }

  TEST_CASE("a body that two nodes run is kept once, also after simplification") {
    const graph twice =
        graph_of({{f32, 2}, {f32, 1}}, [&](graph_builder& builder, const values& given) -> values {
          const graph body = scaled_and_moved(0.5f, {f32, 2}, {f32, 1});
          const graph_value once =
              builder.repeat(builder.literal(3), values{given[0]}, values{given[1]}, body)[0];
          return builder.repeat(builder.literal(4), values{once}, values{given[1]}, body);
        });
    CHECK(twice.bodies.size() == 1);
    CHECK(simplify(twice).bodies.size() == 1);
  }

  TEST_CASE("equal loops are one after simplification, and a body is simplified with them") {
    const graph twice =
        graph_of({{f32, 2}, {f32, 1}}, [&](graph_builder& builder, const values& given) -> values {
          const graph body =
              body_of({iteration, {f32, 2}}, [](graph_builder& inside, const values& of) -> values {
                return {inside.apply(
                    operation::multiply,
                    {of[1], inside.apply(operation::add, {inside.literal(1.0f), inside.literal(1.0f)})})};
              });
          const auto loop = [&] { return builder.repeat(builder.literal(3), values{given[0]}, {}, body)[0]; };
          return {builder.apply(operation::add, {loop(), loop()})};
        });
    const graph simple = simplify(twice);
    CHECK(std::ranges::count(simple.nodes, operation::repeat, &node::op) == 1);
    CHECK(std::ranges::count(simple.bodies.at(0).nodes, operation::add, &node::op) == 0);
    CHECK_NOTHROW(verify(simple));
    CHECK(simplify(simple).same_content(simple));
  }

  TEST_CASE("bytes give the graph back, with bodies in bodies") {
    const graph inner = scaled_and_moved(0.5f, {f32, 2}, {f32, 1});
    const graph outer =
        body_of({iteration, {f32, 2}, {f32, 1}}, [&](graph_builder& builder, const values& given) {
          return builder.repeat(given[0], values{given[1]}, values{given[2]}, inner);
        });
    const graph whole = graph_of({{f32, 2}, {f32, 1}}, [&](graph_builder& builder, const values& given) {
      return builder.repeat(builder.literal(3), values{given[0]}, values{given[1]}, outer);
    });
    graph read;
    std::string fault;
    REQUIRE_MESSAGE(read_graph(to_bytes(whole), read, fault), fault);
    CHECK(read.same_content(whole));
    // no bytes that are cut short or changed are read as something that verify() did not look at
    const std::string bytes = to_bytes(whole);
    for (std::size_t end = 0; end < bytes.size(); ++end)
      CHECK_FALSE(read_graph(bytes.substr(0, end), read, fault));
    for (std::size_t at = 0; at < bytes.size(); ++at) {
      std::string changed = bytes;
      changed[at] = static_cast<char>(changed[at] ^ 0x41);
      if (read_graph(changed, read, fault)) CHECK_NOTHROW(verify(read));
    }
  }

  TEST_CASE("bodies are elementwise: what slices, reduces or asks for positions is refused with a sentence") {
    const auto refused = [](auto made) {
      return message_of([&] {
        const graph body = body_of({iteration, {f32, 2}}, made);
        static_cast<void>(graph_of({{f32, 2}}, [&](graph_builder& builder, const values& given) {
          return builder.repeat(builder.literal(3), values{given[0]}, {}, body);
        }));
      });
    };
    CHECK(contains(refused([](graph_builder& builder, const values& given) -> values {
                     return {builder.reduce(operation::sum, given[1], 1, true)};
                   }),
                   "a body is elementwise"));
    CHECK(contains(refused([](graph_builder& builder, const values& given) -> values {
                     return {builder.scan(operation::cumsum, given[1], 0)};
                   }),
                   "a body is elementwise"));
    CHECK(contains(refused([](graph_builder& builder, const values& given) -> values {
                     return {builder.cast(builder.coordinate(given[1], 0), f32)};
                   }),
                   "a body is elementwise"));
    CHECK(contains(refused([](graph_builder& builder, const values& given) -> values {
                     return {builder.apply(operation::multiply, {given[1], builder.parameter(f32)})};
                   }),
                   "a body has parameters"));
  }

  TEST_CASE("operands and bodies that do not match are refused with what was given and wanted") {
    graph_builder builder;
    builder.restart(arithmetic_mode::strict);
    const graph_value x = builder.input(f32, 2), y = builder.input(f32, 1), n = builder.literal(3);
    const graph body = scaled_and_moved(0.5f, {f32, 2}, {f32, 1});
    CHECK(contains(message_of([&] { builder.repeat(n, values{x}, {}, body); }), "the body takes 3 values"));
    CHECK(contains(message_of([&] { builder.repeat(n, values{x}, values{x}, body); }),
                   "captured value 0 is float32[:,:], and the body takes float32[:]"));
    CHECK(contains(message_of([&] { builder.repeat(x, values{x}, values{y}, body); }),
                   "the count is not an integer"));
    CHECK(contains(message_of([&] {
                     builder.repeat(n, values{builder.cast(x, element_type::float64)}, values{y}, body);
                   }),
                   "state 0 is float64, which the body's float32 cannot hold"));
    CHECK(contains(message_of([&] { builder.repeat_while(values{x}, values{y}, body); }), "the body takes"));
    const graph standard = scaled_and_moved(0.5f, {f32, 2}, {f32, 1});
    graph other = standard;
    other.mode = arithmetic_mode::fast;
    CHECK(contains(message_of([&] { builder.repeat(n, values{x}, values{y}, other); }),
                   "another arithmetic mode"));
  }

  TEST_CASE("a state has the shape of its first value, its next ones and the condition together") {
    CHECK(shapes_of(scaled(3, 0.5f), {{4, 1}, {5}}) == std::vector<std::vector<std::int64_t>>{{4, 5}});
    CHECK(contains(message_of([&] { shapes_of(scaled(3, 0.5f), {{4, 3}, {5}}); }), "cannot broadcast"));
    const graph chained =
        body_of({iteration, {f32, 2}, {f32, 2}, {f32, 2}},
                [](graph_builder&, const values& given) -> values { return {given[2], given[3], given[3]}; });
    const graph whole = graph_of({{f32, 2}, {f32, 2}}, [&](graph_builder& builder, const values& given) {
      const graph_value zero = builder.literal(0.0f, f32);
      return builder.repeat(builder.literal(0), values{given[0], zero, given[1]}, {}, chained);
    });
    CHECK(shapes_of(whole, {{1, 1}, {3, 1}}) ==
          std::vector<std::vector<std::int64_t>>{{3, 1}, {3, 1}, {3, 1}});
    CHECK(contains(message_of([&] { shapes_of(whole, {{2, 1}, {3, 1}}); }),
                   "state 0 is float32[2,1] and meets"));
  }

  TEST_CASE("a result needs only the states and captured values on which it depends") {
    const graph both = body_of({iteration, {f32, 1}, {f32, 1}, {f32, 1}, {f32, 1}},
                               [](graph_builder& builder, const values& given) -> values {
                                 return {builder.apply(operation::add, {given[1], given[3]}),
                                         builder.apply(operation::add, {given[2], given[1]})};
                               });
    const graph whole = graph_of({{f32, 1}, {f32, 1}, {f32, 1}}, [&](graph_builder& builder,
                                                                     const values& given) {
      return builder.repeat(builder.literal(3), values{given[0], given[1]}, values{given[2], given[1]}, both);
    });
    const node& loop = *std::ranges::find(whole.nodes, operation::repeat, &node::op);
    const needed_parts first = needed_for(whole, loop, {true, false}),
                       second = needed_for(whole, loop, {false, true});
    CHECK(first.operands == std::vector<bool>{true, true, false, true, false});
    CHECK(first.components == std::vector<bool>{true, false});
    CHECK(second.operands == std::vector<bool>{true, true, true, true, false});
    CHECK(second.components == std::vector<bool>{true, true});
  }
}

}  // namespace sinter::test
