// Recordings: the file has everything that a run lowered, once, whatever happens to the process or the file.

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../support/process/temporary_folder.hpp"

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/pack/recording.hpp>

#include <thread>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

graph graph_of(std::string name) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.apply(operation::add, {x, x}));
  builder.recorded().name = std::move(name);
  return builder.recorded();
}

void record_calls(const graph& content, int first, int count) {
  for (int i = first; i < first + count; ++i) {
    const std::int64_t extents[] = {i + 1}, strides[] = {1};
    const array_layout input{element_type::float32, 1, extents, strides, 256, 0};
    record_request(content, {&input, 1}, {}, {}, target_kind::cpu, nullptr);
  }
}

recording_content content_of(const std::string& path) { return read_recordings({&path, 1}); }

/// Records to a file during its lifetime.
struct recording_scope {
  explicit recording_scope(const std::string& path) { record_to(path); }
  ~recording_scope() { record_to(""); }
};

}  // namespace

TEST_CASE("what is lowered is recorded with its function and its layout, once") {
  const temporary_folder root;
  const graph content = graph_of("twice");
  {
    const recording_scope scope(root / "run");
    CHECK(is_recording());
    record_calls(content, 0, 3);
    record_calls(content, 0, 3);
  }
  CHECK_FALSE(is_recording());
  const recording_content read = content_of(root / "run");
  CHECK(read.faults.empty());
  REQUIRE(read.requests.size() == 3);
  CHECK(read.requests[2].content.same_content(content));
  CHECK(read.requests[2].call->inputs[0].extents == std::vector<std::int64_t>{3});
}

TEST_CASE("a recording is added to, and several are read as one") {
  const temporary_folder root;
  for (const char* file : {"one", "one", "two"}) {
    const recording_scope scope(root / file);
    record_calls(graph_of(file), 0, 2);
  }
  const std::string both[] = {root / "one", root / "two"};
  CHECK(read_recordings(both).requests.size() == 4);
}

TEST_CASE("processes and threads that record into one file at once keep every record whole") {
  const temporary_folder root;
  constexpr int processes = 8, threads = 4, calls = 50;
  std::vector<pid_t> children;
  for (int process = 0; process < processes; ++process) {
    const pid_t child = ::fork();
    REQUIRE(child >= 0);
    if (child == 0) {
      record_to(root / "run");
      {
        std::vector<std::jthread> running;
        for (int thread = 0; thread < threads; ++thread)
          running.emplace_back(
              [=] { record_calls(graph_of("k" + std::to_string(process)), thread * calls, calls); });
      }
      ::_exit(0);
    }
    children.push_back(child);
  }
  for (const pid_t child : children) ::waitpid(child, nullptr, 0);
  const recording_content read = content_of(root / "run");
  CHECK(read.faults.empty());
  CHECK(read.requests.size() == processes * threads * calls);
}

TEST_CASE("a recording that is cut short at any length gives the records that are whole") {
  const temporary_folder root;
  {
    const recording_scope scope(root / "run");
    record_calls(graph_of("k"), 0, 3);
  }
  const std::string whole = read_file(root / "run");
  const std::size_t one = whole.size() / 3;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    recording_content read;
    read_recording(std::string_view(whole).substr(0, size), read);
    CHECK(read.requests.size() == size / one);
    CHECK(read.faults.empty() == (size % one == 0));
  }
}

TEST_CASE("a byte that was changed costs the record that it is in, and no other") {
  const temporary_folder root;
  {
    const recording_scope scope(root / "run");
    record_calls(graph_of("k"), 0, 3);
  }
  const std::string whole = read_file(root / "run");
  for (std::size_t at = 0; at < whole.size(); ++at) {
    std::string changed = whole;
    changed[at] = static_cast<char>(changed[at] ^ 0x10);
    recording_content read;
    read_recording(changed, read);
    CHECK(read.requests.size() == 2);
    CHECK_FALSE(read.faults.empty());
  }
}

TEST_CASE("a file that cannot be written costs one warning, and no call") {
  const temporary_folder root;
  static int warnings = 0;
  warnings = 0;
  set_log_hook([](log_level level, std::string_view) { warnings += level == log_level::warning; });
  {
    const recording_scope scope(root / "missing/run");
    CHECK_FALSE(is_recording());
    record_calls(graph_of("k"), 0, 3);
  }
  CHECK(warnings == 1);
  set_log_hook(nullptr);
  const std::string missing = root / "missing/run";
  CHECK_THROWS_AS(read_recordings({&missing, 1}), device_error);
}

}  // namespace sinter::test
