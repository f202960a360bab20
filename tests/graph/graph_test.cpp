// The graph: content, hash, text; and verification of graphs from outside.
#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/describe.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/types/scalar.hpp>

#include <functional>
#include <limits>
#include <set>
#include <string>
#include <vector>

using namespace sinter;

namespace {

/// out = (x * 2.5)[1:, newaxis] + p, which contains every kind of content.
graph example() {
  graph_builder builder;
  const graph_value x = builder.input(element_type::float32, 1);
  const graph_value factor = builder.literal(element_type::float32, real_bits(element_type::float32, 2.5));
  const graph_value p = builder.parameter(element_type::float32);
  builder.parameter(element_type::int64);
  const std::vector<view_item> items{{view_item::kind::slice, literal_bound(1), {}, {}},
                                     {view_item::kind::newaxis, {}, {}, {}}};
  const graph_value shifted = builder.view(builder.apply(operation::multiply, {x, factor}), items);
  builder.output(builder.apply(operation::add, {shifted, p}));
  builder.recorded().parameter_limits.emplace_back(1, element_type::int8);
  builder.recorded().derived_limits.emplace_back(3, element_type::int16);
  builder.recorded().name = "example";
  return builder.recorded();
}

/// Changes of the content, each of one part.
const std::vector<std::function<void(graph&)>> changes{
    [](graph& g) { g.nodes[1].payload ^= 1; },
    [](graph& g) { g.nodes.back().op = operation::subtract; },
    [](graph& g) { g.nodes.push_back(g.nodes.back()); },
    [](graph& g) { g.inputs[0].rank = 2; },
    [](graph& g) { g.inputs.push_back({element_type::int8, 0}); },
    [](graph& g) { g.parameters[0] = element_type::float64; },
    [](graph& g) { g.parameter_limits[0].second = element_type::int16; },
    [](graph& g) { g.parameter_limits.clear(); },
    [](graph& g) { g.derived_limits[0].second = element_type::int8; },
    [](graph& g) { g.derived_limits.clear(); },
    [](graph& g) { g.view_items[0].start = literal_bound(2); },
    [](graph& g) { g.view_items[0].start = parameter_bound(1); },
    [](graph& g) { g.views[0].count = 1; },
    [](graph& g) { g.outputs.push_back(0); },
    [](graph& g) { g.mode = arithmetic_mode::strict; },
    [](graph& g) { g.name = "another"; },
    [](graph& g) { g.name.clear(); },
};

template <typename Error>
std::string fault_of(const graph& recorded) {
  try {
    verify(recorded);
  } catch (const Error& caught) {
    return caught.what();
  }
  return "nothing was thrown";
}
bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace

TEST_SUITE("graph") {
  TEST_CASE("graphs recorded alike have equal content and hash, wherever they were recorded") {
    graph first = example();
    const graph second = example();
    first.locations.assign(first.nodes.size(), std::source_location::current());
    first.defined_at = std::source_location::current();
    CHECK(first.same_content(second));
    CHECK(hash_of(first) == hash_of(second));
  }

  TEST_CASE("every change of content changes the hash") {
    std::set<std::pair<std::uint64_t, std::uint64_t>> hashes;
    const auto add = [&](const graph& recorded) {
      const graph_hash hash = hash_of(recorded);
      return hashes.emplace(hash.low, hash.high).second;
    };
    CHECK(add(example()));
    for (const auto& change : changes) {
      graph changed = example();
      change(changed);
      CHECK_FALSE(changed.same_content(example()));
      CHECK(add(changed));
    }
  }

  TEST_CASE("large graphs hash all of their content too") {
    const auto chain = [](unsigned length, unsigned different) {
      graph_builder builder;
      graph_value x = builder.input(element_type::float32, 1);
      for (unsigned i = 0; i < length; ++i)
        x = builder.apply(i == different ? operation::cos : operation::sin, {x});
      builder.output(x);
      return hash_of(builder.recorded());
    };
    std::set<std::pair<std::uint64_t, std::uint64_t>> hashes;
    for (const unsigned length : {25u, 30u, 31u, 32u, 33u, 200u, 201u})
      for (const unsigned different : {0u, length / 2, length - 1, length}) {
        CHECK(chain(length, different) == chain(length, different));
        const graph_hash hash = chain(length, different);
        CHECK(hashes.emplace(hash.low, hash.high).second);
      }
  }

  TEST_CASE("a cleared graph has no content") {
    graph recorded = example();
    recorded.mode = arithmetic_mode::fast;
    recorded.clear();
    CHECK(recorded.same_content(graph{}));
    CHECK(hash_of(recorded) == hash_of(graph{}));
    CHECK(recorded.locations.empty());
  }

  TEST_CASE("the text shows one node a line") {
    CHECK(to_string(example()) ==
          "example\n"
          "  n0 = input 0                              float32[:]\n"
          "  n1 = literal 2.5                          float32\n"
          "  n2 = parameter 0                          float32\n"
          "  n3 = parameter 1                          int64\n"
          "  n4 = multiply(n0, n1)                     float32[:]\n"
          "  n5 = view(n4) [1:, newaxis]               float32[:,:]\n"
          "  n6 = add(n5, n2)                          float32[:,:]\n"
          "  return n6\n");
  }

  TEST_CASE("scalars are printed with the digits that tell them apart") {
    const auto text = [](element_type type, long double value) {
      return describe_scalar(type, real_bits(type, value));
    };
    CHECK(text(element_type::float64, 0.1) == "0.1");
    CHECK(text(element_type::float64, 0.1L + 0x1p-56L) == "0.10000000000000002");
    CHECK(text(element_type::float32, 0.1f) == "0.1");
    CHECK(text(element_type::float32, -0.0) == "-0.0");
    CHECK(text(element_type::float32, 3) == "3.0");
    CHECK(text(element_type::float64, std::numeric_limits<double>::infinity()) == "inf");
    CHECK(text(element_type::float16, 0x1p-24L) == "5.9604645e-08");
    CHECK(describe_scalar(element_type::int8, 0x80) == "-128");
    CHECK(describe_scalar(element_type::uint64, UINT64_MAX) == "18446744073709551615");
    CHECK(describe_scalar(element_type::boolean, 1) == "true");
  }
}

TEST_SUITE("verify") {
  TEST_CASE("a recorded graph passes") { CHECK_NOTHROW(verify(example())); }

  TEST_CASE("a node that is not as its rule has it is named") {
    const auto with = [](const std::function<void(graph&)>& change) {
      graph changed = example();
      changed.locations.clear();
      change(changed);
      return changed;
    };
    const auto type_fault = [&](const std::function<void(graph&)>& change) {
      return fault_of<type_error>(with(change));
    };
    const auto shape_fault = [&](const std::function<void(graph&)>& change) {
      return fault_of<shape_error>(with(change));
    };
    CHECK(type_fault([](graph& g) { g.nodes[4].inputs[1] = 4; }) ==
          "node n4 (multiply): operand 1 is not a node before it");
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].inputs[2] = 1; }), "operand 2 is not a node"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].arity = 1; }), "takes 2 operands, not 1"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].op = static_cast<operation>(250); }),
                   "no such operation"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].type = static_cast<element_type>(99); }),
                   "no such element"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].type = element_type::float64; }),
                   "is float64, not float32"));
    CHECK(
        contains(type_fault([](graph& g) { g.nodes[6].inputs[1] = 3; }), "operand 1 is int64, not float32"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].op = operation::bitwise_and; }),
                   "not defined for float32"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].attribute = 1; }), "attribute"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[4].payload = 1; }), "payload"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[0].payload = 1; }), "there is no input 1"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[2].payload = 2; }), "there is no parameter 2"));
    CHECK(contains(type_fault([](graph& g) { g.nodes[1].payload |= std::uint64_t{1} << 40; }),
                   "bits do not fit its"));
    CHECK(contains(type_fault([](graph& g) { g.outputs[0] = 7; }), "returns n7"));
    CHECK(contains(type_fault([](graph& g) { g.parameter_limits[0].first = 0; }), "limit"));
    CHECK(contains(type_fault([](graph& g) { g.derived_limits[0].first = 0; }), "integer node"));
    CHECK(contains(type_fault([](graph& g) { g.derived_limits[0].first = 70; }), "integer node"));
    CHECK(contains(type_fault([](graph& g) { g.parameters.push_back(static_cast<element_type>(77)); }),
                   "parameter"));
    CHECK(contains(type_fault([](graph& g) { g.inputs[0].rank = 40; }), "rank above 32"));
    CHECK(contains(type_fault([](graph& g) { g.mode = static_cast<arithmetic_mode>(3); }), "mode"));
    CHECK(contains(type_fault([](graph& g) { g.locations.resize(1); }), "source locations"));
    CHECK(contains(shape_fault([](graph& g) { g.nodes[4].rank = 2; }), "has rank 2, not 1"));
    CHECK(contains(shape_fault([](graph& g) { g.nodes[5].payload = 1; }), "there is no view 1"));
    CHECK(contains(shape_fault([](graph& g) { g.views[0].count = 3; }), "items that do not exist"));
    CHECK(contains(shape_fault([](graph& g) { g.view_items[0].step = literal_bound(0); }), "step 0"));
    CHECK(contains(shape_fault([](graph& g) { g.view_items[0].step.from = 9; }), "not an int64 parameter"));
    CHECK(contains(shape_fault([](graph& g) { g.view_items[0].what = static_cast<view_item::kind>(9); }),
                   "unknown kind"));
    CHECK(contains(shape_fault([](graph& g) {
                     g.nodes.push_back(
                         {.op = operation::extent, .type = element_type::int64, .arity = 1, .payload = 1});
                   }),
                   "there is no axis 1 in float32[:]"));
    CHECK(contains(type_fault([](graph& g) {
                     g.nodes.push_back(
                         {.op = operation::where, .type = element_type::float32, .rank = 1, .arity = 3});
                   }),
                   "its condition is not bool"));
  }
}
