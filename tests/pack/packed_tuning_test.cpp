// Packs that carry tunings: their kernels, which calls they serve, and what comes before them.
#include <doctest/doctest.h>

#include "../support/kept_log.hpp"
#include "../support/process/temporary_folder.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/cache/cache.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/call.hpp>
#include <sinter/runtime/compile/kernel_table.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/posix/whole_file.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>
#include <sinter/runtime/tuning/recorded_trials.hpp>
#include <sinter/sinter.hpp>

#include <array>
#include <memory>
#include <numeric>
#include <set>
#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

constexpr std::int64_t side = 200;

/// x + transpose(x), whose tiles have sides that can be tuned; `added` makes it a graph of its own.
graph transposed_sum(double added) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 2);
  const view_item swapped[]{{view_item::kind::permute, literal_bound(1), {}, {}},
                            {view_item::kind::permute, literal_bound(0), {}, {}}};
  const graph_value y = builder.apply(operation::add, {x, builder.view(x, swapped)});
  builder.output(builder.apply(operation::add, {y, builder.literal(added, element_type::float32)}));
  builder.recorded().name = "transposed_sum";
  return builder.recorded();
}

struct square {
  std::vector<float> numbers = std::vector<float>(side * side, 1.f);
  std::array<std::int64_t, 2> extents{side, side}, strides{side, 1};
  runtime::operand array() const {
    runtime::operand made;
    made.data = const_cast<float*>(numbers.data());
    made.type = element_type::float32;
    made.rank = 2;
    made.extents = extents.data();
    made.strides = strides.data();
    made.where = device::cpu();
    return made;
  }
};

recorded_request request_of(const graph& content) {
  const square x;
  const array_layout input{element_type::float32, 2, x.extents.data(), x.strides.data(), 256, 0};
  return {content, record_call(content, {&input, 1}, {}, {}, target_kind::cpu, nullptr)};
}

/// What was measured of a request, with another winner than the default: another kernel.
tuning_report measured(const recorded_request& request, schedule& winner) {
  const recorded_trials trials = trials_of({&request, 1}, device::cpu());
  REQUIRE(trials.trials.size() == 1);
  tuning_report report = tune_recorded(trials.trials[0], {.budget = 0.05});
  forget_tuning();
  REQUIRE(report.stages.size() == 1);
  winner = report.stages[0].usual;
  winner.order = loop_order::tiled;
  winner.tile = winner.threads_along = winner.rows_per_thread = report.stages[0].usual.tile == 8 ? 16 : 8;
  report.stages[0].chosen = winner;
  report.gain = 0.25;
  return report;
}

/// A pack of the request's kernels with what was measured of it.
built_pack pack_with(const recorded_request& request, const tuning_report& report) {
  return build_pack({&request, 1}, {.architectures = {}, .tunings = to_text({{report, emitter_version}})});
}

std::string explained(const graph& content) {
  const square x;
  const runtime::operand array = x.array();
  return explain(intern(content), {&array, 1}, {});
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::set<std::string> schedules_in(const built_pack& made) {
  std::string fault;
  const std::shared_ptr<pack> from = pack::open_bytes(made.bytes, "pack", {}, fault);
  std::set<std::string> all;
  for (std::size_t i = 0; i < from->size(); ++i) {
    cache_entry entry;
    CHECK(decode(from->read(from->row(i)).bytes, "", entry) == entry_fault::none);
    all.insert(entry.schedule);
  }
  return all;
}

struct default_cache {
  default_cache() { forget_tuning(); }
  ~default_cache() {
    forget_tuning();
    set_cache(cache_settings_from_environment());
  }
};

void open_alone(const std::string& bytes, const char* name) {
  cache_settings none;
  none.on_disk = false;
  set_cache(none);
  add_pack(std::as_bytes(std::span(bytes)), name);
}

}  // namespace

