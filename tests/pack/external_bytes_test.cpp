// External functions in recordings: their code is stored in every form, and malformed bytes are rejected.

#include <doctest/doctest.h>

#include "../support/process/temporary_folder.hpp"

#include <sinter/codegen/base/error.hpp>
#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/dsl/extern_function.hpp>
#include <sinter/runtime/log.hpp>
#include <sinter/runtime/pack/external_bytes.hpp>
#include <sinter/runtime/pack/recording.hpp>

#include <random>
#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

using blend_function = extern_function<float(float, float)>;

float blend_here(float a, float b) { return a + a - b; }

blend_function blend_of_text() {
  return {"blend", {.cuda = "extern \"C\" __device__ float blend(float a, float b);", .cpp = "float blend;"}};
}
blend_function blend_of_code() {
  std::vector<code_image> images{{code_format::ptx, 90, ".version 8.0"}, {code_format::lto_ir, 0, "bytes"}};
  return {"blend",
          {.code = object_code(std::move(images), std::vector<std::string>{"blend"}), .bitcode = "BC"}};
}

graph calling(const external_function& called) {
  graph_builder builder;
  builder.restart();
  const graph_value x = builder.input(element_type::float32, 1);
  builder.output(builder.call(called, std::vector{x, x}));
  builder.recorded().name = "calling";
  return builder.recorded();
}

void record_call_of(const graph& content) {
  const std::int64_t extent = 8, stride = 1;
  const array_layout input{element_type::float32, 1, &extent, &stride, 256, 0};
  record_request(content, {&input, 1}, {}, {}, target_kind::cpu, nullptr);
}

}  // namespace

TEST_CASE("functions of text, bitcode and object code are read back as the very functions that they were") {
  const external_function* const written[] = {&blend_of_text().erased(), &blend_of_code().erased()};
  std::vector<const external_function*> read;
  std::string fault;
  REQUIRE(read_externals(to_bytes(written), read, fault));
  CHECK(fault.empty());
  REQUIRE(read.size() == 2);
  for (std::size_t i = 0; i < 2; ++i) CHECK(read[i] == written[i]);  // found by content
}

TEST_CASE("a function that was given as a pointer is read back as one that kernels call, and nobody here") {
  const external_function* const written[] = {&blend_function("blend", blend_here).erased()};
  std::vector<const external_function*> read;
  std::string fault;
  REQUIRE(read_externals(to_bytes(written), read, fault));
  CHECK(read[0]->name == "blend");
  CHECK(read[0]->cpu == external_form::pointer);
  CHECK(read[0]->cuda == external_form::none);
  CHECK(read[0]->address != written[0]->address);
  std::uint64_t bits[2]{}, result = 0;
  CHECK_THROWS_AS(read[0]->call(read[0]->address, bits, &result), error);
}

TEST_CASE("bytes that are cut short anywhere are refused with a reason") {
  const external_function* const written[] = {&blend_of_code().erased(), &blend_of_text().erased()};
  const std::string whole = to_bytes(written);
  std::vector<const external_function*> read;
  for (std::size_t size = 0; size < whole.size(); ++size) {
    std::string fault;
    CHECK_FALSE(read_externals(whole.substr(0, size), read, fault));
    CHECK_FALSE(fault.empty());
  }
  std::string fault;
  CHECK_FALSE(read_externals(whole + '\0', read, fault));
}

TEST_CASE("whatever bits are changed, what is accepted is a function that an extern_function could be") {
  const external_function* const written[] = {&blend_of_text().erased()};
  const std::string whole = to_bytes(written);
  std::mt19937 random(7);
  for (int round = 0; round < 3000; ++round) {
    std::string changed = whole;
    changed[random() % changed.size()] = static_cast<char>(random());
    std::vector<const external_function*> read;
    std::string fault;
    if (!read_externals(changed, read, fault)) continue;
    for (const external_function* each : read) {
      CHECK(each->arity >= 1);
      CHECK(each->arity <= max_external_arguments);
      CHECK_FALSE(is_storage_only(each->result));
    }
  }
}

TEST_CASE("a recording has the functions that its graphs call") {
  const temporary_folder root;
  const graph content = calling(blend_of_code().erased());
  record_to(root / "run");
  record_call_of(content);
  record_to("");
  recording_content read;
  read_recording(read_file(root / "run"), read);
  CHECK(read.faults.empty());
  REQUIRE(read.requests.size() == 1);
  CHECK(read.requests[0].content.same_content(content));
}

TEST_CASE("a graph that calls what its record does not hold is refused") {
  const std::string whole = to_bytes(recorded_request{calling(blend_of_text().erased()), std::nullopt});
  graph without = calling(blend_of_text().erased());
  without.externals.clear();
  CHECK(to_bytes(recorded_request{without, std::nullopt}).size() < whole.size());
  recording_content read;
  read_recording(to_bytes(recorded_request{without, std::nullopt}), read);
  CHECK(read.requests.empty());
  REQUIRE(read.faults.size() == 1);
  CHECK(read.faults[0].find("no external function 0") != std::string::npos);
}

TEST_CASE("a function with more code than a recording takes costs one warning, and no record") {
  static std::string told;
  set_log_hook([](log_level level, std::string_view text) {
    if (level == log_level::warning) told = text;
  });
  const temporary_folder root;
  record_to(root / "run");
  record_call_of(calling(blend_function("blend", {.bitcode = std::string(17 << 20, 'b')}).erased()));
  record_to("");
  set_log_hook(nullptr);
  CHECK(told.find("'calling' calls functions of yours") != std::string::npos);
  CHECK(read_file(root / "run").empty());
}

}  // namespace sinter::test
