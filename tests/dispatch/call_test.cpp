// The core's entry point on the CPU: results, overlap, errors, and that everything works after each error.
#include <doctest/doctest.h>

#include <cmath>
#include <string>
#include <vector>

#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/error.hpp>

#include "../support/host_array.hpp"

using namespace sinter;
using namespace sinter::runtime;

namespace {

bool contains(const std::string& text, const char* part) { return text.find(part) != std::string::npos; }

// The message of an exception of this type; "" if something else or nothing is thrown.
template <class Error, class Work>
std::string message_of(const Work& work) {
  try {
    work();
  } catch (const Error& thrown) {
    return thrown.what();
  } catch (...) {
  }
  return {};
}

// The call that must work after any failure.
void check_it_works() {
  const function_handle axpy = axpy_function("call_test_axpy");
  host_array<float> x({7}), y({7}), out({7});
  const operand inputs[] = {x.operand(), y.operand()};
  const operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  call(axpy, inputs, {&a, 1}, into, {});
  for (std::size_t i = 0; i < 7; ++i) REQUIRE(out.values[i] == 3.0f * static_cast<float>(i));
}

// One input to one result, as told.
template <class Build>
function_handle unary(unsigned rank, const Build& build) {
  graph_builder builder;
  builder.restart();
  builder.output(build(builder, builder.input(element_type::float32, rank)));
  return intern(builder.recorded());
}

view_item slice_item(std::int64_t start, std::int64_t stop) {
  view_item item;
  item.start = literal_bound(start);
  item.stop = literal_bound(stop);
  return item;
}

graph_value plus_one(graph_builder& builder, graph_value x) {
  return builder.apply(operation::add, {x, builder.literal(element_type::float32, bits_of(1.0f))});
}

}  // namespace

TEST_CASE("a pointwise call computes, into given and into fresh arrays") {
  check_it_works();
  const function_handle axpy = axpy_function("call_test_axpy");
  for (const std::int64_t count : {1, 2, 63, 64, 65, 1000, 32768, 32769, 300000}) {
    host_array<float> x({count}), y({count});
    const operand inputs[] = {x.operand(), y.operand()};
    const scalar a = bits_of(0.5f);
    result made;
    call(axpy, inputs, {&a, 1}, {}, {&made, 1});
    CHECK(made.type == element_type::float32);
    REQUIRE(made.rank == 1);
    CHECK(made.extents[0] == count);
    const std::vector<float> values = values_of<float>(made);
    REQUIRE(values.size() == static_cast<std::size_t>(count));
    for (std::size_t i = 0; i < values.size(); ++i) REQUIRE(values[i] == 1.5f * static_cast<float>(i));
  }
}

TEST_CASE("operands broadcast and may have any strides") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float32, 2), y = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::subtract, {x, y}));
  const function_handle subtract = intern(builder.recorded());
  host_array<float> rows({5, 8}), row({8}), out({8, 5});
  rows.first = 7;  // columns in reverse order
  rows.strides = {8, -1};
  out.extents = {5, 8};  // transposed
  out.strides = {1, 5};
  const operand inputs[] = {rows.operand(), row.operand()};
  const operand into[] = {out.operand()};
  call(subtract, inputs, {}, into, {});
  for (std::size_t i = 0; i < 5; ++i)
    for (std::size_t j = 0; j < 8; ++j)
      REQUIRE(out.values[j * 5 + i] == static_cast<float>(i * 8 + 7 - j) - static_cast<float>(j));
}

