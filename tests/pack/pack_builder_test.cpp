// What a pack builder compiles: for each architecture and its known models, with PTX for newer ones.

#include <doctest/doctest.h>

#include "../support/cuda/device_array.hpp"
#include "../support/cuda/fake_cuda.hpp"
#include "../support/cuda/nvrtc_is_missing.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/target/known_devices.hpp>
#include <sinter/dsl/order/compose_order.hpp>
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/sort/sort_kernels.hpp>

#include <deque>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

graph scaled_graph(std::string name) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::multiply, {x, builder.parameter(element_type::float32)}));
  builder.recorded().name = std::move(name);
  return builder.recorded();
}

recorded_request request_of(const graph& content, std::int64_t extent) {
  const std::int64_t stride = 1;
  const array_layout input{element_type::float32, 1, &extent, &stride, 256, 0};
  const std::uint64_t scalar = 0;
  return {content, record_call(content, {&input, 1}, {}, {&scalar, 1}, target_kind::cpu, nullptr)};
}

std::vector<cache_entry> entries_of(const built_pack& made) {
  std::string fault;
  const std::shared_ptr<pack> from = pack::open_bytes(made.bytes, "pack", {}, fault);
  std::vector<cache_entry> all(from->size());
  for (std::size_t i = 0; i < all.size(); ++i)
    CHECK(decode(from->read(from->row(i)).bytes, "", all[i]) == entry_fault::none);
  return all;
}

std::int64_t compiled_so_far() {
  return static_cast<std::int64_t>(
      cache_statistics_now().found[static_cast<std::size_t>(cache_layer::compiled)]);
}

}  // namespace

TEST_CASE("a pack has the kernels that sort rows, once for each width of keys and architecture") {
  if (nvrtc_is_missing() || !has_sort_kernels()) return;
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(sort(builder, x, 0));
  builder.output(argsort(builder, builder.cast(x, element_type::int16), 0));
  builder.recorded().name = "sorted";
  const std::int64_t extent = 5000, stride = 1;
  const array_layout input{element_type::float32, 1, &extent, &stride, 256, 0};
  const recorded_request request{
      builder.recorded(), record_call(builder.recorded(), {&input, 1}, {}, {}, target_kind::cpu, nullptr)};
  pack_options options;
  options.architectures = {80, 90};
  const built_pack made = build_pack({&request, 1}, options);
  CHECK(made.faults.empty());
  std::size_t sorts = 0;
  for (const cache_entry& each : entries_of(made))
    for (const int architecture : {80, 90})
      sorts += each.key_content == sort_key_content(4, architecture) ? 1 : 0;
  CHECK(sorts == 2);
}

TEST_CASE("each architecture gets machine code, and the newest PTX beside it") {
  if (nvrtc_is_missing()) return;
  const recorded_request request = request_of(scaled_graph("scaled"), 4096);
  std::size_t told = 0;
  const built_pack made = build_pack(
      {&request, 1},
      {.architectures = {80, 90}, .cpu = true, .threads = 1, .progress = [&](const pack_progress& at) {
         CHECK(at.done == ++told);
         CHECK(at.done <= at.all);
       }});
  CHECK(made.faults.empty());
  CHECK(told == made.kernels);
  std::set<std::string> forms;
  for (const cache_entry& each : entries_of(made)) {
    std::string form;
    for (const code_image& image : each.images)
      form += std::string(to_string(image.format)) + " " + std::to_string(image.architecture) + " ";
    forms.insert(form);
    CHECK(each.compile_milliseconds == 0);
    CHECK(each.log.empty());
  }
  CHECK(forms == std::set<std::string>{"cubin 80 ", "cubin 90 PTX 90 ", "ELF 0 "});
}

TEST_CASE("what cannot be lowered or compiled is told, and the rest is packed") {
  if (nvrtc_is_missing()) return;
  recorded_request requests[] = {request_of(scaled_graph("good"), 100), request_of(scaled_graph("bad"), 100)};
  requests[1].call->forced = schedule{.order = loop_order::tiled, .tile = 7};
  const built_pack made =
      build_pack(requests, {.architectures = {90}, .cpu = false, .threads = 1, .progress = nullptr});
  CHECK(made.kernels == 2);  // the recorded class and the shape-generic kernels
  REQUIRE(made.faults.size() == 1);
  CHECK(made.faults[0].find("'bad' for compute capability 9.0") != std::string::npos);
}

