// sinter tune: tuning of recordings, and looking at, comparing and merging files of tunings.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/codegen/kernel/kernel_description.hpp>
#include <sinter/runtime/command/tune/tune_page.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/tuned/tuning_file.hpp>

#include <doctest/doctest.h>

#include "run_command.hpp"

namespace sinter::test {
namespace {

runtime::tuning_record record_of(const std::string& function, double gain) {
  runtime::tuning_record made;
  made.emitter = emitter_version;
  tuning_report& at = made.report;
  at.function = function;
  at.graph = "graph of " + function;
  at.device = "a processor";
  at.call = "float32[2^9]";
  at.usual_seconds = 1e-5;
  at.chosen_seconds = 1e-5 * (1 - gain);
  at.gain = gain;
  at.gain_low = gain * 0.9;
  at.gain_high = gain * 1.1;
  at.copy_bytes_per_second = 1e10;
  tuned_stage stage;
  stage.purpose = "a < b & c";
  stage.bytes_moved = 65536;
  stage.candidates = 3;
  if (gain > 0) stage.chosen.vector = 4;
  stage.trials = {{stage.usual, trial_outcome::timed, 1e-5, 0.9e-5, 1.1e-5, 15, ""},
                  {schedule{.vector = 4}, trial_outcome::timed, 9e-6, 8e-6, 9.5e-6, 15, ""},
                  {schedule{.vector = 2}, trial_outcome::dropped, 2e-5, 1.9e-5, 2.1e-5, 3, ""},
                  {schedule{.tile = 8}, trial_outcome::failed, 0, 0, 0, 0, "it has no <lanes>"}};
  at.stages = {stage};
  return made;
}

std::string tuning_file(const cache_fixture& in, const char* name,
                        std::vector<runtime::tuning_record> records) {
  write_file(in.root() + "/" + name, runtime::to_text(std::move(records)));
  return in.root() + "/" + name;
}

std::string recording_file(const cache_fixture& in) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  builder.recorded().name = "twice";
  const std::int64_t extent = 1000, stride = 1;
  const array_layout input{element_type::float32, 1, &extent, &stride, 256, 0};
  std::string path = in.root() + "/run.record";
  std::string bytes;
  for (const target_kind ran_on : {target_kind::cpu, target_kind::cuda})
    bytes += runtime::to_bytes(runtime::recorded_request{
        builder.recorded(), record_call(builder.recorded(), {&input, 1}, {}, {}, ran_on, nullptr)});
  write_file(path, bytes);
  return path;
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++found;
  return found;
}

}  // namespace

TEST_CASE("a recording is tuned into a file beside it, and a call for a device that is not here is told") {
  if (lacks_cpu_compiler()) return;
  const cache_fixture in;
  const std::string recording = recording_file(in), page = in.root() + "/page.html";
  const json told =
      in.read({"tune", recording, "--budget", "0.2", "--html", page}, 0, {"SINTER_CUDA_DRIVER=/nothing"});
  CHECK(told["file"] == in.root() + "/run.tuning");
  REQUIRE(told["tuned"].size() == 1);
  CHECK(told["tuned"][0]["function"] == "function 'twice'");
  REQUIRE(told["skipped"].size() == 1);
  CHECK(has(told["skipped"][0]["why"], "none is here"));
  CHECK(runtime::read_tuning_file(in.root() + "/run.tuning").size() == 1);
  CHECK(has(read_file(page), "function 'twice'"));
}

TEST_CASE("what cannot be tuned is refused with what to do") {
  const cache_fixture in;
  CHECK(in.run({"tune"}).status == 2);
  CHECK(in.run({"tune", "r", "--device", "tpu"}).status == 2);
  CHECK(in.run({"tune", "r", "--budget", "0"}).status == 2);
  CHECK(in.run({"tune", in.root() + "/missing"}).status == 3);
  write_file(in.root() + "/damaged.tuning", "nonsense\n");
  const runtime::program_answer answer = in.run({"tune", "list", in.root() + "/damaged.tuning"});
  CHECK(answer.status == 3);
  CHECK(has(answer.errors, "a tuning file begins with"));
}