TEST_CASE("a pack's tunings serve the calls of a program that opens it, with kernels that are in the pack") {
  const default_cache scope;
  const recorded_request request = request_of(transposed_sum(3));
  schedule winner;
  const tuning_report report = measured(request, winner);
  const built_pack made = pack_with(request, report);
  CHECK(made.faults.empty());
  const built_pack plain = build_pack({&request, 1}, {.architectures = {}});
  CHECK(made.kernels == plain.kernels + 1);
  CHECK(schedules_in(made).contains(to_string(winner)));
  CHECK_FALSE(schedules_in(plain).contains(to_string(winner)));

  open_alone(made.bytes, "with tunings");
  const std::string text = explained(request.content);
  CAPTURE(text);
  CHECK(contains(text, "schedules: measured, from pack with tunings: 25.0% less"));
  CHECK(contains(text, to_string(winner)));

  SUBCASE("what is loaded comes before it, also where that keeps the default") {
    const temporary_folder folder;
    tuning_report kept = report;
    kept.gain = 0;
    kept.stages[0].chosen = kept.stages[0].usual;
    kept.save(folder.path() + "/kept.tuning");
    CHECK(load_tuning(folder.path() + "/kept.tuning") == 1);
    CHECK(contains(explained(request.content), "schedules: the default"));
    CHECK(contains(explained(request.content), "kept.tuning"));
    forget_tuning();
    CHECK(contains(explained(request.content), "from pack with tunings"));
  }
  SUBCASE("a call with a schedule of its own has that") {
    const square x;
    const runtime::operand array = x.array();
    const schedule own = report.stages[0].usual;
    call_options options;
    options.forced = &own;
    CHECK_FALSE(contains(explain(intern(request.content), {&array, 1}, {}, options), "with tunings"));
  }
  SUBCASE("packs that are merged carry the tunings of all") {
    std::string fault;
    const std::shared_ptr<pack> tuned = pack::open_bytes(made.bytes, "a", {}, fault),
                                without = pack::open_bytes(plain.bytes, "b", {}, fault);
    const std::string merged = merge_packs(std::vector{without, tuned, tuned});
    const std::shared_ptr<pack> all = pack::open_bytes(merged, "merged", {}, fault);
    REQUIRE(all != nullptr);
    CHECK(all->check().empty());
    CHECK(all->tunings().bytes == tuned->tunings().bytes);
    CHECK_FALSE(without->tunings().found);
  }
}

TEST_CASE("a pack that is opened after a call decides the schedules of the next one") {
  const default_cache scope;
  const recorded_request request = request_of(transposed_sum(6));
  schedule winner;
  const built_pack made = pack_with(request, measured(request, winner));
  cache_settings none;
  none.on_disk = false;
  set_cache(none);
  const function_handle called = intern(request.content);
  const square x;
  const runtime::operand array = x.array();
  const auto run = [&] {
    std::vector<result> results(1);
    call(called, {&array, 1}, {}, {}, results, {});
  };
  // kernels that were looked for and found, loaded or in a layer: a call whose plan is known looks for none
  const auto looked_for = [] {
    const cache_statistics now = cache_statistics_now();
    return std::accumulate(now.found.begin(), now.found.end(), kernel_table_statistics().hits);
  };
  run();
  const std::size_t before = looked_for();
  run();
  CHECK(looked_for() == before);
  add_pack(std::as_bytes(std::span(made.bytes)), "opened later");
  run();
  CHECK(looked_for() == before + 1);
  CHECK(contains(explained(request.content), "from pack opened later"));
  const std::size_t after = looked_for();
  run();
  CHECK(looked_for() == after);
}

TEST_CASE("tunings of another version serve no call, and damaged ones are told and leave the kernels") {
  const default_cache scope;
  const recorded_request request = request_of(transposed_sum(4));
  schedule winner;
  const std::string text = to_text({{measured(request, winner), emitter_version + 1}});
  const built_pack other = build_pack({&request, 1}, {.architectures = {}, .tunings = text});
  open_alone(other.bytes, "pack of another version");
  CHECK_FALSE(contains(explained(request.content), "measured"));

  CHECK_THROWS_AS(build_pack({&request, 1}, {.architectures = {}, .tunings = "no tuning"}), type_error);
  const recorded_request second = request_of(transposed_sum(5));
  const std::string damaged = make_pack({}, "no tuning");
  const kept_log log;
  open_alone(damaged, "damaged tunings");
  CHECK_FALSE(contains(explained(second.content), "measured"));
  CHECK(contains(kept_log::text, "damaged tunings: tuning file"));
}

TEST_CASE("tunings whose bytes are not those of the pack's head are refused") {
  std::string bytes = make_pack({}, "sinter tuning 2\n");
  const std::size_t at = bytes.find("tuning 2");
  REQUIRE(at != std::string::npos);
  bytes[at] = 'T';
  std::string fault;
  const std::shared_ptr<pack> opened = pack::open_bytes(bytes, "pack", {}, fault);
  REQUIRE(opened != nullptr);
  CHECK(opened->tunings().fault == "its tunings are damaged");
  CHECK_FALSE(opened->check().empty());
}

}  // namespace sinter::test