TEST_CASE("several results of one call, of different shapes and types") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float32, 1), y = builder.input(element_type::float32, 2);
  builder.output(builder.apply(operation::multiply, {x, x}));
  builder.output(builder.apply(operation::less, {x, y}));
  builder.output(builder.apply(operation::negative, {x}));
  const function_handle three = intern(builder.recorded());
  host_array<float> row({3}), rows({2, 3});
  const operand inputs[] = {row.operand(), rows.operand()};
  result made[3];
  call(three, inputs, {}, {}, made);
  CHECK(values_of<float>(made[0]) == std::vector<float>{0, 1, 4});
  CHECK(made[1].type == element_type::boolean);
  CHECK(made[1].rank == 2);
  CHECK(values_of<std::uint8_t>(made[1]) == std::vector<std::uint8_t>{0, 0, 0, 1, 1, 1});
  CHECK(values_of<float>(made[2]) == std::vector<float>{-0.0f, -1, -2});
}

TEST_CASE("functions of no array run where they are told, the default device otherwise") {
  graph_builder builder;
  builder.restart();
  builder.output(builder.literal(element_type::float64, bits_of(2.5)));
  const function_handle constant = intern(builder.recorded());
  const stream cpu = stream::default_of(device::cpu());
  call_options options;
  options.on = &cpu;
  result made;
  call(constant, {}, {}, {}, {&made, 1}, options);
  CHECK(made.rank == 0);
  CHECK(values_of<double>(made) == std::vector<double>{2.5});
}

TEST_CASE("on the CPU an element's bits depend neither on where it stands nor on what stands beside it") {
  // large arguments use the full sine for the whole piece that contains them
  const function_handle sine =
      unary(1, [](graph_builder& builder, graph_value x) { return builder.apply(operation::sin, {x}); });
  const std::vector<float> arguments{0.5f, -1e30f, 3e5f, 100.25f, 131071.0f, 131073.0f, -2.0f};
  std::vector<float> expected;
  for (const float argument : arguments) {
    host_array<float> x({1}), out({1});
    x.values[0] = argument;
    const operand inputs[] = {x.operand()}, into[] = {out.operand()};
    call(sine, inputs, {}, into, {});
    expected.push_back(out.values[0]);
  }
  schedule streaming;
  streaming.streaming = true;
  for (const bool bypass : {false, true})
    for (const bool in_place : {false, true})
      for (const std::int64_t count : {1, 5, 63, 64, 65, 127, 130, 1000})
        for (const std::int64_t shift : {0, 1, 3}) {
          host_array<float> x({count + shift}), out({count + shift});
          for (std::size_t i = 0; i < x.values.size(); ++i) x.values[i] = arguments[i % arguments.size()];
          const std::vector<float> before = in_place ? x.values : out.values;
          host_array<float>& target = in_place ? x : out;
          operand from = x.operand(), to = target.operand();
          from.data = x.values.data() + shift;
          to.data = target.values.data() + shift;
          from.extents = to.extents = &count;
          call_options options;
          if (bypass) options.forced = &streaming;
          call(sine, {&from, 1}, {}, {&to, 1}, {}, options);
          for (std::size_t i = 0; i < target.values.size(); ++i)
            REQUIRE(target.values[i] ==
                    (i < static_cast<std::size_t>(shift) ? before[i] : expected[i % arguments.size()]));
        }
}

TEST_CASE("an empty result launches nothing and keeps its shape") {
  const function_handle axpy = axpy_function("call_test_axpy", 2);
  host_array<float> x({0, 4}), y({0, 4});
  const operand inputs[] = {x.operand(), y.operand()};
  const scalar a = bits_of(1.0f);
  result made;
  call(axpy, inputs, {&a, 1}, {}, {&made, 1});
  CHECK(made.rank == 2);
  CHECK(made.extents[0] == 0);
  CHECK(made.extents[1] == 4);
  CHECK(made.storage.size() == 0);
}

