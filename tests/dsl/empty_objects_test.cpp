// Each public object in its empty state (default-constructed, moved from, without memory, of another graph)
// with each public operation: a result or a meaningful error, never an invalid read.
#include <doctest/doctest.h>

#include <functional>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/any_array.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/dispatch/prepare_async.hpp>
#include <sinter/runtime/object/linker.hpp>
#include <sinter/runtime/object/object_code.hpp>
#include <sinter/sinter.hpp>
#include <string>
#include <utility>
#include <vector>

using namespace sinter;

namespace {

struct use {
  const char* name;
  std::function<void()> does;
};

/// The message of a use; "" if it does not throw. Any exception but sinter::error fails the test.
std::string told(const use& at) {
  try {
    at.does();
  } catch (const error& thrown) {
    CHECK_FALSE(std::string(thrown.what()).empty());
    return thrown.what();
  } catch (const std::exception& thrown) {
    FAIL_CHECK(at.name << " threw no error of Sinter's: " << thrown.what());
  }
  return {};
}

void expect_refused(const std::vector<use>& uses, const std::string& because) {
  for (const use& at : uses) {
    CAPTURE(at.name);
    const std::string what = told(at);
    CAPTURE(what);
    CHECK(what.find(because) != std::string::npos);
  }
}
void expect_harmless(const std::vector<use>& uses) {
  for (const use& at : uses) {
    CAPTURE(at.name);
    CHECK(told(at) == "");
  }
}

/// An object in an empty state.
template <class Object>
std::vector<std::pair<std::string, Object>> empty_states(Object full) {
  std::vector<std::pair<std::string, Object>> states;
  states.emplace_back("default-constructed", Object());
  const Object taken = std::move(full);
  states.emplace_back("moved from", std::move(full));  // NOLINT: that is what is tested
  return states;
}

constexpr element_type f32 = element_type::float32;
const auto twice = fuse([](auto x) { return x + x; });

constexpr auto no_type = static_cast<element_type>(99);
constexpr auto no_operation = static_cast<operation>(250);

}  // namespace

