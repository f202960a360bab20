// From a program's list of functions, or a recording of a run, to a pack with which it runs on a machine
// without any compiler.

#include <doctest/doctest.h>

#include "../support/cuda/nvrtc_is_missing.hpp"
#include "../support/optional_parts.hpp"
#include "../support/process/temporary_folder.hpp"
#include "run_program.hpp"

#include <sinter/runtime/cache/pack.hpp>
#include <sinter/runtime/error.hpp>
#include <sinter/runtime/pack/pack_builder.hpp>
#include <sinter/runtime/posix/host.hpp>

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace sinter::test {

using namespace runtime;

namespace {

constexpr int kernels_of_program = 5;

std::string run_with(const std::string& pack_path, const std::string& program = path_of("packed_program")) {
  return run(without_compilers + ("SINTER_PACKS=" + pack_path), program);
}

built_pack pack_for_cpu(std::span<const recorded_request> requests) {
  built_pack made =
      build_pack(requests, {.architectures = {}, .cpu = true, .threads = 2, .progress = nullptr});
  CHECK(made.faults.empty());
  return made;
}

recording_content recording_of_run(const temporary_folder& root) {
  const std::string path = root / "recording";
  run("SINTER_CACHE=off SINTER_RECORD=" + path, path_of("packed_program"));
  return read_recordings({&path, 1});
}

}  // namespace

TEST_CASE("a program lists its functions and its libraries', each once, before its main()") {
  const temporary_folder root;
  CHECK(run("SINTER_LIST_FUNCTIONS=" + (root / "list"), path_of("packed_program")) == "");
  const std::string path = root / "list";
  const recording_content listed = read_recordings({&path, 1});
  CHECK(listed.faults.empty());
  // two without a name that differ, one in two modes, one that two files use, one of the library
  CHECK(listed.requests.size() == kernels_of_program);
  std::map<arithmetic_mode, int> modes;
  for (const recorded_request& each : listed.requests) {
    CHECK_FALSE(each.call);
    CHECK(each.content.name.empty());
    ++modes[each.content.mode];
  }
  CHECK(modes[arithmetic_mode::fast] == 1);
  CHECK(modes[arithmetic_mode::strict] == 0);
}

TEST_CASE(
    "the functions of a library are listed without a program, and those of something else are refused") {
  CHECK(functions_of_program(path_of("packed_program")).requests.size() == kernels_of_program);
  CHECK(functions_of_program(path_of("libpacked_library.so")).requests.size() == 1);
  // otherwise its main() would run
  CHECK_THROWS_AS(functions_of_program("/bin/true"), device_error);
  CHECK_THROWS_AS(functions_of_program("/nonexistent"), device_error);
}

TEST_CASE("a list that cannot be written ends the program with a failure") {
  CHECK(run("SINTER_LIST_FUNCTIONS=/nonexistent/list", path_of("packed_program"))
            .starts_with("failed: sinter: "));
}

TEST_CASE("a recording has each function that ran, with its name, mode and layout") {
  const temporary_folder root;
  const recording_content recorded = recording_of_run(root);
  CHECK(recorded.faults.empty());
  CHECK(recorded.requests.size() == kernels_of_program);
  std::map<std::string, int> names;
  for (const recorded_request& each : recorded.requests) {
    ++names[each.content.name];
    REQUIRE(each.call);
    CHECK(each.call->ran_on == target_kind::cpu);
    CHECK(each.call->inputs[0].extents == std::vector<std::int64_t>{1000});
  }
  CHECK(names == std::map<std::string, int>{{"", 2}, {"decay", 2}, {"doubled", 1}});
}

TEST_CASE("without its pack, the program needs a compiler") {
  CHECK(run(without_compilers, path_of("packed_program")).starts_with("failed: "));
}

TEST_CASE("with a pack from a recording the program runs without any compiler, wherever both lie") {
  const temporary_folder root;
  write_file(root / "pack", pack_for_cpu(recording_of_run(root).requests).bytes);
  CHECK(run_with(root / "pack") == "right: compiled 0 pack 5 compiler 0\n");
  std::filesystem::rename(root / "pack", root / "moved");
  CHECK(run_with(root / "moved") == "right: compiled 0 pack 5 compiler 0\n");
  CHECK(run_with(root / "missing:" + (root / "moved")).ends_with("right: compiled 0 pack 5 compiler 0\n"));
}

TEST_CASE("with a pack from its own list of functions the program runs without any compiler") {
  const temporary_folder root;
  write_file(root / "pack", pack_for_cpu(functions_of_program(path_of("packed_program")).requests).bytes);
  CHECK(run_with(root / "pack") == "right: compiled 0 pack 5 compiler 0\n");
}

TEST_CASE("without a compiler shape-generic kernels, which are packed too, serve what no recording met") {
  const temporary_folder root;
  const std::string path = root / "recording", program = path_of("shape_generic_program") + " run";
  run("SINTER_CACHE=off SINTER_RECORD=" + path, program);
  std::vector<recorded_request> requests = read_recordings({&path, 1}).requests;
  std::erase_if(requests, [](const recorded_request& each) { return each.call->inputs[0].extents[1] != 64; });
  REQUIRE(requests.size() == 1);  // of rows that are 1, 3, 64 and 5000 long
  write_file(root / "pack", pack_for_cpu(requests).bytes);
  CHECK(run_with(root / "pack", program) == "right, told 1 times, compiled 0\n");
}

#ifdef SINTER_HAS_COMMAND
TEST_CASE("a program with its pack in it runs without any compiler, moved, stripped and without a cache") {
  const temporary_folder root;
  constexpr const char* all_found = "right: compiled 0 pack 5 compiler 0\n";
  const std::string program = path_of("packed_program_with_pack"), moved = root / "moved";
  CHECK(run(without_compilers, program) == all_found);
  std::filesystem::copy_file(program, moved);
  CHECK(run(without_compilers, moved) == all_found);
  run("", "strip " + moved);
  CHECK(std::filesystem::file_size(moved) < std::filesystem::file_size(program));
  CHECK(run(without_compilers, moved) == all_found);
}

TEST_CASE("a program with its pack beside it runs without any compiler as long as both lie together") {
  const temporary_folder root;
  const std::string program = path_of("packed_program_with_packbeside");
  CHECK(run(without_compilers, program) == "right: compiled 0 pack 5 compiler 0\n");
  std::filesystem::copy_file(program, root / "program");
  const std::string alone = run("SINTER_LOG=warning " + std::string(without_compilers), root / "program");
  CHECK(alone.find("is not used: No such file") != std::string::npos);
  std::filesystem::copy_file(program + ".sinterpack", root / "packed_program_with_packbeside.sinterpack");
  CHECK(run(without_compilers, root / "program") == "right: compiled 0 pack 5 compiler 0\n");
}

TEST_CASE("the processors that sinter_add_pack() names are those that kernels are packed for") {
  std::string fault;
  const auto beside = pack::open(path_of("packed_program_with_packbeside.sinterpack"), {}, fault);
  REQUIRE(beside != nullptr);
  std::set<std::string> targets;
  for (std::size_t i = 0; i < beside->size(); ++i) {
    cache_entry entry;
    CHECK(decode(beside->read(beside->row(i)).bytes, "", entry) == entry_fault::none);
    targets.insert(std::string(parts_of(entry.key_content)->target));
  }
  CHECK(targets == std::set<std::string>{"cpu " + processor_features(), "cpu x86-64-v2"});
}

TEST_CASE("where keys are trusted, the pack of a program that none of them signed is not used") {
  if (lacks_sodium()) return;
  const std::string key = "SINTER_LOG=warning " + std::string(without_compilers) +
                          "SINTER_PACK_KEY=" + to_string(make_pack_keys().shown);
  const std::string text = run(key, path_of("packed_program_with_pack"));
  CHECK(text.find("not signed") != std::string::npos);
  CHECK(text.find("failed: ") == 0);
}

TEST_CASE("where a key that is trusted is malformed, a program with a pack fails by that key") {
  const std::string key = std::string(without_compilers) + "SINTER_PACK_KEY=nonsense";
  const std::string text = run(key, path_of("packed_program_with_pack"));
  CHECK(text.find("failed: 'nonsense' is no public key of packs") == 0);
}
#endif

TEST_CASE("a pack is built to the same bytes again") {
  const temporary_folder root;
  recording_content recorded = recording_of_run(root);
  const built_pack first = pack_for_cpu(recorded.requests);
  std::reverse(recorded.requests.begin(), recorded.requests.end());
  CHECK(pack_for_cpu(recorded.requests).bytes == first.bytes);
  std::string fault;
  CHECK(pack::open_bytes(first.bytes, "pack", {}, fault)->check().empty());
}

TEST_CASE("a program on a GPU runs without NVRTC with a pack that was built without a GPU") {
  if (nvrtc_is_missing()) return;
  const temporary_folder root;
  const built_pack made =
      build_pack(recording_of_run(root).requests,
                 {.architectures = {80, 90}, .cpu = false, .threads = 2, .progress = nullptr});
  CHECK(made.faults.empty());
  write_file(root / "pack", made.bytes);
  const std::string text = run(without_compilers + ("SINTER_PACKS=" + (root / "pack")) +
                                   " SINTER_CUDA_DRIVER=" + path_of("libfake_cuda.so"),
                               path_of("packed_program") + " cuda");
  CHECK(text.ends_with(": compiled 0 pack 5 compiler 0\n"));
}

}  // namespace sinter::test