TEST_CASE("slice bounds that are parameters choose what is read") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float32, 1);
  builder.parameter(element_type::int64);
  builder.parameter(element_type::int64);
  view_item item;
  item.start = parameter_bound(0);
  item.stop = parameter_bound(1);
  builder.output(plus_one(builder, builder.view(x, {&item, 1})));
  const function_handle sliced = intern(builder.recorded());
  host_array<float> all({10});
  const operand inputs[] = {all.operand()};
  for (const auto& [start, stop] : {std::pair{2, 5}, {0, 10}, {-3, -1}, {7, 3}}) {
    const scalar bounds[] = {static_cast<scalar>(std::int64_t{start}),
                             static_cast<scalar>(std::int64_t{stop})};
    result made;
    call(sliced, inputs, bounds, {}, {&made, 1});
    std::vector<float> expected;
    for (int i = (start + 10) % 10; i < (stop < 0 ? stop + 10 : stop); ++i)
      expected.push_back(static_cast<float>(i + 1));
    CHECK(values_of<float>(made) == expected);
  }
}

TEST_CASE("a result may be an input: in place where each element read is the one written") {
  const function_handle axpy = axpy_function("call_test_axpy");
  host_array<float> x({100000}), y({100000});
  const operand inputs[] = {x.operand(), y.operand()};
  const operand into[] = {x.operand()};
  const scalar a = bits_of(2.0f);
  CHECK(workspace_bytes(axpy, inputs, {&a, 1}, {}, into) == 0);
  call(axpy, inputs, {&a, 1}, into, {});
  for (std::size_t i = 0; i < x.values.size(); ++i) REQUIRE(x.values[i] == 3.0f * static_cast<float>(i));
}

TEST_CASE("a result that overlaps otherwise is computed in a temporary") {
  SUBCASE("shifted by one element") {
    const function_handle increment = unary(1, plus_one);
    host_array<float> memory({100001});
    host_array<float> from({100000}), to({100000});
    operand input = from.operand(), output = to.operand();
    input.data = memory.values.data();
    output.data = memory.values.data() + 1;
    CHECK(workspace_bytes(increment, {&input, 1}, {}, {}, {&output, 1}) >= 400000);
    CHECK(contains(explain(increment, {&input, 1}, {}, {}, {&output, 1}), "computed in a temporary"));
    call(increment, {&input, 1}, {}, {&output, 1}, {});
    CHECK(memory.values[0] == 0);
    for (std::size_t i = 0; i < 100000; ++i) REQUIRE(memory.values[i + 1] == static_cast<float>(i) + 1);
  }
  SUBCASE("transposed, and copied back with strides") {
    const function_handle increment = unary(2, [](graph_builder& builder, graph_value x) {
      const view_item swap[] = {{view_item::kind::permute, literal_bound(1), {}, {}},
                                {view_item::kind::permute, literal_bound(0), {}, {}}};
      return plus_one(builder, builder.view(x, swap));
    });
    host_array<float> square({60, 60});
    const operand both = square.operand();
    call(increment, {&both, 1}, {}, {&both, 1}, {});
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t j = 0; j < 60; ++j)
        REQUIRE(square.values[i * 60 + j] == static_cast<float>(j * 60 + i) + 1);
    host_array<float> wide({60, 64});
    wide.extents = {60, 60};
    const operand part = wide.operand();
    call(increment, {&part, 1}, {}, {&part, 1}, {});
    for (std::size_t i = 0; i < 60; ++i)
      for (std::size_t j = 0; j < 60; ++j)
        REQUIRE(wide.values[i * 64 + j] == static_cast<float>(j * 64 + i) + 1);
  }
  SUBCASE("reversed") {
    const function_handle increment = unary(1, plus_one);
    host_array<float> memory({5001}), reversed({5001});
    operand input = memory.operand(), output = reversed.operand();
    const std::int64_t back = -1;
    output.data = memory.values.data() + 5000;
    output.strides = &back;
    call(increment, {&input, 1}, {}, {&output, 1}, {});
    for (std::size_t i = 0; i <= 5000; ++i) REQUIRE(memory.values[i] == static_cast<float>(5000 - i) + 1);
  }
}