TEST_SUITE("empty objects") {
  TEST_CASE("object code that holds nothing") {
    const object_code full(std::vector<code_image>{{code_format::ptx, 90, ".version 8.0\n.target sm_90\n"}},
                           std::string("kernel"));
    for (const auto& [state, code] : empty_states(full)) {
      CAPTURE(state);
      CHECK_FALSE(static_cast<bool>(code));
      CHECK_FALSE(code.loaded());
      expect_refused({{"images", [&] { code.images(); }},
                      {"entry", [&] { code.entry(); }},
                      {"entries", [&] { code.entries(); }},
                      {"facts", [&] { code.facts(); }},
                      {"origin", [&] { code.origin(); }},
                      {"image_for", [&] { code.image_for(device::cpu()); }},
                      {"attributes on the CPU", [&] { code.attributes(device::cpu()); }},
                      {"attributes", [&] { code.attributes(device::cuda(0)); }},
                      {"host_entry", [&] { code.cpu_entry(); }},
                      {"cuda_entry", [&] { code.cuda_entry(nullptr); }},
                      {"allow_shared_memory", [&] { code.allow_shared_memory(1, 0); }},
                      {"allow_large_clusters", [&] { code.allow_large_clusters(0); }},
                      {"keep_loaded", [&] { code.keep_loaded(); }}},
                     "this object_code is empty");
      expect_refused({{"link", [&] { link({&code, 1}); }}}, "input 1 of a link is an empty object_code");
      const extern_function<float(float)> of_nothing("empty_objects_code", code);
      expect_refused({{"an external function of it",
                       [&] {
                         const auto x = array<float, 1>::from({1}, {1}, device::cpu());
                         array<float, 1> made = of_nothing(x);
                       }}},
                     "has no form for");
    }
    expect_refused({{"code of no images", [] { object_code(std::vector<code_image>{}).cpu_entry(); }}},
                   "there is nothing");
    expect_refused({{"bytes of nothing", [] { object_code::from_bytes(""); }}}, "no compiled code");
  }

  TEST_CASE("arrays and views without memory") {
    const auto from = [] { return array<float, 0>::from({3}, {}, device::cpu()); };
    array<float, 0> taken_from = from(), never;
    const array<float, 0> taken = std::move(taken_from);
    for (array<float, 0>* at : {&taken_from, &never}) {
      CHECK(at->size() == 0);
      CHECK(at->data() == nullptr);
      expect_harmless({{"to_vector", [&] { CHECK(at->to_vector().empty()); }}});
      expect_refused({{"copy", [&] { at->copy(); }}}, "null address");
      expect_refused({{"operand", [&] { twice(*at); }},
                      {"result", [&] { twice.into (*at)(taken); }},
                      {"view's operand", [&] { twice(view<const float, 0>(*at)); }},
                      {"lazy operand", [&] { array<float, 0> made = *at + 1.0f; }}},
                     "has elements and no memory");
      expect_harmless({{"source", [&] { twice.source(*at); }}, {"prepare", [&] { twice.prepare(*at); }}});
    }
    const view<float, 0> no_view;
    CHECK(no_view.size() == 0);
    const view<float, 1> null(nullptr, {5}), empty(nullptr, {0});
    const auto x = array<float, 1>::from({1, 2, 3, 4, 5}, {5}, device::cpu());
    expect_refused({{"operand", [&] { twice(null); }},
                    {"operand of rank 0", [&] { twice(no_view); }},
                    {"result", [&] { twice.into(null)(x); }},
                    {"assigned to", [&] { null = x; }},
                    {"assigned from", [&] { array<float, 1> made = null; }},
                    {"copy", [&] { null.copy(); }}},
                   "has elements and no memory");
    expect_refused({{"to_vector", [&] { null.to_vector(); }}}, "null address");
    expect_harmless({{"of no elements", [&] { CHECK(twice(empty).size() == 0); }},
                     {"default of rank 1", [&] { CHECK(twice(array<float, 1>()).size() == 0); }},
                     {"to_vector of no elements", [&] { CHECK(empty.to_vector().empty()); }}});
  }

  TEST_CASE("arrays and views of any type without memory") {
    const std::int64_t extents[] = {4};
    any_array full(f32, extents, device::cpu());
    const any_array taken = std::move(full);
    CHECK(taken.size() == 4);
    any_array assigned;
    any_array other(f32, extents, device::cpu());
    assigned = std::move(other);
    const any_array never;
    for (const any_array* at : {&std::as_const(full), &std::as_const(other), &never}) {  // NOLINT: moved from
      CHECK(at->data() == nullptr);
      CHECK(at->size() == 0);
      CHECK(at->rank() == 0);
      expect_refused({{"evaluate",
                       [&] {
                         evaluate({at->view()},
                                  [](graph_builder& b, std::span<const graph_value> in) { b.output(in[0]); });
                       }},
                      {"result",
                       [&] {
                         evaluate({}, {at->view()}, [](graph_builder& b, std::span<const graph_value>) {
                           b.output(b.literal(element_type::boolean, 1));
                         });
                       }}},
                     "has elements and no memory");
    }
    CHECK(any_view().size() == 0);
    expect_refused({{"to another type", [] { any_view().to<float, 0>(); }}}, "not float32");
    expect_refused({{"view", [&] { any_view(nullptr, no_type, extents, extents, device::cpu()); }},
                    {"array", [&] { any_array(no_type, extents, device::cpu()); }}},
                   "there is no element type 99");
    const std::int64_t negative[] = {-1};
    expect_refused({{"view", [&] { any_view(nullptr, f32, negative, extents, device::cpu()); }},
                    {"array", [&] { any_array(f32, negative, device::cpu()); }}},
                   "-1");
  }

  TEST_CASE("values of no graph, of another one, and of one that was begun anew") {
    graph_builder other;
    const graph_value foreign = other.input(f32, 2);
    graph_builder b;
    const graph_value before = b.input(f32, 2);
    b.restart();
    const graph_value x = b.input(f32, 2);
    graph_value forged_type = x, forged_rank = x, unknown = x;
    forged_type.type.type = element_type::float64;
    forged_rank.rank = 3;
    unknown.type.type = no_type;
    const view_item items[] = {{}};
    const external_function called = [] {
      external_function made;
      made.name = "empty_objects_external";
      made.arity = 1;
      made.arguments[0] = made.result = f32;
      return made;
    }();
    for (const graph_value& wrong :
         {graph_value{}, foreign, before, forged_type, forged_rank, unknown, graph_value{99, {f32}, 0}}) {
      expect_refused({{"apply", [&] { b.apply(operation::exp, {wrong}); }},
                      {"second operand", [&] { b.apply(operation::add, {x, wrong}); }},
                      {"third operand", [&] { b.apply(operation::clip, {x, x, wrong}); }},
                      {"cast", [&] { b.cast(wrong, element_type::int8); }},
                      {"cast to its own type", [&] { b.cast(wrong, f32); }},
                      {"view", [&] { b.view(wrong, items); }},
                      {"reduce", [&] { b.reduce(operation::sum, wrong, 1); }},
                      {"scan", [&] { b.scan(operation::cumsum, wrong, 0); }},
                      {"coordinate", [&] { b.coordinate(wrong, 0); }},
                      {"extent", [&] { b.extent(wrong, 0); }},
                      {"output", [&] { b.output(wrong); }}},
                     "not a value of this graph");
      CHECK(told({"call", [&] { b.call(called, {&wrong, 1}); }}) != "");
    }
    CHECK(b.recorded().nodes.size() == 1);
    CHECK(b.recorded().outputs.empty());
    expect_harmless({{"the right one", [&] { b.output(b.apply(operation::exp, {x})); }}});
  }

  TEST_CASE("operations, types, axes, modes and view items that do not exist") {
    graph_builder b;
    const graph_value x = b.input(f32, 2);
    expect_refused({{"apply", [&] { b.apply(no_operation, {x}); }},
                    {"reduce", [&] { b.reduce(no_operation, x, 1); }},
                    {"scan", [&] { b.scan(no_operation, x, 0); }}},
                   "there is no operation 250");
    expect_refused({{"input", [&] { b.input(no_type, 1); }},
                    {"parameter", [&] { b.parameter(no_type); }},
                    {"literal", [&] { b.literal(no_type, 1); }},
                    {"cast", [&] { b.cast(x, no_type); }}},
                   "element type 99");
    expect_refused({{"input of a rank below zero", [&] { b.input(f32, static_cast<unsigned>(-1)); }}},
                   "rank");
    expect_refused({{"reduce", [&] { b.reduce(operation::sum, x, 4); }},
                    {"reduce all bits", [&] { b.reduce(operation::sum, x, ~0u); }},
                    {"scan", [&] { b.scan(operation::cumsum, x, 2); }},
                    {"scan below zero", [&] { b.scan(operation::cumsum, x, static_cast<unsigned>(-1)); }},
                    {"coordinate", [&] { b.coordinate(x, static_cast<unsigned>(-1)); }},
                    {"extent", [&] { b.extent(x, 2); }}},
                   "there is no axis");
    expect_refused({{"mode", [&] { b.restart(static_cast<arithmetic_mode>(7)); }}}, "no arithmetic mode 7");
    view_item kind, bound_kind, parameter, index, axis_of_view, axis_below;
    kind.what = static_cast<view_item::kind>(9);
    bound_kind.start = {0, 77};
    parameter.start = parameter_bound(12);
    index.what = view_item::kind::index;
    axis_of_view = {view_item::kind::permute, literal_bound(7), {}, {}};
    axis_below = {view_item::kind::permute, literal_bound(-1), {}, {}};
    for (const view_item& wrong : {kind, bound_kind, parameter, index, axis_of_view, axis_below})
      expect_refused({{"view", [&] { b.view(x, {&wrong, 1}); }}}, "view ");
    const std::vector<view_item> many(100);
    expect_refused({{"view", [&] { b.view(x, many); }}}, "more indices than axes");
  }

  TEST_CASE("graphs that no builder made") {
    graph_builder b;
    b.output(b.apply(operation::exp, {b.input(f32, 1)}));
    const graph whole = b.recorded();
    const auto broken = [&](auto change) {
      graph made = whole;
      change(made);
      return told({"intern", [&] { runtime::intern(made); }});
    };
    CHECK(broken([](graph&) {}) == "");
    CHECK(broken([](graph& at) { at.nodes[1].op = no_operation; }) != "");
    CHECK(broken([](graph& at) { at.nodes[1].type = no_type; }) != "");
    CHECK(broken([](graph& at) { at.nodes[1].inputs[0] = 5; }) != "");
    CHECK(broken([](graph& at) { at.nodes[0].payload = 5; }) != "");
    CHECK(broken([](graph& at) { at.outputs[0] = 5; }) != "");
    CHECK(broken([](graph& at) { at.views.push_back({3, 9}); }) != "");
  }

  TEST_CASE("no function") {
    runtime::result made;
    const runtime::function_handle none = nullptr;
    expect_refused({{"call", [&] { runtime::call(none, {}, {}, {}, {&made, 1}); }},
                    {"prepare", [&] { runtime::prepare(none, {}, {}); }},
                    {"prepare_ranges", [&] { runtime::prepare_ranges(none, {}, {}, {}); }},
                    {"prepare_async", [&] { runtime::prepare_async(none, {}, {}); }},
                    {"prepare_ranges_async", [&] { runtime::prepare_ranges_async(none, {}, {}, {}); }},
                    {"explain", [&] { runtime::explain(none, {}, {}); }},
                    {"source", [&] { runtime::source(none, {}, {}); }},
                    {"source_for", [&] { runtime::source_for("H200", none, {}, {}); }},
                    {"workspace_bytes", [&] { runtime::workspace_bytes(none, {}, {}); }},
                    {"recorded_graph", [&] { runtime::recorded_graph(none); }}},
                   "no function was given");
  }

  TEST_CASE("streams, events, buffers and preparations of nothing") {
    stream cpu_stream;
    const stream taken = std::move(cpu_stream);
    expect_harmless({{"synchronize", [&] { cpu_stream.synchronize(); }},  // NOLINT: moved from
                     {"idle", [&] { CHECK(cpu_stream.idle()); }},
                     {"event on it", [&] { event(cpu_stream).synchronize(); }}});
    event mark(taken);
    const event taken_mark = std::move(mark);
    for (const event* at : {static_cast<const event*>(&mark), &taken_mark})
      expect_harmless({{"synchronize", [&] { at->synchronize(); }},
                       {"done", [&] { CHECK(at->done()); }},
                       {"wait_on", [&] { at->wait_on(taken); }}});
    buffer memory(device::cpu(), 100, taken);
    const buffer taken_memory = std::move(memory);
    CHECK(memory.data() == nullptr);
    CHECK(memory.size() == 0);
    expect_harmless({{"release", [&] { memory.release(); }}, {"copy of no bytes", [&] {
                                                                copy_bytes(nullptr, device::cpu(), nullptr,
                                                                           device::cpu(), 0, taken);
                                                              }}});
    char byte = 0;
    expect_refused(
        {{"copy from", [&] { copy_bytes(&byte, device::cpu(), nullptr, device::cpu(), 1, taken); }},
         {"copy to", [&] { copy_bytes(nullptr, device::cpu(), &byte, device::cpu(), 1, taken); }}},
        "null address");
    preparation none, some = twice.prepare_async(array<float, 1>({3}, device::cpu()));
    const preparation other = std::move(some);
    for (const preparation* at : {&none, &some})  // NOLINT: moved from
      expect_harmless({{"ready", [&] { CHECK(at->ready()); }},
                       {"wait", [&] { at->wait(); }},
                       {"get", [&] { at->get(); }},
                       {"cancel", [&] { at->cancel(); }}});
    other.wait();
  }

  TEST_CASE("devices that do not exist") {
    for (const int index : {-1, 200, 40000, 65536, 65537, -65536}) {
      CAPTURE(index);
      const device none = device::cuda(index);
      CHECK(none != device::cuda(0));
      CHECK(none != device::cuda(1));
      CHECK(told({"name", [&] { none.name(); }}) != "");
      CHECK(told({"set_default", [&] { device::set_default(none); }}) != "");
      CHECK(told({"array", [&] { array<float, 1>({3}, none); }}) != "");
      CHECK(told({"stream", [&] { stream::create(none); }}) != "");
      CHECK(told({"set_memory_resource", [&] { set_memory_resource(none, nullptr); }}) != "");
    }
  }

  TEST_CASE("a memory resource that gives nothing") {
    struct {
      void* allocate(std::size_t, const stream&) { return nullptr; }
      void deallocate(void*, std::size_t, const stream&) noexcept {}
    } nothing;
    set_memory_resource(device::cpu(), &nothing);
    const std::string what = told({"array", [] { array<float, 1>({3}, device::cpu()); }});
    set_memory_resource(device::cpu(), nullptr);
    CHECK(what.find("gave no memory") != std::string::npos);
  }

  TEST_CASE("schedules that say nothing") {
    for (const char* text : {"", " ", ":", "rows,", "vector=", "=", "rows vector=99999999999999999999",
                             "rows vector=-1", "\xff", "tile"})
      expect_refused({{text, [&] { parse_schedule(text); }}}, "schedule");
  }
}