TEST_CASE("the tunings of a file are listed and shown, those of a name alone where one is given") {
  const cache_fixture in;
  const std::string file = tuning_file(in, "a.tuning", {record_of("softmax", 0.1), record_of("sums", 0)});
  const std::string listed = in.run({"tune", "list", file}).output;
  for (const char* part : {"softmax", "sums", "10.0% (9.0 to 11.0)", "none", "2 tunings\n"})
    CHECK(has(listed, part));
  CHECK(in.read({"tune", "list", file}).size() == 2);
  const std::string shown = in.run({"tune", "show", file, "soft"}).output;
  CHECK(has(shown, "10.0% less"));
  CHECK_FALSE(has(shown, "sums"));
  CHECK(in.run({"tune", "show", file, "other"}).status == 1);
}

TEST_CASE("two files of tunings are compared by calls, winners and gains") {
  const cache_fixture in;
  const std::string a = tuning_file(in, "a", {record_of("one", 0.1), record_of("two", 0.1)});
  const std::string b = tuning_file(in, "b", {record_of("one", 0.3), record_of("three", 0.1)});
  CHECK(in.run({"tune", "diff", a, a}).status == 0);
  CHECK(in.run({"tune", "diff", a, a}).output == "");
  const json told = in.read({"tune", "diff", a, b}, 1);
  REQUIRE(told.size() == 3);
  const std::string text = in.run({"tune", "diff", a, b}).output;
  CHECK(has(text, "gain 10.0% (9.0 to 11.0) -> 30.0% (27.0 to 33.0)"));
  CHECK(has(text, "only in " + a));
  CHECK(has(text, "only in " + b));
  // within the intervals
  CHECK(in.run({"tune", "diff", tuning_file(in, "c", {record_of("one", 0.1)}),
                tuning_file(in, "d", {record_of("one", 0.105)})})
            .status == 0);
}

TEST_CASE("files of tunings are merged, and a damaged one is refused before anything is written") {
  const cache_fixture in;
  const std::string a = tuning_file(in, "a", {record_of("one", 0.1), record_of("two", 0.1)}),
                    b = tuning_file(in, "b", {record_of("one", 0.3)}), out = in.root() + "/out";
  CHECK(in.read({"tune", "merge", a, b, "--output", out})["tunings"] == 2);
  CHECK(runtime::read_tuning_file(out)[0].report.gain != 0.0);
  write_file(b, "nonsense\n");
  CHECK(in.run({"tune", "merge", a, b, "--output", in.root() + "/other"}).status == 3);
  CHECK_FALSE(std::filesystem::exists(in.root() + "/other"));
}

TEST_CASE("the page has every trial and plot, escapes names, loads nothing, and is well-formed") {
  const std::vector<runtime::tuning_record> records{record_of("less <b> & \"more\"", 0.1),
                                                    record_of("sums", 0)};
  const std::string page = command::tuning_page(records);
  CHECK(has(page, "less &lt;b&gt; &amp; &quot;more&quot;"));
  CHECK(has(page, "it has no &lt;lanes&gt;"));
  CHECK_FALSE(has(page, "<b>"));
  CHECK(count(page, "<svg") == 1 + 2 * records.size());
  CHECK(count(page, "All 4 trials") == 2);
  CHECK(count(page, "<path class=\"dropped\"") == 2);
  for (const char* part : {"src=", "href=\"http", "url(", "@import", "<script"}) CHECK_FALSE(has(page, part));
  const std::string python = runtime::find_program({"python3"});
  if (lacks(need::python, python.empty() ? "there is no Python 3" : "")) return;
  const temporary_folder folder;
  write_file(folder / "page.html", page);
  const runtime::program_answer parsed = runtime::run_program(
      python, {"-c", "import sys, xml.dom.minidom as d; d.parse(sys.argv[1])", folder / "page.html"});
  INFO(parsed.errors);
  CHECK(parsed.status == 0);
}

TEST_CASE("a page without tunings, or with times of zero, is a page") {
  CHECK(has(command::tuning_page({}), "0 calls"));
  runtime::tuning_record empty = record_of("f", 0);
  empty.report.usual_seconds = empty.report.chosen_seconds = 0;
  empty.report.stages[0].trials.resize(1);
  empty.report.stages[0].trials[0].seconds = 0;
  const std::string page = command::tuning_page(std::span(&empty, 1));
  CHECK_FALSE(has(page, "nan"));
  CHECK_FALSE(has(page, "inf"));
  CHECK_FALSE(has(page, "<svg"));
}

}  // namespace sinter::test