TEST_CASE("a stencil in place, and any result in a workspace of the caller's, are right too") {
  SUBCASE("a stencil in place") {
    const function_handle sum = unary(1, [](graph_builder& builder, graph_value x) {
      const view_item left = slice_item(0, -1), right = slice_item(1, 1 << 30);
      return builder.apply(operation::add, {builder.view(x, {&left, 1}), builder.view(x, {&right, 1})});
    });
    host_array<float> memory({5001}), shorter({5000});
    operand input = memory.operand(), output = shorter.operand();
    output.data = memory.values.data();
    call(sum, {&input, 1}, {}, {&output, 1}, {});
    for (std::size_t i = 0; i < 5000; ++i) REQUIRE(memory.values[i] == 2 * static_cast<float>(i) + 1);
    CHECK(memory.values[5000] == 5000);
  }
  SUBCASE("a workspace is used instead of an allocation") {
    const function_handle increment = unary(1, plus_one);
    host_array<float> memory({1001}), shape({1000});
    operand input = shape.operand(), output = shape.operand();
    input.data = memory.values.data();
    output.data = memory.values.data() + 1;
    std::vector<std::byte> workspace(workspace_bytes(increment, {&input, 1}, {}, {}, {&output, 1}) + 256);
    call_options options;
    options.workspace = workspace;
    call(increment, {&input, 1}, {}, {&output, 1}, {}, options);
    for (std::size_t i = 0; i < 1000; ++i) REQUIRE(memory.values[i + 1] == static_cast<float>(i) + 1);
    bool used = false;
    for (const std::byte each : workspace) used |= each != std::byte{0};
    CHECK(used);
  }
}

TEST_CASE("results that share memory are written one after the other") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float32, 1);
  builder.output(plus_one(builder, x));
  builder.output(builder.apply(operation::negative, {x}));
  const function_handle two = intern(builder.recorded());
  host_array<float> from({1000});
  const operand input = from.operand();
  SUBCASE("the last wins") {
    host_array<float> memory({1001}), shape({1000});
    operand into[] = {shape.operand(), shape.operand()};
    into[0].data = memory.values.data() + 1;
    into[1].data = memory.values.data();
    call(two, {&input, 1}, {}, into, {});
    for (std::size_t i = 0; i < 1000; ++i) REQUIRE(memory.values[i] == -static_cast<float>(i));
    CHECK(memory.values[1000] == 1000);
  }
  SUBCASE("interleaved ones share nothing") {
    host_array<float> memory({2000}), shape({1000});
    const std::int64_t every_other = 2;
    operand into[] = {shape.operand(), shape.operand()};
    into[0].data = memory.values.data();
    into[1].data = memory.values.data() + 1;
    into[0].strides = into[1].strides = &every_other;
    CHECK(workspace_bytes(two, {&input, 1}, {}, {}, into) == 0);
    call(two, {&input, 1}, {}, into, {});
    for (std::size_t i = 0; i < 1000; ++i) {
      REQUIRE(memory.values[2 * i] == static_cast<float>(i) + 1);
      REQUIRE(memory.values[2 * i + 1] == -static_cast<float>(i));
    }
  }
  SUBCASE("a result that overlaps itself is refused") {
    host_array<float> memory({1000});
    const std::int64_t still = 0;
    operand into[] = {memory.operand(), from.operand()};
    into[0].strides = &still;
    CHECK_FALSE(message_of<shape_error>([&] { call(two, {&input, 1}, {}, into, {}); }).empty());
    check_it_works();
  }
}

TEST_CASE("halves of one array share nothing") {
  const function_handle increment = unary(2, plus_one);
  host_array<float> wide({50, 40}), shape({50, 20});
  operand left = shape.operand(), right = shape.operand();
  left.strides = right.strides = wide.strides.data();
  left.data = wide.values.data();
  right.data = wide.values.data() + 20;
  CHECK(workspace_bytes(increment, {&left, 1}, {}, {}, {&right, 1}) == 0);
  call(increment, {&left, 1}, {}, {&right, 1}, {});
  for (std::size_t i = 0; i < 50; ++i)
    for (std::size_t j = 0; j < 20; ++j)
      REQUIRE(wide.values[i * 40 + 20 + j] == static_cast<float>(i * 40 + j) + 1);
}

