// Graphs and calls as bytes: read back unchanged; malformed bytes are rejected.

#include <doctest/doctest.h>

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/graph/graph_bytes.hpp>
#include <sinter/codegen/graph/verify_graph.hpp>
#include <sinter/codegen/kernel/recorded_call.hpp>

#include <random>
#include <vector>

using namespace sinter;

namespace {

graph some_graph() {
  graph_builder builder;
  builder.restart(arithmetic_mode::strict);
  const graph_value x = builder.input(element_type::float32, 2);
  const graph_value y = builder.input(element_type::float32, 1);
  const graph_value scale = builder.parameter(element_type::float32);
  builder.parameter(element_type::int64);
  view_item rows;
  rows.start = parameter_bound(1);
  view_item all;
  const graph_value cut = builder.view(x, std::vector<view_item>{rows, all});
  const graph_value product = builder.apply(operation::multiply, {cut, scale});
  const graph_value total = builder.reduce(operation::sum, builder.apply(operation::add, {product, y}), 2);
  builder.output(total);
  builder.output(builder.cast(product, element_type::float64));
  builder.recorded().name = "some";
  return builder.recorded();
}

/// A loop that follows indices through an array around it.
graph graph_of_elements() {
  graph_builder body;
  body.restart(arithmetic_mode::strict);
  body.input(element_type::int64, 0);
  const graph_value at = body.input(element_type::int64, 1), table = body.whole_input(element_type::int64, 1);
  body.output(body.element(table, std::vector<graph_value>{at}, index_rule::checked));
  graph_builder builder;
  builder.restart(arithmetic_mode::strict);
  const graph_value from = builder.input(element_type::int64, 1),
                    whole = builder.input(element_type::int64, 1);
  const std::vector<graph_value> states{from}, captured{whole};
  for (const graph_value& result :
       builder.repeat(builder.literal(element_type::int64, 3), states, captured, body.recorded()))
    builder.output(result);
  return builder.recorded();
}

recorded_call some_call(const graph& of) {
  const std::int64_t extents_x[] = {6, 8}, strides_x[] = {16, 1}, extents_y[] = {8}, strides_y[] = {-1};
  const array_layout inputs[] = {{element_type::float32, 2, extents_x, strides_x, 128, 0},
                                 {element_type::float32, 1, extents_y, strides_y, 4, 1}};
  const std::uint64_t scalars[] = {0x3f800000, 2};
  const schedule forced{.vector = 2};
  return record_call(of, inputs, {}, scalars, target_kind::cuda, &forced);
}

}  // namespace

TEST_CASE("a graph is read back as it was written") {
  for (const graph& written : {some_graph(), graph_of_elements()}) {
    graph read;
    std::string fault;
    CHECK(read_graph(to_bytes(written), read, fault));
    CHECK(fault.empty());
    CHECK(read.same_content(written));
    CHECK(hash_of(read) == hash_of(written));
  }
}

TEST_CASE("the smallest graphs are read back") {
  graph read;
  std::string fault;
  CHECK(read_graph(to_bytes(graph()), read, fault));
  graph_builder builder;
  builder.restart();
  builder.output(builder.literal(element_type::float64, 0));
  CHECK(read_graph(to_bytes(builder.recorded()), read, fault));
  CHECK(read.same_content(builder.recorded()));
}

TEST_CASE("a call is read back as it was written, without scalars that decide nothing") {
  const graph of = some_graph();
  const recorded_call written = some_call(of);
  CHECK(written.scalars == std::vector<std::uint64_t>{0, 2});
  recorded_call read;
  std::string fault;
  CHECK(read_call(to_bytes(written), of, read, fault));
  CHECK(read == written);
}

TEST_CASE("a graph that is cut short anywhere, or has a byte too many, is refused with a reason") {
  const std::string whole = to_bytes(some_graph());
  graph read;
  std::string fault;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    CHECK_FALSE(read_graph(whole.substr(0, size), read, fault));
    CHECK_FALSE(fault.empty());
  }
  CHECK_FALSE(read_graph(whole + '\0', read, fault));
}

TEST_CASE("whatever bits are changed, a graph is refused or is one that verify() accepts") {
  const std::string wholes[] = {to_bytes(some_graph()), to_bytes(graph_of_elements())};
  std::mt19937 random(5);
  for (int round = 0; round < 40'000; ++round) {
    std::string changed = wholes[round % 2];
    for (auto times = 1 + random() % 3; times > 0; --times)
      changed[random() % changed.size()] = static_cast<char>(random());
    graph read;
    std::string fault;
    if (read_graph(changed, read, fault)) CHECK_NOTHROW(verify(read));
  }
}

TEST_CASE("a graph with an operation that is not known is refused by its name") {
  std::string bytes = to_bytes(some_graph());
  bytes.replace(bytes.find("multiply"), 8, "multifly");
  graph read;
  std::string fault;
  CHECK_FALSE(read_graph(bytes, read, fault));
  CHECK(fault.find("multifly") != std::string::npos);
}

TEST_CASE("a call that does not fit its graph is refused") {
  const graph of = some_graph();
  recorded_call read;
  std::string fault;
  const auto refused = [&](const auto& change) {
    recorded_call call = some_call(of);
    change(call);
    const bool accepted = read_call(to_bytes(call), of, read, fault);
    return !accepted && !fault.empty();
  };
  CHECK(refused([](recorded_call& call) { call.inputs.pop_back(); }));
  CHECK(refused([](recorded_call& call) { call.scalars.pop_back(); }));
  CHECK(refused([](recorded_call& call) { call.outputs.push_back(call.inputs[0]); }));
  CHECK(refused([](recorded_call& call) { call.inputs[0].type = element_type::float64; }));
  CHECK(refused([](recorded_call& call) { call.inputs[0].extents[0] = -1; }));
  CHECK(refused([](recorded_call& call) { call.inputs[0].extents[0] = INT64_MAX; }));
  CHECK(refused([](recorded_call& call) { call.inputs[0].strides[0] = INT64_MIN; }));
  CHECK(refused([](recorded_call& call) { call.inputs[0].alignment = 3; }));
  CHECK(refused([](recorded_call& call) { call.inputs[1].identity = 7; }));
  CHECK(refused([](recorded_call& call) { call.inputs[1].identity = 0; }));
}
