// sinter pack: building, listing, verifying, merging and signing, on the built command.

#include <sinter/codegen/graph/graph.hpp>
#include <sinter/codegen/graph/graph_builder.hpp>
#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/pack/recording.hpp>
#include <sinter/runtime/tuning.hpp>

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <vector>

#include "../support/optional_parts.hpp"
#include "run_command.hpp"

namespace sinter::test {

namespace {

/// A file with a pack of entries `first` to `first + count - 1`.
std::string pack_file(const cache_fixture& in, const char* name, int first, int count) {
  std::vector<runtime::cache_entry> entries;
  for (int number = first; number < first + count; ++number) entries.push_back(entry_of(number));
  write_file(in.root() + "/" + name, runtime::make_pack(entries));
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
  std::string path = in.root() + "/recording";
  write_file(path, runtime::to_bytes(runtime::recorded_request{
                       builder.recorded(),
                       record_call(builder.recorded(), {&input, 1}, {}, {}, target_kind::cpu, nullptr)}));
  return path;
}

}  // namespace

TEST_CASE("the kernels of a pack are listed, for people and for programs") {
  const cache_fixture in;
  const std::string file = pack_file(in, "pack", 0, 3);
  const std::string table = in.run({"pack", "list", file}).output;
  for (const char* part :
       {"kernel_0", "kernel_1", "kernel_2", "cuda 90", "cubin 90", "3 kernels of emitter version 3\n"})
    CHECK(has(table, part));
  const json told = in.read({"pack", "list", file});
  REQUIRE(told["entries"].size() == 3);
  CHECK(told["entries"][0]["state"] == "whole");
  CHECK(told["signed_by"] == "");
  CHECK(told["emitter"] == 3);
  CHECK(told["entries"][0]["emitter"] == 3);
}

TEST_CASE("a pack that is built with tunings carries them, and its list counts them") {
  const cache_fixture in;
  tuning_report report;
  report.function = "twice";
  report.graph = "0123456789abcdef0123456789abcdef";
  report.device = "a device, 2 threads, vectors of 32 bytes";
  report.call = "float32[2^9] contiguous";
  const std::string tuning = in.root() + "/twice.tuning", built = in.root() + "/built";
  report.save(tuning);
  const runtime::program_answer answer =
      in.run({"pack", "build", "--recording", recording_file(in), "--tuning", tuning, "--output", built});
  CHECK(answer.status == 0);
  CHECK(has(in.run({"pack", "list", built}).output, ", 1 tuned call\n"));
  CHECK(in.read({"pack", "list", built})["tunings"] == 1);
  CHECK(in.run({"pack", "verify", built}).status == 0);
  write_file(tuning, "no tuning");
  const runtime::program_answer refused =
      in.run({"pack", "build", "--recording", recording_file(in), "--tuning", tuning, "--output", built});
  CHECK(refused.status != 0);
  CHECK(has(refused.errors, "a tuning file begins with"));
}

TEST_CASE("show finds a kernel in a pack") {
  const cache_fixture in;
  const std::string file = pack_file(in, "pack", 0, 3), key = to_string(key_of(1));
  const json told = in.read({"show", key.substr(0, 16), "--pack", file});
  CHECK(told["key"] == key);
  CHECK(told["file"] == file);
  CHECK(told["kernel"] == "kernel_1");
  CHECK(told["used"].is_null());
  CHECK(in.run({"show", key, "--pack", file, "--text"}).output == "the text of kernel 1\n");
  CHECK(has(in.run({"show", key, "--pack", file}).output, "rows vector=4"));
  const runtime::program_answer unknown = in.run({"show", to_string(key_of(7)), "--pack", file});
  CHECK(unknown.status == 1);
  CHECK(has(unknown.errors, "sinter pack list"));
  CHECK(in.run({"show", key, "--pack", in.root() + "/missing"}).status == 1);
}

TEST_CASE("a whole pack is verified, one that is damaged anywhere is told and answered by 1") {
  const cache_fixture in;
  const std::string file = pack_file(in, "pack", 0, 3);
  CHECK(in.run({"pack", "verify", file}).status == 0);
  std::string bytes = read_file(file);
  for (const std::size_t at : {std::size_t{3}, std::size_t{200}, bytes.size() / 2, bytes.size() - 1}) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    write_file(file, changed);
    CHECK(in.run({"pack", "verify", file}).status == 1);
    CHECK(in.read({"pack", "verify", file}, 1)[0]["whole"] == false);
  }
  CHECK(in.run({"pack", "verify", in.root() + "/missing"}).status == 1);
}