TEST_CASE("devices and streams must agree, and the message names each") {
  const function_handle axpy = axpy_function("call_test_axpy");
  host_array<float> x({7}), y({7}), out({7});
  operand inputs[] = {x.operand(), y.operand()};
  operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  inputs[1].where = device::cuda(3);
  const std::string text = message_of<device_error>([&] { call(axpy, inputs, {&a, 1}, into, {}); });
  CHECK(contains(text, "call_test_axpy"));
  CHECK(contains(text, "operand 0 on cpu"));
  CHECK(contains(text, "operand 1 on cuda:3"));
  CHECK(contains(text, "result 0 on cpu"));
  inputs[1].where = device::cpu();
  const stream foreign = stream::default_of(device::cuda(1));
  call_options options;
  options.on = &foreign;
  CHECK(contains(message_of<device_error>([&] { call(axpy, inputs, {&a, 1}, into, {}, options); }),
                 "the stream on cuda:1"));
  CHECK(out.values[1] == 1);
  check_it_works();
}

TEST_CASE("shapes, counts and types that do not fit are refused and change nothing") {
  const function_handle axpy = axpy_function("call_test_axpy");
  host_array<float> x({7}), y({6}), out({7}), wrong({8});
  host_array<std::int32_t> integers({7});
  const scalar a = bits_of(2.0f);
  const operand mismatched[] = {x.operand(), y.operand()}, fine[] = {x.operand(), x.operand()};
  const operand typed[] = {x.operand(), integers.operand()};
  const operand into[] = {out.operand()}, too_long[] = {wrong.operand()},
                of_integers[] = {integers.operand()};
  const operand twice[] = {out.operand(), out.operand()};
  CHECK_FALSE(message_of<shape_error>([&] { call(axpy, mismatched, {&a, 1}, into, {}); }).empty());
  check_it_works();
  CHECK_FALSE(message_of<type_error>([&] { call(axpy, typed, {&a, 1}, into, {}); }).empty());
  check_it_works();
  CHECK_FALSE(message_of<shape_error>([&] { call(axpy, fine, {&a, 1}, too_long, {}); }).empty());
  check_it_works();
  CHECK_FALSE(message_of<type_error>([&] { call(axpy, fine, {&a, 1}, of_integers, {}); }).empty());
  check_it_works();
  CHECK(
      contains(message_of<type_error>([&] { call(axpy, {fine, 1}, {&a, 1}, into, {}); }), "takes 2 arrays"));
  check_it_works();
  CHECK_FALSE(message_of<type_error>([&] { call(axpy, fine, {}, into, {}); }).empty());
  CHECK_FALSE(message_of<shape_error>([&] { call(axpy, fine, {&a, 1}, twice, {}); }).empty());
  CHECK_FALSE(message_of<shape_error>([&] { call(axpy, fine, {&a, 1}, {}, {}); }).empty());
  check_it_works();
  result kept;
  call(axpy, fine, {&a, 1}, {}, {&kept, 1});
  void* const before = kept.storage.data();
  CHECK_FALSE(message_of<shape_error>([&] { call(axpy, mismatched, {&a, 1}, {}, {&kept, 1}); }).empty());
  CHECK(kept.storage.data() == before);
}

TEST_CASE("a result too large for memory is out_of_memory, and nothing changed") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::float64, 2), y = builder.input(element_type::float64, 2);
  builder.output(builder.apply(operation::add, {x, y}));
  const function_handle outer = intern(builder.recorded());
  host_array<double> one({1, 1});
  const std::int64_t column[] = {std::int64_t{1} << 25, 1}, row[] = {1, std::int64_t{1} << 25};
  const std::int64_t still[] = {0, 0};
  operand inputs[] = {one.operand(), one.operand()};
  inputs[0].extents = column;
  inputs[1].extents = row;
  inputs[0].strides = inputs[1].strides = still;
  result made;
  CHECK_THROWS_AS(call(outer, inputs, {}, {}, {&made, 1}), out_of_memory);
  CHECK(made.storage.data() == nullptr);
  check_it_works();
}