TEST_CASE("a call whose kernels are in a pack compiles nothing, on the architecture and on a newer one") {
  if (nvrtc_is_missing()) return;
  const graph content = scaled_graph("packed_call");
  static std::string bytes;  // the process's cache reads it to the end
  const recorded_request request = request_of(content, 5000);
  bytes = build_pack({&request, 1}, {.architectures = {90}, .cpu = false, .threads = 1, .progress = nullptr})
              .bytes;
  cache_settings settings;
  settings.on_disk = false;
  set_cache(settings);
  const auto call_on = [&](int architecture) {
    fake_cuda fake;
    fake.set_architecture(0, architecture);
    device_array x(5000);
    const operand input = x.view();
    const scalar scale = 0;
    result made;
    const std::int64_t before = compiled_so_far();
    runtime::call(intern(content), {&input, 1}, {&scale, 1}, {}, {&made, 1});
    CHECK(fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx") == 1);
    return compiled_so_far() - before;
  };
  CHECK(call_on(90) == 1);
  add_pack(std::as_bytes(std::span(bytes)), "of a test");
  CHECK(call_on(90) == 0);
  CHECK(call_on(120) == 0);
  CHECK(call_on(89) == 1);  // older than everything packed
}

TEST_CASE("kernels that follow each other are packed as devices launch them, and for those that are newer") {
  if (nvrtc_is_missing()) return;
  constexpr std::int64_t extent = std::int64_t{1} << 22;  // more than one kernel sums
  graph_builder builder;
  builder.restart();
  builder.output(builder.reduce(operation::sum, builder.input(element_type::float32, 1), 1));
  const auto call_with_pack_for = [&](int packed, int architecture) {
    builder.recorded().name = "sum_" + std::to_string(packed) + "_" + std::to_string(architecture);
    const graph& content = builder.recorded();
    const std::int64_t stride = 1;
    const array_layout input{element_type::float32, 1, &extent, &stride, 256, 0};
    const recorded_request request{content,
                                   record_call(content, {&input, 1}, {}, {}, target_kind::cuda, nullptr)};
    static std::deque<std::string> kept;  // the process's cache reads them to the end
    const built_pack made = build_pack(
        {&request, 1}, {.architectures = {packed}, .cpu = false, .threads = 2, .progress = nullptr});
    CHECK(made.faults.empty());
    kept.push_back(made.bytes);
    cache_settings settings;
    settings.on_disk = false;
    set_cache(settings);
    add_pack(std::as_bytes(std::span(kept.back())), content.name);
    fake_cuda fake;
    fake.set_architecture(0, architecture);
    device_array x(extent);
    const operand summed = x.view();
    result total;
    const std::int64_t before = compiled_so_far();
    runtime::call(intern(content), {&summed, 1}, {}, {}, {&total, 1});
    CHECK(fake.calls("cuLaunchKernel") + fake.calls("cuLaunchKernelEx") == 2);
    return compiled_so_far() - before;
  };
  CHECK(call_with_pack_for(90, 90) == 0);
  CHECK(call_with_pack_for(90, 120) == 0);
  CHECK(call_with_pack_for(80, 90) == 0);
  CHECK(call_with_pack_for(80, 120) == 0);
}

TEST_CASE("the models of every known architecture are those of that architecture") {
  for (const int architecture : known_architectures()) {
    CHECK_FALSE(facts_of_models(architecture).empty());
    for (const target_facts& each : facts_of_models(architecture)) {
      CHECK(each.kind == target_kind::cuda);
      CHECK(each.architecture == architecture);
      CHECK(each.multiprocessors >= 20);
      CHECK(each.shared_bytes_per_block >= 48 * 1024);
      CHECK(each.cache_bytes >= 1 << 20);
    }
  }
  // an unknown architecture uses the nearest earlier one
  CHECK(facts_of_models(91).front().architecture == 91);
  CHECK(facts_of_models(91).size() == facts_of_models(90).size());
}

}  // namespace sinter::test