TEST_CASE("packs are merged to one") {
  const cache_fixture in;
  const std::string both = in.root() + "/both";
  const json told =
      in.read({"pack", "merge", pack_file(in, "one", 0, 3), pack_file(in, "two", 2, 3), "--output", both});
  CHECK(told["kernels"] == 5);
  CHECK(read_file(both) == read_file(pack_file(in, "all", 0, 5)));
}

TEST_CASE("a pack is signed, and verified against keys") {
  if (lacks_sodium()) return;
  const cache_fixture in;
  const std::string file = pack_file(in, "pack", 0, 2), secret = in.root() + "/secret";
  const std::string mine = in.read({"pack", "keys", "--output", secret})["public_key"];
  const std::string other = in.read({"pack", "keys", "--output", in.root() + "/other"})["public_key"];
  CHECK((std::filesystem::status(secret).permissions() & std::filesystem::perms::mask) ==
        (std::filesystem::perms::owner_read | std::filesystem::perms::owner_write));
  CHECK(in.run({"pack", "keys", "--output", secret}).status == 3);  // a second call never overwrites a key
  CHECK(in.run({"pack", "verify", file, "--key", mine}).status == 1);
  CHECK(in.run({"pack", "sign", file, "--key", secret}).status == 0);
  CHECK(in.run({"pack", "verify", file, "--key", other, "--key", mine}).status == 0);
  CHECK(in.run({"pack", "verify", file, "--key", other}).status == 1);
  CHECK(in.run({"pack", "verify", file, "--key", "abc"}).status == 2);
  CHECK(in.read({"pack", "list", file})["signed_by"] == mine);
  CHECK(in.run({"pack", "sign", file, "--key", file}).status == 3);
}

TEST_CASE("a pack is built from a recording, and signed at once") {
  if (lacks_sodium()) return;
  if (lacks_cpu_compiler()) return;
  const cache_fixture in;
  const std::string recording = recording_file(in), out = in.root() + "/pack";
  in.run({"pack", "keys", "--output", in.root() + "/secret"});
  const json told = in.read(
      {"pack", "build", "--recording", recording, "--sign-with", in.root() + "/secret", "--output", out});
  CHECK(told["kernels"] == 2);  // the recorded class and the shape-generic kernels
  CHECK(told["faults"].empty());
  CHECK(has(in.run({"pack", "list", out}).output, "twice_kernel"));
  CHECK(in.run({"pack", "verify", out}).status == 0);
}

TEST_CASE("kernels are packed for the processors that are named, and listed with them") {
  if (lacks_cpu_compiler()) return;
  const cache_fixture in;
  const std::string recording = recording_file(in), out = in.root() + "/pack";
  in.run({"pack", "build", "--recording", recording, "--cpu", "x86-64-v2,native", "--output", out});
  std::map<std::string, int> kernels;
  const json listed = in.read({"pack", "list", out});
  for (const json& entry : listed["entries"]) ++kernels[entry["target"].get<std::string>()];
  CHECK(kernels["cpu"] == 2);
  CHECK(kernels["cpu x86-64-v2"] == 2);
  CHECK(kernels.size() == 2);
}

TEST_CASE("what cannot be packed is refused with what to do") {
  const cache_fixture in;
  const std::string out = in.root() + "/pack";
  CHECK(in.run({"pack", "build", "--output", out}).status == 2);
  CHECK(in.run({"pack", "build", "--recording", "r", "--no-cpu", "--output", out}).status == 2);
  CHECK(in.run({"pack", "build", "--recording", "r", "--cpu", "x86-64-v9", "--output", out}).status == 2);
  CHECK(
      in.run({"pack", "build", "--recording", "r", "--no-cpu", "--cpu", "native", "--output", out}).status ==
      2);
  CHECK(in.run({"pack", "build", "--program", "/bin/true", "--output", out}).status == 3);
  CHECK(in.run({"pack", "build", "--recording", in.root() + "/missing", "--output", out}).status == 3);
  CHECK_FALSE(std::filesystem::exists(out));
}

}  // namespace sinter::test