TEST_CASE("a scalar outside the type it was used as is refused at every call") {
  graph_builder builder;
  builder.restart();
  const auto x = builder.input(element_type::uint8, 1);
  const auto k = builder.parameter(element_type::int64, true);
  builder.output(builder.apply(operation::add, {x, k}));
  const function_handle add = intern(builder.recorded());
  host_array<std::uint8_t> from({4}), to({4});
  const operand input = from.operand(), output = to.operand();
  const auto run = [&](std::int64_t value) {
    const scalar bits = static_cast<scalar>(value);
    call(add, {&input, 1}, {&bits, 1}, {&output, 1}, {});
  };
  run(5);
  CHECK(to.values == std::vector<std::uint8_t>{5, 6, 7, 8});
  CHECK_THROWS_AS(run(256), type_error);
  CHECK_THROWS_AS(run(-1), type_error);
  CHECK(to.values == std::vector<std::uint8_t>{5, 6, 7, 8});
  run(7);
  CHECK(to.values[0] == 7);
}

TEST_CASE("prepare compiles, explain and source tell") {
  const function_handle axpy = axpy_function("call_test_explained");
  host_array<float> x({1000}), y({1000});
  const operand inputs[] = {x.operand(), y.operand()};
  const scalar a = bits_of(2.0f);
  const std::string text = source(axpy, inputs, {&a, 1});
  CHECK(contains(text, "call_test_explained"));
  CHECK(contains(explain(axpy, inputs, {&a, 1}), "compiled just now"));
  prepare(axpy, inputs, {&a, 1});
  const std::string again = explain(axpy, inputs, {&a, 1});
  for (const char* part : {"call_test_explained", "multiply", "schedule:", "launch:", "tiles",
                           "moves:", "from memory", "arithmetic: standard", "ELF"})
    CHECK_MESSAGE(contains(again, part), again);
  CHECK(source(axpy, inputs, {&a, 1}) == text);
}

TEST_CASE("a schedule may be given, and one that cannot run is refused") {
  const function_handle axpy = axpy_function("call_test_forced");
  host_array<float> x({1000}), y({1000}), out({1000});
  const operand inputs[] = {x.operand(), y.operand()};
  const operand into[] = {out.operand()};
  const scalar a = bits_of(2.0f);
  schedule flat;
  flat.order = loop_order::flat;
  call_options options;
  options.forced = &flat;
  call(axpy, inputs, {&a, 1}, into, {}, options);
  for (std::size_t i = 0; i < 1000; ++i) REQUIRE(out.values[i] == 3.0f * static_cast<float>(i));
  CHECK(contains(explain(axpy, inputs, {&a, 1}, options), "flat"));
  CHECK(contains(explain(axpy, inputs, {&a, 1}), "rows"));
  const std::vector<void (*)(schedule&)> faults{[](schedule& s) { s.vector = 2; },
                                                [](schedule& s) { s.steps = 0; },
                                                [](schedule& s) { s.threads_along = 0; },
                                                [](schedule& s) { s.tile = 1; },
                                                [](schedule& s) { s.cluster = 2; },
                                                [](schedule& s) { s.shared_steps = 1; },
                                                [](schedule& s) { s.resident = true; },
                                                [](schedule& s) { s.scalar_loads = true; },
                                                [](schedule& s) { s.whole_rows = true; },
                                                [](schedule& s) { s.staged = true; },
                                                [](schedule& s) { s.reads = eviction::last; }};
  for (const auto fault : faults) {  // each is recognised by the schedule of its plan
    schedule wrong = flat;
    fault(wrong);
    options.forced = &wrong;
    INFO(to_string(wrong));
    CHECK_THROWS_AS(call(axpy, inputs, {&a, 1}, into, {}, options), type_error);
  }
}
